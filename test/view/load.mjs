// node load.mjs SINEW SCENES SECONDS: sixteen pages watch a run; every other slice of time the server is attacked by
//   - 200 connections that say nothing or half a request, made again when they are ended
//   - messages and requests of 300 MB, from programs without the key and from one of the pages
//   - texts of brackets, wrong keys, and requests of other sites
// Each page must keep 90 % of the new frames that it gets in the quiet slices, and the server's memory must stay the same.
// Exit code 1 if not.
import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, keys, look, waitFor } from "./client.mjs";

const PAGES = 15, SILENT = 200, SLICE = 5; // seconds; the sixteenth page attacks
const LARGE = 300e6;

// --- attackers, in a process of their own: load.mjs attack PORT KEY ---

async function silent(port) {
    for (;;) {
        const socket = createConnection(port, "127.0.0.1");
        socket.on("error", () => {});
        if (Math.random() < 0.5) socket.write("GET / HTTP/1.1\r\nHost: ");
        await new Promise((done) => socket.on("close", done));
        await waitFor(100);
    }
}

// Sends until all has gone or the server ends it.
async function flood(socket) {
    const part = Buffer.alloc(1 << 16);
    let sent = 0;
    let closed = false;
    socket.on("close", () => (closed = true));
    socket.on("error", () => (closed = true));
    while (!closed && sent < LARGE) {
        sent += part.length;
        if (!socket.write(part))
            await new Promise((done) => {
                socket.once("drain", done);
                socket.once("close", done);
            });
    }
    socket.destroy();
    return sent;
}

const counts = { outside: 0, inside: 0, texts: 0, sent: 0 };

async function outside(port) {
    for (;;) {
        const socket = createConnection(port, "127.0.0.1");
        socket.resume();
        socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${LARGE}\r\n\r\n`);
        counts.sent += await flood(socket);
        counts.outside++;
        await waitFor(20);
    }
}

async function inside(port) {
    for (;;) {
        const client = new Client(port);
        await client.until(() => client.status || client.closed, "an answer").catch(() => {});
        client.text("[".repeat(500));
        counts.texts++;
        client.sendRaw(2, Buffer.alloc(8), { claim: LARGE });
        counts.sent += await flood(client.socket);
        counts.inside++;
        await waitFor(20);
    }
}

if (process.argv[2] === "attack") {
    const [port, key] = [Number(process.argv[3]), process.argv[4]];
    keys.set(port, key);
    for (let i = 0; i < SILENT; ++i) void silent(port);
    void outside(port);
    void inside(port);
    process.on("SIGTERM", () => {
        console.log(JSON.stringify(counts));
        process.exit(0);
    });
    await new Promise(() => {});
}

// --- pages ---

const [program, scenes, words] = process.argv.slice(2);
const seconds = Number(words);
const folder = mkdtempSync(join(tmpdir(), "sinew-load-"));
writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
const options = ["view", "stack", "--no-open", "--threads", "1", "--port", "0", "--scenes", scenes, "--page", folder];
const server = spawn(program, options, { stdio: ["ignore", "pipe", "inherit"] });
let said = "";
server.stdout.on("data", (text) => (said += text));
while (!/token=\w+ /.test(said) && server.exitCode === null) await waitFor(10);
const [, text, key] = /:(\d+)\/\?token=(\w+) /.exec(said);
const port = Number(text);
keys.set(port, key);

const memory = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;
const processor = () => {
    const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100; // s
};

let running = true;
const pages = [];
for (let i = 0; i < PAGES; ++i) {
    const client = new Client(port);
    await client.hello();
    pages.push(client);
}
pages[0].send(2, 1); // PLAY
const restart = setInterval(() => pages[0].send(4), 4000); // or all would come to rest
const follow = async (client) => {
    for (let number = 0; running && !client.closed; ) {
        const seen = look(await client.next(number));
        number = seen.number;
        client.frames.length = 0;
        if (seen.step !== client.step) client.count = (client.count ?? 0) + 1; // others repeat a step
        client.step = seen.step;
    }
};
for (const client of pages) void follow(client).catch(() => {});
await waitFor(2000);

const rates = { quiet: pages.map(() => 0), attacked: pages.map(() => 0) };
const spent = { quiet: 0, attacked: 0 }, used = { quiet: 0, attacked: 0 };
const attacks = { outside: 0, inside: 0, texts: 0, sent: 0 };
let firstMemory = 0, maxMemory = 0;
for (let slice = 0; slice < seconds / SLICE; ++slice) {
    const name = slice % 2 ? "attacked" : "quiet";
    let report = "";
    const attacker = slice % 2 ? spawn(process.execPath, [process.argv[1], "attack", String(port), key], { stdio: ["ignore", "pipe", "inherit"] }) : null;
    attacker?.stdout.on("data", (part) => (report += part));
    if (attacker) await waitFor(500);
    const before = pages.map((client) => client.count), start = performance.now(), work = processor();
    while (performance.now() - start < 1000 * SLICE) {
        await waitFor(100);
        if (slice >= 2) maxMemory = Math.max(maxMemory, memory());
    }
    const passed = (performance.now() - start) / 1000;
    pages.forEach((client, i) => (rates[name][i] += client.count - before[i]));
    spent[name] += passed;
    used[name] += processor() - work;
    if (slice === 1) firstMemory = memory(); // after the first attack
    if (attacker) {
        attacker.kill("SIGTERM");
        await new Promise((done) => attacker.on("close", done));
        for (const [what, count] of Object.entries(JSON.parse(report))) attacks[what] += count;
        await waitFor(500);
    }
}
running = false;
clearInterval(restart);

const lost = pages.filter((client) => client.closed).length;
const quiet = rates.quiet.map((count) => count / spent.quiet), attacked = rates.attacked.map((count) => count / spent.attacked);
const kept = attacked.map((rate, i) => rate / quiet[i]);
const range = (list) => `${Math.min(...list).toFixed(1)} to ${Math.max(...list).toFixed(1)}`;
console.log(`${PAGES + 1} pages, one of which attacks, ${seconds} s in slices of ${SLICE} s, half of them attacked, with ${SILENT} silent connections`);
console.log(`frames a second of each page: quiet ${range(quiet)}, attacked ${range(attacked)}; kept ${(100 * Math.min(...kept)).toFixed(1)} % at least`);
console.log(`messages of 300 MB: ${attacks.inside} from a page, ${attacks.outside} from outside; ${(attacks.sent / 1e6 / (attacks.inside + attacks.outside)).toFixed(1)} MB of each went; texts of brackets: ${attacks.texts}`);
console.log(`memory: ${firstMemory.toFixed(1)} MB after the first attack, ${maxMemory.toFixed(1)} MB at most, ${memory().toFixed(1)} MB at the end`);
console.log(`processor: quiet ${(100 * used.quiet / spent.quiet).toFixed(0)} %, attacked ${(100 * used.attacked / spent.attacked).toFixed(0)} %`);
const good = lost === 0 && Math.min(...kept) >= 0.9 && maxMemory - firstMemory < 10 && attacks.inside > 0 && attacks.outside > 0;
if (lost) console.log(`${lost} pages were lost`);
console.log(good ? "good" : "FAILED");
server.kill("SIGTERM");
for (const client of pages) client.end();
rmSync(folder, { recursive: true });
process.exit(good ? 0 : 1);
