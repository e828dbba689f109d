// The sky: a pale dome, brightest at the horizon, and the environment map for reflections. The fog has the colour of
// the horizon.
import * as THREE from 'three';

export const HORIZON = new THREE.Color(0xf1f2f3);
const ZENITH = new THREE.Color(0xd3dfea);

// The environment map: a pale sky, a ground, and a large soft window behind the viewer's shoulder.
export function reflections(renderer: THREE.WebGLRenderer): THREE.Texture {
    const scene = new THREE.Scene();
    const glow = (colour: number, strength: number) => {
        return new THREE.MeshBasicMaterial({
            color: new THREE.Color(colour).multiplyScalar(strength),
            side: THREE.DoubleSide,
        });
    };
    const sky = new THREE.Mesh(
        new THREE.SphereGeometry(10, 16, 8, 0, 2 * Math.PI, 0, Math.PI / 2),
        glow(0xdfeaf5, 0.9),
    );
    const ground = new THREE.Mesh(
        new THREE.SphereGeometry(10, 16, 8, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2),
        glow(0xb9b2a8, 0.6),
    );
    const pane = new THREE.Mesh(new THREE.PlaneGeometry(6, 4), glow(0xfff4e4, 9));
    pane.position.set(-4, 7, 4);
    pane.lookAt(0, 0, 0);
    scene.add(sky, ground, pane);
    const maker = new THREE.PMREMGenerator(renderer);
    const texture = maker.fromScene(scene, 0.02).texture;
    maker.dispose();
    return texture;
}

export function makeSky(): THREE.Mesh {
    const material = new THREE.ShaderMaterial({
        side: THREE.BackSide,
        depthTest: false,
        depthWrite: false,
        toneMapped: false,
        uniforms: { horizon: { value: HORIZON }, zenith: { value: ZENITH } },
        vertexShader: `varying vec3 direction;
            void main() {
                direction = position;
                gl_Position = projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0);
                gl_Position.z = 0.0;
            }`,
        fragmentShader: `varying vec3 direction;
            uniform vec3 horizon, zenith;
            void main() {
                float up = clamp(1.4 * normalize(direction).y, 0.0, 1.0);
                gl_FragColor = vec4(mix(horizon, zenith, up * up * (3.0 - 2.0 * up)), 1.0);
                #include <colorspace_fragment>
            }`,
    });
    const sky = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), material);
    sky.frustumCulled = false;
    sky.renderOrder = -1;
    return sky;
}
