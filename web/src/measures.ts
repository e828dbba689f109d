// The card with measurements: one line when closed. Open, it shows the cost of a step by stage, the size of the
// problem, volume and penetration, the hash of the state, and plots.
import { icon, make } from './dom';
import { STAGES, type Frame } from './frame';
import { Plot } from './plots';

const STAGE_COLOURS = ['#b8c4cc', '#8fb8d0', '#5a9fc4', '#7c8fd0', '#0b7a8a', '#d08a4a', '#a7a15a', '#9a8f86'];

export class Measures {
    open = false;
    private line: HTMLElement;
    private dot: HTMLElement;
    private body: HTMLElement;
    private cells = new Map<string, HTMLElement>();
    private stages: HTMLElement[] = [];
    private energy: Plot;
    private volume: Plot;
    private penetration: Plot;
    private lastWrite = 0;
    private cost: { step: number; stages: Float32Array } = { step: 0, stages: new Float32Array(8) }; // of the last step

    constructor(
        private parent: HTMLElement,
        private toggled: () => void,
        copied: (text: string) => void,
    ) {
        this.line = make('span', { class: 'line' }, '…');
        this.dot = make('span', { class: 'dot' });
        this.body = make('div', { class: 'body' });
        this.body.hidden = true;
        const arrow = icon({ d: 'M3 6l5 5 5-5' });
        const button = make('button', { 'aria-expanded': 'false', title: 'Measurements (M)' }, this.dot, this.line, arrow);
        button.onclick = () => this.toggle();
        parent.replaceChildren(button, this.body);
        const bar = document.createElement('div');
        bar.className = 'stages';
        this.stages = STAGES.map((name, i) => {
            const part = document.createElement('span');
            part.style.background = STAGE_COLOURS[i];
            part.title = name;
            bar.append(part);
            return part;
        });
        const table = document.createElement('table');
        for (const name of [
            'Slowest stage',
            'Unknowns',
            'Contacts',
            'Asleep',
            'Volume',
            'Deepest overlap',
            'Frames drawn',
            'State',
        ]) {
            const row = table.insertRow();
            row.insertCell().textContent = name;
            this.cells.set(name, row.insertCell());
        }
        const state = this.cells.get('State')!;
        state.className = 'hash';
        state.title = 'Hash of the whole state: the same on every machine. Click to copy';
        state.onclick = () => copied(state.textContent ?? '');
        this.body.append(bar, table);
        const lines = [
            { name: 'kinetic', colour: '#d08a4a' },
            { name: 'elastic', colour: '#0b7a8a' },
            { name: 'height', colour: '#7c8fd0' },
        ];
        this.energy = new Plot(this.body, 'Energy', lines, 0, (v) => quantity(v[0] + v[1] + v[2], 'J'));
        this.volume = new Plot(
            this.body,
            'Volume',
            [{ name: '', colour: '#0b7a8a' }],
            0.01,
            (v) => `${(100 * v[0]).toFixed(2)} %`,
        );
        this.penetration = new Plot(
            this.body,
            'Overlap',
            [{ name: '', colour: '#c8553d' }],
            0.02,
            (v) => `${(100 * v[0]).toFixed(1)} % of radius`,
        );
    }

    toggle() {
        this.open = !this.open;
        this.body.hidden = !this.open;
        this.parent.classList.toggle('open', this.open);
        this.parent.querySelector('button')!.setAttribute('aria-expanded', String(this.open));
        this.toggled();
    }

    clear() {
        for (const plot of [this.energy, this.volume, this.penetration]) plot.clear();
    }

    update(frame: Frame, drawMs: number, now: number) {
        this.energy.add(frame.step, [...frame.energy]);
        this.volume.add(frame.step, [frame.volume]);
        this.penetration.add(frame.step, [frame.penetration]);
        if (frame.stepMs > 0) this.cost = { step: frame.stepMs, stages: frame.stageMs };
        if (now - this.lastWrite < 180) return; // faster updates cannot be read
        this.lastWrite = now;
        const slow = frame.playing && frame.realtime > 0 && (frame.slow || frame.realtime < 0.9 * frame.speed);
        this.dot.className = slow ? 'dot slow' : 'dot';
        const speed =
            slow || frame.speed !== 1 ? `${(slow ? frame.realtime : frame.speed).toFixed(2)}× real time` : 'real time';
        const cost = this.cost.step.toFixed(this.cost.step < 10 ? 2 : 1);
        const state = frame.failed ? 'stopped: the step is too large for memory' : frame.playing ? speed : 'paused';
        this.line.textContent = `${state} · ${cost} ms a step`;
        if (!this.open) return;
        const { stages } = this.cost;
        const total = stages.reduce((a, b) => a + b, 0);
        let slowest = 0;
        stages.forEach((ms, i) => {
            this.stages[i].style.width = `${total > 0 ? (100 * ms) / total : 0}%`;
            this.stages[i].title = `${STAGES[i]}: ${ms.toFixed(3)} ms`;
            if (ms > stages[slowest]) slowest = i;
        });
        const write = (name: string, text: string) => (this.cells.get(name)!.textContent = text);
        write('Slowest stage', `${STAGES[slowest]}, ${stages[slowest].toFixed(2)} ms`);
        write('Unknowns', frame.unknowns.toLocaleString('en'));
        write('Contacts', `${frame.contacts.toLocaleString('en')} of ${frame.pairs.toLocaleString('en')} pairs`);
        write('Asleep', frame.asleep.toLocaleString('en') + (frame.diverged ? `, ${frame.diverged} diverged` : ''));
        write('Volume', Number.isFinite(frame.volume) ? `${(100 * frame.volume).toFixed(2)} %` : '–');
        write(
            'Deepest overlap',
            Number.isFinite(frame.penetration) ? `${(100 * frame.penetration).toFixed(1)} % of radius` : '–',
        );
        write('Frames drawn', `${Math.round(1000 / Math.max(1, drawMs))} a second`);
        write('State', frame.hash);
        for (const plot of [this.energy, this.volume, this.penetration]) plot.draw();
    }
}

function quantity(value: number, unit: string): string {
    const size = Math.abs(value);
    if (size >= 1e6) return `${(value / 1e6).toFixed(2)} M${unit}`;
    if (size >= 1e3) return `${(value / 1e3).toFixed(2)} k${unit}`;
    return size >= 1 ? `${value.toFixed(2)} ${unit}` : `${(1e3 * value).toFixed(2)} m${unit}`;
}
