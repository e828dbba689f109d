// node wasm_run.mjs ENGINE.wasm STEPS SCENE.snb...: runs baked scenes in WebAssembly as the page does, and prints for each
// its name, the hash of the state, and the milliseconds that a step took.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

const [file, steps, ...scenes] = process.argv.slice(2);
const bytes = await readFile(file);
const { instance, module } = await WebAssembly.instantiate(bytes, { env: { now: () => performance.now() / 1000 } });
const imports = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`);
if (imports.join() !== "env.now") throw new Error(`the engine imports ${imports}, wanted only env.now`);
const engine = instance.exports;
engine._initialize();

const hand = (call, content) => {
    const at = engine.engine_alloc(content.byteLength);
    new Uint8Array(engine.memory.buffer, at, content.byteLength).set(new Uint8Array(content.buffer ?? content));
    const status = call(at, content.byteLength);
    engine.engine_free(at);
    return status;
};
const frame = () => {
    const at = engine.engine_frame();
    return new DataView(engine.memory.buffer, at, engine.engine_frame_size());
};
const hex = (view) => [7, 6].map((word) => view.getUint32(4 * word, true).toString(16).padStart(8, "0")).join("");

for (const name of scenes) {
    const status = hand(engine.engine_open, Uint8Array.from(await readFile(name)));
    if (status !== 0) throw new Error(`${name}: status ${status}`);
    if (hand(engine.engine_message, Uint32Array.of(3, Number(steps))) !== 0) throw new Error("STEP was refused");
    const start = performance.now();
    let done = 0;
    while (done < steps) {
        const more = engine.engine_advance(0.016, 1);
        if (more < 1) throw new Error(`${name}: it stands still after ${done} steps`);
        done += more;
    }
    const ms = (performance.now() - start) / done, view = frame();
    if (view.getUint32(4 * 3, true) !== done) throw new Error(`${name}: the frame is of step ${view.getUint32(12, true)}`);
    console.log(basename(name, ".snb"), hex(view), ms.toFixed(3));
}

// Bytes that are no scene and no message are refused, and the run before stays.
if (hand(engine.engine_open, new Uint8Array(100)) === 0) throw new Error("nonsense was opened");
if (hand(engine.engine_message, Uint32Array.of(99)) === 0) throw new Error("nonsense was taken for a message");
if (frame().getUint32(0, true) !== 0x34464e53) throw new Error("the run is gone");
