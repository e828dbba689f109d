// Makes a three.js material follow the joints. Its vertex shader reads them from the texture of pose.ts; lights,
// shadows and fog stay those of three.js. Two kinds of geometry:
//
// skins   linear blend skinning with four joints; normals use the cofactor matrix of the blended matrix, so they stay
//         perpendicular to a stretched surface
// pills   two spheres and the cone tangent to both. A vertex of the template is (end, latitude from 0 to 1, longitude).
//         The cone is tangent where the normal n has n . axis = (ra - rb)/d; each sphere covers its side of that
//         latitude, so the pill is exact for any radii
import * as THREE from 'three';
import { JOINT_TEXELS, ROW_TEXELS } from './pose';

export type Kind = 'skin' | 'pill';

// Shared by all materials of a scene.
export interface FollowUniforms {
    joints: { value: THREE.DataTexture | null };
    colours: { value: number }; // 0 own colour, 1 strain, 2 volume
}

const head = `
uniform highp sampler2D joints;
uniform int colours;
attribute vec3 tint;
attribute float lit;
varying vec3 vTint;
varying float vLit;

vec4 texelOf(float joint, int k) {
    int i = int(joint + 0.5) * ${JOINT_TEXELS} + k;
    return texelFetch(joints, ivec2(i % ${ROW_TEXELS}, i / ${ROW_TEXELS}), 0);
}

// Blue for x = -1, pale for 0, red for 1.
vec3 scaleColour(float x) {
    vec3 middle = vec3(0.72, 0.70, 0.66);
    vec3 end = x < 0.0 ? vec3(0.02, 0.12, 0.52) : vec3(0.60, 0.03, 0.03);
    return mix(middle, end, min(abs(x), 1.0));
}

vec3 colourOf(vec3 own, vec4 measured) {
    if (colours == 1) return scaleColour(measured.x / 0.3);
    if (colours == 2) return scaleColour((measured.y - 1.0) / 0.1);
    return own;
}
`;

const skinHead = `
attribute float first;
attribute vec4 bone;
attribute vec4 part;
`;

const skinMain = `
    vec4 row0 = vec4(0.0), row1 = vec4(0.0), row2 = vec4(0.0), measured = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        if (part[i] <= 0.0) continue;
        float joint = first + bone[i];
        row0 += part[i] * texelOf(joint, 0);
        row1 += part[i] * texelOf(joint, 1);
        row2 += part[i] * texelOf(joint, 2);
        if (colours > 0) measured += part[i] * texelOf(joint, 4);
    }
    vec4 at = vec4(position, 1.0);
    vec3 placed = vec3(dot(row0, at), dot(row1, at), dot(row2, at));
    vec3 facing = vec3(dot(cross(row1.xyz, row2.xyz), normal), dot(cross(row2.xyz, row0.xyz), normal),
        dot(cross(row0.xyz, row1.xyz), normal));
    vTint = colourOf(tint, measured);
    vLit = lit;
`;

const pillHead = `
attribute vec2 ends;
`;

const pillMain = `
    vec4 a = texelOf(ends.x, 3), b = texelOf(ends.y, 3);
    vec3 along = b.xyz - a.xyz;
    float axisLength = length(along);
    vec3 axis = axisLength > 1e-9 ? along / axisLength : vec3(0.0, 1.0, 0.0);
    vec3 side = normalize(abs(axis.y) < 0.9 ? cross(axis, vec3(0.0, 1.0, 0.0)) : cross(axis, vec3(1.0, 0.0, 0.0)));
    vec3 other = cross(axis, side);
    float tangent = asin(clamp((a.w - b.w) / max(axisLength, 1e-9), -1.0, 1.0));
    float latitude = position.x < 0.5 ? mix(-1.5707963, tangent, position.y) : mix(tangent, 1.5707963, position.y);
    vec3 facing = sin(latitude) * axis + cos(latitude) * (cos(position.z) * side + sin(position.z) * other);
    vec4 end = position.x < 0.5 ? a : b;
    vec3 placed = end.xyz + end.w * facing;
    vTint = colourOf(tint, texelOf(ends.y, 4));
    vLit = lit;
`;

export function follow<M extends THREE.Material>(material: M, kind: Kind, uniforms: FollowUniforms): M {
    material.onBeforeCompile = (shader) => {
        shader.uniforms.joints = uniforms.joints;
        shader.uniforms.colours = uniforms.colours;
        const [ownHead, main] = kind === 'skin' ? [skinHead, skinMain] : [pillHead, pillMain];
        shader.vertexShader = (head + ownHead + shader.vertexShader)
            .replace('void main() {', `void main() {${main}`)
            .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = normalize(facing);')
            .replace('#include <begin_vertex>', 'vec3 transformed = placed;');
        shader.fragmentShader = `varying vec3 vTint;\nvarying float vLit;\n${shader.fragmentShader}`
            .replace('#include <color_fragment>', 'diffuseColor.rgb *= vTint;')
            .replace('#include <emissivemap_fragment>', 'totalEmissiveRadiance += vLit * (0.06 + 0.25 * vTint);');
    };
    material.customProgramCacheKey = () => `follow ${kind} ${material.type}`;
    return material;
}

// The material for their shadows.
export function followDepth(kind: Kind, uniforms: FollowUniforms): THREE.MeshDepthMaterial {
    return follow(new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking }), kind, uniforms);
}

// The template of a pill: rings of vertices (end, latitude, longitude).
export function pillTemplate(around: number, rings: number): THREE.InstancedBufferGeometry {
    const geometry = new THREE.InstancedBufferGeometry();
    const position: number[] = [];
    const index: number[] = [];
    for (let ring = 0; ring < 2 * (rings + 1); ring++) {
        const end = ring <= rings ? 0 : 1;
        const latitude = (ring - end * (rings + 1)) / rings;
        for (let i = 0; i <= around; i++) position.push(end, latitude, (2 * Math.PI * i) / around);
    }
    for (let ring = 0; ring < 2 * rings + 1; ring++) {
        for (let i = 0; i < around; i++) {
            const [p, q] = [ring * (around + 1) + i, (ring + 1) * (around + 1) + i];
            index.push(p, p + 1, q, q, p + 1, q + 1);
        }
    }
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
    geometry.setIndex(index);
    return geometry;
}
