// What people do with the page that `sinew view` serves: the native engine behind a socket.
import { spawn } from 'node:child_process';
import { Tab, check } from './browser.mjs';

const { SINEW, PAGE, SCENES_HERE, HASHES } = process.env;

// A server, and how to end it.
async function serve(port = 0) {
    const words = ['view', 'octopuses', '--no-open', '--port', String(port), '--scenes', SCENES_HERE, '--page', PAGE];
    const server = spawn(SINEW, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const address = await new Promise((resolve, reject) => {
        const hear = (bytes) => {
            said += bytes;
            const match = /http:\/\/[0-9.]+:([0-9]+)\//.exec(said);
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

    async 'the page says when the server is gone, and goes on when it is back'(browser) {
        const server = await serve();
        const tab = await Tab.open(browser, server.address);
        await tab.until(() => sinew.state().frame.step > 5);
        await check(tab.errors.length === 0, `the console says ${tab.errors}`);
        await server.stop();
        await tab.page.waitForSelector('#banner:not([hidden])');
        const again = await serve(server.port);
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
};
