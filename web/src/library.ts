// The engine and the scenes inside the playground page. build.mjs cuts every baked scene into chunks, stores equal
// chunks once, and filters and deflates them. This file puts them together again.
import type { Library } from './local';
import type { SceneEntry } from './transport';

export interface Packed {
    version: string;
    engine: number; // its chunk
    scenes: (SceneEntry & { chunks: number[] })[];
    chunks: [size: number, stride: number, delta: number][];
}

export function packedLibrary(): Library | null {
    const table = document.getElementById('library');
    if (!table) return null;
    const packed = JSON.parse(table.textContent!) as Packed;
    const chunk = async (number: number): Promise<Uint8Array> => {
        const text = document.getElementById(`chunk-${number}`)!.textContent!;
        const [size, stride, delta] = packed.chunks[number];
        return restoreBytes(await inflate(decode(text), size), stride, delta);
    };
    return {
        version: packed.version,
        scenes: packed.scenes.map(({ name, title, about }) => ({ name, title, about })),
        async engine() {
            return (await chunk(packed.engine)).buffer as ArrayBuffer;
        },
        async baked(name) {
            const scene = packed.scenes.find((candidate) => candidate.name === name);
            if (!scene) throw new Error('it is not in this page');
            const parts = await Promise.all(scene.chunks.map(chunk));
            return (await new Blob(parts as BlobPart[]).arrayBuffer()) as ArrayBuffer;
        },
    };
}

function decode(base64: string): Uint8Array {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

async function inflate(bytes: Uint8Array, size: number): Promise<Uint8Array> {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const out = new Uint8Array(await new Response(stream).arrayBuffer());
    if (out.length !== size) throw new Error('the page is damaged');
    return out;
}

// Undoes the filter of build.mjs: byte k of every word lies in plane k ('stride' bytes per word), and words are
// differences to the word 'delta' before. Stride 1: not filtered.
export function restoreBytes(bytes: Uint8Array, stride: number, delta: number): Uint8Array {
    if (stride === 1) return bytes;
    const out = new Uint8Array(bytes.length);
    const words = Math.floor(bytes.length / stride);
    for (let k = 0; k < stride; k++) for (let i = 0; i < words; i++) out[stride * i + k] = bytes[k * words + i];
    out.set(bytes.subarray(stride * words), stride * words);
    if (!delta) return out;
    const numbers = stride === 4 ? new Uint32Array(out.buffer, 0, words) : new Uint16Array(out.buffer, 0, words);
    for (let i = delta; i < words; i++) numbers[i] += numbers[i - delta];
    return out;
}
