// Mouse and touch input in the picture: grabs a body and drags it along a plane that faces the camera, throws it when
// released in motion, shoots; turns the camera where there is no body.
import * as THREE from 'three';
import { EXTRA, drag, drop, grab, shoot } from './messages';
import { pick, type Hit } from './pick';
import type { Pose } from './pose';
import type { Stage } from './stage';

const MOUSE_SLACK = 7; // pixels from a thin rod that still hit it
const FINGER_SLACK = 20;
const TAP_MS = 320;

interface Ground {
    point: THREE.Vector3;
    normal: THREE.Vector3;
}

export interface HandsHost {
    pose(): Pose | null;
    mayGrab(): boolean;
    send(message: ArrayBuffer): void;
    hover(body: number, held: boolean): void; // -1: none
    grabbed(): void;
    changed(): void; // the picture must be drawn again
    driven(body: number): boolean; // it follows its motion and cannot be grabbed
    tapped(body: number, ray: THREE.Ray): void; // clicked or tapped without moving
}

interface Hold {
    pointer: number;
    plane: THREE.Plane;
    start: THREE.Vector3; // where the pointer hit the plane
    centre: THREE.Vector3; // the grabbed point
    body: number;
    x: number;
    y: number;
    moved: boolean;
}

export class Hands {
    grounds: Ground[] = [];
    size = 1;
    private hold: Hold | null = null;
    private pointer = { x: 0, y: 0, inside: false, touch: false };
    private lastTap = { x: 0, y: 0, time: -1e9 };
    private down = { x: 0, y: 0, time: 0 };
    private pointers = 0;

    constructor(
        private stage: Stage,
        private canvas: HTMLCanvasElement,
        private host: HandsHost,
    ) {
        // The parent gets the event first: grabbing a body must not also turn the camera.
        const parent = canvas.parentElement!;
        parent.addEventListener('pointerdown', (event) => this.pressed(event), { capture: true });
        window.addEventListener('pointermove', (event) => this.moved(event));
        window.addEventListener('pointerup', (event) => this.released(event));
        window.addEventListener('pointercancel', (event) => this.released(event));
        canvas.addEventListener('pointerleave', () => {
            this.pointer.inside = false;
            if (!this.hold) this.host.hover(-1, false);
        });
        parent.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    }

    get holding() {
        return this.hold !== null;
    }

    pickAt(x: number, y: number, slackPixels = MOUSE_SLACK): Hit | null {
        const pose = this.host.pose();
        if (!pose) return null;
        const ray = this.stage.ray(x, y);
        const hit = pick(pose, ray, slackPixels * this.stage.pixelAngle());
        if (!hit) return null;
        for (const ground of this.grounds) {
            const facing = ray.direction.dot(ground.normal);
            if (facing >= 0) continue;
            const t = ground.point.clone().sub(ray.origin).dot(ground.normal) / facing;
            if (t > 0 && t < hit.distance - 0.02 * this.size) return null; // behind the ground
        }
        return hit;
    }

    private place(event: PointerEvent | MouseEvent) {
        const box = this.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    private pressed(event: PointerEvent) {
        if (event.target !== this.canvas) return;
        this.pointers++;
        const { x, y } = this.place(event);
        this.down = { x, y, time: event.timeStamp };
        if (this.hold || !event.isPrimary || event.button !== 0 || !this.host.mayGrab()) return;
        const hit = this.pickAt(x, y, event.pointerType === 'mouse' ? MOUSE_SLACK : FINGER_SLACK);
        if (!hit || this.host.driven(hit.body)) return;
        event.stopPropagation();
        event.preventDefault();
        (document.activeElement as HTMLElement | null)?.blur?.();
        this.canvas.setPointerCapture(event.pointerId);
        const towards = this.stage.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, hit.centre);
        const start = this.stage.ray(x, y).intersectPlane(plane, new THREE.Vector3()) ?? hit.centre.clone();
        this.hold = { pointer: event.pointerId, plane, start, centre: hit.centre, body: hit.body, x, y, moved: false };
        this.host.send(grab(hit.target, hit.segment, hit.along, hit.centre.toArray()));
        this.host.hover(hit.body, true);
        this.host.grabbed();
        this.canvas.style.cursor = 'grabbing';
        this.stage.controls.enabled = false; // a second finger does not turn the camera now
    }

