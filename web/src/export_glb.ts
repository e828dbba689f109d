// Exports the last seconds of the run as a .glb: skinned meshes with an animation, for Blender, Unreal, Unity, Godot
// and three.js. As in the files of the command line, a body is a mesh node with a skin, and next to it a node with all
// its joints as children. Rods without a skin become pills skinned to their two joints. Pills that were shot have scale
// 0 until then. A body that deforms is a mesh of the first moment with a morph target for each later one.
import * as THREE from 'three';
import type { ScenePage, Mesh, Shape } from './scene_page';
import { JOINT_FLOATS, PILL_FLOATS } from './frame';
import { GlbWriter, type Json } from './glb_writer';
import { setNormals } from './normals';
import type { Moment } from './record';

// The motion of a node: 10 floats for each moment (position, rotation, scale).
interface Track {
    node: number;
    poses: Float32Array;
}

// A node with an animated morph mesh.
interface Morph {
    node: number;
}

export function exportGlb(baked: ScenePage, moments: Moment[]): Blob {
    const writer = new GlbWriter();
    const tracks: Track[] = [];
    const shapes = new Map<number, { attributes: Json; indices: number; bind: number }>();
    const materials = new Map<string, number>();
    const meshes = new Map<string, number>();

    const material = (colour: number[]): number => {
        const key = colour.join();
        if (!materials.has(key)) {
            const pbrMetallicRoughness = {
                baseColorFactor: [...colour.map((c) => Math.min(1, Math.max(0, c))), 1],
                metallicFactor: 0,
                roughnessFactor: 0.5,
            };
            materials.set(key, writer.add('materials', { pbrMetallicRoughness, doubleSided: true }));
        }
        return materials.get(key)!;
    };
    const meshOf = (shape: number, colour: number[]): number => {
        const key = `${shape} ${colour.join()}`;
        const { attributes, indices } = shapes.get(shape)!;
        if (!meshes.has(key))
            meshes.set(
                key,
                writer.add('meshes', { primitives: [{ attributes, indices, material: material(colour) }] }),
            );
        return meshes.get(key)!;
    };
    // Adds a body: its mesh node, its joints and their motion. Joints that flatten are in nodes along their axes.
    const place = (name: string, shape: number, colour: number[], poses: Float32Array[], inner?: Float32Array[]) => {
        const mesh = meshOf(shape, colour);
        const add = (nodeName: string, track: Float32Array, more: Json) => {
            const node = writer.add('nodes', { name: nodeName, ...nodeAt(track), ...more });
            tracks.push({ node, poses: track });
            return node;
        };
        const joints = poses.map((track, k) => add(`${name} ${k}`, inner ? inner[k] : track, {}));
        const children = inner ? poses.map((track, k) => add(`${name} axes ${k}`, track, { children: [joints[k]] })) : joints;
        if (!children.length) {
            writer.json.scenes[0].nodes.push(writer.add('nodes', { name, mesh }));
            return;
        }
        const root = writer.add('nodes', { name: `${name} joints`, children });
        const skin = writer.add('skins', {
            joints,
            skeleton: root,
            inverseBindMatrices: shapes.get(shape)!.bind,
        });
        writer.json.scenes[0].nodes.push(writer.add('nodes', { name, mesh, skin }), root);
    };

    const morphs: Morph[] = [];
    for (const body of baked.bodies) {
        const shape = baked.shapes[body.shape];
        if (body.muscle) continue; // inside a skin
        if (body.kind === 'surface' && shape.mesh) {
            const primitive = { ...morphing(writer, shape.mesh, moments, body.first), material: material(body.colour) };
            const node = writer.add('nodes', {
                name: body.name,
                mesh: writer.add('meshes', { primitives: [primitive] }),
            });
            writer.json.scenes[0].nodes.push(node);
            morphs.push({ node });
            continue;
        }
        if (body.covered) continue; // the skin of its muscle is exported instead
        const mesh = shape.mesh ?? pillMesh(shape);
        if (!mesh) continue;
        if (!shapes.has(body.shape)) shapes.set(body.shape, writeShape(writer, mesh, shape));
        const poses = Array.from({ length: shape.joints }, (_, k) => jointTrack(moments, body.first + k));
        const inner = body.kind === 'muscle' ? poses.map((track, k) => splitAxes(track, moments, body.first + k)) : undefined;
        place(body.name, body.shape, body.colour, poses, inner);
    }
    const shots = Math.max(0, ...moments.map((moment) => moment.extra.length / PILL_FLOATS));
    for (let i = 0; i < shots; i++) {
        const first = moments.find((moment) => moment.extra.length > PILL_FLOATS * i)!;
        const shape = shotShape(first.extra.subarray(PILL_FLOATS * i, PILL_FLOATS * (i + 1)));
        const number = baked.shapes.length + i;
        shapes.set(number, writeShape(writer, pillMesh(shape)!, shape));
        place(`shot ${i + 1}`, number, [0.055, 0.06, 0.075], shotTracks(moments, i, shape));
    }
    animate(writer, tracks, morphs, moments);
    return writer.finish();
}

