// How the page reaches its engine: over a socket (socket.ts) or in a worker (local.ts). Both accept the same messages
// and deliver the same frames, so the rest of the page does not know which one it is.

export interface SceneEntry {
    name: string;
    title: string;
    about: string;
}

// The state of the server; sent after connecting and when it changes.
export interface Hello {
    version: string;
    scenes: SceneEntry[];
    scene: string;
    driving: boolean;
    watchers: number;
}

export interface Listener {
    hello(hello: Hello): void;
    scene(bytes: ArrayBuffer): void; // a scene was opened; answer with ACK 0 to get frames
    frame(bytes: ArrayBuffer): void;
    lost(reason: string): void; // the connection was lost and is being retried
    found(): void; // the connection is back
    failed(reason: string): void; // something failed for good
}

export interface Transport {
    readonly kind: 'socket' | 'wasm';
    open(name: string): void;
    send(message: ArrayBuffer): void;
    drive(): void;
    seen(visible: boolean): void; // whether the page is visible
}
