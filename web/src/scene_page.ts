// A scene page (.snb, docs/session-protocol.md): a header, a table in JSON for the page, and parts for the engine. The
// page reads the table and views the arrays it points to without copying them.
import { setNormals } from './normals';

export type Vec3 = [number, number, number];
type ArrayRef = [offset: number, count: number, type: 'f32' | 'u32' | 'i32' | 'u16'];

interface TableMesh {
    vertices: number;
    triangles: number;
    positions?: ArrayRef; // missing for bodies that deform
    normals?: ArrayRef;
    uvs?: ArrayRef;
    joint?: ArrayRef;
    weight?: ArrayRef;
    index: ArrayRef;
}

interface TableShape {
    joints: number;
    skinned: boolean;
    rest?: ArrayRef;
    parents?: ArrayRef;
    radii?: ArrayRef;
    mesh?: TableMesh;
    open?: boolean;
}

export interface Camera {
    name?: string;
    from: Vec3;
    to: Vec3;
    fov: number;
}

export interface Body {
    name: string;
    shape: number;
    first: number;
    colour: Vec3;
    kind: 'rod' | 'muscle' | 'moving' | 'still' | 'surface';
    covered?: boolean; // a rod inside the skin of a muscle
    character?: number; // this body is the skin of that character
    muscle?: [character: number, muscle: number]; // this body is a muscle of a character
}

// A muscle of a character, with its original values in the order of MUSCLE_NUMBERS (messages.ts).
export interface Muscle {
    name: string;
    numbers: number[];
}

interface Table {
    name: string;
    title?: string;
    about?: string;
    step: number;
    seconds: number;
    points?: number;
    joints: number;
    copies?: [number, number];
    gravity?: Vec3;
    cameras?: Camera[];
    planes?: { point: Vec3; normal: Vec3 }[];
    shapes: TableShape[];
    bodies: Body[];
    characters?: { muscles: Muscle[] }[];
}

export interface Mesh {
    vertexCount: number;
    positions: Float32Array;
    normals: Float32Array;
    uvs: Float32Array | null;
    joint: Uint16Array; // four per vertex
    weight: Float32Array;
    index: Uint32Array;
}

export interface Shape {
    joints: number;
    rest: Float32Array; // 10 per joint: position, rotation, scale
    parents: Int32Array | null;
    radii: Float32Array | null;
    mesh: Mesh | null;
    open: boolean; // both sides are visible
}

export interface ScenePage {
    bytes: ArrayBuffer;
    name: string;
    title: string;
    about: string;
    step: number;
    seconds: number;
    joints: number;
    copies: [number, number] | null;
    cameras: Camera[];
    planes: { point: Vec3; normal: Vec3 }[];
    shapes: Shape[];
    bodies: Body[];
    characters: { muscles: Muscle[] }[];
}

export function parseScenePage(bytes: ArrayBuffer): ScenePage {
    const view = new DataView(bytes);
    if (bytes.byteLength < 64) throw new Error(`a scene page has at least 64 bytes, this one has ${bytes.byteLength}`);
    const magic = new TextDecoder().decode(new Uint8Array(bytes, 0, 8));
    if (magic !== 'SINEWBAK') throw new Error('not a scene page');
    const version = view.getUint32(8, true);
    if (version !== 4) throw new Error(`this viewer reads version 4 of scene pages, this is version ${version}`);
    const size = view.getUint32(12, true);
    if (size !== bytes.byteLength)
        throw new Error(`the scene page should have ${size} bytes and has ${bytes.byteLength}`);
    const text = new TextDecoder().decode(new Uint8Array(bytes, view.getUint32(16, true), view.getUint32(20, true)));
    const table = JSON.parse(text) as Table;
    return {
        bytes,
        name: table.name,
        title: table.title || table.name,
        about: table.about || '',
        step: table.step,
        seconds: table.seconds,
        joints: table.joints,
        copies: table.copies ?? null,
        cameras: table.cameras ?? [],
        planes: table.planes ?? [],
        shapes: table.shapes.map((shape) => readShape(bytes, shape)),
        bodies: table.bodies,
        characters: table.characters ?? [],
    };
}

function floats(bytes: ArrayBuffer, [offset, count]: ArrayRef): Float32Array {
    return new Float32Array(bytes, offset, count);
}

// Integers of any width.
function integers(bytes: ArrayBuffer, [offset, count, type]: ArrayRef): Uint32Array | Int32Array | Uint16Array {
    if (type === 'u16') return new Uint16Array(bytes, offset, count);
    return type === 'i32' ? new Int32Array(bytes, offset, count) : new Uint32Array(bytes, offset, count);
}

function readShape(bytes: ArrayBuffer, shape: TableShape): Shape {
    return {
        joints: shape.joints,
        rest: shape.rest ? floats(bytes, shape.rest) : new Float32Array(0),
        parents: shape.parents ? Int32Array.from(integers(bytes, shape.parents)) : null,
        radii: shape.radii ? floats(bytes, shape.radii) : null,
        mesh: shape.mesh ? readMesh(bytes, shape.mesh) : null,
        open: shape.open ?? false,
    };
}

function readMesh(bytes: ArrayBuffer, mesh: TableMesh): Mesh {
    const n = mesh.vertices;
    const positions = mesh.positions ? floats(bytes, mesh.positions) : new Float32Array(3 * n);
    const index = Uint32Array.from(integers(bytes, mesh.index));
    let weight: Float32Array;
    if (mesh.weight) weight = floats(bytes, mesh.weight);
    else {
        weight = new Float32Array(4 * n);
        for (let i = 0; i < n; i++) weight[4 * i] = 1;
    }
    return {
        vertexCount: n,
        positions,
        normals: mesh.normals ? floats(bytes, mesh.normals) : meshNormals(positions, index),
        uvs: mesh.uvs ? floats(bytes, mesh.uvs) : null,
        joint: mesh.joint ? Uint16Array.from(integers(bytes, mesh.joint)) : new Uint16Array(4 * n),
        weight,
        index,
    };
}

// Normals for a mesh without.
function meshNormals(positions: Float32Array, index: Uint32Array): Float32Array {
    const normals = new Float32Array(positions.length);
    setNormals(positions, index, normals);
    return normals;
}
