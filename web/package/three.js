// Meshes of three.js that follow rods and muscles. The library writes vertices and normals into the module's memory, which is the
// array of the geometry's attributes: nothing is copied on the way to the graphics card.
//
//     import { SkinnedBodies, tubeGeometry } from 'sinew/three';
//     const skins = new SkinnedBodies(sn, world);
//     const mesh = skins.add(tubeGeometry(sn, world, rod), new MeshStandardMaterial(), { rods: [rod] });
//     scene.add(mesh);
//     // every frame, after sn_world_step:
//     skins.update();
//
// A geometry fits the rods where they are unstrained. Its vertices follow the points nearest to them, of a muscle the cross-sections,
// unless it has the attributes skinIndex and skinWeight: their joints are then the points of the rods, rod by rod, or the cross-sections.
import { BufferAttribute, BufferGeometry, Mesh, Sphere } from 'three';
import { structs } from './bindings.js';

const INFLUENCES = 4;

// ---- how vertices follow points

// Rest points of the rods, and segments between them.
function pointsOf(sn, world, rods) {
    const centres = [];
    const segments = [];
    for (const rod of rods) {
        const at = centres.length / 3;
        const parents = sn.sn_rod_get_parents(world, rod);
        centres.push(...sn.sn_body_get_points(world, rod));
        parents.forEach((parent, i) => parent >= 0 && segments.push([at + parent, at + i]));
    }
    return { centres, segments };
}

// The centres of a muscle's cross-sections, and segments between neighbours.
function sectionsOf(sn, world, bundle) {
    const sections = sn.sn_bundle_get_sections(world, bundle);
    const numbers = { sn_vec3: 3, sn_quat: 4, f32: 1 };
    let [stride, centre] = [0, 0];
    for (const [field, type] of structs.sn_section) {
        if (field === 'centre') centre = stride;
        stride += numbers[type];
    }
    const count = sections.length / stride;
    const centres = Array.from({ length: 3 * count }, (_, i) => sections[Math.floor(i / 3) * stride + centre + (i % 3)]);
    return { centres, segments: Array.from({ length: count - 1 }, (_, i) => [i, i + 1]) };
}

// For each vertex the two ends of the segments near it, by nearness: weights fall with the square of the distance, and along a
// segment from one end to the other.
function nearest({ centres, segments }, positions) {
    const count = positions.length / 3;
    const handles = new Uint16Array(INFLUENCES * count);
    const weights = new Float32Array(INFLUENCES * count);
    const best = new Map();
    for (let v = 0; v < count; v++) {
        const p = positions.subarray(3 * v, 3 * v + 3);
        const close = segments.map(([a, b]) => {
            let along = 0;
            let length = 0;
            for (let k = 0; k < 3; k++) {
                const d = centres[3 * b + k] - centres[3 * a + k];
                along += d * (p[k] - centres[3 * a + k]);
                length += d * d;
            }
            const t = length > 0 ? Math.min(1, Math.max(0, along / length)) : 0;
            let distance = 0;
            for (let k = 0; k < 3; k++)
                distance += (p[k] - centres[3 * a + k] - t * (centres[3 * b + k] - centres[3 * a + k])) ** 2;
            return { a, b, t, distance };
        });
        close.sort((one, other) => one.distance - other.distance);
        best.clear();
        for (const { a, b, t, distance } of close.slice(0, 2)) {
            const weight = ((close[0].distance + 1e-12) / (distance + 1e-12)) ** 2;
            best.set(a, (best.get(a) ?? 0) + (1 - t) * weight);
            best.set(b, (best.get(b) ?? 0) + t * weight);
        }
        [...best]
            .sort((one, other) => other[1] - one[1])
            .slice(0, INFLUENCES)
            .forEach(([handle, weight], i) => {
                handles[INFLUENCES * v + i] = handle;
                weights[INFLUENCES * v + i] = weight;
            });
    }
    return { handles, weights };
}

function given(geometry) {
    const { skinIndex, skinWeight } = geometry.attributes;
    if (!skinIndex || !skinWeight) return null;
    return { handles: Uint16Array.from(skinIndex.array), weights: Float32Array.from(skinWeight.array) };
}

// ---- geometries

