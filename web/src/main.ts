// Puts the page together: an engine behind a transport, the picture, input, and the interface around it. Frames arrive
// when the engine has them. The page draws at the refresh rate of the screen and acknowledges each frame it has drawn.
import * as THREE from 'three';
import { parseScenePage, type ScenePage } from './scene_page';
import { Bodies, type Show } from './bodies';
import { exportGlb } from './export_glb';
import { JOINT_FLOATS, parseFrame, type Frame } from './frame';
import { Hands } from './hands';
import { Interface, element } from './interface';
import { Film, download } from './download';
import { packedLibrary } from './library';
import { LocalTransport } from './local';
import { Marks } from './marks';
import { Measures } from './measures';
import * as messages from './messages';
import { Panel } from './panel';
import { pickMuscle } from './pick';
import { Pose } from './pose';
import { Recording } from './record';
import { readShared, writeShared, type Shared } from './share';
import { SocketTransport } from './socket';
import { Stage } from './stage';
import type { Hello, Listener, Transport } from './transport';

const START_SCENE = 'octopus-pillars';

class Page implements Listener {
    stage: Stage;
    transport: Transport;
    baked: ScenePage | null = null;
    pose: Pose | null = null;
    now: Frame | null = null; // the newest frame
    around: Hello | null = null;
    hands: Hands;
    private bodies: Bodies | null = null;
    private marks = new Marks();
    private show: Show = { skin: true, pills: false, wireframe: false, contacts: false, colours: 'own' };
    private ui: Interface;
    private panel: Panel;
    private card: Measures;
    private recording = new Recording();
    private filming = new Film();
    private fresh = false; // a frame has arrived that is not drawn yet
    private stale = true; // the picture must be drawn even without a new frame
    private first = true; // the next frame is the first of its scene
    private shared: Shared | null; // settings of the link, until they are applied
    private startValues: Float32Array | null = null;
    private hovered = -1;
    private drawn = 0; // frames
    private acked = 0;
    private looked = 0; // when visibility was last checked
    private unseen = 0; // checks in a row that found nothing visible
    private turned = -1e9; // when the user last turned the camera

    constructor() {
        this.shared = readShared(location.hash);
        const canvas = element<HTMLCanvasElement>('canvas');
        this.stage = new Stage(canvas, this.shared.detail);
        document.body.classList.toggle('plain', this.stage.plain);
        this.stage.scene.add(this.marks.root);
        this.stage.controls.addEventListener('change', () => (this.stale = true));
        this.stage.controls.addEventListener('end', () => (this.turned = performance.now()));
        this.hands = new Hands(this.stage, canvas, {
            pose: () => this.pose,
            mayGrab: () => this.around?.driving ?? false,
            send: (message) => this.send(message),
            hover: (body, held) => this.hover(body, held),
            grabbed: () => this.grabbed(),
            changed: () => (this.stale = true),
            driven: (body) => this.isDriven(body),
            tapped: (body, ray) => this.tapped(body, ray),
        });
        this.ui = new Interface(this);
        this.panel = new Panel(element('panel'), this.show, {
            set: (parameter, value) => this.send(messages.set(parameter, value)),
            show: () => this.applyShow(),
            defaults: () => this.defaults(),
            picture: () => this.picture(),
            film: () => this.film(),
            animation: () => this.animation(),
            link: () => this.link(),
            setMuscle: (character, muscle, what, value) =>
                this.send(messages.muscle(character, muscle, what, value)),
            muscleBack: (character, muscle) => this.send(messages.muscleBack(character, muscle)),
            muscleChosen: (body) => this.chose(body),
        });
        this.card = new Measures(
            element('measures'),
            () => this.sendWatch(),
            (text) => void this.copy(text, 'Copied'),
        );
        if (this.shared.show.length) this.takeShow(this.shared.show);
        const library = packedLibrary();
        const start = this.shared.scene || START_SCENE;
        this.transport = library ? new LocalTransport(this, library, start) : new SocketTransport(this);
        window.addEventListener('resize', () => {
            this.stage.resize();
            this.stale = true;
        });
        window.addEventListener('hashchange', () => this.followLink());
        document.addEventListener('visibilitychange', () => this.transport.seen(!document.hidden));
        requestAnimationFrame((now) => this.beat(now));
    }

