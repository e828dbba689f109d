// Lights, fog and camera, and the level of detail. The lights are those of the command line's pictures: a warm sun over
// the viewer's left shoulder, a wide pale sky, and light reflected by the ground.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Camera, Vec3 } from './scene_page';
import { Ground } from './ground';
import { HORIZON, makeSky, reflections } from './sky';

// Levels of detail: lower ones follow when frames take long.
const DETAIL = [
    { ratio: 2, shadow: 2048, sky: true },
    { ratio: 1, shadow: 2048, sky: true },
    { ratio: 1, shadow: 1024, sky: false },
    { ratio: 0.75, shadow: 512, sky: false },
    { ratio: 0.5, shadow: 0, sky: false },
];
const SLOW_MS = 45;

export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    readonly renderer: THREE.WebGLRenderer;
    readonly controls: OrbitControls;
    readonly plain: boolean; // simple materials, no antialiasing
    detail = 0;
    private detailFixed = false;
    drawMs = 16;
    private sun = new THREE.DirectionalLight(0xfff0dd, 2.6);
    private overcast = new THREE.DirectionalLight(0xe8f0ff, 0.75); // its blurred shadow stands for ambient occlusion
    private hemisphere = new THREE.HemisphereLight(0xeaf2ff, 0xb8aea0, 1.25);
    private grounds: Ground[] = [];
    private ownFloor = false; // the scene has no plane: this one is added
    private sunOffset = new THREE.Vector3();
    private focus = new THREE.Sphere(new THREE.Vector3(), 1);
    private size = 1;
    private lastBeat = 0;
    private drew = false; // since the last refresh
    private slowMs = 0;
    private flight: { from: View; to: View; start: number } | null = null;
    private home: View | null = null;

    // detail: null to adapt it
    constructor(canvas: HTMLCanvasElement, detail: number | null) {
        this.plain = drawsOnProcessor() && detail !== 0;
        this.renderer = new THREE.WebGLRenderer({
            canvas,
            antialias: !this.plain,
            powerPreference: 'high-performance',
        });
        this.renderer.debug.checkShaderErrors = false; // querying errors waits for the compiler
        this.renderer.toneMapping = THREE.NeutralToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.zoomToCursor = true;
        this.controls.maxPolarAngle = 0.55 * Math.PI;
        this.scene.add(makeSky());
        this.scene.fog = new THREE.Fog(HORIZON, 10, 100);
        for (const light of [this.sun, this.overcast]) {
            light.castShadow = true;
            this.scene.add(light, light.target);
        }
        this.scene.add(this.hemisphere);
        if (!this.plain) this.scene.environment = reflections(this.renderer);
        this.scene.environmentIntensity = 0.22;
        this.sun.shadow.radius = 3;
        this.overcast.shadow.mapSize.set(256, 256);
        this.overcast.shadow.radius = 5;
        this.overcast.shadow.intensity = 0.8;
        if (this.plain) this.detail = 3;
        if (detail === null) this.applyDetail();
        else this.fixDetail(detail);
    }

    // Adds ground and places the camera for a new scene. 'ball' bounds everything that moves. 'share' is the fraction
    // of its bodies that the scene has here: below 1 the camera keeps its direction but moves nearer.
    setScene(
        planes: { point: Vec3; normal: Vec3 }[],
        ball: THREE.Sphere,
        lowest: number,
        camera: Camera | null,
        share: number,
    ) {
        for (const ground of this.grounds) {
            this.scene.remove(ground);
            ground.dispose();
        }
        this.home = camera ? this.viewOf(camera) : this.viewOfBall(ball, new THREE.Vector3(0.45, 0.32, 1));
        if (camera && share < 1) {
            const direction = this.home.from.clone().sub(this.home.to);
            const heap = ball.clone(); // falling bodies end up lower and closer together
            heap.radius *= 0.8;
            const level = planes.filter(({ normal }) => normal[1] > 0.9).map(({ point }) => point[1]);
            heap.center.y = Math.min(ball.center.y, (level.length ? Math.max(...level) : lowest) + 0.25 * ball.radius);
            const near = this.viewOfBall(heap, direction);
            const distance = Math.max(near.from.distanceTo(near.to), Math.sqrt(share) * direction.length());
            near.from.copy(near.to).addScaledVector(direction.clone().normalize(), distance);
            if (distance < direction.length()) this.home = near;
        }
        // A small scene seen from far away will spread.
        this.size = Math.max(ball.radius, 0.35 * this.home.from.distanceTo(this.home.to));
        const { from, to, fov } = this.home;
        const half = from.distanceTo(to) * Math.tan(THREE.MathUtils.degToRad(fov / 2));
        const height = Math.min(lowest - 0.15 * ball.radius, to.y - 0.6 * half);
        const floor: { point: Vec3; normal: Vec3 } = {
            point: [ball.center.x, height, ball.center.z],
            normal: [0, 1, 0],
        };
        this.ownFloor = planes.length === 0;
        this.grounds = (planes.length ? planes : [floor]).map(({ point, normal }) => {
            return new Ground(new THREE.Vector3(...point), new THREE.Vector3(...normal).normalize(), 2 * this.size);
        });
        for (const ground of this.grounds) this.scene.add(ground);
        this.take(this.home);
        this.flight = null;
        const forward = this.home.to.clone().sub(this.home.from).setY(0).normalize();
        const right = new THREE.Vector3(-forward.z, 0, forward.x);
        this.sunOffset
            .copy(right)
            .multiplyScalar(-0.62)
            .addScaledVector(forward, -0.32)
            .add(new THREE.Vector3(0, 1, 0))
            .normalize();
        this.focus.copy(ball);
        this.aimLights();
    }

    private viewOf(camera: Camera): View {
        const view = {
            from: new THREE.Vector3(...camera.from),
            to: new THREE.Vector3(...camera.to),
            fov: camera.fov || 40,
        };
        // Cameras are framed for wide pictures: on a tall screen the camera moves back until as much fits.
        const back = Math.max(1, 1.35 / this.camera.aspect);
        view.from.sub(view.to).multiplyScalar(back).add(view.to);
        return view;
    }

    private viewOfBall(ball: THREE.Sphere, direction: THREE.Vector3): View {
        const fov = 36;
        const half = THREE.MathUtils.degToRad(fov / 2);
        const distance = ball.radius / Math.sin(Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect)));
        const from = direction
            .clone()
            .normalize()
            .multiplyScalar(1.08 * distance)
            .add(ball.center);
        return { from, to: ball.center.clone(), fov };
    }

    private take(view: View) {
        this.camera.fov = view.fov;
        this.camera.position.copy(view.from);
        this.controls.target.copy(view.to);
        const distance = view.from.distanceTo(view.to);
        this.controls.minDistance = 0.02 * distance;
        this.controls.maxDistance = 12 * distance;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.camera.updateMatrixWorld();
    }

    view(): number[] {
        return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
    }

    setView(numbers: number[]) {
        const [fx, fy, fz, tx, ty, tz] = numbers;
        this.take({ from: new THREE.Vector3(fx, fy, fz), to: new THREE.Vector3(tx, ty, tz), fov: this.camera.fov });
    }

    // Flies to a view of everything in 'ball', or to the scene's own view (null).
    fly(ball: THREE.Sphere | null) {
        const direction = this.camera.position.clone().sub(this.controls.target);
        const to = ball ? this.viewOfBall(ball, direction) : this.home;
        if (!to) return;
        const from = { from: this.camera.position.clone(), to: this.controls.target.clone(), fov: this.camera.fov };
        this.flight = { from, to, start: performance.now() };
    }

    // Lights follow what moves, in coarse steps so that shadows do not swim. A ground that was added sinks below it.
    follow(ball: THREE.Sphere, lowest: number) {
        if (this.ownFloor && lowest < this.grounds[0].position.y)
            this.grounds[0].position.y = lowest - 0.02 * this.size;
        const moved = this.focus.center.distanceTo(ball.center) > 0.25 * this.focus.radius;
        const grown = ball.radius > 1.02 * this.focus.radius || ball.radius < 0.6 * this.focus.radius;
        if (!moved && !grown) return;
        this.focus.center.copy(ball.center);
        this.focus.radius = Math.min(1.2 * ball.radius, 12 * this.size);
        this.aimLights();
    }

    private aimLights() {
        const { center, radius } = this.focus;
        const aim = (light: THREE.DirectionalLight, direction: THREE.Vector3, softness: number) => {
            light.target.position.copy(center);
            light.position.copy(center).addScaledVector(direction, 3 * radius);
            const camera = light.shadow.camera;
            camera.left = camera.bottom = -1.25 * radius;
            camera.right = camera.top = 1.25 * radius;
            camera.near = 0.5 * radius;
            camera.far = 7 * radius;
            camera.updateProjectionMatrix();
            light.shadow.normalBias = (softness * radius) / light.shadow.mapSize.x;
            light.shadow.bias = -0.0006;
            light.target.updateMatrixWorld();
        };
        aim(this.sun, this.sunOffset, 2);
        aim(this.overcast, new THREE.Vector3(0.03, 1, 0.02).normalize(), 4);
    }

    private applyDetail() {
        const { ratio, shadow, sky } = DETAIL[this.detail];
        this.renderer.setPixelRatio(ratio < 1 ? ratio : Math.min(ratio, window.devicePixelRatio || 1));
        this.sun.castShadow = shadow > 0;
        this.overcast.castShadow = sky;
        this.sun.shadow.mapSize.set(shadow || 256, shadow || 256);
        this.sun.shadow.map?.dispose();
        this.sun.shadow.map = null;
        this.aimLights();
        this.resize();
    }

    // Fixes the level of detail.
    fixDetail(level: number) {
        this.detail = THREE.MathUtils.clamp(Math.round(level), 0, DETAIL.length - 1);
        this.detailFixed = true;
        this.applyDetail();
    }

    // Every refresh: lowers the detail after several slow frames, by two levels if they are very slow. It never rises
    // again by itself: it would flicker.
    private watch(now: number) {
        const took = now - this.lastBeat;
        const drew = this.drew;
        this.lastBeat = now;
        this.drew = false;
        if (!drew || took > 3000) return;
        this.drawMs += 0.1 * (took - this.drawMs);
        this.slowMs = took > SLOW_MS ? this.slowMs + took : Math.max(0, this.slowMs - 2 * SLOW_MS);
        if (this.slowMs < 12 * SLOW_MS || this.detailFixed || this.detail === DETAIL.length - 1) return;
        this.slowMs = 0;
        this.detail = Math.min(this.detail + (took > 4 * SLOW_MS ? 2 : 1), DETAIL.length - 1);
        this.applyDetail();
    }

    resize() {
        const { clientWidth: w, clientHeight: h } = this.renderer.domElement.parentElement!;
        if (!w || !h) return;
        this.camera.aspect = w / h;
        // Centres the picture in what the bar and the settings leave free.
        this.camera.setViewOffset(w, h, w > 760 ? 100 : 0, 26, w, h);
        this.renderer.setSize(w, h);
    }

    // Every refresh: moves the camera; returns true while it moves.
    move(now: number): boolean {
        this.watch(now);
        if (this.flight) {
            const t = Math.min(1, (now - this.flight.start) / 500);
            const eased = t * t * (3 - 2 * t);
            const { from, to } = this.flight;
            this.take({
                from: from.from.clone().lerp(to.from, eased),
                to: from.to.clone().lerp(to.to, eased),
                fov: from.fov + eased * (to.fov - from.fov),
            });
            if (t === 1) this.flight = null;
            return true;
        }
        return this.controls.update();
    }

    draw() {
        const distance = this.camera.position.distanceTo(this.controls.target);
        const reach = Math.max(distance, this.size);
        const fog = this.scene.fog as THREE.Fog;
        fog.near = 1.6 * reach + this.size;
        fog.far = 7 * reach + 3 * this.size;
        this.camera.near = 0.01 * distance;
        this.camera.far = 60 * reach;
        this.camera.updateProjectionMatrix();
        this.renderer.render(this.scene, this.camera);
        this.drew = true;
    }

    // The ray through a pixel of the canvas.
    ray(x: number, y: number): THREE.Ray {
        const { clientWidth: w, clientHeight: h } = this.renderer.domElement;
        const caster = new THREE.Raycaster();
        this.camera.updateMatrixWorld();
        caster.setFromCamera(new THREE.Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera);
        return caster.ray;
    }

    project(point: THREE.Vector3): { x: number; y: number } {
        const { clientWidth: w, clientHeight: h } = this.renderer.domElement;
        this.camera.updateMatrixWorld();
        const p = point.clone().project(this.camera);
        return { x: (0.5 + 0.5 * p.x) * w, y: (0.5 - 0.5 * p.y) * h };
    }

    // Whether a point is in the picture and not behind the settings.
    sees(point: THREE.Vector3): boolean {
        const { clientWidth: w, clientHeight: h } = this.renderer.domElement;
        const p = point.clone().project(this.camera);
        const [x, y] = [(0.5 + 0.5 * p.x) * w, (0.5 - 0.5 * p.y) * h];
        return p.z < 1 && x > 0 && x < (w > 760 ? w - 280 : w) && y > 0 && y < h;
    }

    // The angle that a pixel covers.
    pixelAngle(): number {
        return (2 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2))) / this.renderer.domElement.clientHeight;
    }
}

interface View {
    from: THREE.Vector3;
    to: THREE.Vector3;
    fov: number;
}

// Without a graphics card the page starts with simple materials.
function drawsOnProcessor(): boolean {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) throw new Error('This browser has no WebGL 2, which the viewer needs.');
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
