// What people do with the playground, from disk, with the engine in the page.
import { statSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { Tab, check } from './browser.mjs';

const { PLAYGROUND, FOLDER, VALIDATE, SAME_VERTICES, VERTICES } = process.env;
const address = `file://${PLAYGROUND}`;
const open = (browser, fragment = '', context = {}) => Tab.open(browser, address + fragment, context);

export const tests = {
    async 'it is one small file that starts without complaints'(browser) {
        await check(statSync(PLAYGROUND).size < 1.5e6, `playground.html has ${statSync(PLAYGROUND).size} bytes`);
        const tab = await open(browser, '#scene=octopuses');
        await tab.until(() => sinew.state().frame.step > 5);
        const state = await tab.state();
        await check(state.kind === 'wasm' && state.scene === 'octopuses', `opened ${state.scene} with ${state.kind}`);
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        const first = tab.firstFrameMs;
        await tab.close();
        return `first frame after ${first} ms`;
    },

    async 'what it computes is what the native engine computes'(browser) {
        const tab = await open(browser, '#scene=stack&paused=1');
        for (const [scene, hash] of Object.entries(JSON.parse(process.env.HASHES))) {
            if ((await tab.state()).scene !== scene) await tab.choose(scene);
            const got = await tab.run(300);
            await check(got === hash, `${scene} after 300 steps: ${got}, natively ${hash}`);
        }
        await tab.close();
    },

    async 'pause stops the clock, a step is one step, reset goes back'(browser) {
        const tab = await open(browser, '#scene=octopuses');
        await tab.until(() => sinew.state().frame.step > 3 && sinew.state().frame.playing);
        await tab.page.keyboard.press('Space');
        await tab.until(() => !sinew.state().frame.playing);
        const { step } = (await tab.state()).frame;
        await tab.page.waitForTimeout(300);
        await check((await tab.state()).frame.step === step, 'the clock runs while paused');
        await tab.page.keyboard.press('o');
        await tab.until((next) => sinew.state().frame.step === next, step + 1);
        await tab.page.click('#step');
        await tab.until((next) => sinew.state().frame.step === next, step + 2);
        await tab.page.waitForTimeout(200);
        await check((await tab.state()).frame.step === step + 2, 'it does not stay paused after a step');
        await tab.page.click('#reset');
        await tab.until(() => sinew.state().frame.step === 0);
        await tab.page.click('#play');
        await tab.until(() => sinew.state().frame.playing && sinew.state().frame.step > 2);
        await tab.page.selectOption('#speed', '0.25');
        await tab.until(() => Math.abs(sinew.state().frame.speed - 0.25) < 1e-6);
        await tab.close();
    },

    async 'an octopus that is dragged follows, and one that is thrown flies on'(browser) {
        const tab = await open(browser, '#scene=octopuses');
        await tab.until(() => sinew.state().frame.step > 30);
        const head = 0;
        const before = await tab.joint(head);
        const at = await tab.onPage(head);
        const hit = await tab.page.evaluate(({ x, y }) => sinew.pickAt(x, y), at);
        await check(hit && hit.body === 0, `under the mouse is ${JSON.stringify(hit)}`);
        await tab.page.mouse.move(at.x, at.y);
        await tab.until(() => document.getElementById('canvas').style.cursor === 'grab');
        await tab.page.mouse.down();
        await tab.until(() => sinew.state().frame.held);
        await tab.page.mouse.move(at.x, at.y - 120, { steps: 12 });
        await tab.until((y) => sinew.joint(0)[1] > y + 0.15, before[1]);
        // A swing to the side, and let go in the middle of it: slowly, so that the middle can be met.
        await tab.send('speed', 0.1);
        await tab.page.mouse.move(at.x + 200, at.y - 160, { steps: 4 });
        await tab.until((x) => sinew.joint(0)[0] > x + 0.05, before[0]);
        await tab.page.mouse.up();
        await tab.until(() => !sinew.state().frame.held);
        const [start, from] = [await tab.state(), await tab.joint(head)];
        await tab.until((step) => sinew.state().frame.step >= step + 6, start.frame.step);
        const to = await tab.joint(head);
        await check(to[0] > from[0] + 0.01, `after it was thrown it went from ${from} to ${to}`);
        await check(await tab.page.isHidden('#hint'), 'the hint stays after a drag');
        await tab.close();
    },

    async 'a finger drags a body, and turns the view beside it'(browser) {
        const tab = await open(browser, '#scene=octopuses', {
            viewport: { width: 390, height: 700 },
            hasTouch: true,
            isMobile: true,
        });
        await tab.until(() => sinew.state().frame.step > 30);
        const touch = await tab.context.newCDPSession(tab.page);
        const finger = (type, ...points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points });
        const at = await tab.onPage(0);
        const before = await tab.joint(0);
        await finger('touchStart', at);
        await tab.until(() => sinew.state().frame.held);
        for (let i = 1; i <= 8; i++) await finger('touchMove', { x: at.x, y: at.y - 12 * i });
        await tab.until((y) => sinew.joint(0)[1] > y + 0.08, before[1]);
        await finger('touchEnd');
        await tab.until(() => !sinew.state().frame.held);
        const view = await tab.page.evaluate(() => sinew.page.stage.view().join());
        await finger('touchStart', { x: 60, y: 120 });
        for (let i = 1; i <= 6; i++) await finger('touchMove', { x: 60 + 12 * i, y: 120 });
        await finger('touchEnd');
        await tab.until((view) => sinew.page.stage.view().join() !== view, view);
        await check(!(await tab.state()).frame.held, 'a finger beside the bodies holds one');
        await tab.close();
    },

    async 'each slider changes the run, and all can be put back'(browser) {
        const tab = await open(browser, '#scene=octopuses&paused=1');
        const steps = 25;
        const usual = await tab.run(steps);
        await tab.page.click('text=Solver');
        const names = [
            'gravity',
            'stiffness',
            'volume',
            'damping',
            'friction',
            'activation',
            'substeps',
            'iterations',
            'sweeps',
        ];
        const seen = new Set([usual]);
        for (const name of names) {
            const before = (await tab.state()).frame.parameters;
            const slider = tab.page.locator(`[data-parameter=${name}] .lil-slider`);
            await slider.scrollIntoViewIfNeeded();
            const box = await slider.boundingBox();
            await tab.page.mouse.click(box.x + 0.83 * box.width, box.y + box.height / 2);
            await tab.until((before) => sinew.state().frame.parameters.join() !== before, before.join());
            const hash = await tab.run(steps);
            await check(!seen.has(hash), `the slider ${name} changes nothing`);
            seen.add(hash);
            await tab.page.click('text=Reset to scene');
            await tab.until((before) => sinew.state().frame.parameters.join() === before, before.join());
        }
        await check((await tab.run(steps)) === usual, 'as the scene has it, the run is another one');
        await tab.page.click('[data-parameter=sleeping] input');
        await tab.until(() => sinew.state().frame.parameters[9] === 0);
        await tab.close();
    },

    async 'going back in time restores the state'(browser) {
        const tab = await open(browser, '#scene=octopuses&paused=1');
        await tab.run(80);
        await tab.advance(40, 120);
        // By the time line: back to the middle.
        const box = await tab.page.locator('#time').boundingBox();
        await tab.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        await tab.until(() => sinew.state().frame.step < 100);
        const { step, hash, playing } = (await tab.state()).frame;
        await check(step > 20 && !playing, `the middle of 120 steps is step ${step}`);
        const later = await tab.advance(30, step + 30);
        await tab.send('scrub', step);
        await tab.until((step) => sinew.state().frame.step === step, step);
        await check((await tab.state()).frame.hash === hash, 'another state than before');
        await check((await tab.advance(30, step + 30)) === later, 'from there it goes on differently');
        await check((await tab.run(step)) === hash, 'a run from the start comes to another state');
        await tab.close();
    },

    async 'shots fly, contacts and measurements are shown'(browser) {
        const tab = await open(browser, '#scene=octopuses');
        await tab.until(() => sinew.state().frame.step > 40);
        await tab.page.mouse.dblclick(450, 120);
        await tab.until(() => sinew.state().frame.extras === 1);
        await tab.page.mouse.move(430, 250);
        await tab.page.keyboard.press('f');
        await tab.until(() => sinew.state().frame.extras === 2);
        await tab.page.keyboard.press('4');
        await tab.until(() => sinew.state().frame.markCount > 0);
        await tab.page.click('#measures button');
        await tab.until(() => Number.isFinite(sinew.state().frame.energy[0]) && sinew.state().frame.volume > 0.5);
        await tab.until(() => /[0-9]/.test(document.querySelector('#measures .plot b').textContent));
        await tab.page.keyboard.press('x');
        await tab.until(() => sinew.state().frame.extras === 0);
        await tab.page.keyboard.press('?');
        await tab.page.waitForSelector('#help[open]');
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await tab.close();
    },

    async 'every way of drawing draws something else'(browser) {
        const tab = await open(browser, '#scene=octopuses&paused=1');
        await tab.run(30);
        const pictures = new Map();
        const keys = { skin: null, pills: '2', 'pills alone': '1', wireframe: '3', strain: '5', volume: '6' };
        for (const [name, key] of Object.entries(keys)) {
            if (key) await tab.page.keyboard.press(key);
            const picture = await tab.page.evaluate(() => {
                sinew.page.stage.draw();
                return sinew.page.stage.renderer.domElement.toDataURL();
            });
            for (const [other, its] of pictures) await check(its !== picture, `${name} looks like ${other}`);
            pictures.set(name, picture);
        }
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await tab.close();
    },

    async 'what is kept is whole: animation, picture, film'(browser) {
        const tab = await open(browser, '#scene=octopuses');
        await tab.page.mouse.move(450, 120);
        do {
            await tab.page.keyboard.press('f');
            await tab.page.waitForTimeout(200);
        } while (!(await tab.page.evaluate(() => sinew.state().frame?.extras > 0)));
        await tab.until(() => sinew.state().recorded > 12);
        const save = async (action, name) => {
            const [got] = await Promise.all([tab.page.waitForEvent('download'), action()]);
            await check(got.suggestedFilename() === name, `it is called ${got.suggestedFilename()}`);
            const file = `${FOLDER}/${name}`;
            await got.saveAs(file);
            return file;
        };
        const animations = [await save(() => tab.page.keyboard.press('g'), 'octopuses.glb')];
        const picture = readFileSync(await save(() => tab.page.keyboard.press('p'), 'octopuses.png'));
        await check(picture.subarray(1, 4).toString() === 'PNG' && picture.length > 5000, 'the picture is none');
        await tab.page.keyboard.press('v');
        const { drawn } = await tab.state();
        await tab.until((drawn) => sinew.state().drawn > drawn + 8, drawn);
        const film = readFileSync(await save(() => tab.page.keyboard.press('v'), 'octopuses.webm'));
        await check(
            film.readUInt32BE(0) === 0x1a45dfa3 && film.length > 1000,
            `the film is none: ${film.length} bytes`,
        );
        for (const scene of ['stack', 'mixer']) {
            // rods without skins; shapes that move
            await tab.choose(scene);
            await tab.until(() => sinew.state().recorded > 5);
            animations.push(await save(() => tab.page.keyboard.press('g'), `${scene}.glb`));
        }
        execFileSync('node', [VALIDATE, ...animations], { stdio: ['ignore', 'inherit', 'inherit'] });
        await tab.close();
    },

    async 'the animations it writes are those of the native engine'(browser) {
        const differ = [];
        for (const scene of ['octopuses', 'soft']) {
            const tab = await open(browser, `#scene=${scene}&paused=1`);
            for (let i = 1; i <= 15; i++) {
                await tab.advance(2, 2 * i);
                await tab.until((count) => sinew.state().recorded === count, i + 1);
            }
            const [got] = await Promise.all([tab.page.waitForEvent('download'), tab.page.keyboard.press('g')]);
            const file = `${FOLDER}/same-${scene}.glb`;
            await got.saveAs(file);
            await tab.close();
            execFileSync('node', [VALIDATE, file], { stdio: ['ignore', 'inherit', 'inherit'] });
            // The page makes pills of the rope in a way of its own; what else there is has the same vertices.
            const words = scene === 'soft' ? ['only-morphs'] : [];
            const worst = execFileSync('node', [SAME_VERTICES, file, `${VERTICES}/${scene}.pc2`, '30', ...words], {
                stdio: ['ignore', 'pipe', 'inherit'],
            });
            differ.push(Number(worst).toExponential(0));
        }
        return `vertices differ by ${differ.join(' and ')} of a body`;
    },

    async 'cloth and jelly are drawn, can be dragged, and fall again'(browser) {
        const tab = await open(browser, '#scene=soft');
        await tab.until(() => sinew.state().frame.step > 20);
        const picture = () =>
            tab.page.evaluate(() => {
                sinew.page.stage.draw();
                return sinew.page.stage.renderer.domElement.toDataURL();
            });
        const kinds = await tab.page.evaluate(() => sinew.bodies().map(({ kind }) => kind));
        await check(kinds.join() === 'rod,surface,surface', `the bodies are ${kinds}`);
        for (const [surface, vertex] of [
            [0, 8 * 17 + 8],
            [1, 0],
        ]) {
            // Nothing moves from under the mouse before it is down.
            await tab.send('play', false);
            await tab.until(() => !sinew.state().frame.playing);
            const start = await tab.page.evaluate(([s, v]) => sinew.vertex(s, v), [surface, vertex]);
            const low = await tab.page.evaluate((s) => sinew.page.pose.surfaces[s].height(), surface);
            // Where a vertex is on the page something of its body is hit; the jelly's may be at its back.
            const at = await tab.page.evaluate(
                ([s, v]) => {
                    const { body, box } = sinew.page.pose.surfaces[s];
                    const middle = box.getCenter(box.min.clone()).toArray();
                    for (const point of [sinew.vertex(s, v), middle]) {
                        const place = sinew.project(point);
                        if (sinew.pickAt(place.x, place.y)?.body === body) return place;
                    }
                    return null;
                },
                [surface, vertex],
            );
            await check(at, `surface ${surface} cannot be hit`);
            await tab.page.mouse.move(at.x, at.y);
            await tab.until(() => document.getElementById('canvas').style.cursor === 'grab');
            const lit = await picture();
            await tab.page.mouse.down();
            await tab.send('play', true);
            await tab.until(() => sinew.state().frame.held);
            await tab.page.mouse.move(at.x - 30, at.y - 90, { steps: 10 });
            // The vertex rises with the hand; a jelly that is grabbed at its front may also be tilted about its far edge.
            await tab.until(
                ([s, v, y, low]) => sinew.vertex(s, v)[1] > y + 0.1 || sinew.page.pose.surfaces[s].height() > low + 0.025,
                [surface, vertex, start[1], low],
            );
            const high = await tab.page.evaluate((s) => sinew.page.pose.surfaces[s].height(), surface);
            await check((await picture()) !== lit, 'what moves is not drawn anew');
            await tab.page.mouse.up();
            await tab.until(() => !sinew.state().frame.held);
            await tab.until(([s, y]) => sinew.page.pose.surfaces[s].height() < y - 0.02, [surface, high]);
        }
        await tab.page.keyboard.press('3'); // wireframe
        await tab.page.click('#measures button');
        await tab.until(() => sinew.state().frame.energy[1] > 0 && sinew.state().frame.volume > 0.3);
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await tab.close();
    },

    async 'muscles wear their skins, and show their rods when asked'(browser) {
        const tab = await open(browser, '#scene=muscle-contraction&paused=1');
        await tab.run(20);
        const bodies = await tab.page.evaluate(() => sinew.bodies());
        await check(
            bodies.some(({ kind }) => kind === 'muscle') && bodies.some(({ kind }) => kind === 'rod'),
            `the bodies are ${JSON.stringify(bodies)}`,
        );
        const pictures = new Set();
        for (const key of ['', '2', '1', '5']) {
            if (key) await tab.page.keyboard.press(key);
            pictures.add(
                await tab.page.evaluate(() => {
                    sinew.page.stage.draw();
                    return sinew.page.stage.renderer.domElement.toDataURL();
                }),
            );
        }
        await check(pictures.size === 4, 'two ways of drawing muscles look the same');
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await tab.close();
    },

    async 'a link leads to the same run'(browser) {
        const tab = await open(browser, '#scene=octopuses&paused=1');
        await tab.send('set', 'gravity', 3.25);
        await tab.send('set', 'stiffness', 2);
        await tab.until(() => sinew.state().frame.parameters[4] === 2);
        const hash = await tab.run(50);
        const link = await tab.page.evaluate(() => sinew.address());
        await tab.close();
        const other = await Tab.open(browser, `${link}&paused=1`);
        await other.until(() => sinew.state().frame.parameters[4] === 2 && sinew.state().frame.step === 0);
        await check((await other.advance(50, 50)) === hash, `${link} leads elsewhere`);
        await other.close();
    },

    async 'on a narrow screen everything can be reached'(browser) {
        const tab = await open(browser, '#scene=octopuses', { viewport: { width: 390, height: 700 } });
        for (const id of ['play', 'step', 'reset', 'time', 'speed', 'scene', 'panel-button', 'shoot', 'help-button']) {
            const box = await tab.page.locator(`#${id}`).boundingBox();
            const inside = box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 390 && box.y + box.height <= 700;
            await check(inside, `#${id} is at ${JSON.stringify(box)}`);
        }
        await check(await tab.page.isHidden('#panel'), 'the settings cover the picture');
        await tab.page.click('#panel-button');
        await check(await tab.page.isVisible('[data-parameter=gravity]'), 'the settings do not open');
        await tab.page.click('#panel-button');
        await tab.page.click('#scene');
        await tab.page.click('[data-scene=stack]');
        await tab.until(() => sinew.state().scene === 'stack' && sinew.state().frame?.step > 2);
        await tab.close();
    },

    async 'ten octopuses run, and what a step costs is told'(browser) {
        const tab = await open(browser, '#scene=octopus-drop');
        await tab.page.evaluate(() => {
            // the fastest of many, on a machine that may do other things too
            window.least = Infinity;
            setInterval(() => {
                const { frame } = sinew.state();
                if (frame.step > 60 && frame.stepMs > 0) window.least = Math.min(window.least, frame.stepMs);
            }, 20);
        });
        const bodies = await tab.page.evaluate(() => sinew.bodies().filter((body) => body.kind === 'rod').length);
        await check(bodies >= 10, `there are ${bodies} octopuses`);
        await tab.until(() => sinew.state().frame.step > 150);
        const ms = await tab.page.evaluate(() => window.least);
        await tab.close();
        return `${ms.toFixed(1)} ms a step`;
    },
};
