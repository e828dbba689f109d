// Downloads: pictures, films, files.

export function download(blob: Blob, name: string) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Records the canvas until stopped.
export class Film {
    private recorder: MediaRecorder | null = null;

    get on() {
        return this.recorder !== null;
    }

    start(canvas: HTMLCanvasElement, done: (film: Blob) => void) {
        const types = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];
        const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
        const recorder = new MediaRecorder(canvas.captureStream(60), { mimeType, videoBitsPerSecond: 12e6 });
        const parts: Blob[] = [];
        recorder.ondataavailable = ({ data }) => parts.push(data);
        recorder.onstop = () => done(new Blob(parts, { type: recorder.mimeType }));
        recorder.start();
        this.recorder = recorder;
    }

    stop() {
        this.recorder?.stop();
        this.recorder = null;
    }
}
