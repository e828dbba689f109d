// node server.mjs SINEW SCENES: what `sinew view` answers, refuses and survives. Prints each failure; exit code 1 if any.
import { spawn } from "node:child_process";
import { createConnection, createServer } from "node:net";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes, randomInt } from "node:crypto";
import { Client, cookieOf, keys, look, waitFor } from "./client.mjs";

const [program, scenes] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "sinew-view-"));
writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
writeFileSync(join(folder, "main.js"), "export {}");
writeFileSync(join(folder, ".hidden.txt"), "secret");
writeFileSync(join(folder, "notes.secret"), "secret");

let failures = 0;
const check = (good, words) => {
    if (good) return;
    console.error(`FAILED: ${words}`);
    ++failures;
};

// --- the server ---

class Server {
    said = "";
    constructor(...extra) {
        const env = typeof extra[0] === "object" ? extra.shift() : null; // with a browser
        const words = ["view", ...(env ? [] : ["--no-open"]), "--threads", "1", "--scenes", scenes, "--page", folder, ...extra];
        this.process = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
        this.process.stdout.on("data", (text) => (this.said += text));
        this.process.stderr.on("data", (text) => (this.said += text));
        this.ended = once(this.process, "exit");
    }
    async port() {
        for (let i = 0; i < 1500 && this.process.exitCode === null; ++i) {
            const found = /http:\/\/127\.0\.0\.1:(\d+)\/(?:\?token=(\w+))? /.exec(this.said);
            if (found) return keys.set(Number(found[1]), found[2] ?? "none") && Number(found[1]);
            await waitFor(10);
        }
        throw new Error(`it did not start: ${this.said}`);
    }
    async stop(signal = "SIGINT") {
        this.process.kill(signal);
        const [code] = await this.ended;
        return code;
    }
}

