import type { Address, Api } from './api.js';
export * from './api.js';

/** A call failed: `status` is the code, the message has the lines that the library logged. */
export class SnError extends Error {
    readonly status: number;
    readonly lines: string[];
}

/** Numbers in the module's memory. `array` is a view; take it again after calls, since a memory that grows leaves old views empty. */
export interface Memory<T> {
    readonly address: Address;
    readonly count: number;
    readonly array: T;
    free(): void;
}

export interface Line {
    level: number;
    status: number;
    field: string | null;
    text: string | null;
}

export interface Sinew extends Api {
    /** Numbers in the module's memory: what the library writes there is seen without a copy. */
    allocate<T>(type: { new (buffer: ArrayBuffer, offset: number, length: number): T; BYTES_PER_ELEMENT: number }, count: number): Memory<T>;
    readonly memory: WebAssembly.Memory;
}

/**
 * Loads the module: all of libsinew by default; `wasm` is another address (`new URL('sinew/rods.wasm', import.meta.url)`), bytes, or
 * a compiled WebAssembly.Module (so that a page and its workers compile it once). `log` gets every line that the library logs.
 */
export function load(options?: {
    wasm?: string | URL | ArrayBuffer | ArrayBufferView | WebAssembly.Module;
    log?: (line: Line) => void;
}): Promise<Sinew>;