    send(message: ArrayBuffer) {
        this.transport.send(message);
    }

    // ---- from the engine

    hello(hello: Hello) {
        const before = this.around;
        this.around = hello;
        this.ui.setScenes(hello.scenes, hello.scene);
        this.ui.setBadge(this.transport.kind, hello.driving, hello.watchers);
        if (before && !before.driving && hello.driving) this.ui.toast('You are in control now');
        // The link may name another scene than the one that the server runs.
        if (!before && this.shared?.scene && this.shared.scene !== hello.scene && this.transport.kind === 'socket') {
            if (hello.driving && hello.scenes.some((scene) => scene.name === this.shared!.scene))
                this.transport.open(this.shared.scene);
        }
    }

    scene(bytes: ArrayBuffer) {
        let baked: ScenePage;
        try {
            baked = parseScenePage(bytes);
        } catch (error) {
            this.failed(String(error));
            return;
        }
        this.clearScene();
        this.baked = baked;
        this.pose = new Pose(baked);
        this.bodies = new Bodies(baked, this.pose, this.stage.plain);
        this.stage.scene.add(this.bodies.root);
        this.ui.setStep(baked.step);
        document.title = `${baked.title} · Sinew`;
        this.first = true;
        this.panel.muscles.setScene(baked);
        this.applyShow();
        this.send(messages.ack(0));
    }

    private clearScene() {
        this.hands.forget();
        this.recording.clear();
        this.card.clear();
        if (this.bodies) this.stage.scene.remove(this.bodies.root);
        this.bodies?.dispose();
        this.pose?.dispose();
        this.now = null;
        this.fresh = false;
        this.startValues = null;
        this.hovered = -1;
    }

    frame(bytes: ArrayBuffer) {
        try {
            const counts = this.pose?.surfaces.map((surface) => surface.vertexCount) ?? [];
            const frame = parseFrame(bytes, counts);
            const joints = JOINT_FLOATS * (this.baked?.joints ?? -1);
            // A late frame of the previous scene?
            if (frame.joints.length !== joints || frame.surfaces.length !== counts.length) return;
            this.now = frame;
            this.fresh = true;
        } catch (error) {
            this.failed(String(error));
        }
    }

    lost(reason: string) {
        this.ui.banner(reason);
        this.hands.forget();
    }

    found() {
        this.ui.banner(null);
        this.ui.toast('Connected again');
    }

    failed(reason: string) {
        this.ui.toast(reason, true);
    }

    // ---- drawing

    private beat(now: number) {
        requestAnimationFrame((later) => this.beat(later));
        const moving = this.stage.move(now);
        if (!this.pose || !this.bodies || !this.baked) {
            if (this.stale) this.stage.draw();
            this.stale = false;
            return;
        }
        this.hands.update();
        const frame = this.now;
        if (this.fresh && frame) {
            this.fresh = false;
            this.stale = true;
            this.pose.update(frame);
            this.bodies.update();
            if (this.first) this.begin(frame);
            this.marks.update(frame, this.show.contacts, this.hands.size);
            this.recording.add(frame);
            this.ui.update(frame);
            this.panel.update(frame.parameters);
            this.panel.muscles.update(frame);
            this.card.update(frame, this.stage.drawMs, now);
            this.stage.follow(this.pose.bounds(), this.pose.lowest());
            this.keepInSight(now);
        }
        if (!this.stale && !moving) return;
        this.stage.draw();
        this.stale = false;
        this.drawn++;
        if (frame && this.acked !== frame.number) {
            this.acked = frame.number;
            this.send(messages.ack(frame.number));
        }
    }

