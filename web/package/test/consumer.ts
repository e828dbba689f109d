// A program of somebody who installed the package: worlds stepped from TypeScript, a muscle under a skinned mesh of three.js.
// Bundled by esbuild, checked by tsc, run by node: node consumer.mjs sinew.wasm rods.wasm HASH_OF_THE_NATIVE_LIBRARY
import { readFileSync } from 'node:fs';
import { load, SnError, type Sinew, type sn_body } from 'sinew';
import { SkinnedBodies, tubeGeometry } from 'sinew/three';
import { BufferAttribute, Mesh, MeshBasicMaterial, Scene, Vector3 } from 'three';

const [allFile, rodsFile, nativeHash] = process.argv.slice(2);

function check(good: boolean, what: string): void {
    if (!good) throw new Error(`failed: ${what}`);
}

function throws(call: () => unknown, pattern: RegExp, what: string): void {
    try {
        call();
    } catch (error) {
        check(pattern.test(String(error)), `${what}: ${error}`);
        return;
    }
    throw new Error(`${what}: nothing was thrown`);
}

// The world of twin.c.
function twin(sn: Sinew): bigint {
    const world = sn.sn_world_create();
    sn.sn_rigid_create(world);
    for (let k = 0; k < 4; k++) {
        const points = new Float32Array(27);
        for (let i = 0; i < 9; i++) points.set([i / 32, 0.125 + 0.0625 * k, 0.015625 * i * (k % 2)], 3 * i);
        sn.sn_rod_create(world, { points, radius: 0.015625 });
    }
    const net = sn.sn_springs_make_cloth({ columns: 6, rows: 5, corner: { x: 0, y: 0.5, z: 0 } }, null);
    sn.sn_springs_create(world, sn.sn_springs_def_of(net));
    sn.sn_spring_net_free(net);
    sn.sn_rigid_create(world, {
        geometry: sn.SN_GEOMETRY_BOX,
        half: { x: 0.0625, y: 0.03125, z: 0.0625 },
        position: { x: 0.125, y: 0.75, z: 0.0625 },
        dynamic: true,
    });
    for (let frame = 0; frame < 60; frame++) sn.sn_world_step(world, 1 / 64, 0);
    const hash = sn.sn_world_hash(world);
    // Saved and restored, it is the same world.
    const bytes = new Uint8Array(sn.sn_world_save(world, null, 0));
    sn.sn_world_save(world, bytes, bytes.length);
    const again = sn.sn_world_restore({}, bytes, bytes.length);
    check(sn.sn_world_hash(again) === hash, 'a restored world has the same hash');
    sn.sn_world_destroy(again);
    sn.sn_world_destroy(world);
    return hash;
}

function positionsOf(mesh: Mesh): BufferAttribute {
    return mesh.geometry.attributes.position as BufferAttribute;
}

// The widest distance of the mesh's vertices from the muscle's axis.
function girth(mesh: Mesh): number {
    const at = positionsOf(mesh);
    const p = new Vector3();
    let widest = 0;
    for (let i = 0; i < at.count; i++) {
        p.fromBufferAttribute(at, i);
        widest = Math.max(widest, Math.hypot(p.y, p.z));
    }
    return widest;
}

function volume(mesh: Mesh): number {
    const at = positionsOf(mesh);
    const index = mesh.geometry.index!;
    const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
    let sum = 0;
    for (let i = 0; i < index.count; i += 3) {
        a.fromBufferAttribute(at, index.getX(i));
        b.fromBufferAttribute(at, index.getX(i + 1));
        c.fromBufferAttribute(at, index.getX(i + 2));
        sum += a.dot(b.cross(c)) / 6;
    }
    return sum;
}