    private moved(event: PointerEvent) {
        const { x, y } = this.place(event);
        if (this.hold) {
            if (event.pointerId !== this.hold.pointer) return;
            Object.assign(this.hold, { x, y, moved: true });
            this.host.changed();
            return;
        }
        this.pointer = { x, y, inside: event.target === this.canvas, touch: event.pointerType !== 'mouse' };
    }

    private released(event: PointerEvent) {
        this.pointers = Math.max(0, this.pointers - 1);
        const { x, y } = this.place(event);
        if (this.hold && event.pointerId === this.hold.pointer) {
            this.update();
            this.host.send(drop());
            this.forget();
            this.host.hover(-1, false);
        }
        this.tapped(event, x, y);
    }

    // A double tap shoots.
    private tapped(event: PointerEvent, x: number, y: number) {
        if (event.target !== this.canvas || event.type === 'pointercancel') return;
        const still = Math.hypot(x - this.down.x, y - this.down.y) < 8 && event.timeStamp - this.down.time < TAP_MS;
        if (!still) return;
        const again =
            event.timeStamp - this.lastTap.time < TAP_MS && Math.hypot(x - this.lastTap.x, y - this.lastTap.y) < 24;
        const hit = this.pickAt(x, y);
        if (again) this.shootAt(x, y);
        else if (hit) this.host.tapped(hit.body, this.stage.ray(x, y));
        this.lastTap = { x, y, time: again ? -1e9 : event.timeStamp };
    }

    // The wheel moves a grabbed body nearer or farther.
    private wheel(event: WheelEvent) {
        if (!this.hold) return;
        event.preventDefault();
        event.stopPropagation();
        const push = -0.0006 * event.deltaY * this.stage.camera.position.distanceTo(this.hold.centre);
        this.hold.plane.constant -= push;
        this.hold.start.addScaledVector(this.hold.plane.normal, push);
        this.hold.centre.addScaledVector(this.hold.plane.normal, push);
        this.hold.moved = true;
    }

    // Once a frame: sends the position of the hand, and highlights what is under the mouse.
    update() {
        if (this.hold) {
            if (!this.hold.moved) return;
            this.hold.moved = false;
            const at = this.stage.ray(this.hold.x, this.hold.y).intersectPlane(this.hold.plane, new THREE.Vector3());
            if (!at) return;
            const hand = at.sub(this.hold.start).add(this.hold.centre);
            for (const { point, normal } of this.grounds) {
                const height = hand.clone().sub(point).dot(normal);
                if (height < 0) hand.addScaledVector(normal, -height);
            }
            this.host.send(drag(hand.toArray()));
            return;
        }
        if (this.pointers > 0 || this.pointer.touch) return;
        const hit = this.pointer.inside && this.host.mayGrab() ? this.pickAt(this.pointer.x, this.pointer.y) : null;
        this.canvas.style.cursor = !hit ? '' : this.host.driven(hit.body) ? 'pointer' : 'grab';
        this.host.hover(hit ? hit.body : -1, false);
    }

    // Releases without telling the engine, which has dropped the body already.
    forget() {
        this.hold = null;
        this.stage.controls.enabled = true;
        this.canvas.style.cursor = '';
    }

    shootAtPointer() {
        const { x, y, inside } = this.pointer;
        if (inside) this.shootAt(x, y);
        else this.shootAt(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
    }

    // Shoots from the camera at a point of the picture, a little high to allow for the fall.
    shootAt(x: number, y: number) {
        if (!this.host.mayGrab()) return;
        const ray = this.stage.ray(x, y);
        const hit = this.pickAt(x, y, 0);
        const reach = hit ? hit.distance : this.stage.camera.position.distanceTo(this.stage.controls.target);
        const speed = Math.max(2.2 * reach, Math.sqrt(9.81 * reach));
        const flight = reach / speed;
        const velocity = ray.direction.clone().multiplyScalar(speed);
        velocity.y += (9.81 * flight) / 2;
        const from = ray.at(0.06 * reach, new THREE.Vector3()).addScaledVector(this.stage.camera.up, -0.04 * reach);
        this.host.send(shoot(from.toArray(), velocity.toArray()));
        this.host.changed();
    }
}

export const isShot = (body: number) => body >= EXTRA;
