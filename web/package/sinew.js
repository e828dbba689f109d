// Sinew as an ES module: libsinew in WebAssembly, with the names of its headers. sinew.d.ts says what each function takes and
// returns; its comments are those of the headers. It runs in pages, in workers and in node.
//
//     import { load } from 'sinew';
//     const sn = await load();
//     const world = sn.sn_world_create();
//     const rod = sn.sn_rod_create(world, { points: [{ x: 0, y: 1, z: 0 }, { x: 0.3, y: 1, z: 0 }], clamp_first: true });
//     sn.sn_world_step(world, 1 / 60, 0);
//     sn.sn_body_get_points(world, rod); // Float32Array of x y z x y z
//
// A definition starts from its defaults (sn_rod_def_default): name only what differs. Counts of arrays named NAME_count and those
// beside a 'points' are filled in if they are left out.
//
// Structures are objects. A pointer is a structure, an array of them, a typed array, or an address in the module's memory;
// what is not an address is copied for the length of the call. Outputs are returned: see Api in sinew.d.ts.
import { constants, functions, structs } from './bindings.js';

const SIZES = { u8: 1, bool: 1, i16: 2, u16: 2, i32: 4, u32: 4, f32: 4, ptr: 4, str: 4, any: 4, f64: 8, i64: 8, u64: 8 };
const VIEWS = {
    u8: Uint8Array,
    i16: Int16Array,
    u16: Uint16Array,
    i32: Int32Array,
    u32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
    i64: BigInt64Array,
    u64: BigUint64Array,
};
const STATUS_FINE = new Set([constants.SN_OK, constants.SN_WARN_DIVERGED, constants.SN_WARN_ENERGY]);

/** A call failed: `status` is the code, the message has the lines that the library logged. */
export class SnError extends Error {
    constructor(name, status, text, lines) {
        super([`${name}: ${text}`, ...lines].join('\n  '));
        this.name = 'SnError';
        this.status = status;
        this.lines = lines;
    }
}

// ---- layouts, as the C ABI of wasm32 has them

const layouts = new Map();

function kindOf(code) {
    const [base, ...sizes] = code.split(':');
    const count = sizes.reduce((all, size) => all * Number(size), 1);
    if (base.startsWith('*')) return { base, of: base.slice(1), pointer: true, size: 4, align: 4, count, list: sizes.length > 0 };
    if (SIZES[base]) return { base, size: SIZES[base], align: SIZES[base], count, list: sizes.length > 0 };
    const inner = layoutOf(base);
    return { base, layout: inner, size: inner.size, align: inner.align, count, list: sizes.length > 0 };
}

function layoutOf(name) {
    if (layouts.has(name)) return layouts.get(name);
    let at = 0;
    let align = 1;
    const fields = structs[name].map(([field, code]) => {
        const kind = kindOf(code);
        at = Math.ceil(at / kind.align) * kind.align;
        const placed = { field, kind, offset: at };
        at += kind.size * kind.count;
        align = Math.max(align, kind.align);
        return placed;
    });
    const layout = { name, fields, align, size: Math.ceil(at / align) * align };
    // The view under a structure of equal numbers, such as Float32Array under sn_vec3.
    const flat = new Set(fields.map(({ kind }) => (kind.layout ? kind.layout.flat : kind.pointer ? null : kind.base)));
    layout.flat = flat.size === 1 && VIEWS[[...flat][0]] ? [...flat][0] : null;
    // The ABI passes a structure of one number as the number.
    const [only] = fields;
    layout.single = fields.length === 1 && only.kind.count === 1 ? (only.kind.layout ? only.kind.layout.single : only.kind.base) : null;
    layouts.set(name, layout);
    return layout;
}

const isBig = (base) => base === 'i64' || base === 'u64';

// ---- a loaded module

class Module {
    constructor() {
        this.lines = [];
        this.text = new TextDecoder();
        this.bytes = new TextEncoder();
    }

    imports() {
        return {
            env: {
                now: () => performance.now() / 1000,
                log: (level, code, field, text) => {
                    const [where, what] = [this.string(field), this.string(text)];
                    this.lines.push(where ? `${where}: ${what}` : what);
                    this.onLog?.({ level, status: code, field: where, text: what });
                },
            },
        };
    }

    // Views of the memory, made again when it has grown.
    get view() {
        if (this.data?.buffer !== this.exports.memory.buffer) this.data = new DataView(this.exports.memory.buffer);
        return this.data;
    }

    array(base, address, count) {
        return new VIEWS[base](this.exports.memory.buffer, address, count);
    }

    string(address) {
        if (!address) return null;
        const bytes = new Uint8Array(this.exports.memory.buffer);
        return this.text.decode(bytes.subarray(address, bytes.indexOf(0, address)));
    }

