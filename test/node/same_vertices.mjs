// node same_vertices.mjs FILE.glb FILE.pc2 FPS [only-morphs]: three.js plays the .glb and finds every vertex where the
// .pc2 has it, in the first frame, one in the middle and the last, to 1e-5 of each body's size. only-morphs: looks only at
// meshes with morph targets, whose vertices are the last of the .pc2, and to 3e-5, for the page has them in 16 bits. Prints
// the largest difference.
import { readFileSync } from 'node:fs';
import { AnimationMixer, Box3, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const [glb, pc2, fps, only] = process.argv.slice(2);
globalThis.self = globalThis;

const cache = readFileSync(pc2);
if (cache.toString('latin1', 0, 12) !== 'POINTCACHE2\0') throw new Error(`${pc2} is no PC2 file`);
const points = cache.readInt32LE(16), frames = cache.readInt32LE(28);
if (cache.length !== 32 + 12 * points * frames) throw new Error(`${pc2} has ${cache.length} bytes, not what its head says`);
const point = (frame, i) => {
    const at = 32 + 12 * (frame * points + i);
    return new Vector3(cache.readFloatLE(at), cache.readFloatLE(at + 4), cache.readFloatLE(at + 8));
};

const bytes = readFileSync(glb);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const gltf = await new GLTFLoader().parseAsync(buffer, '');
const meshes = [];
gltf.scene.traverse((object) => {
    if (object.morphTargetInfluences || (object.isSkinnedMesh && !only)) meshes.push(object);
});
const skip = only ? points - meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0) : 0;
const mixer = new AnimationMixer(gltf.scene);
for (const clip of gltf.animations) mixer.clipAction(clip).play();

let worst = 0;
for (const frame of [0, frames >> 1, frames - 1]) {
    // A clip starts again at its end; stay just before it.
    mixer.setTime(Math.min(frame / fps, Math.max(...gltf.animations.map((clip) => clip.duration)) - 1e-9));
    gltf.scene.updateMatrixWorld(true);
    let i = skip;
    for (const mesh of meshes) {
        const size = new Box3().setFromBufferAttribute(mesh.geometry.attributes.position).getSize(new Vector3()).length();
        const at = new Vector3();
        for (let v = 0; v < mesh.geometry.attributes.position.count; v++, i++) {
            mesh.getVertexPosition(v, at).applyMatrix4(mesh.matrixWorld);
            worst = Math.max(worst, at.distanceTo(point(frame, i)) / size);
        }
    }
    if (i !== points) throw new Error(`${glb} has ${i} vertices, ${pc2} has ${points}`);
}
console.log(worst);
if (!(worst < (only ? 3e-5 : 1e-5))) {
    console.error(`${glb}: three.js differs by ${worst} of a body's size`);
    process.exit(1);
}
