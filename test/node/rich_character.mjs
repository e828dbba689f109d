// node rich_character.mjs OUT.glb: a character with all that a file can have: two meshes with two materials, an image, two sets of
// texture coordinates, vertex colours, a morph target with a name, a skeleton of three joints under a scaled node, two clips,
// one of which moves the morph target too, extras and an extension that nobody knows.
import { writeFileSync } from 'node:fs';

const RINGS = 49, AROUND = 20, N = RINGS * AROUND;
const parts = [], views = [], accessors = [];
let size = 0;
const view = (bytes) => {
    views.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    parts.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
    size += bytes.length + ((4 - (bytes.length % 4)) % 4);
    return views.length - 1;
};
const add = (array, type, componentType, more = {}) => {
    const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    accessors.push({ bufferView: view(Buffer.from(array.buffer)), componentType, count: array.length / width, type, ...more });
    return accessors.length - 1;
};
const floats = (list, type, bounds) => {
    const width = { SCALAR: 1, VEC3: 3 }[type], more = {};
    if (bounds) {
        const column = (k) => list.filter((_, i) => i % width === k).map(Math.fround);
        more.min = [...Array(width).keys()].map((k) => Math.min(...column(k)));
        more.max = [...Array(width).keys()].map((k) => Math.max(...column(k)));
    }
    return add(new Float32Array(list), type, 5126, more);
};

// A tube of radius 0.06 down from y = 1.2, joints at 1.2, 0.8 and 0.4; twice, the second one beside it.
const tube = (x) => {
    const p = [], n = [], uv = [], uv1 = [], colour = [], joint = [], weight = [], smile = [];
    for (let i = 0; i < N; i++) {
        const t = Math.floor(i / AROUND) / (RINGS - 1), y = 1.2 * (1 - t), turn = (2 * Math.PI * (i % AROUND)) / AROUND;
        p.push(x + 0.06 * Math.cos(turn), y, 0.06 * Math.sin(turn));
        n.push(Math.cos(turn), 0, Math.sin(turn));
        uv.push(turn / 7, t), uv1.push(t, turn / 7), colour.push(255 * t, 100, 50, 255);
        const upper = Math.min(Math.max((y - 0.8) / 0.08 + 0.5, 0), 1), lower = Math.min(Math.max((0.4 - y) / 0.08 + 0.5, 0), 1);
        joint.push(0, 1, 2, 0), weight.push(upper, 1 - upper - lower, lower, 0);
        smile.push(0, 0, i % AROUND === 3 ? 0.02 : 0);
    }
    const index = [];
    for (let i = 0; i < N - AROUND; i++) {
        const next = i % AROUND === AROUND - 1 ? i + 1 - AROUND : i + 1;
        index.push(i, next, i + AROUND, next, next + AROUND, i + AROUND);
    }
    const attributes = {
        POSITION: floats(p, 'VEC3', true), NORMAL: floats(n, 'VEC3'),
        TEXCOORD_0: add(new Float32Array(uv), 'VEC2', 5126), TEXCOORD_1: add(new Float32Array(uv1), 'VEC2', 5126),
        COLOR_0: add(new Uint8Array(colour), 'VEC4', 5121, { normalized: true }),
        JOINTS_0: add(new Uint8Array(joint), 'VEC4', 5121), WEIGHTS_0: add(new Float32Array(weight), 'VEC4', 5126),
    };
    const half = index.length / 2, targets = [{ POSITION: floats(smile, 'VEC3', true) }];
    const part = (from, to, material) => ({ attributes, material, targets, indices: add(new Uint16Array(index.slice(from, to)), 'SCALAR', 5123) });
    return { name: x ? 'second' : 'first', primitives: [part(0, half, 0), part(half, 2 * half, 1)], extras: { targetNames: ['smile'] } };
};
const meshes = [tube(0), tube(0.5)];
meshes[1].primitives.pop(), delete meshes[1].extras;
const bind = [1.2, 0.8, 0.4].flatMap((y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1]);
const q = (axis, degrees) => {
    const s = Math.sin((degrees * Math.PI) / 360), v = { x: [s, 0, 0], z: [0, 0, s] }[axis];
    return [...v, Math.cos((degrees * Math.PI) / 360)];
};
const binds = add(new Float32Array(bind), 'MAT4', 5126), times = floats([0, 0.5, 1], 'SCALAR', true), late = floats([0.1, 0.65], 'SCALAR', true);
const turn = (...list) => add(new Float32Array(list.flat()), 'VEC4', 5126);
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64');
const json = {
    asset: { version: '2.0', generator: 'a test', copyright: 'nobody \u00e9' },
    extensionsUsed: ['KHR_materials_unlit'],
    scene: 0, scenes: [{ nodes: [5, 3, 4] }],
    nodes: [
        { name: 'upper', translation: [0, 1.2, 0], children: [1] }, { name: 'middle', translation: [0, -0.4, 0], children: [2] },
        { name: 'lower', translation: [0, -0.4, 0] }, { name: 'body', mesh: 0, skin: 0 }, { name: 'twin', mesh: 1, skin: 0, weights: [0.25] },
        { name: 'armature', children: [0] },
    ],
    skins: [{ joints: [0, 1, 2], inverseBindMatrices: binds, skeleton: 0 }],
    meshes,
    materials: [{ name: 'skin', pbrMetallicRoughness: { baseColorTexture: { index: 0, texCoord: 1 } } },
        { name: 'cloth', extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorFactor: [0.1, 0.2, 0.30000001, 1] } }],
    textures: [{ source: 0 }], images: [{ name: 'dot', mimeType: 'image/png', bufferView: view(png) }],
    animations: [
        { name: 'bend', samplers: [{ input: times, output: turn(q('x', 0), q('x', 60), q('x', 110)) }, { input: late, output: add(new Float32Array([0, 1]), 'SCALAR', 5126) }],
            channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }, { sampler: 1, target: { node: 3, path: 'weights' } }] },
        { name: 'twist', samplers: [{ input: times, output: turn(q('z', 0), q('z', -40), q('z', -80)), interpolation: 'STEP' }], channels: [{ sampler: 0, target: { node: 2, path: 'rotation' } }] },
    ],
    accessors, bufferViews: views, buffers: [{ byteLength: size }], extras: { kept: [1, 2.5, 'three'] },
};
const text = Buffer.from(JSON.stringify(json)), pad = Buffer.alloc((4 - (text.length % 4)) % 4, ' '), head = Buffer.alloc(20), bin = Buffer.alloc(8);
head.write('glTF'), head.writeUInt32LE(2, 4), head.writeUInt32LE(28 + text.length + pad.length + size, 8);
head.writeUInt32LE(text.length + pad.length, 12), head.write('JSON', 16);
bin.writeUInt32LE(size, 0), bin.write('BIN\0', 4);
writeFileSync(process.argv[2], Buffer.concat([head, text, pad, bin, ...parts]));