    allocate(size) {
        const address = this.exports.module_allocate(Math.max(size, 1)) >>> 0;
        if (!address) throw new Error(`sinew: no memory for ${size} bytes`);
        return address;
    }

    // Memory for the length of a call.
    borrow(size) {
        const address = this.allocate(size);
        this.borrowed.push(address);
        return address;
    }

    // -- values to memory

    writeNumber(base, address, value, what) {
        const view = this.view;
        if (base === 'bool') return view.setUint8(address, value ? 1 : 0);
        if (isBig(base)) return view.setBigUint64(address, BigInt.asUintN(64, BigInt(value)), true);
        const number = Number(value);
        if (typeof value === 'object' || (Number.isNaN(number) && value !== undefined && !Number.isNaN(value)))
            throw new TypeError(`${what} must be a number, is ${JSON.stringify(value)}`);
        if (base === 'u8') view.setUint8(address, number);
        else if (base === 'i16') view.setInt16(address, number, true);
        else if (base === 'u16') view.setUint16(address, number, true);
        else if (base === 'i32') view.setInt32(address, number, true);
        else if (base === 'u32' || base === 'ptr' || base === 'any') view.setUint32(address, number, true);
        else if (base === 'f32') view.setFloat32(address, number, true);
        else view.setFloat64(address, number, true);
    }

    writeOne(kind, address, value, what) {
        if (kind.pointer || kind.base === 'str' || kind.base === 'any') {
            const to = this.pointer(kind.base, value, what); // first: the memory may grow
            this.view.setUint32(address, to, true);
        } else if (kind.layout) this.writeStruct(kind.layout, address, value, what);
        else this.writeNumber(kind.base, address, value, what);
    }

    writeStruct(layout, address, value, what) {
        if (layout.flat && (ArrayBuffer.isView(value) || Array.isArray(value))) {
            const out = this.array(layout.flat, address, layout.size / SIZES[layout.flat]);
            if (value.length !== out.length) throw new RangeError(`${what} must have ${out.length} numbers, has ${value.length}`);
            out.set(value);
            return;
        }
        if (typeof value !== 'object' || value === null) throw new TypeError(`${what} must be a ${layout.name}, is ${value}`);
        for (const name of Object.keys(value))
            if (!layout.fields.some(({ field }) => field === name))
                throw new TypeError(`${what}: ${layout.name} has no '${name}'; it has ${layout.fields.map((f) => f.field).join(', ')}`);
        for (const { field, kind, offset } of layout.fields) {
            const given = value[field];
            if (given === undefined) continue;
            const called = `${what}.${field}`;
            if (!kind.list) this.writeOne(kind, address + offset, given, called);
            else {
                if (given.length > kind.count) throw new RangeError(`${called} has ${given.length} entries, more than ${kind.count}`);
                for (let i = 0; i < given.length; i++) this.writeOne(kind, address + offset + i * kind.size, given[i], called);
            }
        }
    }

    // The address of what a pointer is given as.
    pointer(code, value, what) {
        if (value === null || value === undefined) return 0;
        if (typeof value === 'number') return value;
        if (code === 'str') {
            const bytes = this.bytes.encode(`${value}\0`);
            const address = this.borrow(bytes.length);
            this.array('u8', address, bytes.length).set(bytes);
            return address;
        }
        if (code === 'any' || code === 'ptr') {
            if (value instanceof ArrayBuffer) value = new Uint8Array(value);
            if (!ArrayBuffer.isView(value)) throw new TypeError(`${what} must be bytes or an address`);
            const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
            const address = this.borrow(bytes.length);
            this.array('u8', address, bytes.length).set(bytes);
            this.written.push({ address, size: bytes.length, bytes });
            return address;
        }
        const kind = kindOf(code.slice(1));
        if (ArrayBuffer.isView(value)) {
            const base = kind.layout ? kind.layout.flat : kind.base === 'bool' ? 'u8' : kind.base;
            if (!(base && value instanceof VIEWS[base]))
                throw new TypeError(`${what} must be ${base ? VIEWS[base].name : 'objects'}, is ${value.constructor.name}`);
            if (value.buffer === this.exports.memory.buffer) return value.byteOffset; // it is in the module's memory already
            const address = this.borrow(value.byteLength);
            this.array(base, address, value.length).set(value);
            return address;
        }
        const list = Array.isArray(value) ? value : [value];
        const flat = kind.layout?.flat;
        if (flat && list.length && typeof list[0] === 'number') return this.pointer(code, VIEWS[flat].from(list), what);
        const address = this.borrow(kind.size * list.length);
        this.array('u8', address, kind.size * list.length).fill(0);
        const defaults = kind.layout && this.defaults(kind.layout);
        list.forEach((item, i) => {
            if (defaults) this.array('u8', address + i * kind.size, kind.size).set(defaults);
            if (kind.layout) item = this.filled(kind.layout, item);
            this.writeOne(kind, address + i * kind.size, item, Array.isArray(value) ? `${what}[${i}]` : what);
        });
        return address;
    }