// A muscle between two held points contracts to three quarters; its mesh bulges and keeps its volume.
function muscle(sn: Sinew): void {
    const world = sn.sn_world_create({ gravity: { x: 0, y: 0, z: 0 } });
    const count = 13;
    const points = new Float32Array(3 * count);
    const radii = new Float32Array(count);
    for (let i = 0; i < count; i++) {
        points[3 * i] = 0.02 * i;
        radii[i] = 0.006 + 0.014 * Math.sin((Math.PI * i) / (count - 1));
    }
    const rod: sn_body = sn.sn_rod_create(world, { points, radii, material: sn.sn_material_preset(sn.SN_PRESET_MUSCLE) });
    sn.sn_rod_hold(world, rod, 0, sn.SN_HOLD_CENTRE);

    const skins = new SkinnedBodies(sn, world);
    const mesh = skins.add(tubeGeometry(sn, world, rod), new MeshBasicMaterial(), { rods: [rod] });
    new Scene().add(mesh);
    const before = { girth: girth(mesh), volume: volume(mesh), version: positionsOf(mesh).version };
    check(before.volume > 0, 'the mesh is closed and not inside out');
    for (let i = 1; i < count; i++) sn.sn_rod_set_segment(world, rod, i, 1, 0.75);
    for (let frame = 0; frame < 120; frame++) sn.sn_world_step(world, 1 / 60, 4);
    skins.update();
    const after = { girth: girth(mesh), volume: volume(mesh) };
    const shorter = sn.sn_rod_length(world, rod) / (0.02 * (count - 1));
    console.log(`the muscle is ${shorter.toFixed(3)} as long, ${(after.girth / before.girth).toFixed(3)} as thick, its mesh's volume ${(after.volume / before.volume).toFixed(4)}`);
    check(shorter < 0.82 && after.girth > 1.08 * before.girth, 'it bulges');
    check(Math.abs(after.volume / before.volume - 1) < 0.02, 'its mesh keeps its volume');
    check(positionsOf(mesh).version > before.version, 'three.js is told');
    check((positionsOf(mesh).array as Float32Array).buffer === sn.memory.buffer, 'nothing is copied');

    // A memory that grows leaves old views empty; the next update takes new ones.
    const block = sn.allocate(Float32Array, 4 << 20);
    skins.update();
    check(Math.abs(girth(mesh) - after.girth) < 1e-7, 'a mesh outlives the growth of the memory');
    block.free();
    skins.dispose();
    sn.sn_world_destroy(world);
}

function errors(sn: Sinew): void {
    const world = sn.sn_world_create();
    throws(() => sn.sn_rod_create(world, { points: [{ x: 0, y: 0, z: 0 }], radius: -1 }), /radius: .*is -1/, 'the bad field is named');
    throws(() => sn.sn_rod_create(world, { pionts: [] } as never), /no 'pionts'/, 'a field that is not there');
    throws(() => sn.sn_rod_create(world, { points: 'x' } as never), /argument 2/, 'points that are none');
    const rod = sn.sn_rod_create(world, { points: [{ x: 0, y: 0, z: 0 }, { x: 1, y: 0, z: 0 }] });
    sn.sn_body_destroy(world, rod);
    try {
        sn.sn_rod_hold(world, rod, 0, sn.SN_HOLD_CENTRE);
        check(false, 'a stale handle is refused');
    } catch (error) {
        check(error instanceof SnError && error.status === sn.SN_ERR_STALE_ID, `stale: ${error}`);
    }
    sn.sn_world_destroy(world);
}

// A minute of calls leaves the memory as large as it was.
function leaks(sn: Sinew): void {
    const world = sn.sn_world_create();
    const rod = sn.sn_rod_create(world, { points: [{ x: 0, y: 0, z: 0 }, { x: 1, y: 0, z: 0 }, { x: 2, y: 0, z: 0 }] });
    const call = (): void => {
        for (let i = 0; i < 20000; i++) {
            sn.sn_body_get_points(world, rod);
            sn.sn_rod_set_velocities(world, rod, [{ x: 0, y: 0, z: 0 }, { x: 0, y: 0, z: 0 }, { x: 0, y: 0, z: 0 }], 3);
        }
    };
    call();
    const size = sn.memory.buffer.byteLength;
    call();
    check(sn.memory.buffer.byteLength === size, 'calls leak no memory');
    sn.sn_world_destroy(world);
}

const sn = await load({ wasm: readFileSync(allFile!) });
const hash = twin(sn).toString(16).padStart(16, '0');
check(hash === nativeHash, `the native library has the hash ${nativeHash}, the package ${hash}`);
muscle(sn);
errors(sn);
leaks(sn);
check(typeof sn.sn_elastic_create === 'function', 'elastic bodies are in the module of all kinds');

const rods = await load({ wasm: readFileSync(rodsFile!) });
muscle(rods);
throws(() => rods.sn_springs_create(rods.sn_world_create()), /all kinds/, 'the module of rods has no springs and says so');
