// A WebSocket client on a plain socket, so that tests can also do what browsers never do.
import { createConnection } from "node:net";
import { randomBytes } from "node:crypto";

// The key of each server that runs, by its port: `sinew view` prints it in its address.
export const keys = new Map();
export const cookieOf = (port) => `sinew-${port}=${keys.get(port)}`;

const waitFor = (ms) => new Promise((done) => setTimeout(done, ms));

export class Client {
    texts = [];
    frames = [];
    closed = false;
    closeCode = 0;
    status = 0;
    #bytes = Buffer.alloc(0);
    #open = false;

    constructor(port, { host = `127.0.0.1:${port}`, origin = `http://127.0.0.1:${port}`, path = "/session", cookie = cookieOf(port), more = "" } = {}) {
        this.socket = createConnection(port, "127.0.0.1");
        this.socket.on("data", (data) => this.#take(data));
        this.socket.on("close", () => (this.closed = true));
        this.socket.on("error", () => (this.closed = true));
        const key = randomBytes(16).toString("base64");
        this.socket.write(
            `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${origin ? `Origin: ${origin}\r\n` : ""}Upgrade: websocket\r\n` +
                `${cookie ? `Cookie: ${cookie}\r\n` : ""}${more}` +
                `Connection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
        );
    }

    #take(data) {
        this.#bytes = Buffer.concat([this.#bytes, data]);
        if (!this.#open) {
            const end = this.#bytes.indexOf("\r\n\r\n");
            if (end < 0) return;
            this.status = Number(this.#bytes.toString("latin1", 9, 12));
            this.#bytes = this.#bytes.subarray(end + 4);
            this.#open = true;
        }
        if (this.status !== 101) return;
        for (;;) {
            const bytes = this.#bytes;
            if (bytes.length < 2) return;
            let size = bytes[1] & 127, head = 2;
            if (size === 126 && bytes.length >= 4) [size, head] = [bytes.readUInt16BE(2), 4];
            else if (size === 127 && bytes.length >= 10) [size, head] = [Number(bytes.readBigUInt64BE(2)), 10];
            else if (size >= 126) return;
            if (bytes.length < head + size) return;
            const content = Buffer.from(bytes.subarray(head, head + size)), kind = bytes[0] & 15;
            this.#bytes = bytes.subarray(head + size);
            if (kind === 1) this.texts.push(JSON.parse(content.toString()));
            else if (kind === 2) this.frames.push(content);
            else if (kind === 8) {
                this.closeCode = content.length >= 2 ? content.readUInt16BE(0) : 0;
                this.sendRaw(8, content);
            } else if (kind === 9) this.sendRaw(10, content);
            else if (kind === 10) this.pong = content;
        }
    }

    // One WebSocket frame. 'claim' overrides the length that its head says.
    sendRaw(kind, content, { last = true, claim = content.length, mask = true } = {}) {
        const head = [(last ? 0x80 : 0) | kind];
        const bit = mask ? 0x80 : 0;
        if (claim < 126) head.push(bit | claim);
        else if (claim < 65536) head.push(bit | 126, claim >> 8, claim & 255);
        else {
            const long = Buffer.alloc(8);
            long.writeBigUInt64BE(BigInt(claim));
            head.push(bit | 127, ...long);
        }
        const key = mask ? randomBytes(4) : Buffer.alloc(0), body = Buffer.from(content);
        if (mask) for (let i = 0; i < body.length; ++i) body[i] ^= key[i & 3];
        if (!this.closed) this.socket.write(Buffer.concat([Buffer.from(head), key, body]));
    }

    // A message of the protocol: integers are words, { f: x } is a float.
    send(...values) {
        const bytes = Buffer.alloc(4 * values.length);
        values.forEach((value, i) =>
            typeof value === "object" ? bytes.writeFloatLE(value.f, 4 * i) : bytes.writeUInt32LE(value, 4 * i),
        );
        this.sendRaw(2, bytes);
    }

    text(value) {
        this.sendRaw(1, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
    }

    // Waits until 'ready' gives something, and gives that.
    async until(ready, what, seconds = 5) {
        const end = performance.now() + 1000 * seconds;
        for (;;) {
            const found = ready(this);
            if (found) return found;
            if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
            await waitFor(2);
        }
    }

    hello(check = () => true, what = "a hello") {
        return this.until(() => {
            const last = this.texts.findLast((text) => text.hello)?.hello;
            return last && check(last) ? last : null;
        }, what);
    }

    // The next frame after acknowledging 'number' (0: from the start).
    async next(number = 0) {
        const count = this.frames.length;
        this.send(1, number);
        await this.until(() => this.frames.length > count, `a frame after ${number}`);
        return this.frames.at(-1);
    }

    end() {
        this.socket.destroy();
    }
}

// What a frame says; docs/session-protocol.md.
export const look = (frame) => ({
    magic: frame.readUInt32LE(0),
    number: frame.readUInt32LE(4),
    playing: (frame.readUInt32LE(8) & 1) === 1,
    step: frame.readUInt32LE(12),
    hash: frame.readUInt32LE(28).toString(16).padStart(8, "0") + frame.readUInt32LE(24).toString(16).padStart(8, "0"),
    joints: frame.readUInt32LE(32),
    parameters: Array.from({ length: 10 }, (_, i) => frame.readFloatLE(4 * (35 + i))),
});

export { waitFor };
