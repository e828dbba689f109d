// What things are made of: plastic with a soft shine, or, where the processor has to draw, something matt that costs
// less.
import * as THREE from 'three';

export type Matter = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;

export function matter(color: THREE.Color, roughness: number, plain: boolean): Matter {
    return plain
        ? new THREE.MeshLambertMaterial({ color })
        : new THREE.MeshStandardMaterial({ color, roughness, metalness: 0 });
}
