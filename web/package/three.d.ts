import type { BufferGeometry, Material, Mesh } from 'three';
import type { Sinew, sn_body, sn_bundle, sn_placement, sn_world } from './load.js';

/** A closed tube around the points of a rod as they are now, with its radii and a ring at each point; round ends. */
export function tubeGeometry(sn: Sinew, world: sn_world, rod: sn_body, options?: { around?: number; caps?: number }): BufferGeometry;

/** Meshes that follow rods or bundles of one world, all updated by one call. */
export class SkinnedBodies {
    constructor(sn: Sinew, world: sn_world);
    /**
     * A mesh of a geometry that fits `rods`, or the muscle `bundle`, as they are when this is called. Its vertices follow the
     * points nearest to them, or by its attributes skinIndex and skinWeight. `blend` is sn.SN_BLEND_LINEAR or SN_BLEND_DUAL;
     * `placement` is a transform from the geometry's space.
     */
    add(
        geometry: BufferGeometry,
        material: Material,
        options: { rods?: sn_body[]; bundle?: sn_bundle; placement?: Partial<sn_placement> | null; blend?: number },
    ): Mesh;
    /** Computes all vertices and normals, in place. */
    update(): void;
    /** Frees the skins and takes the meshes out of their scenes. */
    dispose(): void;
}
