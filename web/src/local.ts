// The engine in a worker, with the scenes inside the page (the playground).
import type { FromWorker, ToWorker } from './worker';
import type { Listener, SceneEntry, Transport } from './transport';
import workerCode from 'worker-code';

export interface Library {
    version: string;
    scenes: SceneEntry[];
    engine(): Promise<ArrayBuffer>;
    baked(name: string): Promise<ArrayBuffer>;
}

export class LocalTransport implements Transport {
    readonly kind = 'wasm';
    private worker: Worker;
    private opening: { name: string; bytes: ArrayBuffer } | null = null;
    private started: Promise<void>;
    private start: () => void = () => {};
    private loads = 0;

    constructor(
        private listener: Listener,
        private library: Library,
        first: string,
    ) {
        this.worker = new Worker(URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' })));
        this.started = new Promise((done) => (this.start = done));
        this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.answer(data);
        this.worker.onerror = (event) => listener.failed(`The engine stopped: ${event.message}`);
        library.engine().then(
            (engine) => this.post({ engine }, [engine]),
            (error) => listener.failed(String(error)),
        );
        this.open(library.scenes.some((scene) => scene.name === first) ? first : library.scenes[0].name);
    }

    open(name: string) {
        void this.load(name);
    }

    send(message: ArrayBuffer) {
        this.post({ message }, [message]);
    }

    drive() {}

    seen(visible: boolean) {
        this.post({ visible });
    }

    private post(message: ToWorker, transfer: Transferable[] = []) {
        this.worker.postMessage(message, transfer);
    }

    private async load(name: string) {
        const number = ++this.loads; // a later load cancels this one
        try {
            const [bytes] = await Promise.all([this.library.baked(name), this.started]);
            if (number !== this.loads) return;
            this.opening = { name, bytes };
            this.post({ open: bytes.slice(0) });
        } catch (error) {
            this.listener.failed(`The scene ${name} could not be unpacked: ${String(error)}`);
        }
    }

    private answer(data: FromWorker) {
        if ('ready' in data) this.start();
        else if ('frame' in data) this.listener.frame(data.frame);
        else if ('failed' in data) this.listener.failed(data.failed);
        else if (this.opening) {
            const { name, bytes } = this.opening;
            const { version, scenes } = this.library;
            this.listener.hello({ version, scenes, scene: name, driving: true, watchers: 1 });
            this.listener.scene(bytes);
        }
    }
}
