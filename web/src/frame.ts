// A frame from the engine (docs/session-protocol.md): 54 words with the state of the run, then joints, pills that were
// shot, contacts, edits of muscles, and vertices of bodies that deform. The arrays are views of the received bytes.

export const JOINT_FLOATS = 15; // position, rotation, scale, the rod's scale, and the axes of the scale
export const PILL_FLOATS = 8; // centre and radius of both ends
export const CONTACT_FLOATS = 7; // point, normal, force
const BOX_WORDS = 6; // min corner, and a step along each axis
const EDIT_WORDS = 4;
const FIXED_WORDS = 54;

export const STAGES = ['begin', 'broad phase', 'predict', 'narrow phase', 'solve', 'couple', 'velocities', 'end'];

// Quantised vertices of a body that deforms: low + step * place.
export interface SurfaceFrame {
    low: Float32Array;
    step: Float32Array;
    places: Uint16Array; // three per vertex
}

// A parameter of a muscle that differs from the scene.
export interface Edit {
    character: number;
    muscle: number;
    number: number;
    value: number;
}

export interface Frame {
    number: number;
    playing: boolean;
    held: boolean;
    over: boolean;
    slow: boolean;
    failed: boolean; // the last step did not happen
    step: number;
    time: number;
    hash: string;
    asleep: number;
    speed: number;
    realtime: number;
    stepMs: number;
    stageMs: Float32Array;
    pairs: number;
    contacts: number;
    unknowns: number;
    diverged: number;
    energy: Float32Array; // kinetic, elastic, potential; NaN unless watched
    volume: number;
    penetration: number;
    historyFirst: number;
    historyLast: number;
    historyStates: number;
    parameters: Float32Array;
    grip: Float32Array; // grabbed point, hand
    joints: Float32Array;
    extra: Float32Array;
    marks: Float32Array; // contacts
    edits: Edit[];
    surfaces: SurfaceFrame[];
}

// Parses a frame. counts: vertices of each surface of the scene.
export function parseFrame(bytes: ArrayBuffer, counts: number[]): Frame {
    const u = new Uint32Array(bytes, 0, bytes.byteLength >> 2);
    const f = new Float32Array(bytes, 0, bytes.byteLength >> 2);
    if (u.length < FIXED_WORDS || u[0] !== 0x34464e53) throw new Error('not a frame');
    const [joints, extra, marks] = [u[8], u[9], u[10]];
    const at = [FIXED_WORDS, 0, 0, 0];
    at[1] = at[0] + JOINT_FLOATS * joints;
    at[2] = at[1] + PILL_FLOATS * extra;
    at[3] = at[2] + CONTACT_FLOATS * marks;
    const surfaces: SurfaceFrame[] = [];
    const edits = Array.from({ length: u[53] }, (_, i) => {
        const word = at[3] + EDIT_WORDS * i;
        return { character: u[word], muscle: u[word + 1], number: u[word + 2], value: f[word + 3] };
    });
    let next = at[3] + EDIT_WORDS * u[53];
    const fits = u[51] === counts.length && u[52] === counts.reduce((a, b) => a + b, 0); // else another scene's
    for (const count of fits ? counts : []) {
        const words = BOX_WORDS + Math.ceil((3 * count) / 2);
        if (u.length < next + words) throw new Error(`a frame of ${bytes.byteLength} bytes is too short`);
        surfaces.push({
            low: f.subarray(next, next + 3),
            step: f.subarray(next + 3, next + 6),
            places: new Uint16Array(bytes, 4 * (next + BOX_WORDS), 3 * count),
        });
        next += words;
    }
    if (u.length < next) throw new Error(`a frame should have ${4 * next} bytes and has ${bytes.byteLength}`);
    const hex = (word: number) => word.toString(16).padStart(8, '0');
    return {
        number: u[1],
        playing: (u[2] & 1) !== 0,
        held: (u[2] & 2) !== 0,
        over: (u[2] & 4) !== 0,
        slow: (u[2] & 8) !== 0,
        failed: (u[2] & 16) !== 0,
        step: u[3],
        time: new DataView(bytes).getFloat64(16, true),
        hash: hex(u[7]) + hex(u[6]),
        asleep: u[11],
        speed: f[12],
        realtime: f[13],
        stepMs: f[14],
        stageMs: f.subarray(15, 23),
        pairs: u[23],
        contacts: u[24],
        unknowns: u[25],
        diverged: u[26],
        energy: f.subarray(27, 30),
        volume: f[30],
        penetration: f[31],
        historyFirst: u[32],
        historyLast: u[33],
        historyStates: u[34],
        parameters: f.subarray(35, 45),
        grip: f.subarray(45, 51),
        joints: f.subarray(at[0], at[1]),
        extra: f.subarray(at[1], at[2]),
        marks: f.subarray(at[2], at[3]),
        edits,
        surfaces,
    };
}
