// Writes a .glb: lists of JSON objects, and one buffer with a view for each array.

export type Json = Record<string, unknown>;

const FLOAT = 5126;
const SHORT = 5123;
const INT = 5125;

export class GlbWriter {
    readonly json = {
        asset: { version: '2.0', generator: 'Sinew' },
        scene: 0,
        scenes: [{ nodes: [] as number[] }],
        nodes: [] as Json[],
        meshes: [] as Json[],
        materials: [] as Json[],
        skins: [] as Json[],
        accessors: [] as Json[],
        bufferViews: [] as Json[],
        buffers: [] as Json[],
        animations: [] as Json[],
    };
    private parts: Uint8Array[] = [];
    private size = 0;

    private view(array: ArrayBufferView, target?: number): number {
        const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        this.json.bufferViews.push({
            buffer: 0,
            byteOffset: this.size,
            byteLength: bytes.length,
            ...(target ? { target } : {}),
        });
        this.parts.push(bytes);
        this.size += bytes.length;
        const pad = -this.size & 3;
        if (pad) this.parts.push(new Uint8Array(pad));
        this.size += pad;
        return this.json.bufferViews.length - 1;
    }

    accessor(
        array: Float32Array | Uint16Array | Uint32Array,
        type: string,
        use: 'vertex' | 'index' | 'data',
        bounds = false,
    ): number {
        const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type]!;
        const bufferView = this.view(array, use === 'vertex' ? 34962 : use === 'index' ? 34963 : undefined);
        const componentType = array instanceof Float32Array ? FLOAT : array instanceof Uint16Array ? SHORT : INT;
        const accessor: Json = { bufferView, componentType, count: array.length / width, type };
        if (bounds) {
            const [min, max] = [new Array(width).fill(Infinity), new Array(width).fill(-Infinity)];
            array.forEach((value, i) => {
                min[i % width] = Math.min(min[i % width], value);
                max[i % width] = Math.max(max[i % width], value);
            });
            Object.assign(accessor, { min, max });
        }
        this.json.accessors.push(accessor);
        return this.json.accessors.length - 1;
    }

    add(list: 'nodes' | 'meshes' | 'materials' | 'skins' | 'animations', value: Json): number {
        return this.json[list].push(value) - 1;
    }

    finish(): Blob {
        const json: Json = { ...this.json, buffers: [{ byteLength: this.size }] };
        for (const [key, value] of Object.entries(json))
            if (Array.isArray(value) && value.length === 0) delete json[key];
        let text = new TextEncoder().encode(JSON.stringify(json));
        if (text.length % 4) {
            const padded = new Uint8Array(text.length + (-text.length & 3)).fill(0x20);
            padded.set(text);
            text = padded;
        }
        const words = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);
        const total = 12 + 8 + text.length + 8 + this.size;
        const parts = [
            words(0x46546c67, 2, total, text.length, 0x4e4f534a),
            text,
            words(this.size, 0x004e4942),
            ...this.parts,
        ];
        return new Blob(parts as BlobPart[], { type: 'model/gltf-binary' });
    }
}