// One request as it is, byte by byte; the answer in parts.
async function ask(port, head, seconds = 10) {
    const socket = createConnection(port, "127.0.0.1");
    socket.setTimeout(1000 * seconds, () => socket.destroy());
    const parts = [];
    socket.on("data", (part) => parts.push(part));
    socket.on("error", () => {});
    socket.write(head);
    await once(socket, "close");
    const bytes = Buffer.concat(parts), end = bytes.indexOf("\r\n\r\n");
    const lines = bytes.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(lines.slice(1).map((line) => [line.split(":")[0].toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
    return { status: Number(lines[0].split(" ")[1]), headers, body: bytes.subarray(end + 4) };
}
const get = (port, path, { host = `127.0.0.1:${port}`, more = "", method = "GET", cookie = cookieOf(port), seconds = 10 } = {}) =>
    ask(port, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${cookie ? `Cookie: ${cookie}\r\n` : ""}${more}\r\n`, seconds);

// --- what it answers, and whom ---

async function answers(port) {
    const page = await get(port, "/");
    check(page.status === 200 && page.body.toString().includes("<title>page"), "GET / gives the page");
    check(page.headers["content-type"].startsWith("text/html"), "the page is HTML");
    const policy = page.headers["content-security-policy"] ?? "";
    check(policy.includes("default-src 'none'"), "there is a content policy");
    check(!policy.includes("unsafe"), `the content policy allows no code or style in the page: ${policy}`);
    check(page.headers["x-content-type-options"] === "nosniff", "types are not to be guessed");
    check(!("access-control-allow-origin" in page.headers), "no other origin may read");
    const script = await get(port, "/main.js");
    check(script.status === 200 && script.headers["content-type"].startsWith("text/javascript"), "GET /main.js");
    const head = await get(port, "/", { method: "HEAD" });
    check(head.status === 200 && head.body.length === 0, "HEAD gives no body");
    check(head.headers["content-length"] === page.headers["content-length"], "HEAD gives the length");
    const baked = await get(port, "/scenes/stack.snb");
    check(baked.status === 200 && baked.body.toString("latin1", 0, 8) === "SINEWBAK", "GET /scenes/stack.snb");
    check(baked.body.length === Number(baked.headers["content-length"]), "a baked scene is whole");
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
        check((await get(port, "/", { host })).status === 200, `Host ${host} is this machine`);
    const own = await get(port, "/", { more: `Origin: http://localhost:${port}\r\n` });
    check(own.status === 200, "its own Origin is fine");
}

async function refusals(port) {
    for (const host of ["example.com", `example.com:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`, `127.0.0.1.example.com:${port}`, ""])
        check((await get(port, "/", { host })).status === 403, `Host "${host}" is refused`);
    check((await ask(port, "GET / HTTP/1.0\r\n\r\n")).status === 403, "no Host is refused");
    const twice = await get(port, "/", { more: "Host: example.com\r\n" });
    check(twice.status >= 400, "two Hosts are refused");
    for (const origin of ["http://example.com", "null", `https://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`, "file://"])
        check((await get(port, "/", { more: `Origin: ${origin}\r\n` })).status === 403, `Origin ${origin} is refused`);
    for (const path of ["/../index.html/..%2f", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        "/.hidden.txt", "/notes.secret", "/nothing.html", "/scenes/", "/scenes/nothing.snb", "/scenes/stack.json",
        "/scenes/..%2fstack.snb", "/main.js/", "/main.js%00.html", `/${"a".repeat(5000)}.js`, "/session/x"]) {
        const answer = await get(port, path);
        check(answer.status >= 400 && answer.status < 500, `${path.slice(0, 60)} is refused, not ${answer.status}`);
        check(!answer.body.includes("secret") && !answer.body.includes("root:"), `${path.slice(0, 60)} gives nothing away`);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND", "PATCH"]) {
        const { status } = await get(port, "/", { method, more: "Content-Length: 0\r\n" });
        check(status >= 400, `${method} is refused, not ${status}`);
    }
    check((await get(port, "/session")).status === 426, "/session without an upgrade");
    for (const options of [{ origin: "http://example.com" }, { host: "example.com" }, { path: "/" }, { path: "/sessions" }, { origin: "" },
        { cookie: "" }, { cookie: `sinew-${port}=${"0".repeat(32)}` }, { more: "Sec-Fetch-Site: cross-site\r\n" }]) {
        const client = new Client(port, options);
        await client.until(() => client.status || client.closed, "an answer");
        check(client.status !== 101, `a WebSocket with ${JSON.stringify(options)} is refused`);
        client.end();
    }
    for (const head of ["GET /\r\n\r\n", "GET / HTTP/1.1\n\n", "GET  / HTTP/1.1\r\n\r\n", "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n", `GET / HTTP/1.1\r\n${"A: b\r\n".repeat(100)}\r\n`]) {
        const { status } = await ask(port, head, head.includes("\r\n\r\n") ? 5 : 0.2);
        check(!(status < 400), `${JSON.stringify(head.slice(0, 40))} is refused, not ${status}`);
    }
    check((await ask(port, `GET / HTTP/1.1\r\nA: ${"b".repeat(20000)}`, 5)).status === 431, "a head of 20 KB is refused");
    const body = await get(port, "/", { more: "Content-Length: 5\r\n" });
    check(body.status === 413, `a request with content is refused, not ${body.status}`);
    const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((name) => readFileSync(name, "utf8")).join("\n");
    const ours = [...tables.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F:]+ 0A /gm)].filter((row) => parseInt(row[2], 16) === port);
    check(ours.length === 1 && ours[0][1] === "0100007F", `it listens on 127.0.0.1 only, not ${ours.map((row) => row[1])}`);
}

// Only who has the key gets anything, and only from a page of this server.
async function key(port) {
    const name = `sinew-${port}`, right = keys.get(port);
    const wrong = ["", `${name}=`, `${name}=${"0".repeat(32)}`, `${name}=${right.slice(0, -1)}`, `${name}=${right}0`, `x${name}=${right}`,
        `${name}=${right.toUpperCase().replace(/[A-F]/g, "G")}`, `sinew-${port + 1}=${right}`, `a=${name}=${right}`];
    for (const cookie of wrong) {
        for (const path of ["/", "/main.js", "/scenes/stack.snb", "/session", "/nothing"]) {
            const { status, body } = await get(port, path, { cookie });
            check(status === 403, `${path} with the cookie "${cookie}" is refused, not ${status}`);
            check(!body.includes(right), "a refusal does not have the key");
        }
    }
    const among = await get(port, "/", { cookie: `a=b; ${name}=${right}; c=d` });
    check(among.status === 200, "the cookie may be among others");
    check(/^[0-9a-f]{32}$/.test(right), `the key is 128 bits, not ${right}`);

    const first = await get(port, `/?token=${right}`, { cookie: "", more: "Sec-Fetch-Site: none\r\n" });
    check(first.status === 303 && first.headers.location === "/", `the first visit leads to the page, ${first.status}`);
    const set = first.headers["set-cookie"] ?? "";
    check(set.startsWith(`${name}=${right};`), "the first visit gets the cookie");
    for (const word of ["HttpOnly", "SameSite=Strict", "Path=/"]) check(set.includes(word), `the cookie is ${word}`);
    for (const query of ["?token=", `?token=${"0".repeat(32)}`, `?token=${right}0`, `?token=${right.slice(1)}`, `?key=${right}`, `?token=${right}&token=`]) {
        const { status, headers } = await get(port, `/${query}`, { cookie: "" });
        check(status === 403 && !headers["set-cookie"], `${query} is refused, not ${status}`);
    }
    check((await get(port, `/main.js?token=${right}`, { cookie: "" })).status === 403, "a key in another address is refused");

    for (const site of ["cross-site", "same-site", "Same-Origin", "", "none\r\nSec-Fetch-Site: cross-site"]) {
        for (const path of ["/", `/?token=${right}`, "/scenes/stack.snb"]) {
            const { status } = await get(port, path, { more: `Sec-Fetch-Site: ${site}\r\nSec-Fetch-Mode: no-cors\r\n` });
            check(status === 403, `${path.slice(0, 8)} with Sec-Fetch-Site: ${site} is refused, not ${status}`);
        }
    }
    for (const site of ["same-origin", "none"])
        check((await get(port, "/", { more: `Sec-Fetch-Site: ${site}\r\n` })).status === 200, `Sec-Fetch-Site: ${site} is fine`);
}

// --- a run that is watched ---

async function watching(port) {
    const first = new Client(port);
    const hello = await first.hello();
    check(hello.scene === "stack" && hello.driving && hello.watchers === 1, `hello: ${JSON.stringify(hello).slice(0, 200)}`);
    check(hello.scenes.some(({ name, title }) => name === "octopus-hand" && title), "hello lists scenes with titles");
    await waitFor(50);
    check(first.frames.length === 0, "no frame comes before it is asked for");
    const start = look(await first.next());
    check(start.magic === 0x34464e53 && start.step === 0 && !start.playing && start.joints > 0, "the first frame");
    first.send(3, 10); // STEP
    let seen = look(await first.next(start.number));
    while (seen.step < 10) seen = look(await first.next(seen.number));
    await waitFor(80);
    const count = first.frames.length;
    first.send(6, 0, { f: 1 }); // something changes, but the last frame was not acknowledged
    await waitFor(100);
    check(first.frames.length === count, "no second frame comes before the first is acknowledged");

    const second = new Client(port, { origin: `http://localhost:${port}`, host: `localhost:${port}` });
    check(!(await second.hello()).driving, "the second page watches");
    check((await first.hello((h) => h.watchers === 2)).driving, "the first page is told, and drives on");
    const there = look(await second.next());
    check(there.step === 10, "the second page sees where the run is");
    second.send(2, 1); // PLAY
    await waitFor(100);
    check(look(await second.next()).step === 10, "who only watches cannot play");

    // Both get the same bytes in frames of the same number.
    first.send(2, 1);
    const follow = async (client, until) => {
        let number = 0;
        while (client.frames.length < until) number = look(await client.next(number)).number;
    };
    await Promise.all([follow(first, first.frames.length + 30), follow(second, second.frames.length + 30)]);
    const of = new Map(first.frames.map((frame) => [look(frame).number, frame]));
    const shared = second.frames.filter((frame) => of.has(look(frame).number));
    check(shared.length >= 5, `both pages saw ${shared.length} frames in common`);
    check(shared.every((frame) => frame.equals(of.get(look(frame).number))), "frames of one number are equal");

    // Who asks drives; when it leaves, the next one does.
    second.text({ drive: true });
    await second.hello((h) => h.driving, "to drive");
    await first.hello((h) => !h.driving, "that the other drives");
    first.text({ open: "cantilever" });
    second.text({ open: "no-such-scene" });
    await second.until(() => second.texts.some((text) => text.error?.includes("no-such-scene")), "an error");
    check((await second.hello()).scene === "stack", "only who drives opens scenes");
    second.text({ open: "cantilever" });
    await first.hello((h) => h.scene === "cantilever", "the new scene");
    const before = second.frames.length;
    second.send(1, look(second.frames.at(-1)).number);
    await waitFor(60);
    check(second.frames.length === before, "frames of a new scene wait for the page to be ready");
    const fresh = look(await second.next(0));
    check(fresh.step === 0 && fresh.joints !== start.joints, "the new scene starts");
    second.text({ open: "cantilever" }); // again: from its start
    second.end();
    await first.hello((h) => h.driving && h.watchers === 1, "to drive again");
    first.sendRaw(9, Buffer.from("hello?")); // ping
    await first.until(() => first.pong?.toString() === "hello?", "a pong");
    first.text({ open: "stack" });
    await first.hello((h) => h.scene === "stack", "the stack again");
    first.end();
}

const hex = (number) => number.toString(16).toUpperCase().padStart(4, "0");

// The clock runs in real time, and a page that does not read does not hold it up.
async function realTime(port) {
    const quick = new Client(port);
    await quick.hello((h) => h.driving, "to drive");
    const slow = new Client(port);
    await slow.hello();
    slow.socket.pause();
    const flood = setInterval(() => { // asks, and never takes
        for (let i = 0; i < 50; ++i) slow.send(1, 0);
    }, 1);
    quick.send(4); // RESET
    quick.send(2, 1); // PLAY
    try {
        const seen = look(await quick.next(0)), start = performance.now();
        let now = seen;
        while (performance.now() - start < 1000) now = look(await quick.next(now.number));
        const seconds = (performance.now() - start) / 1000, steps = (now.step - seen.step) / seconds;
        check(steps > 25 && steps < 80, `${steps.toFixed(0)} steps a second, wanted 60`);
        check(now.number - seen.number > 20, `${now.number - seen.number} frames in a second`);
        const row = new RegExp(`:${hex(port)} 0100007F:${hex(slow.socket.localPort)} 01 ([0-9A-F]{8}):`);
        const waiting = parseInt(row.exec(readFileSync("/proc/net/tcp", "utf8"))?.[1] ?? "0", 16);
        check(waiting > 100000, `only ${waiting} bytes wait for the slow page: it was not held up`);
    } finally {
        clearInterval(flood);
        slow.end();
        quick.end();
    }
}

// --- what it survives ---

async function nonsense(port) {
    const closes = async (words, act) => {
        const client = new Client(port);
        await client.hello();
        act(client);
        await client.until(() => client.closed, `${words} to be sent away`, 10).catch((error) => check(false, error.message));
        client.end();
    };
    const told = async (words, act, expected) => {
        const client = new Client(port);
        await client.hello();
        act(client);
        await client.until(() => client.texts.some(({ error }) => error?.includes(expected)), `"${expected}" after ${words}`)
            .catch((error) => check(false, `${error.message}: ${JSON.stringify(client.texts.slice(1))}`));
        client.sendRaw(9, Buffer.from("still there?"));
        await client.until(() => client.pong, `a pong after ${words}`).catch((error) => check(false, error.message));
        client.end();
    };
    await told("500 brackets", (c) => c.text("[".repeat(500)), "too deep");
    await told("2000 brackets", (c) => c.text("[".repeat(2000) + "]".repeat(2000)), "too deep");
    await told("500 braces", (c) => c.text('{"open":'.repeat(500)), "too");
    await told("many values", (c) => c.text(`{"open": [${"1,".repeat(1000)}1]}`), "too large");
    await closes("a message of 100 KB", (c) => c.sendRaw(2, Buffer.alloc(100000)));
    await closes("a text of 100 KB", (c) => c.text(" ".repeat(100000)));
    await closes("content without a mask", (c) => c.sendRaw(2, Buffer.alloc(8), { mask: false }));
    await closes("a ping of 126 bytes", (c) => c.sendRaw(9, Buffer.alloc(126)));
    await closes("a claim of 2^40 bytes", (c) => c.sendRaw(2, Buffer.alloc(8), { claim: 2 ** 40 }));
    await closes("half a message", (c) => c.sendRaw(2, Buffer.alloc(8), { last: false }));
    await closes("the rest of nothing", (c) => c.sendRaw(0, Buffer.alloc(8)));
    await closes("an unknown opcode", (c) => c.sendRaw(5, Buffer.alloc(8)));
    await told("an unknown type", (c) => c.send(99, 1), "types 1 to 15");
    await told("type 0", (c) => c.send(0), "types 1 to 15");
    await told("a short message", (c) => c.send(6, 1), "SET has 3 words");
    await told("a long message", (c) => c.send(4, 1), "RESET has 1 words");
    await told("three bytes", (c) => c.sendRaw(2, Buffer.alloc(3)), "bytes");
    await told("nothing", (c) => c.sendRaw(2, Buffer.alloc(0)), "bytes");
    await told("no JSON", (c) => c.text("{open"), "not JSON");
    await told("JSON without a word for us", (c) => c.text("[1, 2]"), "open or drive");

    await told("an unknown key", (c) => c.text('{"close": true}'), "there are open, drive");
    await told("a long name", (c) => c.text({ open: "a".repeat(300) }), "open: must be");
    await told("no name", (c) => c.text({ open: 3 }), "open: must be");
    await told("an unsure driver", (c) => c.text({ drive: 1 }), "drive: must be true");
    await told("a speed of 99", (c) => c.send(5, { f: 99 }), "SPEED: speed must be 0.01");
    await told("not a number", (c) => c.send(8, { f: NaN }, { f: 0 }, { f: 0 }), "DRAG: x must be");
    await told("no such parameter", (c) => c.send(6, 10, { f: 1 }), "SET: parameter must be 0 to 9");
    await told("a muscle that is not there", (c) => c.send(14, 0, 0, 0, { f: 1 }), "does not have that");

    // Random bytes and, of every other client, messages with a right head and random values.
    let sent = 0;
    while (sent < 1000) {
        const client = new Client(port);
        await client.hello();
        for (let i = 0; i < 40 && !client.closed; ++i, ++sent) {
            const type = randomInt(14), words = [0, 2, 2, 2, 1, 2, 3, 7, 4, 1, 9, 2, 2, 1][type];
            const bytes = randomBytes(sent % 80 < 40 ? 4 * words : randomInt(300));
            if (sent % 80 < 40 && words > 0) bytes.writeUInt32LE(type, 0);
            if (type === 3 && bytes.length >= 8) bytes.writeUInt32LE(randomInt(20), 4); // not a hundred thousand steps
            client.sendRaw(sent % 80 < 40 ? 2 : randomInt(16), bytes, { last: randomInt(10) > 0, mask: randomInt(10) > 0 });
            if (i % 8 === 0) await waitFor(1);
        }
        client.end();
    }

    for (let i = 0; i < 50; ++i) {
        const client = new Client(port);
        if (i % 5 === 0) await once(client.socket, "connect");
        if (i % 5 === 1) await client.hello();
        if (i % 5 === 2) await client.hello().then(() => client.sendRaw(2, Buffer.alloc(10), { claim: 1000 }));
        if (i % 5 === 3) await client.hello().then(() => client.next(0));
        if (i % 5 === 4) client.socket.write("GET / HTTP");
        client.end();
    }
    const after = new Client(port);
    await after.hello((h) => h.watchers === 1 && h.driving, "to be alone again");
    after.send(4);
    check(look(await after.next(0)).magic === 0x34464e53, "it goes on after all that");
    after.end();
}

// A message is refused by its head: its content is neither waited for nor kept.
async function large(port, server) {
    const memory = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))[1]);
    const before = memory(), claim = 300e6;
    for (const kind of [1, 2]) {
        const client = new Client(port);
        await client.hello();
        client.sendRaw(kind, Buffer.alloc(8), { claim });
        let sent = 0;
        const part = Buffer.alloc(1 << 20);
        while (!client.closed && sent < claim - 8) {
            const room = client.socket.write(part);
            sent += part.length;
            if (!room) await Promise.race([once(client.socket, "drain").catch(() => {}), client.until(() => client.closed, "", 20).catch(() => {})]);
            await waitFor(0);
        }
        await client.until(() => client.closed, "a message of 300 MB to be refused", 10).catch((error) => check(false, error.message));
        check(sent < 100e6, `${sent} bytes of 300 MB went`);
        check(client.closeCode === 1009, `it says that the message is too big, not ${client.closeCode}`);
        client.end();
    }
    check(memory() - before < 30e3, `memory grew by ${memory() - before} kB`);
}

