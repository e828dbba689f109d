// A browser that draws without a screen, and a page in it that is watched for errors.
import { chromium } from 'playwright-core';

export const WIDE = { width: 900, height: 560 };

export async function launch() {
    const flags = [
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--use-angle=gl-egl',
        '--ignore-gpu-blocklist',
        '--enable-unsafe-swiftshader',
    ];
    return chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: flags });
}

export async function check(condition, text) {
    if (!(await condition)) throw new Error(text);
}

// A page with a few words for what tests do with it. 'errors' are what its console complains about.
export class Tab {
    errors = [];

    static async open(browser, address, context = {}) {
        const tab = new Tab();
        tab.context = await browser.newContext({ viewport: WIDE, acceptDownloads: true, ...context });
        tab.page = await tab.context.newPage();
        tab.page.on('console', (message) => message.type() === 'error' && tab.errors.push(message.text()));
        tab.page.on('pageerror', (error) => tab.errors.push(String(error)));
        tab.page.setDefaultTimeout(20000);
        const start = Date.now();
        // The least detail, for machines without a graphics card.
        await tab.page.goto(`${address}${address.includes('#') ? '&' : '#'}detail=4`);
        await tab.until(() => sinew.state().drawn > 0 && sinew.state().frame);
        tab.firstFrameMs = Date.now() - start;
        return tab;
    }

    close() {
        return this.context.close();
    }

    async until(condition, argument) {
        try {
            await this.page.waitForFunction(condition, argument, { polling: 30 });
        } catch (error) {
            const said = await this.page
                .locator('.toast, #banner')
                .allTextContents()
                .catch(() => []);
            throw new Error(
                `waited in vain for ${condition} ${argument ?? ''}: ${error.message}; ${this.errors}; ${said}`,
            );
        }
    }

    state() {
        return this.page.evaluate(() => sinew.state());
    }

    // Sends a message by its name in web/src/messages.ts.
    send(name, ...values) {
        return this.page.evaluate(([name, values]) => sinew.send(sinew.messages[name](...values)), [name, values]);
    }

    joint(number) {
        return this.page.evaluate((number) => sinew.joint(number), number);
    }

    // Opens a scene that starts to play.
    async choose(scene) {
        await this.page.evaluate((scene) => sinew.page.open(scene), scene);
        await this.until((scene) => sinew.state().scene === scene && sinew.state().frame?.playing, scene);
    }

    // From the start, that many steps and no more; the hash there.
    async run(steps) {
        await this.send('play', false);
        await this.send('reset');
        await this.until(() => sinew.state().frame.step === 0);
        return this.advance(steps, steps);
    }

    async advance(count, to) {
        await this.send('step', count);
        await this.until((step) => sinew.state().frame.step === step && !sinew.state().frame.playing, to);
        return (await this.state()).frame.hash;
    }

    // Where a joint is on the page.
    async onPage(joint) {
        return this.page.evaluate((joint) => sinew.project(sinew.joint(joint)), joint);
    }
}
