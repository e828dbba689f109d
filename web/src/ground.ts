// The ground of a plane: a wide disc that fades into the horizon, with a faint grid in the plane's coordinates. Grid
// lines are 1, 2 or 5 times a power of ten metres apart.
import * as THREE from 'three';

const SHADE = `
    vec2 metres = vPlane / spacing;
    vec2 width = fwidth(metres);
    vec2 away = abs(fract(metres - 0.5) - 0.5);
    vec2 lines = 1.0 - smoothstep(vec2(0.0), vec2(0.004) + 1.2 * width, away);
    float strength = 0.17 * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
    diffuseColor.rgb *= 1.0 - strength * max(lines.x, lines.y);
`;

export function gridSpacing(size: number): number {
    const step = 10 ** Math.floor(Math.log10(size / 4));
    const ratio = size / 4 / step;
    return step * (ratio < 2 ? 1 : ratio < 5 ? 2 : 5);
}

export class Ground extends THREE.Mesh<THREE.CircleGeometry, THREE.MeshLambertMaterial> {
    constructor(point: THREE.Vector3, normal: THREE.Vector3, size: number) {
        const material = new THREE.MeshLambertMaterial({ color: new THREE.Color().setRGB(0.7, 0.7, 0.69) });
        const spacing = { value: gridSpacing(size) };
        material.onBeforeCompile = (shader) => {
            shader.uniforms.spacing = spacing;
            shader.vertexShader = `varying vec2 vPlane;\n${shader.vertexShader}`.replace(
                '#include <begin_vertex>',
                '#include <begin_vertex>\nvPlane = position.xy;',
            );
            shader.fragmentShader = `varying vec2 vPlane;\nuniform float spacing;\n${shader.fragmentShader}`.replace(
                '#include <color_fragment>',
                SHADE,
            );
        };
        material.customProgramCacheKey = () => 'ground';
        super(new THREE.CircleGeometry(150 * size, 48), material); // ends where the fog hides it
        this.position.copy(point);
        this.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
        this.receiveShadow = true;
    }

    dispose() {
        this.geometry.dispose();
        this.material.dispose();
    }
}