// Connections that say nothing keep nobody out, and are ended.
async function silent(port) {
    const held = Array.from({ length: 200 }, (_, i) => {
        const socket = createConnection(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.on("close", () => (socket.gone = true));
        if (i % 2) socket.write("GET / HTTP/1.1\r\nHost: ");
        return socket;
    });
    await waitFor(200);
    const page = await get(port, "/", { seconds: 3 });
    check(page.status === 200, "200 connections that say nothing do not hold up a request");
    const client = new Client(port);
    await client.hello().catch((error) => check(false, `a page among 200 silent connections: ${error.message}`));
    check(held.some((socket) => !socket.gone), "some of them are still there");
    for (let i = 0; i < 900 && !held.every((socket) => socket.gone); ++i) await waitFor(10);
    check(held.every((socket) => socket.gone), "connections that say nothing are ended");
    check(!client.closed, "a page that says nothing stays");
    client.end();
    for (const socket of held) socket.destroy();
}

// Requests of strangers do not end an answer that is on its way.
async function strangers(port) {
    const size = 32 << 20;
    writeFileSync(join(folder, "large.txt"), Buffer.alloc(size, 97));
    const socket = createConnection(port, "127.0.0.1");
    let got = 0;
    socket.on("error", () => {});
    socket.write(`GET /large.txt HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookieOf(port)}\r\n\r\n`);
    await once(socket, "readable");
    const others = [];
    for (let i = 0; i < 150; ++i) {
        const other = createConnection({ port, host: "127.0.0.1", allowHalfOpen: true }); // refused, and stays
        other.on("error", () => {});
        other.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
        await once(other, "data");
        others.push(other);
    }
    socket.on("data", (part) => (got += part.length));
    await once(socket, "close");
    check(got > size, `${got} of ${size} bytes came`);
    for (const other of others) other.destroy();
}

// A page that sends without end is slowed down, not ended, and others do not notice.
async function flood(port) {
    const loud = new Client(port), other = new Client(port);
    await Promise.all([loud.hello(), other.hello()]);
    const frame = Buffer.from([0x82, 0x88, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0]); // ACK of a frame that there is not
    loud.socket.write(Buffer.concat(Array(4000).fill(frame)));
    loud.sendRaw(9, Buffer.from("through"));
    check(look(await other.next(0)).magic === 0x34464e53, "another page gets its frame");
    check(!loud.pong, "4000 messages at once are too many");
    await loud.until(() => loud.pong || loud.closed, "4000 messages to go through", 20);
    check(!loud.closed, "a loud page stays");
    loud.end();
    other.end();
}

async function crowd(port) {
    const clients = [];
    for (let i = 0; i < 16; ++i) {
        clients.push(new Client(port));
        await clients[i].hello();
    }
    const late = new Client(port);
    await late.until(() => late.status, "an answer");
    check(late.status === 503, `the seventeenth page is refused, not ${late.status}`);
    check((await get(port, "/")).status === 200, "files are served to a crowd");
    for (const client of [...clients, late]) client.end();
    const next = new Client(port);
    await next.until(() => next.status, "an answer");
    await waitFor(100);
    next.end();
}

// The browser's command line can be read by others: what is in it is good once, and is not the key.
async function ticket() {
    const seen = join(folder, "opened");
    writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" >${seen}.part && mv ${seen}.part ${seen}\n`, { mode: 0o755 });
    const server = new Server({ PATH: `${folder}:${process.env.PATH}`, DISPLAY: ":0" }, "stack", "--port", "0");
    const port = await server.port();
    for (let i = 0; i < 500 && !existsSync(seen); ++i) await waitFor(10);
    const [, path, value] = /^http:\/\/127\.0\.0\.1:\d+(\/\?token=(\w+))$/.exec(readFileSync(seen, "utf8")) ?? [];
    check(value && value !== keys.get(port), "the browser is opened with a ticket, not with the key");
    const first = await get(port, path, { cookie: "" });
    check(first.status === 303 && first.headers["set-cookie"]?.includes(keys.get(port)), `a ticket is good once, ${first.status}`);
    const second = await get(port, path, { cookie: "" });
    check(second.status === 403 && second.body.includes("used before"), `and only once, ${second.status}`);
    check((await get(port, "/", { cookie: `sinew-${port}=${value}` })).status === 403, "a ticket is no cookie");
    await server.stop();
}

// --- start and end ---

async function ends(port, server) {
    const client = new Client(port);
    await client.hello();
    const start = performance.now();
    check((await server.stop()) === 0, "Ctrl-C ends it with 0");
    check(performance.now() - start < 4000, "it ends at once");
    await client.until(() => client.closed, "the connection to end");
    check(client.closeCode === 1001, `pages are told that it goes (${client.closeCode})`);

    const again = new Server("stack", "--port", String(port));
    check((await again.port()) === port, "it starts again on its port");
    const back = new Client(port);
    check((await back.hello()).scene === "stack", "pages come back");
    const taken = new Server("stack", "--port", String(port));
    const [code] = await taken.ended;
    check(code === 1 && taken.said.includes(`port ${port}`), `a port that is taken: exit ${code}, ${taken.said}`);
    back.end();
    check((await again.stop("SIGTERM")) === 0, "SIGTERM ends it with 0");

    const wrong = async (words, text, ...extra) => {
        const failed = new Server(...extra);
        const [exit] = await failed.ended;
        check(exit === 2 && failed.said.includes(text), `${words}: exit ${exit}, it said ${failed.said}`);
    };
    await wrong("a scene that is not there", 'did you mean "stack"', "stuck");
    await wrong("no page", "make web", "--page", scenes);
    await wrong("no folder", "--scenes must be a folder", "--scenes", join(folder, "main.js"));
    writeFileSync(join(folder, "bad.json"), '{ "bodies": [ { "kind": "rod", "radius": -1 } ] }');
    await wrong("a scene with errors", "bad.json:1:", join(folder, "bad.json"));

    // Without --port: a port of its own choice when the usual one is taken.
    const squatter = createServer().listen(8383, "127.0.0.1");
    await Promise.race([once(squatter, "listening"), once(squatter, "error")]);
    const other = new Server("stack");
    check((await other.port()) !== 8383, "another port when the usual one is taken");
    check((await other.stop()) === 0, "and it ends");
    squatter.close();
}

const server = new Server("stack", "--port", "0");
try {
    const port = await server.port();
    for (const part of [answers, refusals, key, watching, realTime, nonsense, large, silent, strangers, flood, crowd]) {
        const start = performance.now();
        await part(port, server).catch((error) => check(false, `${part.name}: ${error.message}`));
        if (process.env.TIMES) console.log(part.name, ((performance.now() - start) / 1000).toFixed(2), "s");
        if (server.process.exitCode !== null || server.process.signalCode) throw new Error(`it is gone after ${part.name}: ${server.said}`);
    }
    await ticket();
    await ends(port, server);
} catch (error) {
    check(false, `${error.message}; it said: ${server.said}`);
    server.process.kill("SIGKILL");
}
rmSync(folder, { recursive: true });
process.exit(failures ? 1 : 0);