// Rotates the track of a joint onto the axes of its scale; returns that of a node within it, which rotates back.
function splitAxes(track: Float32Array, moments: Moment[], joint: number): Float32Array {
    const inner = new Float32Array(track.length);
    const axes = new THREE.Quaternion();
    const rotation = new THREE.Quaternion();
    moments.forEach((moment, i) => {
        axes.fromArray(moment.joints, JOINT_FLOATS * joint + 11);
        rotation.fromArray(track, 10 * i + 3).multiply(axes).toArray(track, 10 * i + 3);
        inner.set([0, 0, 0, ...axes.conjugate().toArray(), 1, 1, 1], 10 * i);
    });
    steadyRotations(track);
    steadyRotations(inner);
    return inner;
}

function nodeAt(poses: Float32Array): Json {
    const p = Array.from(poses.subarray(0, 10));
    return { translation: p.slice(0, 3), rotation: p.slice(3, 7), scale: p.slice(7, 10) };
}

function writeShape(writer: GlbWriter, mesh: Mesh, shape: Shape) {
    const attributes: Json = {
        POSITION: writer.accessor(mesh.positions, 'VEC3', 'vertex', true),
        NORMAL: writer.accessor(unit(mesh.normals, 3), 'VEC3', 'vertex'),
    };
    if (mesh.uvs) attributes.TEXCOORD_0 = writer.accessor(mesh.uvs, 'VEC2', 'vertex');
    if (shape.joints > 0) {
        const { joint, weight } = tidyWeights(mesh);
        attributes.JOINTS_0 = writer.accessor(joint, 'VEC4', 'vertex');
        attributes.WEIGHTS_0 = writer.accessor(weight, 'VEC4', 'vertex');
    }
    const index = mesh.vertexCount < 65535 ? Uint16Array.from(mesh.index) : mesh.index;
    const bind = new Float32Array(16 * shape.joints);
    for (let k = 0; k < shape.joints; k++) {
        const at = 10 * k;
        const rest = new THREE.Matrix4().compose(
            new THREE.Vector3().fromArray(shape.rest, at),
            new THREE.Quaternion().fromArray(shape.rest, at + 3).normalize(),
            new THREE.Vector3().fromArray(shape.rest, at + 7),
        );
        const inverse = rest.invert().elements;
        inverse[3] = inverse[7] = inverse[11] = 0;
        inverse[15] = 1;
        bind.set(inverse, 16 * k);
    }
    return {
        attributes,
        indices: writer.accessor(index, 'SCALAR', 'index'),
        bind: shape.joints > 0 ? writer.accessor(bind, 'MAT4', 'data') : -1,
    };
}

// The mesh of a body that deforms, and a morph target for each moment but the first.
function morphing(writer: GlbWriter, mesh: Mesh, moments: Moment[], surface: number): Json {
    const at = ({ surfaces }: Moment) => {
        const { low, step, places } = surfaces[surface];
        return Float32Array.from(places, (place, i) => low[i % 3] + step[i % 3] * place);
    };
    const normalsOf = (positions: Float32Array) => {
        const normals = new Float32Array(positions.length);
        setNormals(positions, mesh.index, normals);
        return normals;
    };
    const base = at(moments[0]);
    const baseNormals = normalsOf(base);
    const attributes = {
        POSITION: writer.accessor(base, 'VEC3', 'vertex', true),
        NORMAL: writer.accessor(unit(baseNormals, 3), 'VEC3', 'vertex'),
    };
    const targets = moments.slice(1).map((moment) => {
        const positions = at(moment);
        const normals = normalsOf(positions);
        const [moved, turned] = [positions.map((x, i) => x - base[i]), normals.map((n, i) => n - baseNormals[i])];
        return {
            POSITION: writer.accessor(moved, 'VEC3', 'vertex', true),
            NORMAL: writer.accessor(turned, 'VEC3', 'vertex'),
        };
    });
    const index = mesh.vertexCount < 65535 ? Uint16Array.from(mesh.index) : mesh.index;
    const indices = writer.accessor(index, 'SCALAR', 'index');
    return { attributes, indices, ...(targets.length ? { targets } : {}) };
}

