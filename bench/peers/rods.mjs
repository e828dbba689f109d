// node rods.mjs SINEW.wasm [--json]: what rods cost in WebAssembly, Sinew's and Jolt Physics', in one run.
//
// A segment of a rod is what both count by. Jolt's solver goes over a rod's constraints some times a step; the cost of
// one time is the slope between steps with many and with few. Sinew solves a step directly: one Newton iteration, whole
// step, prediction and velocities included. Both are measured in turns, many short times, and the best of each counts,
// so that what else the machine does hits both or neither. Of two steps in a row the second is timed: the first finds
// the other's data in the caches (docs/performance.md says what that costs).
import { readFile } from "node:fs/promises";
import { makeWorld } from "./jolt.mjs";

const rods = 64, segments = 64, few = 4, many = 14;
const warm = 60, rounds = 200; // short ones, so that some are not disturbed
const file = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
if (!file) {
    console.error("usage: node rods.mjs SINEW.wasm [--json]");
    process.exit(2);
}

const { instance } = await WebAssembly.instantiate(await readFile(file), { env: { now: () => performance.now() / 1000 } });
const sinew = instance.exports;
sinew._initialize();
const must = (status) => {
    if (status !== 0) throw new Error(`Sinew: status ${status}`);
};
must(sinew.rods_make(rods, segments, 1));

const worlds = { few: makeWorld(rods, segments, few), many: makeWorld(rods, segments, many) };
const contenders = {
    sinew: () => must(sinew.rods_step(1)),
    few: () => worlds.few.step(1),
    many: () => worlds.many.step(1),
};

// Nanoseconds per segment and step.
const best = {};
for (let round = -warm; round < rounds; ++round) {
    for (const [name, step] of Object.entries(contenders)) {
        step(); // the caches are its own again
        const start = performance.now();
        step();
        const ns = ((performance.now() - start) * 1e6) / (rods * segments);
        if (round >= 0) best[name] = Math.min(best[name] ?? Infinity, ns); // the compiler warms up first
    }
}

// How far Jolt's rods are from where many more iterations of the same step end, over their length: 0.2 s after the start.
function joltError(iterations) {
    const after = (count) => {
        const world = makeWorld(1, segments, 200);
        world.step(12);
        world.setIterations(count);
        world.step(1);
        const points = world.points();
        world.destroy();
        return points;
    };
    const converged = after(20000), points = after(iterations);
    return Math.max(...points.map((p, i) => Math.hypot(...p.map((x, k) => x - converged[i][k]))));
}

const iteration = (best.many - best.few) / (many - few);
const results = {
    segments: rods * segments,
    sinew_step_ns: best.sinew,
    sinew_error: sinew.rods_error(segments, 1),
    jolt_iteration_ns: iteration,
    jolt_step_ns: { [few]: best.few, [many]: best.many },
    jolt_error: Object.fromEntries([3, 10, 100].map((count) => [count, joltError(count)])),
    iterations_for_a_step: best.sinew / iteration,
};

if (process.argv.includes("--json")) {
    console.log(JSON.stringify(results, null, 2));
} else {
    const ns = (x) => `${x.toFixed(1)} ns`.padStart(10);
    console.log(`${rods} rods of ${segments} segments in WebAssembly (node ${process.version}), per segment; best of ${rounds}`);
    console.log(`  Sinew, a step (one Newton iteration)       ${ns(best.sinew)}   error ${results.sinew_error.toExponential(1)} of the length`);
    console.log(`  Jolt, one iteration                        ${ns(iteration)}`);
    for (const [count, error] of Object.entries(results.jolt_error)) {
        console.log(`  Jolt, ${count.padStart(3)} iterations${" ".repeat(35)} error ${error.toExponential(1)}`);
    }
    console.log(`A converged step of Sinew costs as much as ${results.iterations_for_a_step.toFixed(2)} iterations of Jolt.`);
}
