// node npm.mjs FOLDER PICTURE.png: opens the page of the npm consumer in FOLDER, bundled, in Chromium: a muscle contracts, and a skinned
// mesh of three.js shows it: thicker and shorter, in numbers and in the picture.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { check, launch } from './browser.mjs';

const [folder, picture] = process.argv.slice(2);
const types = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
    const name = normalize(new URL(request.url, 'http://x').pathname);
    if (name === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><script type="module" src="page.js"></script>');
    try {
        const bytes = readFileSync(join(folder, name));
        return response.setHeader('content-type', types[name.slice(name.lastIndexOf('.'))] ?? 'text/plain').end(bytes);
    } catch {
        return response.writeHead(404).end();
    }
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const browser = await launch();
try {
    const page = await (await browser.newContext({ viewport: { width: 640, height: 360 } })).newPage();
    const errors = [];
    page.on('console', (said) => said.type() === 'error' && !/favicon|404/.test(said.text()) && errors.push(said.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.setDefaultTimeout(60000);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => window.muscle?.state().time > 0.1).catch((error) => {
        throw new Error(`${error.message}; ${errors}`);
    });
    const before = await page.evaluate(() => window.muscle.state());
    await page.evaluate(() => window.muscle.contract(1));
    await page.waitForFunction((start) => window.muscle.state().time > start + 1.5, before.time);
    const after = await page.evaluate(() => window.muscle.state());
    await page.screenshot({ path: picture });
    const times = (name) => after[name] / before[name];
    check(!errors.length, errors.join('; '));
    check(before.rows > 30 && before.columns > 300, `the muscle is ${before.columns} x ${before.rows} pixels`);
    check(times('girth') > 1.12, `the mesh is ${times('girth')} as thick`);
    check(times('rows') > 1.08 && times('columns') < 0.85, `in the picture it is ${times('columns')} as long, ${times('rows')} as thick`);
    check(!(await page.evaluate(() => window.muscle.copies)), 'the vertices are copied');
    console.log(`in Chromium the mesh is ${times('girth').toFixed(2)} as thick, in the picture ${times('columns').toFixed(2)} as long and ${times('rows').toFixed(2)} as thick`);
} finally {
    await browser.close();
    server.close();
}
