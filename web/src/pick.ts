// What a ray hits first. For surfaces it tries every triangle. For pills it uses sphere tracing: the distance to a pill
// has a formula, and the ray advances by it; pills whose bounding sphere it misses are skipped. Thin rods are hard to
// hit: where nothing is hit, the pill that the ray passes within a few pixels counts.
import * as THREE from 'three';
import type { Frame } from './frame';
import { SURFACE } from './messages';
import type { Pose } from './pose';
import type { Surface } from './surfaces';

export interface Hit {
    body: number; // from EXTRA on: a shot pill
    target: number; // its number in messages
    segment: number; // for a surface: the vertex
    along: number; // 0 at the parent's point, 1 at the segment's own
    point: THREE.Vector3; // on the surface
    centre: THREE.Vector3; // on the axis, or the vertex: what a hand holds
    distance: number;
}

interface Pill {
    a: THREE.Vector3;
    b: THREE.Vector3;
    ra: number;
    rb: number;
}

// The distance of p to a pill's surface, and where along the pill the nearest sphere is. The sphere at t has radius
// ra - k t; |p - (a + t axis)| + k t has its minimum where h - t = k q / sqrt(1 - k^2), with h and q the components of
// p - a along and across the axis.
export function pillDistance(pill: Pill, p: THREE.Vector3): { distance: number; along: number } {
    const axis = new THREE.Vector3().subVectors(pill.b, pill.a);
    const length = axis.length();
    const from = new THREE.Vector3().subVectors(p, pill.a);
    if (length < 1e-9) return { distance: from.length() - Math.max(pill.ra, pill.rb), along: 0 };
    axis.divideScalar(length);
    const h = from.dot(axis);
    const q = Math.sqrt(Math.max(0, from.lengthSq() - h * h));
    const k = (pill.ra - pill.rb) / length;
    let t: number;
    if (k >= 1) t = 0;
    else if (k <= -1) t = length;
    else t = THREE.MathUtils.clamp(h - (k * q) / Math.sqrt(1 - k * k), 0, length);
    return { distance: Math.hypot(q, h - t) - (pill.ra - k * t), along: t / length };
}

// slack: an angle. A ray that passes a pill within it hits that pill if it hits nothing else.
export function pick(pose: Pose, ray: THREE.Ray, slack: number): Hit | null {
    const pill: Pill = { a: new THREE.Vector3(), b: new THREE.Vector3(), ra: 0, rb: 0 };
    const middle = new THREE.Vector3();
    let best: Hit | null = null;
    let near: Hit | null = null;
    let nearest = slack;
    for (let i = 0; i < pose.pillCount; i++) {
        const { body, segment, a, b } = pose.pills;
        pose.centre(a[i], pill.a);
        pose.centre(b[i], pill.b);
        pill.ra = pose.radius(a[i]);
        pill.rb = pose.radius(b[i]);
        middle.addVectors(pill.a, pill.b).multiplyScalar(0.5);
        const reach = pill.a.distanceTo(pill.b) / 2 + Math.max(pill.ra, pill.rb);
        const forward = middle.sub(ray.origin).dot(ray.direction);
        const across = Math.sqrt(Math.max(0, middle.lengthSq() - forward * forward));
        if (forward < 0 || across > reach + slack * forward) continue;
        let t = Math.max(0, forward - reach);
        let smallest = Infinity;
        for (let n = 0; n < 64 && t < forward + reach; n++) {
            const point = ray.at(t, new THREE.Vector3());
            const { distance, along } = pillDistance(pill, point);
            const angle = distance / Math.max(t, 1e-9);
            if (angle < smallest) {
                smallest = angle;
                const centre = pill.a.clone().lerp(pill.b, along);
                const name = { body: body[i], target: body[i], segment: segment[i] };
                const hit = { ...name, along, point, centre, distance: t };
                if (distance < 1e-4 * reach) {
                    if (!best || t < best.distance) best = hit;
                    break;
                }
                if (angle < nearest) {
                    nearest = angle;
                    near = hit;
                }
            }
            t += Math.max(distance, 1e-4 * reach);
        }
    }
    for (const surface of pose.surfaces) {
        if (surface.hidden) continue;
        const hit = pickSurface(surface, ray);
        if (hit && (!best || hit.distance < best.distance)) best = hit;
    }
    return best ?? near;
}

// The muscle that a ray hits first, drawn or not: its body and number(body), or -1.
export function pickMuscle(
    pose: Pose,
    frame: Frame,
    ray: THREE.Ray,
    number: (body: number) => number,
): [body: number, muscle: number] {
    let best: Hit | null = null;
    for (const surface of pose.surfaces) {
        if (!surface.muscle || number(surface.body) < 0) continue;
        surface.bring(frame);
        const hit = pickSurface(surface, ray);
        if (hit && (!best || hit.distance < best.distance)) best = hit;
    }
    return best ? [best.body, number(best.body)] : [-1, -1];
}

function pickSurface(surface: Surface, ray: THREE.Ray): Hit | null {
    if (!ray.intersectsBox(surface.box.clone().expandByScalar(1e-6))) return null;
    const corners = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    const point = new THREE.Vector3();
    const { index } = surface;
    let best: Hit | null = null;
    for (let t = 0; t < index.length; t += 3) {
        for (let k = 0; k < 3; k++) surface.vertex(index[t + k], corners[k]);
        if (!ray.intersectTriangle(corners[0], corners[1], corners[2], false, point)) continue;
        const distance = point.distanceTo(ray.origin);
        if (best && distance >= best.distance) continue;
        let nearest = 0;
        for (let k = 1; k < 3; k++)
            if (corners[k].distanceToSquared(point) < corners[nearest].distanceToSquared(point)) nearest = k;
        best = {
            body: surface.body,
            target: SURFACE + surface.number,
            segment: index[t + nearest],
            along: 0,
            point: point.clone(),
            centre: corners[nearest].clone(),
            distance,
        };
    }
    return best;
}
