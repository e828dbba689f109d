// Messages to the engine (docs/session-protocol.md): one word for the type, then one for each value.

type Word = ['u' | 'f', number];

function message(type: number, ...words: Word[]): ArrayBuffer {
    const view = new DataView(new ArrayBuffer(4 + 4 * words.length));
    view.setUint32(0, type, true);
    words.forEach(([kind, value], i) => {
        if (kind === 'u') view.setUint32(4 + 4 * i, value, true);
        else view.setFloat32(4 + 4 * i, value, true);
    });
    return view.buffer;
}

const u = (value: number): Word => ['u', value >>> 0];
const f = (value: number): Word => ['f', value];
const vector = (v: ArrayLike<number>): Word[] => [f(v[0]), f(v[1]), f(v[2])];

export const PARAMETERS = [
    'gravity',
    'substeps',
    'iterations',
    'sweeps',
    'stiffness',
    'volume',
    'damping',
    'friction',
    'activation',
    'sleeping',
] as const;
export type Parameter = (typeof PARAMETERS)[number];

// Parameters of a character's muscle that sliders change.
export const MUSCLE_NUMBERS = [
    'alpha',
    'beta',
    'active_alpha',
    'active_beta',
    'eccentricity',
    'width',
    'activation',
    'hertz',
    'damping',
] as const;
export type MuscleNumber = (typeof MUSCLE_NUMBERS)[number];
export const ALL_MUSCLES = 0xffffffff;

export const EXTRA = 0x80000000; // bodies from here on are shot pills
export const SURFACE = 0x40000000; // bodies from here on deform
export const WATCH_CONTACTS = 1;
export const WATCH_MEASURES = 2;

export const ack = (frame: number) => message(1, u(frame));
export const play = (on: boolean) => message(2, u(on ? 1 : 0));
export const step = (count: number) => message(3, u(count));
export const reset = () => message(4);
export const speed = (value: number) => message(5, f(value));
export const set = (parameter: Parameter, value: number) => message(6, u(PARAMETERS.indexOf(parameter)), f(value));
export const grab = (body: number, segment: number, along: number, hand: ArrayLike<number>) =>
    message(7, u(body), u(segment), f(along), ...vector(hand));
export const drag = (hand: ArrayLike<number>) => message(8, ...vector(hand));
export const drop = () => message(9);
export const shoot = (from: ArrayLike<number>, velocity: ArrayLike<number>, radius = 0, density = 0) =>
    message(10, ...vector(from), ...vector(velocity), f(radius), f(density));
export const scrub = (toStep: number) => message(11, u(toStep));
export const watch = (bits: number) => message(12, u(bits));
export const clear = () => message(13);
export const muscle = (character: number, number: number, what: MuscleNumber, value: number) =>
    message(14, u(character), u(number), u(MUSCLE_NUMBERS.indexOf(what)), f(value));
export const muscleBack = (character: number, number: number) => message(15, u(character), u(number));
