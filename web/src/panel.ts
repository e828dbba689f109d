// The sliders and switches (lil-gui). Moving one sends its value; frames bring back the engine's values.
import GUI, { type Controller } from 'lil-gui';
import type { Show } from './bodies';
import { PARAMETERS, type Parameter } from './messages';
import { Muscles, type MuscleHost } from './muscles';

export interface PanelHost extends MuscleHost {
    set(parameter: Parameter, value: number): void;
    show(): void;
    defaults(): void;
    picture(): void;
    film(): void;
    animation(): void;
    link(): void;
}

interface Slider {
    parameter: Parameter;
    name: string;
    about: string;
    min: number;
    max: number;
    step: number;
    log?: boolean; // the slider moves the logarithm of the value
    lowest?: number; // value at the lower end of a logarithmic slider
    toggle?: boolean;
}

const WORLD: Slider[] = [
    { parameter: 'gravity', name: 'Gravity', about: 'm/s², along the scene’s gravity', min: -20, max: 30, step: 0.01 },
    {
        parameter: 'stiffness',
        name: 'Stiffness',
        about: 'factor on the stiffness of all materials',
        min: -2,
        max: 2,
        step: 0.01,
        log: true,
    },
    {
        parameter: 'volume',
        name: 'Volume',
        about: 'factor on the volume stiffness of all materials',
        min: -2,
        max: 2,
        step: 0.01,
        log: true,
        lowest: 0,
    },
    { parameter: 'damping', name: 'Damping', about: '1/s, added to the materials’', min: 0, max: 20, step: 0.1 },
    { parameter: 'friction', name: 'Friction', about: 'factor on all friction', min: 0, max: 5, step: 0.05 },
    {
        parameter: 'activation',
        name: 'Contraction',
        about: 'contracts all rods, at 1 to 0.6 of their length',
        min: 0,
        max: 1,
        step: 0.01,
    },
];
const SOLVER: Slider[] = [
    { parameter: 'substeps', name: 'Substeps', about: 'per step; 0: as many as it needs', min: 0, max: 50, step: 1 },
    { parameter: 'iterations', name: 'Iterations', about: 'of the solver, per substep', min: 1, max: 50, step: 1 },
    { parameter: 'sweeps', name: 'Sweeps', about: 'over all contacts per iteration, at most', min: 1, max: 100, step: 1 },
    {
        parameter: 'sleeping',
        name: 'Sleeping',
        about: 'bodies at rest may fall asleep',
        min: 0,
        max: 1,
        step: 1,
        toggle: true,
    },
];

export class Panel {
    private values: Record<string, number | boolean> = {};
    private sliders: { slider: Slider; controller: Controller; changed: number }[] = [];
    private gui: GUI;
    private showControllers: Controller[] = [];
    private filmButton: Controller;
    readonly muscles: Muscles;

    constructor(
        parent: HTMLElement,
        readonly show: Show,
        private host: PanelHost,
    ) {
        this.gui = new GUI({ container: parent, title: 'Settings', injectStyles: false }); // build.mjs adds its style
        this.muscles = new Muscles(this.gui, host);
        this.addSliders('World', WORLD);
        this.addSliders('Solver', SOLVER).close();
        const shown = this.gui.addFolder('Show');
        const add = (controller: Controller, name: string) => {
            this.showControllers.push(controller.name(name).onChange(() => host.show()));
        };
        add(shown.add(show, 'skin'), 'Skin');
        add(shown.add(show, 'pills'), 'Pills');
        add(shown.add(show, 'wireframe'), 'Wireframe');
        add(shown.add(show, 'contacts'), 'Contacts');
        add(shown.add(show, 'colours', { 'Their own': 'own', Strain: 'strain', Volume: 'volume' }), 'Colours');
        const keep = this.gui.addFolder('Keep');
        keep.add({ f: () => host.picture() }, 'f').name('Picture');
        this.filmButton = keep.add({ f: () => host.film() }, 'f').name('Record a film');
        keep.add({ f: () => host.animation() }, 'f').name('Animation (GLB)');
        keep.add({ f: () => host.link() }, 'f').name('Copy link');
        if (window.innerHeight < 800) keep.close();
    }

    private addSliders(title: string, sliders: Slider[]): GUI {
        const folder = this.gui.addFolder(title);
        for (const slider of sliders) {
            const { parameter, min, max, step } = slider;
            this.values[parameter] = slider.toggle ? true : 0;
            const controller = slider.toggle
                ? folder.add(this.values, parameter)
                : folder.add(this.values, parameter, min, max, step);
            controller.name(slider.name);
            controller.domElement.title = slider.about;
            controller.domElement.dataset.parameter = parameter;
            const entry = { slider, controller, changed: -1e9 };
            if (slider.log) showPower(controller, (exponent) => fromExponent(slider, exponent));
            controller.onChange((value: number | boolean) => {
                entry.changed = performance.now();
                host(value);
            });
            const host = (value: number | boolean) =>
                this.host.set(parameter, slider.log ? fromExponent(slider, Number(value)) : Number(value));
            this.sliders.push(entry);
        }
        if (title === 'World') folder.add({ f: () => this.host.defaults() }, 'f').name('Reset to scene');
        return folder;
    }

    // Shows the engine's values, except of a slider being moved.
    update(parameters: Float32Array) {
        const now = performance.now();
        for (const entry of this.sliders) {
            const { slider, controller, changed } = entry;
            if (now - changed < 600) continue;
            const value = parameters[PARAMETERS.indexOf(slider.parameter)];
            let shown: number | boolean = slider.toggle ? value !== 0 : Number(value.toPrecision(6));
            if (slider.log) shown = value <= 0 ? slider.min : Math.log10(value);
            if (this.values[slider.parameter] === shown) continue;
            if (typeof shown === 'number' && Math.abs(Number(this.values[slider.parameter]) - shown) < 1e-6) continue;
            this.values[slider.parameter] = shown;
            controller.updateDisplay();
        }
    }

    updateShow() {
        for (const controller of this.showControllers) controller.updateDisplay();
    }

    filming(on: boolean) {
        this.filmButton.name(on ? 'Stop the film' : 'Record a film');
    }
}

function fromExponent(slider: Slider, exponent: number): number {
    if (slider.lowest !== undefined && exponent <= slider.min + 1e-6) return slider.lowest;
    return Number((10 ** exponent).toPrecision(4));
}

// Makes a logarithmic slider show the value itself.
function showPower(controller: Controller, number: (exponent: number) => number) {
    const input = controller.domElement.querySelector('input')!;
    const plain = controller.updateDisplay.bind(controller);
    input.type = 'text'; // lil-gui makes it a number input on touch screens
    input.readOnly = true;
    controller.updateDisplay = () => {
        plain();
        input.value = `× ${Number(number(Number(controller.getValue())).toPrecision(2))}`;
        return controller;
    };
    controller.updateDisplay();
}
