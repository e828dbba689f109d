// Buttons, menu, messages and help around the picture. It knows nothing of the engine; the host carries out what users
// ask for.
import { icon, make } from './dom';
import type { Frame } from './frame';
import type { SceneEntry } from './transport';

export interface InterfaceHost {
    play(on: boolean): void;
    step(): void;
    reset(): void;
    speed(value: number): void;
    scrub(step: number): void;
    shoot(): void;
    fit(all: boolean): void;
    open(scene: string): void;
    drive(): void;
    clear(): void;
    toggle(what: 'skin' | 'pills' | 'wireframe' | 'contacts' | 'strain' | 'volume'): void;
    picture(): void;
    film(): void;
    animation(): void;
    link(): void;
    measures(): void;
}

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const PLAY = { class: 'solid', d: 'M5 3l8 5-8 5z' };
const PAUSE = { d: 'M5.5 3.5v9M10.5 3.5v9', 'stroke-width': '2.6' };

export const element = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;

// Keys are between backquotes.
const KEYS: [string, string][] = [
    ['Drag a body', 'pull it; let go while moving to throw it'],
    ['Wheel while dragging', 'nearer or farther'],
    ['Drag the background', 'look around; right button or two fingers: move'],
    ['Double click, `F`', 'shoot a heavy pill there; `X` removes them'],
    ['`Space`', 'pause, resume'],
    ['`O`', 'one step'],
    ['`R`', 'back to the start'],
    ['`,` `.`', 'slower, faster'],
    ['`←` `→`', 'back and forward in time; or drag the timeline'],
    ['`C`, `H`', 'see everything; the scene’s own view'],
    ['`1` … `6`', 'skin, pills, wireframe, contacts, strain, volume'],
    ['`M`', 'measurements and plots'],
    ['`P` `V` `G` `L`', 'picture, film, animation (GLB), link'],
    ['`S`, `?`', 'scenes, this help'],
];

export class Interface {
    private playing = false;
    private scrubbing = false;
    private frame: Frame | null = null;
    private stepSeconds = 1 / 60;
    private scenes: SceneEntry[] = [];
    private current = '';

    constructor(private host: InterfaceHost) {
        element('play').replaceChildren(icon(PLAY));
        element('play').onclick = () => host.play(!this.playing);
        element('step').onclick = () => host.step();
        element('reset').onclick = () => host.reset();
        element('shoot').onclick = () => host.shoot();
        element('fit').onclick = () => host.fit(true);
        element('help-button').onclick = () => this.help();
        element('scene').onclick = () => this.menu(element('menu').hidden);
        element('panel-button').onclick = () => document.body.classList.toggle('panel');
        this.fillSpeeds();
        this.bindTime();
        document.addEventListener('pointerdown', (event) => {
            const at = event.target as Node;
            if (!element('menu').contains(at) && !element('scene').contains(at)) this.menu(false);
            if (element('stage').contains(at)) document.body.classList.remove('panel');
        });
        // A clicked button must not keep the focus: space is for pausing.
        document.addEventListener('click', (event) => {
            if (event.detail > 0) (event.target as HTMLElement).closest('button')?.blur();
        });
        document.addEventListener('keydown', (event) => this.key(event));
    }

    private fillSpeeds() {
        const speed = element<HTMLSelectElement>('speed');
        for (const value of SPEEDS) speed.add(new Option(`${value}×`, String(value), value === 1, value === 1));
        speed.onchange = () => this.host.speed(Number(speed.value));
    }

    private bindTime() {
        const time = element<HTMLInputElement>('time');
        time.onpointerdown = () => (this.scrubbing = true);
        time.onpointerup = time.onpointercancel = () => (this.scrubbing = false);
        time.onchange = () => (this.scrubbing = false);
        time.oninput = () => {
            this.host.scrub(Number(time.value));
            this.showTime(Number(time.value));
        };
    }

    private showTime(step: number) {
        const time = element<HTMLInputElement>('time');
        const [min, max] = [Number(time.min), Number(time.max)];
        time.style.setProperty('--at', `${max > min ? (100 * (step - min)) / (max - min) : 100}%`);
        element('clock').textContent = `${(step * this.stepSeconds).toFixed(2)} s`;
    }

    setScenes(scenes: SceneEntry[], current: string) {
        const same = JSON.stringify(scenes) === JSON.stringify(this.scenes);
        this.scenes = scenes;
        this.current = current;
        element('scene-title').textContent = scenes.find((scene) => scene.name === current)?.title ?? current;
        const menu = element('menu');
        if (!same) {
            menu.replaceChildren(
                ...scenes.map((scene) => {
                    const button = document.createElement('button');
                    button.dataset.scene = scene.name;
                    const [title, about] = [document.createElement('b'), document.createElement('span')];
                    title.textContent = scene.title || scene.name;
                    about.textContent = scene.about || '';
                    button.append(title, about);
                    button.onclick = () => {
                        this.menu(false);
                        this.host.open(scene.name);
                    };
                    return button;
                }),
            );
        }
        for (const button of menu.querySelectorAll('button')) {
            button.setAttribute('aria-current', String(button.dataset.scene === current));
        }
    }

    setStep(seconds: number) {
        this.stepSeconds = seconds;
    }

