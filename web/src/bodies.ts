// Draws the scene: one instanced mesh for each skin and one for all pills, however many bodies there are, and one mesh
// for each body that deforms.
import * as THREE from 'three';
import type { ScenePage, Mesh as PageMesh } from './scene_page';
import { follow, followDepth, pillTemplate, type FollowUniforms, type Kind } from './follow';
import { matter, type Matter } from './matter';
import { EXTRA } from './messages';
import type { Pose } from './pose';
import { DrawnSurface } from './surfaces';

export interface Show {
    skin: boolean;
    pills: boolean;
    wireframe: boolean;
    contacts: boolean;
    colours: 'own' | 'strain' | 'volume';
}

const SHOT_COLOUR: [number, number, number] = [0.055, 0.06, 0.075];

// A mesh shared by several bodies.
interface Group {
    mesh: THREE.Mesh;
    lit: THREE.InstancedBufferAttribute;
    bodies: number[]; // the body of each instance
}

export class Bodies {
    readonly root = new THREE.Group();
    private uniforms: FollowUniforms = { joints: { value: null }, colours: { value: 0 } };
    private groups: Group[] = [];
    private skins: Group[] = []; // of rods
    private muscles: Group[] = []; // skins of muscles
    private hiddenPills: Group | null = null; // of rods with a skin
    private musclePills: Group | null = null; // of rods inside muscles
    private surfaces: DrawnSurface[] = [];
    private skinsOfCharacters: DrawnSurface[] = [];
    private chosen = -1; // body of the muscle that the sliders edit
    private shown: Show | null = null;
    private shotPills: Group;
    private materials: Matter[] = [];
    private skinMaterial: Matter;
    private lastLit = -1;

    constructor(
        private baked: ScenePage,
        private pose: Pose,
        private plain: boolean,
    ) {
        this.uniforms.joints.value = pose.texture;
        this.skinMaterial = this.material('skin');
        const byShape = new Map<number, number[]>();
        baked.bodies.forEach((body, i) => {
            if (!baked.shapes[body.shape].mesh || body.kind === 'surface') return;
            byShape.set(body.shape, [...(byShape.get(body.shape) ?? []), i]);
        });
        for (const [shape, bodies] of byShape) {
            if (baked.shapes[shape].joints === 0)
                for (const body of bodies) this.addStill(baked.shapes[shape].mesh!, body);
            else this.addSkin(shape, bodies);
        }
        const bare: number[] = [];
        const covered: number[] = [];
        const inMuscles: number[] = [];
        for (let i = 0; i < pose.rodPills; i++) {
            const body = baked.bodies[pose.pills.body[i]];
            (body.covered ? inMuscles : baked.shapes[body.shape].mesh ? covered : bare).push(i);
        }
        const shot = Array.from({ length: pose.pills.count - pose.rodPills }, (_, i) => pose.rodPills + i);
        const material = this.material('pill');
        if (bare.length) this.addPills(bare, material);
        if (covered.length) this.hiddenPills = this.addPills(covered, material);
        if (inMuscles.length) this.musclePills = this.addPills(inMuscles, material);
        this.shotPills = this.addPills(shot, material);
        for (const surface of pose.surfaces) {
            const drawn = new DrawnSurface(surface, baked.bodies[surface.body].colour, plain);
            this.surfaces.push(drawn);
            if (baked.bodies[surface.body].character !== undefined) this.skinsOfCharacters.push(drawn);
            this.materials.push(drawn.material);
            this.root.add(drawn.mesh);
        }
    }

    private material(kind: Kind): Matter {
        const material = follow(matter(new THREE.Color(1, 1, 1), 0.42, this.plain), kind, this.uniforms);
        this.materials.push(material);
        return material;
    }

    private addGroup(
        kind: Kind,
        geometry: THREE.InstancedBufferGeometry,
        bodies: number[],
        material: THREE.Material,
    ): Group {
        const tint = new Float32Array(3 * bodies.length);
        bodies.forEach((body, i) => tint.set(body >= EXTRA ? SHOT_COLOUR : this.baked.bodies[body].colour, 3 * i));
        const lit = new THREE.InstancedBufferAttribute(new Float32Array(bodies.length), 1);
        lit.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute('tint', new THREE.InstancedBufferAttribute(tint, 3));
        geometry.setAttribute('lit', lit);
        geometry.instanceCount = bodies.length;
        const mesh = new THREE.Mesh(geometry, material);
        mesh.customDepthMaterial = followDepth(kind, this.uniforms);
        mesh.frustumCulled = false; // the shader moves the vertices: three.js does not know their bounds
        mesh.castShadow = true;
        mesh.receiveShadow = true;
        this.root.add(mesh);
        const group = { mesh, lit, bodies };
        this.groups.push(group);
        return group;
    }

