// node run.mjs [WORD]: the tests of playground.mjs and served.mjs whose names hold the word, in one browser. Two at a
// time: each waits for the page most of the time.
import { launch } from './browser.mjs';
import { tests as playground } from './playground.mjs';
import { tests as served } from './served.mjs';

const word = process.argv[2] ?? '';
const waiting = Object.entries({ ...playground, ...served }).filter(([name]) => name.includes(word));
const browser = await launch();
let failures = 0;

// Events may come too late on a machine that is busy with other tests: what fails goes once more, alone, at the end.
const again = [];

async function run([name, test], last) {
    const start = Date.now();
    try {
        const said = await test(browser);
        console.log(`passed: ${name} (${((Date.now() - start) / 1000).toFixed(1)} s${said ? `, ${said}` : ''})`);
    } catch (error) {
        if (last) failures++;
        else again.push([name, test]);
        console.log(`${last ? 'FAILED' : 'once more'}: ${name}: ${error.stack}`);
    }
}

async function work() {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(next, false);
}

await Promise.all([work(), work()]);
for (const test of again) await run(test, true);
await browser.close();
process.exit(failures ? 1 : 0);
