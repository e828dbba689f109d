// The engine in the page. It runs in a worker, so that drawing and stepping do not wait for each other. It accepts the
// same messages as the server, and posts a frame when something has changed and the page has drawn the last one.

interface Engine {
    memory: WebAssembly.Memory;
    _initialize?(): void;
    engine_alloc(size: number): number;
    engine_free(at: number): void;
    engine_open(at: number, size: number): number;
    engine_message(at: number, size: number): number;
    engine_advance(passed: number, maxWork: number): number;
    engine_frame(): number;
    engine_frame_size(): number;
    engine_changed(): number;
}

export type ToWorker =
    | { engine: ArrayBuffer }
    | { open: ArrayBuffer }
    | { message: ArrayBuffer }
    | { visible: boolean };
export type FromWorker = { ready: true } | { opened: true } | { frame: ArrayBuffer } | { failed: string };

const PERIOD_MS = 16;
const MAX_SECONDS = 0.014; // of work per period, so that messages are answered in time
const ACK = 1;

const scope = self as unknown as {
    postMessage(message: FromWorker, transfer?: Transferable[]): void;
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};

let engine: Engine | null = null;
let opened = false;
let mayPost = false;
let visible = true;
let last = performance.now();

// System calls that the C library imports: all fail with ENOSYS.
const nosys = () => 52;
const system = new Proxy({}, { get: () => nosys, has: () => true });

async function start(code: ArrayBuffer) {
    const module = await WebAssembly.compile(code);
    const imports: Record<string, Record<string, () => number>> = { env: { now: () => performance.now() / 1000 } };
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        imports[from] ??= {};
        imports[from][name] ??= (system as Record<string, () => number>)[name];
    }
    const instance = await WebAssembly.instantiate(module, imports);
    engine = instance.exports as unknown as Engine;
    engine._initialize?.();
    scope.postMessage({ ready: true });
}

function give(bytes: ArrayBuffer, take: (at: number, size: number) => number): number {
    if (!engine) return -1;
    const at = engine.engine_alloc(bytes.byteLength);
    if (!at) return -1;
    new Uint8Array(engine.memory.buffer, at, bytes.byteLength).set(new Uint8Array(bytes));
    const status = take(at, bytes.byteLength);
    engine.engine_free(at);
    return status;
}

function postFrame() {
    if (!engine || !opened || !mayPost) return;
    const at = engine.engine_frame();
    const size = engine.engine_frame_size();
    if (!at) return;
    const frame = engine.memory.buffer.slice(at, at + size);
    mayPost = false;
    scope.postMessage({ frame }, [frame]);
}

function tick() {
    const now = performance.now();
    const passed = Math.min(0.25, (now - last) / 1000);
    last = now;
    if (engine && opened && visible) {
        engine.engine_advance(passed, MAX_SECONDS);
        if (engine.engine_changed()) postFrame();
    }
    // A step that took long has used up the time of the next one.
    setTimeout(tick, Math.max(0, PERIOD_MS - (performance.now() - now)));
}

scope.onmessage = ({ data }) => {
    if ('engine' in data) {
        start(data.engine).catch((error) =>
            scope.postMessage({ failed: `the engine does not start: ${String(error)}` }),
        );
    } else if ('open' in data) {
        mayPost = false;
        const status = give(data.open, (at, size) => engine!.engine_open(at, size));
        opened = status === 0;
        if (opened) scope.postMessage({ opened: true });
        else scope.postMessage({ failed: `the engine does not take the scene (status ${status})` });
    } else if ('visible' in data) {
        visible = data.visible;
        last = performance.now();
    } else {
        const status = give(data.message, (at, size) => engine!.engine_message(at, size));
        if (opened && status !== 0) scope.postMessage({ failed: `the engine refused a message (status ${status})` });
        const view = new DataView(data.message);
        const isAck = view.getUint32(0, true) === ACK;
        const first = isAck && view.getUint32(4, true) === 0; // answered even if nothing moves
        mayPost ||= isAck;
        if (engine && opened && (first || engine.engine_changed())) postFrame();
    }
};

tick();