    private addSkin(shape: number, bodies: number[]) {
        const mesh = this.baked.shapes[shape].mesh!;
        const geometry = new THREE.InstancedBufferGeometry();
        geometry.setAttribute('position', new THREE.BufferAttribute(mesh.positions, 3));
        geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normals, 3));
        geometry.setAttribute('bone', new THREE.BufferAttribute(mesh.joint, 4));
        geometry.setAttribute('part', new THREE.BufferAttribute(mesh.weight, 4));
        geometry.setIndex(new THREE.BufferAttribute(mesh.index, 1));
        const first = Float32Array.from(bodies, (body) => this.baked.bodies[body].first);
        geometry.setAttribute('first', new THREE.InstancedBufferAttribute(first, 1));
        const { kind } = this.baked.bodies[bodies[0]];
        const soft = kind === 'rod' || kind === 'muscle';
        const group = this.addGroup('skin', geometry, bodies, soft ? this.skinMaterial : this.material('skin'));
        if (soft) (kind === 'rod' ? this.skins : this.muscles).push(group);
    }

    private addPills(numbers: number[], material: THREE.Material): Group {
        const many = numbers.length > 600;
        const geometry = pillTemplate(many ? 14 : 24, many ? 4 : 8);
        const ends = new Float32Array(2 * numbers.length);
        numbers.forEach((pill, i) => ends.set([this.pose.pills.a[pill], this.pose.pills.b[pill]], 2 * i));
        geometry.setAttribute('ends', new THREE.InstancedBufferAttribute(ends, 2));
        return this.addGroup(
            'pill',
            geometry,
            numbers.map((pill) => this.pose.pills.body[pill]),
            material,
        );
    }

    private addStill(mesh: PageMesh, body: number) {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.BufferAttribute(mesh.positions, 3));
        geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normals, 3));
        geometry.setIndex(new THREE.BufferAttribute(mesh.index, 1));
        const material = matter(new THREE.Color().setRGB(...this.baked.bodies[body].colour), 0.8, this.plain);
        material.side = THREE.DoubleSide;
        const drawn = new THREE.Mesh(geometry, material);
        drawn.castShadow = true;
        drawn.receiveShadow = true;
        this.root.add(drawn);
    }

    // Shows the current pose and the pills shot so far.
    update() {
        (this.shotPills.mesh.geometry as THREE.InstancedBufferGeometry).instanceCount = this.pose.extra;
        this.shotPills.mesh.visible = this.pose.extra > 0;
        for (const surface of this.surfaces) surface.update();
    }

    // Highlights a muscle and makes the skin of its character transparent.
    choose(body: number) {
        this.chosen = body;
        if (this.shown) this.show(this.shown);
    }

    private showCharacters(show: Show) {
        const [character] = this.baked.bodies[this.chosen]?.muscle ?? [-1];
        for (const drawn of this.surfaces) {
            const { body, muscle } = drawn.surface;
            if (!muscle) continue;
            drawn.mesh.visible = show.pills || !show.skin || body === this.chosen;
            drawn.surface.hidden = !drawn.mesh.visible;
            drawn.glow(body === this.chosen);
        }
        for (const drawn of this.skinsOfCharacters) {
            const glass = show.pills || this.baked.bodies[drawn.surface.body].character === character;
            drawn.mesh.visible = show.skin;
            drawn.material.transparent = glass;
            drawn.material.opacity = glass ? 0.4 : 1;
            drawn.material.depthWrite = !glass;
            drawn.material.needsUpdate = true;
        }
    }

    show(show: Show) {
        this.shown = show;
        this.showCharacters(show);
        for (const skin of this.skins) skin.mesh.visible = show.skin;
        // Strain is shown on the fibres themselves.
        const fibres = !show.skin || show.colours !== 'own';
        for (const muscle of this.muscles) muscle.mesh.visible = !fibres;
        if (this.hiddenPills) this.hiddenPills.mesh.visible = show.pills || !show.skin;
        if (this.musclePills) this.musclePills.mesh.visible = show.pills || fibres;
        this.uniforms.colours.value = ['own', 'strain', 'volume'].indexOf(show.colours);
        for (const material of this.materials) material.wireframe = show.wireframe;
        const glass = show.skin && show.pills;
        this.skinMaterial.transparent = glass;
        this.skinMaterial.opacity = glass ? 0.35 : 1;
        this.skinMaterial.depthWrite = !glass;
        this.skinMaterial.needsUpdate = true;
    }

    // Highlights one body; -1: none.
    light(body: number, amount: number) {
        for (const { lit, bodies } of this.groups) {
            let changed = false;
            for (let i = 0; i < bodies.length; i++) {
                if (bodies[i] !== body && bodies[i] !== this.lastLit) continue;
                lit.array[i] = bodies[i] === body ? amount : 0;
                changed = true;
            }
            if (changed) lit.needsUpdate = true;
        }
        for (const drawn of this.surfaces) drawn.light(drawn.surface.body === body ? amount : 0);
        this.lastLit = body;
    }

    dispose() {
        this.root.traverse((node) => {
            if (!(node instanceof THREE.Mesh)) return;
            node.geometry.dispose();
            (node.material as THREE.Material).dispose();
            node.customDepthMaterial?.dispose();
        });
    }
}
