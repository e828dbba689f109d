// How the page reaches its engine: over a socket (socket.ts) or in a worker (local.ts). Both take the same messages and
// give the same frames, so nothing else in the page knows which one it is.

export interface SceneEntry {
    name: string;
    title: string;
    about: string;
}

// What the world around the run looks like; told whenever it changes.
export interface Hello {
    version: string;
    scenes: SceneEntry[];
    scene: string;
    driving: boolean;
    watchers: number;
}

export interface Listener {
    hello(hello: Hello): void;
    scene(bytes: ArrayBuffer): void; // a scene was opened; answer with ACK 0 when frames may come
    frame(bytes: ArrayBuffer): void;
    lost(reason: string): void; // the engine cannot be reached; it is tried again
    found(): void; // and now it can
    failed(reason: string): void; // something did not work, and will not by waiting
}

export interface Transport {
    readonly kind: 'socket' | 'wasm';
    open(name: string): void;
    send(message: ArrayBuffer): void;
    drive(): void;
    seen(visible: boolean): void; // whether anybody looks at the page
}
