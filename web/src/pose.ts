// The pose of everything, for the shaders and for picking: a float texture with five texels per joint,
//
//   0 1 2  rows of now * rest^-1, which maps a vertex of the rest mesh to where the joint moves it (3 x 4)
//   3      the joint's centre and current radius
//   4      strain of the segment to its parent, and its volume relative to rest
//
// Shot pills come after the joints of the scene, two joints each. Bodies that deform are in surfaces.ts.
import * as THREE from 'three';
import type { ScenePage } from './scene_page';
import { JOINT_FLOATS, PILL_FLOATS, type Frame } from './frame';
import { EXTRA } from './messages';
import { surfacesOf, type Surface } from './surfaces';

export const JOINT_TEXELS = 5;
const ROW_JOINTS = 400;
export const ROW_TEXELS = ROW_JOINTS * JOINT_TEXELS;
const MAX_EXTRA = 64;

// Pills as a structure of arrays: the body they belong to, and the joints of their ends.
export interface Pills {
    count: number;
    body: Uint32Array;
    segment: Uint32Array;
    a: Uint32Array; // the parent's point
    b: Uint32Array;
}

export class Pose {
    readonly data: Float32Array;
    readonly texture: THREE.DataTexture;
    readonly pills: Pills; // those of rods, then space for shot ones
    readonly rodPills: number;
    readonly surfaces: Surface[];
    extra = 0;
    private restInverse: Float32Array[]; // for each shape: 12 numbers per joint
    private restLength: Float32Array[];

    constructor(readonly baked: ScenePage) {
        const joints = baked.joints + 2 * MAX_EXTRA;
        const rows = Math.ceil(joints / ROW_JOINTS);
        this.data = new Float32Array(4 * ROW_TEXELS * rows);
        this.texture = new THREE.DataTexture(this.data, ROW_TEXELS, rows, THREE.RGBAFormat, THREE.FloatType);
        this.restInverse = baked.shapes.map((shape) => inverses(shape.rest, shape.joints));
        this.restLength = baked.shapes.map((shape) => lengths(shape.rest, shape.parents));
        this.rodPills = baked.bodies.reduce((sum, body) => sum + pillsOf(baked.shapes[body.shape].parents), 0);
        this.pills = this.listPills();
        this.surfaces = surfacesOf(baked);
    }

    private listPills(): Pills {
        const count = this.rodPills + MAX_EXTRA;
        const pills = {
            count,
            body: new Uint32Array(count),
            segment: new Uint32Array(count),
            a: new Uint32Array(count),
            b: new Uint32Array(count),
        };
        let n = 0;
        const add = (body: number, segment: number, a: number, b: number) => {
            pills.body[n] = body;
            pills.segment[n] = segment;
            pills.a[n] = a;
            pills.b[n++] = b;
        };
        this.baked.bodies.forEach((body, number) => {
            this.baked.shapes[body.shape].parents?.forEach((parent, k) => {
                if (parent >= 0) add(number, k, body.first + parent, body.first + k);
            });
        });
        const first = this.baked.joints;
        for (let i = 0; i < MAX_EXTRA; i++) add(EXTRA + i, 1, first + 2 * i, first + 2 * i + 1);
        return pills;
    }

    // The number of pills now.
    get pillCount() {
        return this.rodPills + this.extra;
    }

    centre(joint: number, out: THREE.Vector3): THREE.Vector3 {
        return out.fromArray(this.data, 4 * (JOINT_TEXELS * joint + 3));
    }

    radius(joint: number): number {
        return this.data[4 * (JOINT_TEXELS * joint + 3) + 3];
    }

    update(frame: Frame) {
        const { data, baked } = this;
        for (const body of baked.bodies) {
            const shape = baked.shapes[body.shape];
            const inverse = this.restInverse[body.shape];
            for (let k = 0; k < shape.joints; k++) {
                const from = JOINT_FLOATS * (body.first + k);
                const to = 4 * JOINT_TEXELS * (body.first + k);
                if (shape.mesh) setRows(data, to, frame.joints, from, inverse, 12 * k);
                for (let i = 0; i < 3; i++) data[to + 12 + i] = frame.joints[from + i];
                data[to + 15] = shape.radii ? shape.radii[k] * frame.joints[from + 10] : 0;
            }
            if (shape.parents && shape.radii)
                this.measure(body.first, shape.parents, shape.radii, this.restLength[body.shape]);
        }
        this.extra = Math.min(MAX_EXTRA, frame.extra.length / PILL_FLOATS);
        for (let i = 0; i < 2 * this.extra; i++) {
            const to = 4 * JOINT_TEXELS * (baked.joints + i);
            for (let k = 0; k < 4; k++) data[to + 12 + k] = frame.extra[4 * i + k];
            data[to + 17] = 1;
        }
        this.texture.needsUpdate = true;
        for (const surface of this.surfaces) surface.update(frame);
    }

    // Strain and volume of each segment, stored at its own point. A root gets those of its first child.
    private measure(first: number, parents: Int32Array, radii: Float32Array, restLength: Float32Array) {
        const { data } = this;
        const stride = 4 * JOINT_TEXELS;
        let children = -1;
        for (let k = 0; k < parents.length; k++) {
            const at = stride * (first + k);
            if (parents[k] < 0) {
                children = at;
                data[at + 16] = 0;
                data[at + 17] = 1;
                continue;
            }
            const up = stride * (first + parents[k]);
            const length = Math.hypot(
                data[at + 12] - data[up + 12],
                data[at + 13] - data[up + 13],
                data[at + 14] - data[up + 14],
            );
            const stretch = restLength[k] > 0 ? length / restLength[k] : 1;
            const [r, s] = [data[at + 15], data[up + 15]];
            const [r0, s0] = [radii[k], radii[parents[k]]];
            data[at + 16] = stretch - 1;
            data[at + 17] = (stretch * (r * r + r * s + s * s)) / (r0 * r0 + r0 * s0 + s0 * s0);
            if (up === children) {
                data[up + 16] = data[at + 16];
                data[up + 17] = data[at + 17];
                children = -1;
            }
        }
    }