    // When everything has left the picture (thrown, fallen), the camera follows.
    private keepInSight(now: number) {
        const { pose, baked } = this;
        if (!pose || !baked || now - this.looked < 700) return;
        this.looked = now;
        const at = new THREE.Vector3();
        const seen = baked.bodies.some(({ kind, first, shape }) => {
            const { joints } = baked.shapes[shape];
            for (let k = 0; k < joints; k++)
                if (kind === 'rod' && this.stage.sees(pose.centre(first + k, at))) return true;
            return false;
        });
        const middles = pose.surfaces.map(({ box }) => box.getCenter(new THREE.Vector3()));
        const someSeen = seen || middles.some((middle) => this.stage.sees(middle));
        this.unseen = someSeen || this.hands.holding || now - this.turned < 3000 ? 0 : this.unseen + 1;
        if (this.unseen < 3) return;
        this.unseen = 0;
        this.fit(true);
    }

    // The first frame of a scene: sets up the ground and the camera, and applies the link.
    private begin(frame: Frame) {
        this.first = false;
        const { baked, pose } = this;
        if (!baked || !pose) return;
        const ball = pose.bounds();
        const share = baked.copies ? baked.copies[0] / baked.copies[1] : 1;
        this.stage.setScene(baked.planes, ball, pose.lowest(), baked.cameras[0] ?? null, share);
        this.hands.grounds = baked.planes.map(({ point, normal }) => {
            return { point: new THREE.Vector3(...point), normal: new THREE.Vector3(...normal).normalize() };
        });
        this.hands.size = ball.radius;
        this.startValues = frame.parameters.slice();
        this.sendWatch();
        if (!this.around?.driving) return;
        const shared = this.shared;
        const asked = shared && (!shared.scene || shared.scene === baked.name) ? shared : null;
        if (asked) this.takeShared(asked);
        this.shared = null;
        if (frame.step === 0 && !frame.playing && !asked?.paused) this.send(messages.play(true));
        if (baked.copies) this.ui.toast(`${baked.copies[0]} of ${baked.copies[1]} bodies, to keep up in a browser`);
        if (!hasFlag('dragged')) this.ui.hint(true);
    }

    private takeShared(shared: Shared) {
        const set = Object.entries(shared.parameters) as [messages.Parameter, number][];
        for (const [name, value] of set) this.send(messages.set(name, value));
        if (shared.speed !== null) this.send(messages.speed(shared.speed));
        if (set.length) this.send(messages.reset());
        if (shared.view) this.stage.setView(shared.view);
    }

    // ---- from the user

    play(on: boolean) {
        this.send(messages.play(on));
    }
    step() {
        this.send(messages.step(1));
    }
    reset() {
        this.send(messages.reset());
    }
    speed(value: number) {
        this.send(messages.speed(value));
    }
    scrub(step: number) {
        this.send(messages.scrub(step));
    }
    shoot() {
        this.hands.shootAtPointer();
    }
    clear() {
        this.send(messages.clear());
    }
    fit(all: boolean) {
        if (this.pose) this.stage.fly(all ? this.pose.bounds() : null);
    }
    drive() {
        this.transport.drive();
    }
    open(name: string) {
        if (!this.around?.driving) {
            this.ui.toast('Someone else is in control: take over first');
        } else if (name === this.baked?.name) {
            this.reset();
            this.play(true);
        } else {
            if (location.hash) history.replaceState(null, '', location.pathname + location.search);
            this.transport.open(name);
        }
    }

    toggle(what: 'skin' | 'pills' | 'wireframe' | 'contacts' | 'strain' | 'volume') {
        if (what === 'strain' || what === 'volume') this.show.colours = this.show.colours === what ? 'own' : what;
        else this.show[what] = !this.show[what];
        this.applyShow();
    }

    private applyShow() {
        this.bodies?.show(this.show);
        this.panel.updateShow();
        this.ui.legend(this.show.colours);
        this.sendWatch();
        this.stale = true;
        if (this.now) this.marks.update(this.now, this.show.contacts, this.hands.size);
    }

