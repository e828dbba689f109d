// The page of somebody who installed the package: a muscle of seven fibres moves a skinned mesh, drawn by three.js. It contracts when
// `contract` is called, and says how thick it is.
import { load } from 'sinew';
import { SkinnedBodies } from 'sinew/three';
import {
    BufferAttribute, DirectionalLight, HemisphereLight, LatheGeometry, MeshStandardMaterial, PerspectiveCamera, Scene, Vector2, Vector3,
    WebGLRenderer,
} from 'three';

const LENGTH = 0.24;
const thickness = (x: number): number => 0.006 + 0.016 * Math.sin((Math.PI * x) / LENGTH);

const sn = await load({ wasm: new URL('rods.wasm', location.href) });
const world = sn.sn_world_create({ gravity: { x: 0, y: 0, z: 0 } });
const rods = Array.from({ length: 7 }, (_, k) => {
    const count = 13;
    const points = new Float32Array(3 * count);
    const radii = new Float32Array(count);
    for (let i = 0; i < count; i++) {
        const x = (LENGTH * i) / (count - 1);
        const away = k ? 0.62 * thickness(x) : 0;
        points.set([x, away * Math.cos((k * Math.PI) / 3), away * Math.sin((k * Math.PI) / 3)], 3 * i);
        radii[i] = 0.34 * thickness(x);
    }
    const rod = sn.sn_rod_create(world, { points, radii, material: sn.sn_material_preset(sn.SN_PRESET_MUSCLE) });
    sn.sn_rod_hold(world, rod, 0, sn.SN_HOLD_CENTRE);
    return rod;
});
const bundle = sn.sn_bundle_create(world, { rods, shortest: 0.7 });

// A mesh of the user's own: a surface of revolution around x.
const profile = Array.from({ length: 33 }, (_, i) => new Vector2(i % 32 ? thickness((LENGTH * i) / 32) : 1e-5, (LENGTH * i) / 32));
const geometry = new LatheGeometry(profile, 32).rotateZ(-Math.PI / 2);
const material = new MeshStandardMaterial({ color: 0xc0392b, roughness: 0.5, side: 2 });
const skins = new SkinnedBodies(sn, world);
const mesh = skins.add(geometry, material, { bundle });

const scene = new Scene();
const camera = new PerspectiveCamera(30, 640 / 360, 0.01, 10);
const light = new DirectionalLight(0xffffff, 2.5);
light.position.set(0.2, 1, 0.6);
camera.position.set(LENGTH / 2, 0.1, 0.5);
camera.lookAt(LENGTH / 2, 0, 0);
scene.add(mesh, light, new HemisphereLight(0xffffff, 0x888888, 1));
const renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(640, 360);
renderer.setClearColor(0xf5f6f8);
document.body.style.margin = '0';
document.body.append(renderer.domElement);

function girth(): number {
    const at = mesh.geometry.attributes.position as BufferAttribute;
    const p = new Vector3();
    let widest = 0;
    for (let i = 0; i < at.count; i++) {
        p.fromBufferAttribute(at, i);
        widest = Math.max(widest, Math.hypot(p.y, p.z));
    }
    return widest;
}

// How many rows and columns of the picture have the muscle's red.
function extent(): { rows: number; columns: number } {
    const gl = renderer.getContext();
    const pixels = new Uint8Array(4 * 640 * 360);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const rows = new Set<number>();
    const columns = new Set<number>();
    for (let i = 0; i < 640 * 360; i++)
        if (pixels[4 * i]! > pixels[4 * i + 1]! + 40) {
            rows.add(Math.floor(i / 640));
            columns.add(i % 640);
        }
    return { rows: rows.size, columns: columns.size };
}

function frame(): void {
    sn.sn_world_step(world, 1 / 60, 4);
    skins.update();
    renderer.render(scene, camera);
    requestAnimationFrame(frame);
}
frame();

Object.assign(window, {
    muscle: {
        contract: (much: number) => sn.sn_bundle_set_activation(world, bundle, much),
        state: () => ({ girth: girth(), time: sn.sn_world_time(world), ...extent() }),
        copies: (mesh.geometry.attributes.position!.array as Float32Array).buffer !== sn.memory.buffer,
    },
});