    setBadge(kind: 'socket' | 'wasm', driving: boolean, watchers: number) {
        const badge = element('badge');
        document.body.classList.toggle('watching', !driving);
        badge.hidden = driving && watchers < 2;
        badge.textContent = driving ? `${watchers - 1} watching` : 'Someone else is in control.';
        if (driving || kind === 'wasm') return;
        const take = document.createElement('button');
        take.id = 'take-over';
        take.textContent = 'Take over';
        take.onclick = () => this.host.drive();
        badge.append(take);
    }

    // Shows the state of the run.
    update(frame: Frame) {
        this.frame = frame;
        if (frame.playing !== this.playing) {
            this.playing = frame.playing;
            element('play').replaceChildren(icon(this.playing ? PAUSE : PLAY));
            element('play').setAttribute('aria-label', this.playing ? 'Pause' : 'Resume');
        }
        const time = element<HTMLInputElement>('time');
        time.min = String(frame.historyFirst);
        time.max = String(Math.max(frame.historyLast, frame.step, frame.historyFirst + 1));
        if (!this.scrubbing) {
            time.value = String(frame.step);
            this.showTime(frame.step);
        }
        const speed = element<HTMLSelectElement>('speed');
        if (document.activeElement === speed) return;
        const nearest = SPEEDS.reduce((a, b) => (Math.abs(b - frame.speed) < Math.abs(a - frame.speed) ? b : a));
        if (speed.value !== String(nearest)) speed.value = String(nearest);
    }

    private menu(open: boolean) {
        element('menu').hidden = !open;
        element('scene').setAttribute('aria-expanded', String(open));
        if (open)
            element('menu').querySelector<HTMLElement>('[aria-current=true]')?.scrollIntoView({ block: 'nearest' });
    }

    help() {
        const dialog = element<HTMLDialogElement>('help');
        const withKeys = (text: string) => text.split('`').map((part, i) => (i % 2 ? make('kbd', {}, part) : part));
        const rows = KEYS.map((row) => make('tr', {}, ...row.map((text) => make('td', {}, ...withKeys(text)))));
        const about = this.scenes.find((scene) => scene.name === this.current)?.about ?? '';
        const close = make('button', { class: 'close', 'aria-label': 'Close' }, '×');
        close.onclick = () => dialog.close();
        dialog.replaceChildren(
            close,
            make('h2', {}, element('scene-title').textContent ?? ''),
            make('p', {}, about),
            make('table', {}, ...rows),
        );
        dialog.onclick = (event) => event.target === dialog && dialog.close();
        dialog.setAttribute('autofocus', ''); // else the first button gets the focus
        dialog.showModal();
    }

    toast(text: string, bad = false) {
        const toast = document.createElement('div');
        toast.className = bad ? 'toast bad' : 'toast';
        toast.textContent = text;
        element('toasts').append(toast);
        setTimeout(() => toast.remove(), bad ? 8000 : 2600);
    }

    banner(text: string | null) {
        element('banner').hidden = text === null;
        element('banner').textContent = text ?? '';
    }

    hint(on: boolean) {
        element('hint').hidden = !on;
        if (on) setTimeout(() => this.hint(false), 15000);
    }

    legend(colours: 'own' | 'strain' | 'volume') {
        const legend = element('legend');
        legend.hidden = colours === 'own';
        const ends = colours === 'strain' ? ['−30 %', 'length', '+30 %'] : ['−10 %', 'volume', '+10 %'];
        legend.replaceChildren(make('i'), make('div', {}, ...ends.map((end) => make('span', {}, end))));
    }

    private faster(by: number) {
        const now = this.frame?.speed ?? 1;
        const at = SPEEDS.findIndex((value) => value >= now - 1e-6);
        this.host.speed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, (at < 0 ? SPEEDS.length - 1 : at) + by))]);
    }

    private key(event: KeyboardEvent) {
        const at = event.target as HTMLElement;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (
            at.tagName === 'SELECT' ||
            (at.tagName === 'INPUT' && at.id !== 'time') ||
            element<HTMLDialogElement>('help').open
        )
            return;
        if (at.tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter')) return; // presses the button
        const step = this.frame?.step ?? 0;
        const back = Math.max(1, Math.round(0.25 / this.stepSeconds));
        const keys: Record<string, () => void> = {
            ' ': () => this.host.play(!this.playing),
            o: () => this.host.step(),
            r: () => this.host.reset(),
            f: () => this.host.shoot(),
            x: () => this.host.clear(),
            c: () => this.host.fit(true),
            h: () => this.host.fit(false),
            ',': () => this.faster(-1),
            '.': () => this.faster(1),
            arrowleft: () => this.host.scrub(Math.max(0, step - back)),
            arrowright: () => this.host.scrub(step + back),
            '1': () => this.host.toggle('skin'),
            '2': () => this.host.toggle('pills'),
            '3': () => this.host.toggle('wireframe'),
            '4': () => this.host.toggle('contacts'),
            '5': () => this.host.toggle('strain'),
            '6': () => this.host.toggle('volume'),
            m: () => this.host.measures(),
            p: () => this.host.picture(),
            v: () => this.host.film(),
            g: () => this.host.animation(),
            l: () => this.host.link(),
            s: () => this.menu(element('menu').hidden),
            '?': () => this.help(),
            escape: () => {
                this.menu(false);
                document.body.classList.remove('panel');
            },
        };
        const action = keys[event.key.toLowerCase()];
        if (!action) return;
        event.preventDefault();
        action();
    }
}