function unit(array: Float32Array, width: number): Float32Array {
    const out = array.slice();
    for (let i = 0; i < out.length; i += width) {
        const length = Math.hypot(...out.subarray(i, i + width));
        if (length > 0) for (let k = 0; k < width; k++) out[i + k] /= length;
        else out[i + width - 1] = 1;
    }
    return out;
}

// glTF requires: each joint once, unused ones 0, weights that sum to 1 in floats.
function tidyWeights(mesh: Mesh): { joint: Uint16Array; weight: Float32Array } {
    const joint = new Uint16Array(mesh.joint.length);
    const weight = new Float32Array(mesh.weight.length);
    for (let v = 0; v < mesh.vertexCount; v++) {
        const sum = new Map<number, number>();
        for (let i = 4 * v; i < 4 * v + 4; i++) {
            if (mesh.weight[i] > 0) sum.set(mesh.joint[i], (sum.get(mesh.joint[i]) ?? 0) + mesh.weight[i]);
        }
        const list = [...sum].sort((a, b) => b[1] - a[1]);
        const total = list.reduce((all, [, w]) => all + w, 0);
        if (!list.length) list.push([0, 1]);
        let rest = 0;
        for (let i = list.length - 1; i >= 0; i--) {
            const value = i === 0 ? Math.fround(1 - rest) : Math.fround(list[i][1] / total);
            joint[4 * v + i] = list[i][0];
            weight[4 * v + i] = value;
            rest += value;
        }
    }
    return { joint, weight };
}

// Pills around a rod at rest. Each half is skinned to the point at its end.
function pillMesh(shape: Shape): Mesh | null {
    if (!shape.parents || !shape.radii) return null;
    const [around, rings] = [12, 3];
    const positions: number[] = [];
    const normals: number[] = [];
    const joint: number[] = [];
    const index: number[] = [];
    shape.parents.forEach((parent, k) => {
        if (parent < 0) return;
        const [a, b] = [parent, k].map((j) => new THREE.Vector3().fromArray(shape.rest, 10 * j));
        const [ra, rb] = [shape.radii![parent], shape.radii![k]];
        const axis = b.clone().sub(a);
        const length = axis.length();
        if (length > 0) axis.divideScalar(length);
        else axis.set(0, 1, 0);
        const side = new THREE.Vector3(Math.abs(axis.y) < 0.9 ? 0 : 1, Math.abs(axis.y) < 0.9 ? 1 : 0, 0)
            .cross(axis)
            .normalize();
        const other = new THREE.Vector3().crossVectors(axis, side);
        const tangent = Math.asin(THREE.MathUtils.clamp((ra - rb) / Math.max(length, 1e-9), -1, 1));
        const first = positions.length / 3;
        for (let ring = 0; ring < 2 * (rings + 1); ring++) {
            const own = ring > rings;
            const t = (ring - (own ? rings + 1 : 0)) / rings;
            const latitude = own ? tangent + t * (Math.PI / 2 - tangent) : -Math.PI / 2 + t * (tangent + Math.PI / 2);
            for (let i = 0; i < around; i++) {
                const angle = (2 * Math.PI * i) / around;
                const n = axis.clone().multiplyScalar(Math.sin(latitude));
                n.addScaledVector(side, Math.cos(latitude) * Math.cos(angle)).addScaledVector(
                    other,
                    Math.cos(latitude) * Math.sin(angle),
                );
                n.normalize();
                normals.push(n.x, n.y, n.z);
                const p = n.multiplyScalar(own ? rb : ra).add(own ? b : a);
                positions.push(p.x, p.y, p.z);
                joint.push(own ? k : parent, 0, 0, 0);
            }
        }
        for (let ring = 0; ring < 2 * rings + 1; ring++) {
            for (let i = 0; i < around; i++) {
                const [p, q] = [first + ring * around, first + (ring + 1) * around];
                const next = (i + 1) % around;
                index.push(p + i, p + next, q + i, q + i, p + next, q + next);
            }
        }
    });
    const vertexCount = positions.length / 3;
    if (!vertexCount) return null;
    const weight = new Float32Array(4 * vertexCount);
    for (let v = 0; v < vertexCount; v++) weight[4 * v] = 1;
    return {
        vertexCount,
        positions: Float32Array.from(positions),
        normals: Float32Array.from(normals),
        uvs: null,
        joint: Uint16Array.from(joint),
        weight,
        index: Uint32Array.from(index),
    };
}

