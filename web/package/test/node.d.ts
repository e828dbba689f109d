// The little of node that consumer.ts uses.
declare const process: { argv: string[] };
declare module 'node:fs' {
    export function readFileSync(path: string): Uint8Array;
}
// three's types name one of WebGPU's.
interface GPUTexture {}