    // The bytes of sn_NAME_default(), with the log; null: there is no such function.
    defaults(layout) {
        const make = this.exports[`${layout.name}_default`];
        if (!make || layout.single) return null;
        if (!layout.defaults) {
            const address = this.allocate(layout.size);
            if (functions[`${layout.name}_default`][1].length) {
                layout.defaults = null;
            } else {
                make(address);
                const log = layout.fields.find(({ field }) => field === 'log');
                if (log) this.view.setUint32(address + log.offset, this.exports.module_log(), true);
                layout.defaults = this.array('u8', address, layout.size).slice();
            }
            this.exports.module_release(address);
        }
        return layout.defaults;
    }

    // A definition with the counts of its arrays.
    filled(layout, value) {
        if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Array.isArray(value)) return value;
        let made = value;
        for (const { field, kind } of layout.fields) {
            if (!kind.pointer || value[field] === undefined || value[field]?.length === undefined) continue;
            const count = [`${field}_count`, `${field.replace(/s$/, '')}_count`, `${field.replace(/ices$/, 'ex')}_count`].find((name) =>
                layout.fields.some((other) => other.field === name),
            );
            if (!count || value[count] !== undefined) continue;
            const numbers = ArrayBuffer.isView(value[field]) || typeof value[field][0] === 'number';
            const item = kindOf(kind.of);
            const each = numbers && item.layout ? item.size / SIZES[item.layout.flat] : 1;
            made = made === value ? { ...value } : made;
            made[count] = value[field].length / each;
        }
        return made;
    }

    // -- values from memory

    readNumber(base, address) {
        const view = this.view;
        if (base === 'bool') return view.getUint8(address) !== 0;
        if (base === 'u8') return view.getUint8(address);
        if (base === 'i16') return view.getInt16(address, true);
        if (base === 'u16') return view.getUint16(address, true);
        if (base === 'i32') return view.getInt32(address, true);
        if (base === 'f32') return view.getFloat32(address, true);
        if (base === 'f64') return view.getFloat64(address, true);
        if (base === 'i64') return view.getBigInt64(address, true);
        if (base === 'u64') return view.getBigUint64(address, true);
        return view.getUint32(address, true);
    }

    readOne(kind, address) {
        if (kind.layout) return this.readStruct(kind.layout, address);
        if (kind.base === 'str') return this.string(this.view.getUint32(address, true));
        if (kind.pointer) return this.view.getUint32(address, true);
        return this.readNumber(kind.base, address);
    }

    readStruct(layout, address) {
        const out = {};
        for (const { field, kind, offset } of layout.fields) {
            const at = address + offset;
            if (!kind.list) out[field] = this.readOne(kind, at);
            else out[field] = Array.from({ length: kind.count }, (_, i) => this.readOne(kind, at + i * kind.size));
        }
        return out;
    }

    // -- calls

    // An argument as WebAssembly wants it.
    argument(code, value, what) {
        const kind = kindOf(code);
        if (kind.pointer || code === 'str' || code === 'any') return this.pointer(code, value, what);
        if (kind.layout) {
            const address = this.borrow(kind.size);
            this.array('u8', address, kind.size).fill(0);
            this.writeStruct(kind.layout, address, value, what);
            return kind.layout.single ? this.readNumber(kind.layout.single, address) : address;
        }
        if (code === 'ptr') return this.pointer(code, value, what);
        if (code === 'bool') return value ? 1 : 0;
        if (isBig(code)) return BigInt.asIntN(64, BigInt(value));
        if (typeof value !== 'number') throw new TypeError(`${what} must be a number, is ${value}`);
        return value;
    }

    result(code, value) {
        if (code === 'void') return undefined;
        if (code === 'bool') return value !== 0;
        if (code === 'str') return this.string(value >>> 0);
        if (code === 'u64') return BigInt.asUintN(64, value);
        if (code === 'ptr' || code === 'u32' || code.startsWith('*')) return value >>> 0;
        return value;
    }

    bind(name) {
        const [back, inputs, outputs, isList] = functions[name];
        const call = this.exports[name];
        if (!call)
            return () => {
                throw new Error(`sinew: this module was built without ${name}; load the one with all kinds`);
            };
        const returned = back !== 'status' && structs[back] ? layoutOf(back) : null;
        return (...given) => {
            const wanted = inputs.length + isList;
            if (given.length > wanted) throw new TypeError(`${name} takes ${wanted} arguments, not ${given.length}`);
            const outer = { borrowed: this.borrowed, written: this.written };
            this.borrowed = [];
            this.written = [];
            try {
                const list = inputs.map((code, i) => {
                    // A definition that is left out has its defaults.
                    const value = given[i] === undefined && code.startsWith('*') && code.endsWith('_def') ? {} : given[i];
                    return this.argument(code, value, `${name}: argument ${i + 1}`);
                });
                if (isList) return this.list(call, list, outputs[0][1], given[inputs.length]);
                const kinds = outputs.map(([, code]) => kindOf(code));
                const places = kinds.map((kind) => this.borrow(kind.size));
                list.push(...places);
                const structure = returned && !returned.single ? this.borrow(returned.size) : 0;
                if (structure) list.unshift(structure);
                this.lines.length = 0;
                const value = call(...list);
                for (const { address, size, bytes } of this.written) bytes.set(this.array('u8', address, size));
                if (back === 'status' && !STATUS_FINE.has(value))
                    throw new SnError(name, value, this.string(this.exports.sn_status_name(value)), [...this.lines]);
                if (outputs.length === 1) return this.readOne(kinds[0], places[0]);
                if (outputs.length) return Object.fromEntries(outputs.map(([field], i) => [field, this.readOne(kinds[i], places[i])]));
                if (structure) return this.readStruct(returned, structure);
                if (returned) return { [returned.fields[0].field]: this.result(returned.single, value) };
                return this.result(back === 'status' ? 'i32' : back, value);
            } finally {
                for (const address of this.borrowed) this.exports.module_release(address);
                Object.assign(this, outer);
            }
        };
    }

    // A getter into a buffer: into the array given, or one that is large enough.
    list(call, inputs, code, given) {
        const kind = kindOf(code);
        const base = kind.layout ? kind.layout.flat : kind.base;
        const each = base && kind.layout ? kind.size / SIZES[base] : 1;
        const mine = base && given && given.buffer === this.exports.memory.buffer;
        const count = given ? Math.floor(given.length / each) : call(...inputs, 0, 0);
        if (mine) {
            call(...inputs, given.byteOffset, count);
            return given;
        }
        const address = this.borrow(kind.size * count);
        const got = Math.min(call(...inputs, address, count), count);
        if (!base) return Array.from({ length: got }, (_, i) => this.readOne(kind, address + i * kind.size));
        const values = this.array(base, address, got * each);
        if (!given) return values.slice();
        given.set(values);
        return given;
    }
}