function jointTrack(moments: Moment[], joint: number): Float32Array {
    const poses = new Float32Array(10 * moments.length);
    moments.forEach((moment, i) =>
        poses.set(moment.joints.subarray(JOINT_FLOATS * joint, JOINT_FLOATS * joint + 10), 10 * i),
    );
    steadyRotations(poses);
    return poses;
}

// Makes quaternions unit, each in the hemisphere of the previous one, so that players interpolate the short way.
function steadyRotations(poses: Float32Array) {
    for (let i = 3; i < poses.length; i += 10) {
        const length = Math.hypot(poses[i], poses[i + 1], poses[i + 2], poses[i + 3]);
        let sign = 1;
        if (i > 10) {
            let dot = 0;
            for (let k = 0; k < 4; k++) dot += poses[i + k] * poses[i - 10 + k];
            if (dot < 0) sign = -1;
        }
        for (let k = 0; k < 4; k++) poses[i + k] = length > 0 ? (sign * poses[i + k]) / length : k === 3 ? 1 : 0;
    }
}

function shotShape(pill: Float32Array): Shape {
    const rest = new Float32Array(20);
    for (let end = 0; end < 2; end++) rest.set([...pill.subarray(4 * end, 4 * end + 3), 0, 0, 0, 1, 1, 1, 1], 10 * end);
    const radii = Float32Array.of(pill[3], pill[7]);
    return { joints: 2, rest, parents: Int32Array.of(-1, 0), radii, mesh: null, open: false };
}

function shotTracks(moments: Moment[], number: number, shape: Shape): Float32Array[] {
    const tracks = [new Float32Array(10 * moments.length), new Float32Array(10 * moments.length)];
    const axis = (a: ArrayLike<number>, b: ArrayLike<number>) =>
        new THREE.Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]).normalize();
    const restAxis = axis(shape.rest.subarray(0, 3), shape.rest.subarray(10, 13));
    moments.forEach((moment, i) => {
        const at = PILL_FLOATS * number;
        const there = moment.extra.length > at;
        for (let end = 0; end < 2; end++) {
            const from = at + 4 * end;
            const place = there ? moment.extra.subarray(from, from + 3) : shape.rest.subarray(10 * end, 10 * end + 3);
            const rotation = new THREE.Quaternion();
            if (there)
                rotation.setFromUnitVectors(
                    restAxis,
                    axis(moment.extra.subarray(at, at + 3), moment.extra.subarray(at + 4, at + 7)),
                );
            const scale = there ? moment.extra[from + 3] / shape.radii![end] : 0;
            tracks[end].set([...place, ...rotation.toArray(), scale, scale, scale], 10 * i);
        }
    });
    tracks.forEach(steadyRotations);
    return tracks;
}

// Animates only what changes.
function animate(writer: GlbWriter, tracks: Track[], morphs: Morph[], moments: Moment[]) {
    if (moments.length < 2) return;
    const start = moments[0].time;
    const input = writer.accessor(
        Float32Array.from(moments, (moment) => moment.time - start),
        'SCALAR',
        'data',
        true,
    );
    const channels: Json[] = [];
    const samplers: Json[] = [];
    if (morphs.length) {
        const count = moments.length - 1; // at each moment one target has weight 1, at the first none
        const weights = new Float32Array(moments.length * count);
        for (let i = 1; i <= count; i++) weights[count * i + i - 1] = 1;
        samplers.push({ input, output: writer.accessor(weights, 'SCALAR', 'data'), interpolation: 'LINEAR' });
        for (const { node } of morphs) channels.push({ sampler: 0, target: { node, path: 'weights' } });
    }
    const parts = [
        ['translation', 0, 3],
        ['rotation', 3, 4],
        ['scale', 7, 3],
    ] as const;
    for (const { node, poses } of tracks) {
        for (const [path, offset, width] of parts) {
            const values = new Float32Array(width * moments.length);
            let moves = false;
            for (let i = 0; i < moments.length; i++) {
                for (let k = 0; k < width; k++) {
                    values[width * i + k] = poses[10 * i + offset + k];
                    if (Math.abs(values[width * i + k] - values[k]) > 1e-6) moves = true;
                }
            }
            if (!moves) continue;
            const output = writer.accessor(values, width === 3 ? 'VEC3' : 'VEC4', 'data');
            samplers.push({ input, output, interpolation: 'LINEAR' });
            channels.push({ sampler: samplers.length - 1, target: { node, path } });
        }
    }
    if (channels.length) writer.add('animations', { name: 'run', channels, samplers });
}
