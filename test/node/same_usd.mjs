// node same_usd.mjs FILE.usda FILE.pc2: three's USD loader finds a mesh and its colour for every body, and plays skeletons with
// every vertex where the .pc2 has it, in the first frame, one in the middle and the last: to 1e-5 of the body's size, where joints
// are scaled to 3e-4, for scales have 11 bits. Point caches, which three does not play, are compared as they stand in the file.
// Prints the largest difference.
import { readFileSync } from 'node:fs';
import { AnimationMixer, Color, Vector3 } from 'three';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';

globalThis.self = globalThis;
const [usda, pc2] = process.argv.slice(2);
const text = readFileSync(usda, 'utf8'), cache = readFileSync(pc2);
const points = cache.readInt32LE(16), frames = cache.readInt32LE(28);
const fail = (why) => {
    console.error(`${usda}: ${why}`);
    process.exit(1);
};

// ---- what the file says: a tree of prims with their properties, a line each
const root = { prims: {} };
const lines = text.split('\n');
const stack = [root];
let samples = null;
for (const line of lines) {
    const prim = /^def (\w+) "(\w+)"/.exec(line), property = /^(?:uniform )?([\w[\]]+) ([\w:.]+) = (.*)$/.exec(line);
    const top = stack.at(-1);
    if (prim) {
        if (top.prims[prim[2]]) fail(`${prim[2]} is there twice`);
        top.next = top.prims[prim[2]] = { type: prim[1], prims: {} };
    } else if (line === '{') stack.push(top.next);
    else if (line === '}' && samples) samples = null;
    else if (line === '}') stack.pop();
    else if (samples) samples[Number(line.split(':')[0])] = line.slice(line.indexOf(':') + 1).replace(/,$/, '');
    else if (property?.[3] === '{') samples = top[property[2]] = [];
    else if (property) top[property[2]] = property[3];
}
if (stack.length !== 1) fail('its braces do not match');
const list = (value, width) => {
    const numbers = JSON.parse(value.replace(/[()]/g, '').replace(/ \($/, '').trim());
    return Array.from({ length: numbers.length / width }, (_, i) => numbers.slice(width * i, width * (i + 1)));
};
const end = Number(/endTimeCode = (\d+)/.exec(text)[1]);
if (end !== frames - 1) fail(`it ends at ${end}, the .pc2 has ${frames} frames`);

// ---- three: every body a mesh, with joints one that it moves
const group = new USDLoader().parse(text), mixer = new AnimationMixer(group);
const shown = new Map();
for (const body of group.getObjectByName('simulation').children) body.traverse((o) => o.isMesh && shown.set(body.name, o));
for (const clip of group.animations) mixer.clipAction(clip).play();
const fps = Number(/timeCodesPerSecond = (.*)/.exec(text)[1]);
const bodies = Object.entries(root.prims.simulation.prims);
if (shown.size !== bodies.length) fail(`three has ${shown.size} meshes, the file ${bodies.length} bodies`);

let next = 0, worst = 0;
for (const [name, body] of bodies) {
    const mesh = (body.prims.skin ?? body).prims.mesh, rest = list(mesh.points, 3), corners = JSON.parse(mesh.faceVertexIndices);
    const three = shown.get(name), { position } = three.geometry.attributes;
    if (position.count !== corners.length) fail(`three has ${position.count} corners of ${name}, not ${corners.length}`);
    if (!!body.prims.skin !== !!three.isSkinnedMesh) fail(`three does not see the skin of ${name}`);
    const colour = list(root.prims.materials.prims[name].prims.surface['inputs:diffuseColor'].replace('(', '[').replace(')', ']'), 3)[0];
    if (!three.material.color.equals(new Color(...colour))) fail(`three has another colour of ${name}`);
    if (!three.isSkinnedMesh && !mesh['points.timeSamples']) continue; // does not move, and is not in the .pc2

    const size = [0, 1, 2].map((k) => Math.max(...rest.map((p) => p[k])) - Math.min(...rest.map((p) => p[k])));
    for (const frame of [0, frames >> 1, frames - 1]) {
        const at = [];
        let allowed = 1e-5;
        if (three.isSkinnedMesh) {
            mixer.setTime(Math.min(frame, frames - 1 - 1e-6) / fps); // a clip starts again at its end
            group.updateMatrixWorld(true);
            if (three.skeleton.bones.some((bone) => bone.scale.toArray().some((s) => Math.abs(s - 1) > 1e-6))) allowed = 3e-4;
            corners.forEach((v, i) => { at[v] ??= three.getVertexPosition(i, new Vector3()).applyMatrix4(three.matrixWorld); });
        } else at.push(...list(mesh['points.timeSamples'][frame], 3).map((p) => new Vector3(...p)));
        for (let v = 0; v < rest.length; v++) {
            const i = 32 + 12 * (frame * points + next + v), want = [0, 4, 8].map((k) => cache.readFloatLE(i + k));
            const off = at[v] ? at[v].distanceTo(new Vector3(...want)) / Math.hypot(...size) : 0; // of no triangle
            worst = Math.max(worst, off);
            if (!(off < allowed)) fail(`vertex ${v} of ${name} is off by ${off} of its size in frame ${frame}`);
        }
    }
    next += rest.length;
}
if (next !== points) fail(`it has ${next} vertices that move, ${pc2} has ${points}`);
console.log(worst);
