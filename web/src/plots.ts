// Small plots of the last seconds. Each line is a ring buffer; all lines of a plot share one range.
import { make } from './dom';

interface Line {
    colour: string;
    values: Float32Array;
}

const LENGTH = 300;

export class Plot {
    private lines: Line[];
    private count = 0;
    private canvas: HTMLCanvasElement;
    private label: HTMLElement;
    private lastStep = -1;

    constructor(
        parent: HTMLElement,
        title: string,
        lines: { name: string; colour: string }[],
        private minRange: number, // the range is never narrower
        private format: (values: number[]) => string,
    ) {
        const names = lines.map(({ name, colour }) => {
            const made = make('i', {}, name);
            made.style.color = colour;
            return made;
        });
        const named = lines.length > 1 ? names.flatMap((name) => [' ', name]) : [];
        this.label = make('b');
        this.canvas = make('canvas');
        const head = make('div', { class: 'plot-head' }, make('span', {}, title, ...named), this.label);
        const box = make('div', { class: 'plot' }, head, this.canvas);
        parent.append(box);
        this.lines = lines.map(({ colour }) => ({ colour, values: new Float32Array(LENGTH) }));
    }

    clear() {
        this.count = 0;
        this.lastStep = -1;
    }

    add(step: number, values: number[]) {
        if (step === this.lastStep || values.some((value) => !Number.isFinite(value))) return;
        if (step < this.lastStep) this.clear();
        this.lastStep = step;
        this.lines.forEach((line, i) => (line.values[this.count % LENGTH] = values[i]));
        this.count++;
        this.label.textContent = this.format(values);
    }

    draw() {
        const { clientWidth: w, clientHeight: h } = this.canvas;
        const ratio = window.devicePixelRatio || 1;
        if (!w || !h) return;
        this.canvas.width = w * ratio;
        this.canvas.height = h * ratio;
        const pen = this.canvas.getContext('2d')!;
        pen.scale(ratio, ratio);
        const n = Math.min(this.count, LENGTH);
        if (n < 2) return;
        let [low, high] = [Infinity, -Infinity];
        for (const line of this.lines) {
            for (let i = 0; i < n; i++) {
                low = Math.min(low, line.values[i]);
                high = Math.max(high, line.values[i]);
            }
        }
        const missing = Math.max(0, this.minRange - (high - low)) / 2;
        low -= missing;
        high += missing;
        if (high - low < 1e-12) high = low + 1;
        pen.lineWidth = 1.5;
        pen.lineJoin = 'round';
        for (const line of this.lines) {
            pen.strokeStyle = line.colour;
            pen.beginPath();
            for (let i = 0; i < n; i++) {
                const value = line.values[(this.count - n + i) % LENGTH];
                pen.lineTo((w * i) / (LENGTH - 1), h - 2 - ((h - 4) * (value - low)) / (high - low));
            }
            pen.stroke();
        }
    }
}
