// The native engine over a WebSocket: `sinew view` serves this page, greets it in JSON, and sends frames. A lost
// connection is retried, at first quickly and then every two seconds.
import type { Hello, Listener, Transport } from './transport';

const PATH = '/session';

export class SocketTransport implements Transport {
    readonly kind = 'socket';
    private socket: WebSocket | null = null;
    private scene = '';
    private ready = false; // frames belong to the loaded scene
    private wait = 0.25;
    private wasLost = false;
    private loads = 0;

    constructor(private listener: Listener) {
        this.connect();
    }

    open(name: string) {
        this.sendText({ open: name });
    }

    drive() {
        this.sendText({ drive: true });
    }

    send(message: ArrayBuffer) {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(message);
    }

    seen() {
        // A hidden page does not acknowledge frames, so it gets none; the run goes on for others.
    }

    private sendText(value: unknown) {
        if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(value));
    }

    private connect() {
        const protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
        const socket = new WebSocket(`${protocol}//${location.host}${PATH}`);
        socket.binaryType = 'arraybuffer';
        socket.onmessage = ({ data }) => {
            if (typeof data === 'string') this.text(data);
            else if (this.ready) this.listener.frame(data);
        };
        socket.onclose = () => {
            this.scene = '';
            this.ready = false;
            this.loads++;
            this.wasLost = true;
            void this.explain();
            setTimeout(() => this.connect(), 1000 * this.wait);
            this.wait = Math.min(2, 2 * this.wait);
        };
        this.socket = socket;
    }

    // A server that was started anew has another key. Once its address is open in this browser, this page has it too.
    private async explain() {
        const answer = await fetch('/', { method: 'HEAD' }).catch(() => null);
        if (!this.wasLost) return;
        this.listener.lost(
            answer?.status === 403
                ? 'The server was started anew. Open the address that sinew view printed, in this browser.'
                : 'The engine is not answering. Trying again…',
        );
    }

    private text(data: string) {
        let said: { hello?: Hello; error?: string };
        try {
            said = JSON.parse(data);
        } catch {
            return;
        }
        if (said.error) this.listener.failed(said.error);
        if (!said.hello) return;
        this.wait = 0.25;
        if (this.wasLost) this.listener.found();
        this.wasLost = false;
        this.listener.hello(said.hello);
        if (said.hello.scene && said.hello.scene !== this.scene) void this.load(said.hello.scene);
    }

    private async load(name: string) {
        const number = ++this.loads; // a later load cancels this one
        this.scene = name;
        this.ready = false;
        try {
            const answer = await fetch(`/scenes/${encodeURIComponent(name)}.snb`);
            if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
            const bytes = await answer.arrayBuffer();
            if (number !== this.loads) return;
            this.ready = true;
            this.listener.scene(bytes);
        } catch (error) {
            if (number === this.loads) this.listener.failed(`The scene ${name} could not be loaded: ${String(error)}`);
        }
    }
}
