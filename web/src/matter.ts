// Materials: soft plastic, or a cheaper matt one where the processor renders.
import * as THREE from 'three';

export type Matter = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;

export function matter(color: THREE.Color, roughness: number, plain: boolean): Matter {
    return plain
        ? new THREE.MeshLambertMaterial({ color })
        : new THREE.MeshStandardMaterial({ color, roughness, metalness: 0 });
}
