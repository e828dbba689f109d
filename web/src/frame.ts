// A frame from the engine (docs/live-protocol.md): 51 words that say how the run stands, then joints, the pills that
// were shot, and contacts. The arrays are views of the bytes that came.

export const JOINT_FLOATS = 11; // position, turn, scale, and the rod's scale
export const PILL_FLOATS = 8; // centre and radius of both ends
export const CONTACT_FLOATS = 7; // point, normal, force
const FIXED_WORDS = 51;

export const STAGES = ['begin', 'pairs', 'predict', 'meet', 'solve', 'contact', 'finish', 'end'];

export interface Frame {
    number: number;
    playing: boolean;
    held: boolean;
    over: boolean;
    slow: boolean;
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
    energy: Float32Array; // kinetic, elastic, potential; NaN when nobody watches
    volume: number;
    penetration: number;
    historyFirst: number;
    historyLast: number;
    historyStates: number;
    parameters: Float32Array;
    grip: Float32Array; // where the body is held, where the hand is
    joints: Float32Array;
    extra: Float32Array;
    marks: Float32Array; // contacts
}

export function parseFrame(bytes: ArrayBuffer): Frame {
    const u = new Uint32Array(bytes, 0, bytes.byteLength >> 2);
    const f = new Float32Array(bytes, 0, bytes.byteLength >> 2);
    if (u.length < FIXED_WORDS || u[0] !== 0x31464e53) throw new Error('not a frame');
    const [joints, extra, marks] = [u[8], u[9], u[10]];
    const at = [FIXED_WORDS, 0, 0, 0];
    at[1] = at[0] + JOINT_FLOATS * joints;
    at[2] = at[1] + PILL_FLOATS * extra;
    at[3] = at[2] + CONTACT_FLOATS * marks;
    if (u.length < at[3]) throw new Error(`a frame should have ${4 * at[3]} bytes and has ${bytes.byteLength}`);
    const hex = (word: number) => word.toString(16).padStart(8, '0');
    return {
        number: u[1],
        playing: (u[2] & 1) !== 0,
        held: (u[2] & 2) !== 0,
        over: (u[2] & 4) !== 0,
        slow: (u[2] & 8) !== 0,
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
    };
}
