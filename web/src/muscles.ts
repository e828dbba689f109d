// Sliders for a muscle of a character. The user selects it from the list or by a click. The table of the scene has its
// original values; frames list those that were changed.
import type GUI from 'lil-gui';
import type { Controller } from 'lil-gui';
import type { ScenePage } from './scene_page';
import type { Edit, Frame } from './frame';
import { ALL_MUSCLES, MUSCLE_NUMBERS, type MuscleNumber } from './messages';

export interface MuscleHost {
    setMuscle(character: number, muscle: number, what: MuscleNumber, value: number): void;
    muscleBack(character: number, muscle: number): void;
    muscleChosen(body: number): void; // -1: none
}

interface Slider {
    what: MuscleNumber;
    name: string;
    about: string;
    min: number;
    max: number;
    step: number;
}

const SLIDERS: Slider[] = [
    { what: 'activation', name: 'Activation', about: 'overrides the motion', min: 0, max: 1, step: 0.01 },
    { what: 'width', name: 'Width', about: 'factor on the width that its volume gives', min: 0.3, max: 2, step: 0.01 },
    { what: 'eccentricity', name: 'Eccentricity', about: '0 round, 0.8 flat', min: 0, max: 0.95, step: 0.01 },
    { what: 'alpha', name: 'Alpha', about: 'larger: thinner near the origin', min: 2, max: 9, step: 0.1 },
    { what: 'beta', name: 'Beta', about: 'larger: thinner near the insertion', min: 2, max: 9, step: 0.1 },
    { what: 'active_alpha', name: 'Active alpha', about: 'alpha when fully active', min: 2, max: 9, step: 0.1 },
    { what: 'active_beta', name: 'Active beta', about: 'beta when fully active', min: 2, max: 9, step: 0.1 },
    { what: 'hertz', name: 'Jiggle frequency', about: 'Hz', min: 0.5, max: 20, step: 0.1 },
    { what: 'damping', name: 'Jiggle damping', about: '1/s; decays as exp(-d t/2)', min: 0, max: 40, step: 0.1 },
];

export class Muscles {
    private folder: GUI;
    private list: Controller | null = null;
    private back: Controller;
    private choice = { muscle: '' };
    private values: Record<string, number> = {};
    private sliders: { slider: Slider; controller: Controller; changed: number }[] = [];
    private names = new Map<string, [character: number, muscle: number]>();
    private baked: ScenePage | null = null;

    constructor(
        gui: GUI,
        private host: MuscleHost,
    ) {
        this.folder = gui.addFolder('Muscle');
        for (const slider of SLIDERS) {
            this.values[slider.what] = 0;
            const controller = this.folder.add(this.values, slider.what, slider.min, slider.max, slider.step);
            controller.name(slider.name);
            controller.domElement.title = slider.about;
            controller.domElement.dataset.muscle = slider.what;
            const entry = { slider, controller, changed: -1e9 };
            controller.onChange((value: number) => {
                const chosen = this.chosen();
                entry.changed = performance.now();
                if (chosen) this.host.setMuscle(chosen[0], chosen[1], slider.what, value);
            });
            this.sliders.push(entry);
        }
        const back = { f: () => this.chosen() && this.host.muscleBack(...this.chosen()!) };
        this.back = this.folder.add(back, 'f').name('Reset muscle');
        this.folder.hide();
    }

    // Lists the muscles of a new scene; without any the folder is hidden.
    setScene(baked: ScenePage | null) {
        this.baked = baked;
        this.names.clear();
        const several = (baked?.characters.length ?? 0) > 1;
        baked?.characters.forEach(({ muscles }, character) => {
            if (!muscles.length) return;
            const whose = baked.bodies.find((body) => body.character === character)?.name ?? '';
            this.names.set(several ? `all of ${whose}` : 'all', [character, ALL_MUSCLES]);
            muscles.forEach(({ name }, muscle) =>
                this.names.set(several ? `${whose}: ${name}` : name, [character, muscle]),
            );
        });
        this.list?.destroy();
        this.choice.muscle = '';
        const choices = Object.fromEntries([...this.names.keys()].map((name) => [name, name]));
        this.list = this.folder.add(this.choice, 'muscle', { 'click on one': '', ...choices }).name('Muscle');
        this.list.domElement.dataset.muscle = 'list';
        this.list.domElement.parentElement?.prepend(this.list.domElement);
        this.list.onChange(() => this.changed());
        if (this.names.size) this.folder.show();
        else this.folder.hide();
        this.changed();
    }

    choose(character: number, muscle: number) {
        for (const [name, [c, m]] of this.names) if (c === character && m === muscle) this.choice.muscle = name;
        this.list?.updateDisplay();
        this.folder.open();
        this.changed();
    }

    chosen(): [character: number, muscle: number] | null {
        return this.names.get(this.choice.muscle) ?? null;
    }

    private changed() {
        const chosen = this.chosen();
        for (const { controller } of this.sliders) controller.show(chosen !== null);
        this.back.show(chosen !== null);
        const body = this.baked?.bodies.findIndex(
            ({ muscle }) => muscle && chosen && muscle[0] === chosen[0] && muscle[1] === chosen[1],
        );
        for (const entry of this.sliders) entry.changed = -1e9;
        this.host.muscleChosen(body ?? -1);
    }

    // Shows the engine's values, except of a slider being moved. For all muscles: those of the first.
    update(frame: Frame) {
        const chosen = this.chosen();
        if (!chosen || !this.baked) return;
        const now = performance.now();
        const muscle = chosen[1] === ALL_MUSCLES ? 0 : chosen[1];
        const own = this.baked.characters[chosen[0]].muscles[muscle].numbers;
        const edited = (number: number) =>
            frame.edits.find((e: Edit) => e.character === chosen[0] && e.muscle === muscle && e.number === number);
        for (const { slider, controller, changed } of this.sliders) {
            if (now - changed < 600) continue;
            const number = MUSCLE_NUMBERS.indexOf(slider.what);
            const value = Number((edited(number)?.value ?? own[number]).toPrecision(4));
            if (Math.abs(this.values[slider.what] - value) < 1e-6) continue;
            this.values[slider.what] = value;
            controller.updateDisplay();
        }
    }
}