async function instance(source, imports) {
    if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, imports);
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return (await WebAssembly.instantiate(source, imports)).instance;
    const url = new URL(source);
    if (url.protocol === 'file:' && typeof process !== 'undefined') {
        const files = 'node:fs/promises'; // in a variable: bundlers for browsers do not look for it
        const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
        return (await WebAssembly.instantiate(await readFile(url), imports)).instance;
    }
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`sinew: ${url} gives ${answer.status}`);
    return (await WebAssembly.instantiate(await answer.arrayBuffer(), imports)).instance;
}

/**
 * Loads the module: all of libsinew by default; `wasm` is another address, bytes, or a compiled WebAssembly.Module (so that
 * a page and its workers compile it once). `log` gets every line that the library logs.
 */
export async function load({ wasm = new URL('./sinew.wasm', import.meta.url), log } = {}) {
    const module = new Module();
    module.onLog = log;
    module.exports = (await instance(wasm, module.imports())).exports;
    module.exports._initialize();
    module.borrowed = [];
    module.written = [];
    const api = { ...constants };
    for (const name of Object.keys(functions)) api[name] = module.bind(name);
    /** Numbers in the module's memory: what the library writes there is seen without a copy. */
    api.allocate = (type, count) => {
        const address = module.allocate(count * type.BYTES_PER_ELEMENT);
        return new Memory(module, type, address, count);
    };
    api.memory = module.exports.memory;
    return api;
}

/** Numbers in the module's memory. `array` is a view; take it again after calls, since a memory that grows leaves old views empty. */
class Memory {
    constructor(module, type, address, count) {
        Object.assign(this, { module, type, address, count, seen: null });
    }

    get array() {
        if (this.seen?.buffer !== this.module.exports.memory.buffer)
            this.seen = new this.type(this.module.exports.memory.buffer, this.address, this.count);
        return this.seen;
    }

    free() {
        if (this.address) this.module.exports.module_release(this.address);
        this.address = 0;
    }
}