    // A bounding sphere of everything that moves.
    bounds(): THREE.Sphere {
        const box = new THREE.Box3();
        const at = new THREE.Vector3();
        for (const body of this.baked.bodies) {
            const shape = this.baked.shapes[body.shape];
            if (body.kind === 'still') continue;
            for (let k = 0; k < shape.joints; k++) {
                const r = this.radius(body.first + k);
                box.expandByPoint(this.centre(body.first + k, at).addScalar(r));
                box.expandByPoint(at.addScalar(-2 * r));
            }
        }
        for (const surface of this.surfaces) box.union(surface.box);
        if (box.isEmpty()) box.setFromCenterAndSize(at.set(0, 0, 0), new THREE.Vector3(1, 1, 1));
        const sphere = box.getBoundingSphere(new THREE.Sphere());
        sphere.radius = Math.max(sphere.radius * 1.05, 0.01);
        return sphere;
    }

    lowest(): number {
        let lowest = Infinity;
        for (let joint = 0; joint < this.baked.joints; joint++) {
            const at = 4 * (JOINT_TEXELS * joint + 3);
            lowest = Math.min(lowest, this.data[at + 1] - this.data[at + 3]);
        }
        for (const { box } of this.surfaces) lowest = Math.min(lowest, box.min.y);
        return Number.isFinite(lowest) ? lowest : 0;
    }

    dispose() {
        this.texture.dispose();
    }
}

function pillsOf(parents: Int32Array | null): number {
    return parents ? parents.reduce((sum, parent) => sum + (parent >= 0 ? 1 : 0), 0) : 0;
}

// The matrix of a quaternion (x y z w), column by column.
function rotationMatrix(x: number, y: number, z: number, w: number, out: Float64Array) {
    out[0] = 1 - 2 * (y * y + z * z);
    out[1] = 2 * (x * y + z * w);
    out[2] = 2 * (x * z - y * w);
    out[3] = 2 * (x * y - z * w);
    out[4] = 1 - 2 * (x * x + z * z);
    out[5] = 2 * (y * z + x * w);
    out[6] = 2 * (x * z + y * w);
    out[7] = 2 * (y * z - x * w);
    out[8] = 1 - 2 * (x * x + y * y);
}

const m = new Float64Array(9);
const axes = new Float64Array(9);
const stretch = new Float64Array(9);

// rest^-1 of each joint as three rows of four: y = (rotation^-1 (x - position)) / scale.
function inverses(rest: Float32Array, joints: number): Float32Array {
    const out = new Float32Array(12 * joints);
    for (let k = 0; k < joints; k++) {
        const r = 10 * k;
        rotationMatrix(rest[r + 3], rest[r + 4], rest[r + 5], rest[r + 6], m);
        for (let i = 0; i < 3; i++) {
            let shift = 0;
            for (let j = 0; j < 3; j++) {
                const value = m[3 * i + j] / rest[r + 7 + i];
                out[12 * k + 4 * i + j] = value;
                shift -= value * rest[r + j];
            }
            out[12 * k + 4 * i + 3] = shift;
        }
    }
    return out;
}

function lengths(rest: Float32Array, parents: Int32Array | null): Float32Array {
    const out = new Float32Array(parents ? parents.length : 0);
    parents?.forEach((parent, k) => {
        const [a, b] = [10 * parent, 10 * k];
        if (parent >= 0) out[k] = Math.hypot(rest[a] - rest[b], rest[a + 1] - rest[b + 1], rest[a + 2] - rest[b + 2]);
    });
    return out;
}

// now * rest^-1, with now(y) = position + rotation axes (scale (axes^-1 y)).
function setRows(out: Float32Array, to: number, now: Float32Array, from: number, inverse: Float32Array, at: number) {
    rotationMatrix(now[from + 3], now[from + 4], now[from + 5], now[from + 6], m);
    rotationMatrix(now[from + 11], now[from + 12], now[from + 13], now[from + 14], axes);
    for (let i = 0; i < 9; i++) { // axes scale axes^-1, column by column
        const [r, c] = [i % 3, (i - (i % 3)) / 3];
        stretch[i] = 0;
        for (let k = 0; k < 3; k++) stretch[i] += axes[3 * k + r] * now[from + 7 + k] * axes[3 * k + c];
    }
    for (let i = 0; i < 3; i++) {
        const x = m[i] * stretch[0] + m[3 + i] * stretch[1] + m[6 + i] * stretch[2];
        const y = m[i] * stretch[3] + m[3 + i] * stretch[4] + m[6 + i] * stretch[5];
        const z = m[i] * stretch[6] + m[3 + i] * stretch[7] + m[6 + i] * stretch[8];
        for (let j = 0; j < 4; j++) {
            out[to + 4 * i + j] = x * inverse[at + j] + y * inverse[at + 4 + j] + z * inverse[at + 8 + j];
        }
        out[to + 4 * i + 3] += now[from + i];
    }
}
