// Bodies whose vertices come with every frame: cloth, solids, skins of characters and muscles under them. Normals are
// computed here.
import * as THREE from 'three';
import type { ScenePage } from './scene_page';
import type { Frame } from './frame';
import { matter, type Matter } from './matter';
import { setNormals } from './normals';

// The current state of one body, drawn or not.
export class Surface {
    readonly positions: Float32Array;
    readonly normals: Float32Array;
    readonly box = new THREE.Box3();

    constructor(
        readonly body: number, // index in the scene
        readonly number: number, // index among the bodies that deform
        readonly index: Uint32Array,
        readonly vertexCount: number,
        readonly open: boolean,
        readonly muscle: boolean, // under the skin of a character
    ) {
        this.positions = new Float32Array(3 * vertexCount);
        this.normals = new Float32Array(3 * vertexCount);
    }

    hidden = false; // not drawn, so not updated

    update(frame: Frame) {
        if (!this.hidden) this.bring(frame);
    }

    bring(frame: Frame) {
        const { low, step, places } = frame.surfaces[this.number];
        for (let i = 0; i < this.positions.length; i++) this.positions[i] = low[i % 3] + step[i % 3] * places[i];
        setNormals(this.positions, this.index, this.normals);
        this.box.min.fromArray(low);
        this.box.max.set(low[0] + 65535 * step[0], low[1] + 65535 * step[1], low[2] + 65535 * step[2]);
    }

    // The mean height of its vertices.
    height(): number {
        let sum = 0;
        for (let i = 1; i < this.positions.length; i += 3) sum += this.positions[i];
        return sum / this.vertexCount;
    }

    vertex(number: number, out: THREE.Vector3): THREE.Vector3 {
        return out.fromArray(this.positions, 3 * number);
    }
}

export function surfacesOf(baked: ScenePage): Surface[] {
    const found: Surface[] = [];
    baked.bodies.forEach(({ kind, shape, first }, body) => {
        const { mesh, open } = baked.shapes[shape];
        const inner = baked.bodies[body].muscle !== undefined;
        if (kind === 'surface' && mesh) found.push(new Surface(body, first, mesh.index, mesh.vertexCount, open, inner));
    });
    return found;
}

// A surface with its three.js mesh.
export class DrawnSurface {
    readonly mesh: THREE.Mesh;
    readonly material: Matter;
    private lit = 0;
    private glows = false;

    constructor(
        readonly surface: Surface,
        colour: [number, number, number],
        plain: boolean,
    ) {
        const geometry = new THREE.BufferGeometry();
        for (const [name, array] of [
            ['position', surface.positions],
            ['normal', surface.normals],
        ] as const) {
            const attribute = new THREE.BufferAttribute(array, 3);
            attribute.setUsage(THREE.DynamicDrawUsage);
            geometry.setAttribute(name, attribute);
        }
        geometry.setIndex(new THREE.BufferAttribute(surface.index, 1));
        this.material = matter(new THREE.Color().setRGB(...colour), surface.open ? 0.75 : 0.42, plain);
        if (surface.open) this.material.side = THREE.DoubleSide;
        this.mesh = new THREE.Mesh(geometry, this.material);
        this.mesh.frustumCulled = false; // its bounds change
        this.mesh.castShadow = true;
        this.mesh.receiveShadow = true;
    }

    update() {
        this.mesh.geometry.attributes.position.needsUpdate = true;
        this.mesh.geometry.attributes.normal.needsUpdate = true;
    }

    // Highlights a selected muscle.
    glow(on: boolean) {
        this.glows = on;
        this.paint();
    }

    light(amount: number) {
        if (amount === this.lit) return;
        this.lit = amount;
        this.paint();
    }

    private paint() {
        const amount = Math.max(this.lit, this.glows ? 1 : 0);
        this.material.emissive.copy(this.material.color).multiplyScalar(0.25).addScalar(0.06).multiplyScalar(amount);
    }
}
