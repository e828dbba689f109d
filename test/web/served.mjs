// What people do with the page that `sinew view` serves: the native engine behind a socket.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { Tab, check } from './browser.mjs';

const { SINEW, PAGE, SCENES_HERE, HASHES } = process.env;

// A server, and how to end it.
async function serve(port = 0, scene = 'octopuses') {
    const words = ['view', scene, '--no-open', '--port', String(port), '--scenes', SCENES_HERE, '--page', PAGE];
    const server = spawn(SINEW, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const address = await new Promise((resolve, reject) => {
        const hear = (bytes) => {
            said += bytes;
            const match = /http:\/\/[0-9.]+:[0-9]+\/\?token=[0-9a-f]+(?= )/.exec(said);
            if (match) resolve(match[0]);
        };
        server.stdout.on('data', hear);
        server.stderr.on('data', hear);
        server.on('exit', (code) => reject(new Error(`sinew view ended with ${code}: ${said}`)));
    });
    const stop = () =>
        new Promise((done) => {
            server.removeAllListeners('exit');
            server.on('exit', done);
            server.kill('SIGKILL'); // without a word, as a crash would
        });
    return { address, port: Number(new URL(address).port), stop };
}

export const tests = {
    async 'two pages watch one run; one drives, and the other may take over'(browser) {
        const server = await serve();
        const [first, second] = [await Tab.open(browser, server.address), await Tab.open(browser, server.address)];
        await first.until(() => sinew.state().watchers === 2);
        await check((await first.state()).driving && !(await second.state()).driving, 'who drives is not clear');
        await first.until(() => sinew.state().frame.step > 10);
        await first.page.click('#play');
        await first.until(() => !sinew.state().frame.playing);
        const hash = (await first.state()).frame.hash;
        await second.until((hash) => sinew.hash() === hash && !sinew.state().frame.playing, hash);
        await second.send('step', 1);
        await second.page.waitForTimeout(200);
        await check((await first.state()).frame.hash === hash, 'who watches can step');
        await second.page.click('#take-over');
        await second.until(() => sinew.state().driving);
        await first.until(() => !sinew.state().driving);
        await second.page.keyboard.press('o');
        await first.until((hash) => sinew.hash() !== hash, hash);
        await second.page.click('#scene');
        await second.page.click('[data-scene=stack]');
        for (const tab of [first, second])
            await tab.until(() => sinew.state().scene === 'stack' && sinew.state().frame?.playing);
        const native = JSON.parse(HASHES).stack;
        await check((await second.run(300)) === native, 'the served run is another one than that of sinew run');
        await first.until((hash) => sinew.hash() === hash, native);
        for (const tab of [first, second]) {
            await check(tab.errors.length === 0, `the console says ${tab.errors}`);
            await tab.close();
        }
        await server.stop();
    },

    async 'a muscle is chosen by a click, sliders change it while it runs, and the skin follows'(browser) {
        const server = await serve(0, 'arm');
        const tab = await Tab.open(browser, server.address);
        await tab.until(() => sinew.state().frame.step > 3);
        await check((await tab.page.locator('[data-muscle=list] option').count()) === 6, 'not all muscles are listed');
        // Where the biceps is: under the most forward vertex of the skin above the elbow.
        const front = () => {
            let best = [0, 0, -9];
            const surface = sinew.page.pose.surfaces[0];
            for (let i = 0; i < surface.vertexCount; i++) {
                const at = sinew.vertex(0, i);
                if (at[1] > 0.55 && at[1] < 0.65 && at[2] > best[2]) best = at;
            }
            return best;
        };
        const place = await tab.page.evaluate(front);
        const at = await tab.page.evaluate((place) => sinew.project(place), place);
        await tab.page.mouse.click(at.x, at.y);
        await tab.until(() => document.querySelector('[data-muscle=list] select').value === 'biceps');
        await check(!(await tab.state()).holding, 'a character was taken hold of');
        // Every slider, to its right end.
        const sliders = tab.page.locator('[data-muscle] .lil-slider');
        const count = await sliders.count();
        await check(count === 9, `there are ${count} sliders`);
        for (let i = 0; i < count; i++) {
            await sliders.nth(i).scrollIntoViewIfNeeded();
            const box = await sliders.nth(i).boundingBox();
            await tab.page.mouse.click(box.x + box.width * 0.9, box.y + box.height / 2);
        }
        await tab.until(() => sinew.state().frame.edits.length === 9);
        const step = (await tab.state()).frame.step;
        await tab.until((step) => sinew.state().frame.step > step + 20, step);
        const later = await tab.page.evaluate(front);
        await check(later[2] > place[2] + 0.01, `the skin went from ${place[2]} to ${later[2]} m`);
        await tab.page.locator('.lil-gui button', { hasText: 'Reset muscle' }).first().click();
        await tab.until(() => sinew.state().frame.edits.length === 0);
        const back = (await tab.state()).frame.step;
        await tab.until((step) => sinew.state().frame.step > step + 40, back);
        const again = await tab.page.evaluate(front);
        await check(Math.abs(again[2] - place[2]) < 0.003, `the skin came back to ${again[2]}, from ${place[2]} m`);
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await tab.close();
        await server.stop();
    },

    async 'the page says when the server is gone, and goes on when it is back'(browser) {
        const server = await serve();
        const tab = await Tab.open(browser, server.address);
        await tab.until(() => sinew.state().frame.step > 5);
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await server.stop();
        await tab.page.waitForSelector('#banner:not([hidden])');
        const again = await serve(server.port);
        // It has another key, which the browser gets with its address.
        await tab.page.waitForSelector('#banner:has-text("started anew")');
        const fresh = await tab.context.newPage();
        await fresh.goto(again.address);
        await fresh.close();
        await tab.page.waitForSelector('#banner', { state: 'hidden' });
        await tab.until(() => sinew.state().frame?.playing && sinew.state().frame.step > 5);
        // It can be touched again.
        const at = await tab.onPage(0);
        await tab.page.mouse.move(at.x, at.y);
        await tab.page.mouse.down();
        await tab.until(() => sinew.state().frame.held);
        await tab.page.mouse.up();
        await tab.close();
        await again.stop();
    },

    async 'the key leaves the address bar, and scripts cannot read it'(browser) {
        const server = await serve();
        const tab = await Tab.open(browser, server.address);
        await check(tab.page.url() === `http://127.0.0.1:${server.port}/#detail=4`, `the address is ${tab.page.url()}`);
        await check((await tab.page.evaluate(() => document.cookie)) === '', 'scripts can read the cookie');
        await tab.page.reload();
        await tab.until(() => sinew.state().frame?.step > 2);
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await tab.close();
        await server.stop();
    },

    async 'the content policy keeps markup and code in strings out of the page'(browser) {
        const server = await serve();
        const tab = await Tab.open(browser, server.address);
        const tried = await tab.page.evaluate(async () => {
            const refused = (act) => {
                try {
                    act();
                    return false;
                } catch {
                    return true;
                }
            };
            const script = document.createElement('script');
            const inline = refused(() => {
                script.textContent = 'window.harm = true';
                document.body.append(script);
            });
            const elsewhere = await fetch('http://127.0.0.1:1/').then(
                () => 'fetched',
                (error) => String(error),
            );
            const style = document.createElement('style');
            style.textContent = 'body { opacity: 0.5 }';
            document.head.append(style);
            return {
                markup: refused(() => (document.createElement('div').innerHTML = '<b>b</b>')),
                inline: inline || !('harm' in window),
                worker: refused(() => new Worker('page.js')),
                elsewhere: elsewhere !== 'fetched',
                style: getComputedStyle(document.body).opacity === '1',
            };
        });
        for (const [what, good] of Object.entries(tried)) await check(good, `${what} is not refused`);
        await tab.close();
        await server.stop();
    },

    async 'a page of another server reaches nothing, though the browser has the cookie'(browser) {
        const server = await serve();
        const tab = await Tab.open(browser, server.address);
        const other = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<title>other'));
        await new Promise((done) => other.listen(0, '127.0.0.1', done));
        const page = await tab.context.newPage();
        await page.goto(`http://127.0.0.1:${other.address().port}/`);
        const got = await page.evaluate(async (at) => {
            const loads = (tag, attribute, path) =>
                new Promise((done) => {
                    const made = document.createElement(tag);
                    made.onload = () => done(`${tag} loaded`);
                    made.onerror = () => done('');
                    made[attribute] = `${at}${path}`;
                    document.body.append(made);
                });
            const fetched = await fetch(`${at}/scenes/octopuses.snb`, { credentials: 'include' }).then(
                () => 'fetched',
                () => '',
            );
            const socket = await new Promise((done) => {
                const made = new WebSocket(`${at.replace('http', 'ws')}/session`);
                made.onopen = () => done('socket open');
                made.onclose = () => done('');
            });
            return [fetched, socket, await loads('script', 'src', '/page.js')].filter(Boolean);
        }, `http://127.0.0.1:${server.port}`);
        await check(got.length === 0, `another server's page got: ${got}`);
        const link = await page.evaluate((at) => (location.href = at), `http://127.0.0.1:${server.port}/`);
        await page.waitForURL(link);
        await check((await page.locator('#canvas').count()) === 0, 'a link of another server opens the page');
        other.close();
        await tab.close();
        await server.stop();
    },
};
