// node build.mjs --out DIR [--engine ENGINE.wasm --scenes DIR] [--version V]
//
// Writes DIR/index.html, the page that `sinew view` serves. With an engine and a folder of baked scenes (.snb) also
// DIR/playground.html: everything in one file that runs from disk.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));

function fail(text) {
    console.error(`build.mjs: ${text}`);
    process.exit(2);
}

function options(words) {
    const known = ['out', 'engine', 'scenes', 'version'];
    const got = {};
    for (let i = 0; i < words.length; i += 2) {
        const name = words[i].replace(/^--/, '');
        if (!words[i].startsWith('--') || !known.includes(name))
            fail(`unknown option ${words[i]}; there are --${known.join(', --')}`);
        if (words[i + 1] === undefined) fail(`${words[i]} needs a value`);
        got[name] = words[i + 1];
    }
    if (!got.out) fail('say where to write: --out DIR');
    if (!got.engine !== !got.scenes) fail('a playground needs both --engine FILE.wasm and --scenes DIR');
    return got;
}

// Writes all of a file or nothing.
function write(file, text) {
    writeFileSync(`${file}.part`, text);
    renameSync(`${file}.part`, file);
    console.log(`wrote ${file} (${(text.length / 1024).toFixed(0)} KB)`);
}

async function bundle(entry, plugins = []) {
    const result = await build({
        entryPoints: [join(here, 'src', entry)],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: 'es2022',
        legalComments: 'none',
        plugins,
    });
    return result.outputFiles[0].text;
}

const workerCode = {
    name: 'worker-code',
    setup(it) {
        it.onResolve({ filter: /^worker-code$/ }, () => ({ path: 'worker-code', namespace: 'made' }));
        it.onLoad({ filter: /.*/, namespace: 'made' }, async () => ({
            contents: await bundle('worker.ts'),
            loader: 'text',
        }));
    },
};

// ---- the playground's data; src/library.ts unpacks it

// Filters bytes so that they deflate better: words become differences to the word 'delta' before, then byte k of every
// word goes to plane k.
function transform(bytes, stride, delta) {
    if (stride === 1) return bytes;
    const words = Math.floor(bytes.length / stride);
    const copy = Uint8Array.from(bytes);
    const numbers = stride === 4 ? new Uint32Array(copy.buffer, 0, words) : new Uint16Array(copy.buffer, 0, words);
    if (delta) for (let i = words - 1; i >= delta; i--) numbers[i] -= numbers[i - delta];
    const out = Uint8Array.from(copy);
    for (let k = 0; k < stride; k++) for (let i = 0; i < words; i++) out[k * words + i] = copy[stride * i + k];
    return out;
}

const FORMS = [
    [1, 0],
    [4, 0],
    [4, 1],
    [4, 2],
    [4, 3],
    [4, 4],
    [2, 0],
    [2, 1],
    [2, 3],
    [2, 4],
];

function pack(bytes) {
    let best = null;
    for (const [stride, delta] of FORMS) {
        const packed = deflateRawSync(transform(bytes, stride, delta), { level: 9 });
        if (!best || packed.length < best.packed.length) best = { packed, stride, delta };
    }
    return best;
}

// Where a baked scene is cut: at its larger arrays and parts, so that chunks which scenes share are found.
const SMALL = 2048;

function cuts(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const word = (i) => view.getUint32(4 * i, true);
    if (Buffer.from(bytes.subarray(0, 8)).toString() !== 'SINEWBAK') fail('not a baked scene');
    const table = JSON.parse(Buffer.from(bytes.subarray(word(4), word(4) + word(5))).toString());
    const at = new Set([0, bytes.length]);
    const part = (from, size) => size >= SMALL && at.add(from).add(from + size);
    for (let i = 4; i < 18; i += 2) part(word(i), word(i + 1));
    const sizes = { f32: 4, u32: 4, i32: 4, u16: 2 };
    const visit = (value) => {
        if (Array.isArray(value) && value.length === 3 && sizes[value[2]]) part(value[0], value[1] * sizes[value[2]]);
        else if (value && typeof value === 'object') Object.values(value).forEach(visit);
    };
    visit(table.shapes);
    return { table, at: [...at].filter((x) => x >= 0 && x <= bytes.length).sort((a, b) => a - b) };
}

function packLibrary(engineFile, scenesFolder, version) {
    const chunks = [];
    const texts = [];
    const known = new Map();
    const add = (bytes) => {
        const key = createHash('sha256').update(bytes).digest('hex');
        if (!known.has(key)) {
            const { packed, stride, delta } = pack(bytes);
            known.set(key, chunks.push([bytes.length, stride, delta]) - 1);
            texts.push(packed.toString('base64'));
        }
        return known.get(key);
    };
    const engine = add(readFileSync(engineFile));
    const files = readdirSync(scenesFolder)
        .filter((name) => name.endsWith('.snb'))
        .sort();
    if (!files.length) fail(`there are no .snb files in ${scenesFolder}; sinew bake writes them`);
    const scenes = files.map((file) => {
        const bytes = readFileSync(join(scenesFolder, file));
        const { table, at } = cuts(bytes);
        const parts = [];
        for (let i = 0; i + 1 < at.length; i++) parts.push(add(bytes.subarray(at[i], at[i + 1])));
        return {
            name: table.name || basename(file, '.snb'),
            title: table.title || '',
            about: table.about || '',
            chunks: parts,
        };
    });
    const table = JSON.stringify({ version, engine, scenes, chunks }).replaceAll('<', '\\u003c');
    const data = texts.map((text, i) => `<script type="text/plain" id="chunk-${i}">${text}</script>`);
    return [`<script type="application/json" id="library">${table}</script>`, ...data].join('\n');
}

// The page's code, deflated too, and a few lines that unpack it.
function unpacker(code) {
    const packed = deflateRawSync(code, { level: 9 }).toString('base64');
    return `<script type="text/plain" id="code">${packed}</script>
<script>
(async () => {
    const text = atob(document.getElementById('code').textContent);
    const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const script = document.createElement('script');
    script.textContent = await new Response(stream).text();
    document.body.append(script);
})().catch((error) => { document.body.textContent = 'This browser is too old for the playground: ' + error; });
</script>`;
}

const { out, engine, scenes, version = '' } = options(process.argv.slice(2));
const code = (await bundle('main.ts', [workerCode])).replaceAll('</script', '<\\/script');
const page = readFileSync(join(here, 'index.html'), 'utf8');
// The style comes first, so that the page never shows without it. That of lil-gui comes before ours.
const ours = (await build({ entryPoints: [join(here, 'src/style.css')], minify: true, write: false })).outputFiles[0]
    .text;
const style = readFileSync(join(here, 'node_modules/lil-gui/dist/lil-gui.min.css'), 'utf8') + ours;
mkdirSync(out, { recursive: true });
// The server's content policy allows scripts and styles only as files.
write(resolve(out, 'page.js'), code);
write(resolve(out, 'page.css'), style);
write(
    resolve(out, 'index.html'),
    page
        .replace('<!--style-->', '<link rel="stylesheet" href="page.css">')
        .replace('<!--script-->', '<script src="page.js"></script>'),
);
if (engine) {
    const data = packLibrary(engine, scenes, version);
    write(
        resolve(out, 'playground.html'),
        page
            .replace('<!--style-->', () => `<style>${style}</style>`)
            .replace('<!--script-->', () => `${data}\n${unpacker(code)}`),
    );
}