    private takeShow(words: string[]) {
        for (const word of words) {
            const on = !word.startsWith('-');
            const name = word.replace(/^-/, '');
            if (name === 'strain' || name === 'volume') this.show.colours = name;
            else if (name === 'skin' || name === 'pills' || name === 'wireframe' || name === 'contacts')
                this.show[name] = on;
        }
    }

    private showWords(): string[] {
        const words = this.show.skin ? [] : ['-skin'];
        for (const name of ['pills', 'wireframe', 'contacts'] as const) if (this.show[name]) words.push(name);
        if (this.show.colours !== 'own') words.push(this.show.colours);
        return words;
    }

    private sendWatch() {
        const bits =
            (this.show.contacts ? messages.WATCH_CONTACTS : 0) | (this.card?.open ? messages.WATCH_MEASURES : 0);
        if (this.baked) this.send(messages.watch(bits));
    }

    measures() {
        this.card.toggle();
    }

    private hover(body: number, held: boolean) {
        const key = held ? body + 0.5 : body;
        if (key === this.hovered) return;
        this.hovered = key;
        this.bodies?.light(body, held ? 0.9 : 0.45);
        this.stale = true;
    }

    // Characters follow a recorded motion.
    private isDriven(body: number): boolean {
        const { character, muscle } = this.baked?.bodies[body] ?? {};
        return character !== undefined || muscle !== undefined;
    }

    // A click on a character selects the muscle under the pointer.
    private tapped(body: number, ray: THREE.Ray) {
        const { baked, pose, now } = this;
        const of = baked?.bodies[body];
        const character = of?.character ?? of?.muscle?.[0];
        if (!baked || !pose || !now || character === undefined) return;
        const [, muscle] = pickMuscle(pose, now, ray, (surface) => {
            const own = baked.bodies[surface].muscle;
            return own && own[0] === character ? own[1] : -1;
        });
        if (muscle >= 0) this.panel.muscles.choose(character, muscle);
    }

    private chose(body: number) {
        this.bodies?.choose(body);
        if (this.now && this.pose) for (const surface of this.pose.surfaces) surface.update(this.now);
        this.bodies?.update();
        this.stale = true;
    }

    private grabbed() {
        this.ui.hint(false);
        setFlag('dragged');
        if (this.now && !this.now.playing) this.ui.toast('Paused. Press space to resume');
    }

    private defaults() {
        const { startValues } = this;
        if (startValues) messages.PARAMETERS.forEach((name, i) => this.send(messages.set(name, startValues[i])));
    }

    picture() {
        this.stage.draw();
        this.stage.renderer.domElement.toBlob((blob) => {
            if (blob) download(blob, `${this.baked?.name ?? 'sinew'}.png`);
        }, 'image/png');
    }

    film() {
        if (this.filming.on) {
            this.filming.stop();
        } else {
            try {
                this.filming.start(this.stage.renderer.domElement, (film) => {
                    download(film, `${this.baked?.name ?? 'sinew'}.${film.type.includes('mp4') ? 'mp4' : 'webm'}`);
                });
                this.ui.toast('Recording; press V or the button to stop');
            } catch (error) {
                this.failed(`This browser cannot record video: ${String(error)}`);
            }
        }
        this.panel.filming(this.filming.on);
    }

    glb(): Blob | null {
        const moments = this.recording.moments;
        return this.baked && moments.length ? exportGlb(this.baked, moments) : null;
    }

    animation() {
        const { moments } = this.recording;
        if (!moments.length) return;
        const seconds = moments[moments.length - 1].time - moments[0].time;
        this.ui.toast(`Writing the last ${seconds.toFixed(1)} s…`);
        setTimeout(() => {
            const glb = this.glb();
            if (glb) download(glb, `${this.baked!.name}.glb`);
        }, 30);
    }

