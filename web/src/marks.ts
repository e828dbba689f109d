// Marks over the picture: contacts (a dot, and a line along the normal whose length grows with the force), and the line
// between a grabbed body and the hand.
import * as THREE from 'three';
import { CONTACT_FLOATS, type Frame } from './frame';

const MAX_CONTACTS = 4096;

export class Marks {
    readonly root = new THREE.Group();
    private dots: THREE.Points;
    private lines: THREE.LineSegments;
    private pull: THREE.LineSegments;
    private grip: THREE.Points;

    constructor() {
        const paint = (colour: number, opacity: number) => ({
            color: colour,
            depthTest: false,
            transparent: true,
            opacity,
        });
        const dotPaint = round(new THREE.PointsMaterial({ ...paint(0xd1495b, 0.9), size: 6, sizeAttenuation: false }));
        const gripPaint = round(
            new THREE.PointsMaterial({ ...paint(0x1f2a37, 0.9), size: 10, sizeAttenuation: false }),
        );
        this.dots = new THREE.Points(lineGeometry(MAX_CONTACTS), dotPaint);
        const linePaint = new THREE.LineBasicMaterial(paint(0xd1495b, 0.7));
        this.lines = new THREE.LineSegments(lineGeometry(2 * MAX_CONTACTS), linePaint);
        this.pull = new THREE.LineSegments(lineGeometry(2), new THREE.LineBasicMaterial(paint(0x1f2a37, 0.75)));
        this.grip = new THREE.Points(lineGeometry(2), gripPaint);
        for (const mark of [this.dots, this.lines, this.pull, this.grip]) {
            mark.frustumCulled = false;
            mark.renderOrder = 10;
            (mark.material as THREE.Material & { fog: boolean }).fog = false;
            this.root.add(mark);
        }
    }

    update(frame: Frame, showContacts: boolean, size: number) {
        const count = showContacts ? Math.min(MAX_CONTACTS, frame.marks.length / CONTACT_FLOATS) : 0;
        const dots = position(this.dots);
        const lines = position(this.lines);
        let max = 0;
        for (let i = 0; i < count; i++) max = Math.max(max, frame.marks[CONTACT_FLOATS * i + 6]);
        for (let i = 0; i < count; i++) {
            const at = CONTACT_FLOATS * i;
            const length = 0.03 * size * (0.3 + (max > 0 ? Math.sqrt(Math.abs(frame.marks[at + 6]) / max) : 0));
            for (let k = 0; k < 3; k++) {
                const point = frame.marks[at + k];
                dots.array[3 * i + k] = point;
                lines.array[6 * i + k] = point;
                lines.array[6 * i + 3 + k] = point + length * frame.marks[at + 3 + k];
            }
        }
        shown(this.dots, count);
        shown(this.lines, 2 * count);
        for (const mark of [this.pull, this.grip]) {
            position(mark).array.set(frame.grip);
            shown(mark, frame.held ? 2 : 0);
        }
    }
}

// Draws dots round.
function round<M extends THREE.PointsMaterial>(material: M): M {
    material.onBeforeCompile = (shader) => {
        shader.fragmentShader = shader.fragmentShader.replace(
            '#include <map_particle_fragment>',
            'if (length(gl_PointCoord - 0.5) > 0.5) discard;',
        );
    };
    return material;
}

function lineGeometry(points: number): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute(
        'position',
        new THREE.BufferAttribute(new Float32Array(3 * points), 3).setUsage(THREE.DynamicDrawUsage),
    );
    return geometry;
}

function position(mark: THREE.Points | THREE.LineSegments): THREE.BufferAttribute {
    return mark.geometry.getAttribute('position') as THREE.BufferAttribute;
}

function shown(mark: THREE.Points | THREE.LineSegments, count: number) {
    mark.visible = count > 0;
    mark.geometry.setDrawRange(0, count);
    position(mark).clearUpdateRanges();
    position(mark).addUpdateRange(0, 3 * count);
    if (count > 0) position(mark).needsUpdate = true;
}
