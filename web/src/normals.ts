// Vertex normals: area-weighted means of triangle normals.
export function setNormals(p: ArrayLike<number>, index: ArrayLike<number>, normals: Float32Array) {
    normals.fill(0);
    for (let t = 0; t < index.length; t += 3) {
        const a = 3 * index[t];
        const b = 3 * index[t + 1];
        const c = 3 * index[t + 2];
        const ux = p[b] - p[a];
        const uy = p[b + 1] - p[a + 1];
        const uz = p[b + 2] - p[a + 2];
        const vx = p[c] - p[a];
        const vy = p[c + 1] - p[a + 1];
        const vz = p[c + 2] - p[a + 2];
        const nx = uy * vz - uz * vy;
        const ny = uz * vx - ux * vz;
        const nz = ux * vy - uy * vx;
        for (let k = 0; k < 3; k++) {
            const corner = k === 0 ? a : k === 1 ? b : c;
            normals[corner] += nx;
            normals[corner + 1] += ny;
            normals[corner + 2] += nz;
        }
    }
    for (let i = 0; i < normals.length; i += 3) {
        const length = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2);
        if (length > 0) for (let k = 0; k < 3; k++) normals[i + k] /= length;
        else normals[i + 1] = 1;
    }
}
