// The last seconds of the run, for export: joints thirty times per simulated second, shot pills, and the vertices of
// bodies that deform.
import type { Frame, SurfaceFrame } from './frame';

export interface Moment {
    time: number;
    joints: Float32Array;
    extra: Float32Array;
    surfaces: SurfaceFrame[];
}

const FPS = 30;
const MAX_SECONDS = 10;
const MAX_BYTES = 100e6;

export class Recording {
    moments: Moment[] = [];
    private bytes = 0;

    clear() {
        this.moments = [];
        this.bytes = 0;
    }

    add(frame: Frame) {
        // Going back in time discards what came after.
        while (this.moments.length && this.moments[this.moments.length - 1].time > frame.time - 1e-9)
            this.forget(this.moments.pop()!);
        const last = this.moments[this.moments.length - 1];
        if (last && frame.time - last.time < 1 / FPS - 1e-4) return;
        const moment = {
            time: frame.time,
            joints: frame.joints.slice(),
            extra: frame.extra.slice(),
            surfaces: frame.surfaces.map(({ low, step, places }) => {
                return { low: low.slice(), step: step.slice(), places: places.slice() };
            }),
        };
        this.moments.push(moment);
        this.bytes += size(moment);
        while (
            this.moments.length > 2 &&
            (this.bytes > MAX_BYTES || frame.time - this.moments[0].time > MAX_SECONDS)
        ) {
            this.forget(this.moments.shift()!);
        }
    }

    private forget(moment: Moment) {
        this.bytes -= size(moment);
    }
}

function size(moment: Moment): number {
    const surfaces = moment.surfaces.reduce((sum, { places }) => sum + places.byteLength, 0);
    return moment.joints.byteLength + moment.extra.byteLength + surfaces;
}
