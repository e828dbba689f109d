// node same_character.mjs IN.glb OUT.glb OUT.correctives.json: what was in IN is in OUT, number by number, the targets of OUT beyond
// those of IN have the weights that the drivers say, and where these are 0 three.js shows both files alike.
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { AnimationMixer, Quaternion, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

globalThis.self = globalThis;
const [from, to, drivers] = process.argv.slice(2);
const open = (file) => {
    const bytes = readFileSync(file), length = bytes.readUInt32LE(12);
    return { json: JSON.parse(bytes.toString('utf8', 20, 20 + length)), bin: bytes.subarray(28 + length), bytes };
};
const a = open(from), b = open(to), { shapes } = JSON.parse(readFileSync(drivers, 'utf8'));

// All of the text but what is added to: nodes, skins, materials, textures, images, scenes, extras...
const { meshes, animations, accessors, bufferViews, buffers, nodes, ...rest } = a.json;
for (const key of Object.keys(rest)) assert.deepEqual(b.json[key], rest[key], key);
nodes.forEach((node, i) => {
    const { weights, ...same } = node, { weights: longer, ...others } = b.json.nodes[i];
    assert.deepEqual(others, same);
    if (weights) assert.deepEqual(longer.slice(0, weights.length), weights);
});
accessors.forEach((accessor, i) => assert.deepEqual(b.json.accessors[i], accessor));
bufferViews.forEach((v, i) => {
    const w = b.json.bufferViews[i];
    assert.ok(a.bin.subarray(v.byteOffset, v.byteOffset + v.byteLength).equals(b.bin.subarray(w.byteOffset, w.byteOffset + w.byteLength)), `view ${i}`);
});
meshes.forEach((mesh, i) => {
    const other = b.json.meshes[i];
    mesh.primitives.forEach((p, k) => {
        const { targets, ...same } = p, { targets: more, ...others } = other.primitives[k];
        assert.deepEqual(others, same);
        assert.deepEqual(more.slice(0, targets?.length ?? 0), targets ?? []);
        assert.equal(more.length, (targets?.length ?? 0) + shapes.length);
    });
    if (mesh.extras?.targetNames) assert.deepEqual(other.extras.targetNames, [...mesh.extras.targetNames, ...shapes.map((s) => s.target)]);
});
animations.forEach((clip, i) => {
    assert.equal(b.json.animations[i].name, clip.name);
    clip.channels.filter((c) => c.target.path !== 'weights').forEach((c) => {
        const same = b.json.animations[i].channels.find((d) => d.target.node === c.target.node && d.target.path === c.target.path);
        assert.deepEqual(b.json.animations[i].samplers[same.sampler], clip.samplers[c.sampler]);
    });
});

// In three.js, over time.
const load = async (file) => {
    const bytes = file.bytes.buffer.slice(file.bytes.byteOffset, file.bytes.byteOffset + file.bytes.length);
    const gltf = await new GLTFLoader().parseAsync(bytes, '');
    const found = [];
    gltf.scene.traverse((object) => object.isSkinnedMesh && found.push(object));
    return { gltf, found, mixer: new AnimationMixer(gltf.scene) };
};
const [x, y] = [await load(a), await load(b)];
assert.equal(x.found.length, y.found.length);
const terms = ([x, y, z]) => [x, y, z, x * x, y * y, z * z, x * y, x * z, y * z, x ** 3, y ** 3, z ** 3, x * x * y, x * x * z,
    x * y * y, y * y * z, x * z * z, y * z * z, x * y * z];
const rotation = (scene, name) => scene.getObjectByName(name).getWorldQuaternion(new Quaternion());
let worst = 0, moved = 0;
for (let clip = 0; clip < animations.length; clip++) {
    for (const one of [x, y]) one.mixer.stopAllAction(), one.mixer.clipAction(one.gltf.animations[clip]).play();
    for (const t of [0, 0.3, 2 / 3, 0.9]) {
        for (const one of [x, y]) one.mixer.setTime(t), one.gltf.scene.updateMatrixWorld(true);
        const weights = shapes.map((s) => {
            const local = rotation(y.gltf.scene, s.parent).invert().multiply(rotation(y.gltf.scene, s.joint));
            const q = new Quaternion(...s.rest).invert().multiply(local).normalize(), sign = q.w < 0 ? -1 : 1;
            const v = new Vector3(q.x, q.y, q.z).multiplyScalar(sign);
            v.clampLength(0, s.reach);
            return terms(v.toArray()).reduce((sum, term, k) => sum + term * s.coefficients[k], 0);
        });
        y.found.forEach((mesh, m) => {
            const own = mesh.morphTargetInfluences.length - shapes.length, before = x.found[m];
            const late = Math.abs(t * 30 - Math.round(t * 30)) > 1e-6; // between two keys
            weights.forEach((w, k) => assert.ok(late || Math.abs(mesh.morphTargetInfluences[own + k] - w) < 2e-5, `${t}: ${shapes[k].target} ${mesh.morphTargetInfluences[own + k]} ${w}`));
            for (let k = 0; k < own; k++) assert.ok(Math.abs(mesh.morphTargetInfluences[k] - before.morphTargetInfluences[k]) < 1e-5);
            moved = Math.max(moved, ...weights.map(Math.abs));
            const played = [...mesh.morphTargetInfluences]; // which three.js does not set again where it stays
            mesh.morphTargetInfluences.fill(0, own); // without ours both are alike
            const p = new Vector3(), q = new Vector3();
            for (let v = 0; v < mesh.geometry.attributes.position.count; v++) {
                mesh.getVertexPosition(v, p), before.getVertexPosition(v, q);
                worst = Math.max(worst, p.distanceTo(q));
            }
            played.forEach((w, k) => (mesh.morphTargetInfluences[k] = w));
        });
    }
}
assert.ok(worst < 1e-5, `vertices differ by ${worst}`);
assert.ok(moved > 0.05, 'no driver moves');