/** A closed tube around the points of a rod as they are now, with its radii and a ring at each point; round ends. */
export function tubeGeometry(sn, world, rod, { around = 16, caps = 4 } = {}) {
    const points = sn.sn_body_get_points(world, rod);
    const radii = sn.sn_rod_get_radii(world, rod);
    const count = radii.length;
    const at = (i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    const minus = (a, b) => a.map((x, k) => x - b[k]);
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const unit = (a) => {
        const size = Math.hypot(...a) || 1;
        return a.map((x) => x / size);
    };
    const positions = [];
    const index = [];
    let side = null;
    const ring = (centre, direction, radius) => {
        // The first side is any; the next are the one before, kept across the direction.
        const guess = side ?? (Math.abs(direction[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]);
        const along = guess.reduce((sum, x, k) => sum + x * direction[k], 0);
        side = unit(guess.map((x, k) => x - along * direction[k]));
        const other = cross(direction, side);
        for (let j = 0; j < around; j++) {
            const angle = (2 * Math.PI * j) / around;
            for (let k = 0; k < 3; k++)
                positions.push(centre[k] + radius * (Math.cos(angle) * side[k] + Math.sin(angle) * other[k]));
        }
    };
    const cap = (i, direction, sign) => {
        for (let c = 0; c < caps; c++) {
            const angle = (0.5 * Math.PI * (sign < 0 ? c + 0.02 : caps - 1 - c + 0.02)) / caps;
            const out = sign * radii[i] * Math.cos(angle);
            const centre = at(i).map((x, k) => x + out * direction[k]);
            ring(centre, direction, radii[i] * Math.sin(angle));
        }
    };
    const direction = (i) => unit(minus(at(Math.min(i + 1, count - 1)), at(Math.max(i - 1, 0))));
    cap(0, direction(0), -1);
    for (let i = 0; i < count; i++) ring(at(i), direction(i), radii[i]);
    cap(count - 1, direction(count - 1), 1);
    const rings = positions.length / 3 / around;
    for (let r = 0; r + 1 < rings; r++)
        for (let j = 0; j < around; j++) {
            const [a, b] = [r * around + j, r * around + ((j + 1) % around)];
            index.push(a, b, a + around, b, b + around, a + around);
        }
    for (let j = 1; j + 1 < around; j++) {
        index.push(0, j + 1, j);
        index.push((rings - 1) * around, (rings - 1) * around + j, (rings - 1) * around + j + 1);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    return geometry;
}

// ---- skins

/** Meshes that follow rods or bundles of one world, all updated by one call. */
export class SkinnedBodies {
    constructor(sn, world) {
        Object.assign(this, { sn, world, skins: [] });
    }

    /**
     * A mesh of a geometry that fits `rods`, or the muscle `bundle`, as they are when this is called. `blend` is
     * sn.SN_BLEND_LINEAR or SN_BLEND_DUAL; `placement` is a transform from the geometry's space.
     */
    add(geometry, material, { rods = [], bundle = null, placement = null, blend = this.sn.SN_BLEND_LINEAR } = {}) {
        const { sn, world } = this;
        const positions = Float32Array.from(geometry.attributes.position.array);
        if (!geometry.attributes.normal) geometry.computeVertexNormals();
        const normals = Float32Array.from(geometry.attributes.normal.array);
        const points = bundle ? sectionsOf(sn, world, bundle) : pointsOf(sn, world, rods);
        const follows = given(geometry) ?? nearest(points, positions);
        const count = positions.length / 3;
        const handles = points.centres.length / 3;
        const skin = sn.sn_skin_create({
            positions,
            normals,
            vertex_count: count,
            handles: follows.handles,
            weights: follows.weights,
            handle_count: handles,
        });
        const instance = sn.sn_skin_instance_create(skin);
        sn.sn_skin_instance_set_blend(instance, blend);
        if (bundle) sn.sn_skin_instance_bind_bundle(instance, world, bundle, placement);
        else sn.sn_skin_instance_bind(instance, world, rods, rods.length, placement);

        const out = { positions: sn.allocate(Float32Array, 3 * count), normals: sn.allocate(Float32Array, 3 * count) };
        const moving = geometry.clone();
        moving.setAttribute('position', new BufferAttribute(out.positions.array, 3));
        moving.setAttribute('normal', new BufferAttribute(out.normals.array, 3));
        moving.boundingSphere = new Sphere();
        const mesh = new Mesh(moving, material);
        mesh.frustumCulled = false; // its bounds move with it
        this.skins.push({ mesh, skin, instance, out });
        this.update();
        return mesh;
    }

    /** Computes all vertices and normals, in place. */
    update() {
        const { sn, skins } = this;
        if (!skins.length) return;
        sn.sn_skin_update(
            this.world,
            skins.map(({ instance, out }) => ({
                instance,
                positions: out.positions.address,
                position_stride: 12,
                normals: out.normals.address,
                normal_stride: 12,
            })),
            skins.length,
        );
        for (const { mesh, out } of skins) {
            for (const [name, from] of [
                ['position', out.positions],
                ['normal', out.normals],
            ]) {
                const attribute = mesh.geometry.attributes[name];
                attribute.array = from.array; // another view if the memory has grown
                attribute.needsUpdate = true;
            }
        }
    }

    /** Frees the skins; the meshes keep their last shape no longer. */
    dispose() {
        for (const { mesh, skin, instance, out } of this.skins) {
            mesh.removeFromParent();
            mesh.geometry.dispose();
            this.sn.sn_skin_instance_destroy(instance);
            this.sn.sn_skin_destroy(skin);
            out.positions.free();
            out.normals.free();
        }
        this.skins = [];
    }
}