    // A link to the current scene, settings and view.
    address(): string {
        const parameters: Shared['parameters'] = {};
        messages.PARAMETERS.forEach((name, i) => {
            const value = this.now?.parameters[i] ?? NaN;
            if (this.startValues && Math.abs(value - this.startValues[i]) > 1e-6) parameters[name] = value;
        });
        const fragment = writeShared({
            scene: this.baked?.name ?? '',
            parameters,
            speed: this.now?.speed ?? null,
            paused: false,
            show: this.showWords(),
            view: this.stage.view(),
            detail: null,
        });
        return location.href.replace(/#.*$/, '') + fragment;
    }

    link() {
        const address = this.address();
        history.replaceState(null, '', new URL(address).hash);
        void this.copy(address, 'Link copied: scene, settings and view');
    }

    private async copy(text: string, done: string) {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            const area = document.createElement('textarea'); // without permission, as for a page from disk
            area.value = text;
            document.body.append(area);
            area.select();
            document.execCommand('copy');
            area.remove();
        }
        this.ui.toast(done);
    }

    private followLink() {
        const shared = readShared(location.hash);
        if (!shared.scene || !this.around?.driving) return;
        this.shared = shared;
        if (shared.scene !== this.baked?.name) this.transport.open(shared.scene);
        else {
            this.takeShared(shared);
            this.shared = null;
        }
    }

    chooseMuscle(character: number, muscle: number) {
        this.panel.muscles.choose(character, muscle);
    }

    state() {
        const { now: frame, baked } = this;
        return {
            kind: this.transport.kind,
            scene: baked?.name ?? '',
            title: baked?.title ?? '',
            driving: this.around?.driving ?? false,
            watchers: this.around?.watchers ?? 0,
            drawn: this.drawn,
            detail: this.stage.detail,
            holding: this.hands.holding,
            show: { ...this.show },
            recorded: this.recording.moments.length,
            frame: frame && {
                ...frame,
                joints: undefined,
                extra: undefined,
                marks: undefined,
                surfaces: undefined,
                edits: frame.edits.map((edit) => ({ ...edit })),
                stageMs: [...frame.stageMs],
                energy: [...frame.energy],
                parameters: [...frame.parameters],
                grip: [...frame.grip],
                extras: frame.extra.length / 8,
                markCount: frame.marks.length / 7,
            },
        };
    }
}

// Flags in the browser's storage, which a page from disk may not have.
function hasFlag(what: string): boolean {
    try {
        return localStorage.getItem(`sinew-${what}`) !== null;
    } catch {
        return false;
    }
}

function setFlag(what: string) {
    try {
        localStorage.setItem(`sinew-${what}`, '1');
    } catch {
        // then the hint appears again next time
    }
}

// For the browser's console, and for tests.
function expose(page: Page) {
    const vector = (point: number[]) => new THREE.Vector3(point[0], point[1], point[2]);
    return {
        page, // everything; the rest is shorthand
        messages,
        state: () => page.state(),
        send: (message: ArrayBuffer) => page.send(message),
        hash: () => page.now?.hash ?? '',
        address: () => page.address(),
        pickAt: (x: number, y: number) => {
            const hit = page.hands.pickAt(x, y);
            return hit && { ...hit, point: hit.point.toArray(), centre: hit.centre.toArray() };
        },
        project: (point: number[]) => page.stage.project(vector(point)),
        vertex: (surface: number, number: number) =>
            page.pose?.surfaces[surface]?.vertex(number, new THREE.Vector3()).toArray() ?? null,
        joint: (number: number) => page.pose?.centre(number, new THREE.Vector3()).toArray() ?? null,
        bodies: () => page.baked?.bodies.map(({ name, kind, first }) => ({ name, kind, first })) ?? [],
        characters: () => page.baked?.characters ?? [],
        choose: (character: number, muscle: number) => page.chooseMuscle(character, muscle),
        glb: async () => {
            const glb = page.glb();
            return glb ? new Uint8Array(await glb.arrayBuffer()) : null;
        },
        detail: (level: number) => page.stage.fixDetail(level),
    };
}

try {
    (window as unknown as { sinew: ReturnType<typeof expose> }).sinew = expose(new Page());
} catch (error) {
    element('banner').hidden = false;
    element('banner').textContent = error instanceof Error ? error.message : String(error);
    throw error;
}
