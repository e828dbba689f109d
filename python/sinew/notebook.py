"""Worlds and meshes in notebooks: a picture, and a view that the mouse rotates. Neither needs a package or a network.

The triangles are those of debug drawing (sinew/draw.h). The picture is drawn here, by depth: a triangle at a time, all of its pixels at
once. The view is a page of its own in an <iframe>, drawn by WebGL.
"""
import base64
import ctypes
import html as markup
import json
import struct
import zlib

import numpy as np

import sinew

SIZE = (640, 400)
BACKGROUND = (245, 246, 248)
LIGHT = np.array([0.35, 0.8, 0.5]) / np.linalg.norm([0.35, 0.8, 0.5])
EYE = np.array([0.55, 0.35, 1.0]) / np.linalg.norm([0.55, 0.35, 1.0])  # from what is seen towards the eye


def triangles(world):
    """(n x 3 x 3 positions, n x 3 x 3 normals, n colours) of a world's geometry."""
    buffers = sinew.sn_draw_buffers()
    buffers.sides = 10
    snapshot = world.snapshot()
    try:
        for _ in range(2):  # counts first
            draw = sinew.sn_draw_into(ctypes.byref(buffers))
            draw.plane_size = 1.5 * _extent(world)
            sinew.sn_snapshot_draw(snapshot, ctypes.byref(draw))
            if buffers.triangles:
                break
            memory = (sinew.sn_draw_vertex * max(1, buffers.triangle_count))()
            buffers.triangles, buffers.triangle_capacity = memory, len(memory)
            buffers.triangle_count = buffers.line_count = 0
        count = min(buffers.triangle_count, buffers.triangle_capacity) // 3
        kind = np.dtype([("position", np.float32, 3), ("normal", np.float32, 3), ("colour", np.uint32)])
        vertices = np.frombuffer(memory, kind)[:3 * count].reshape(-1, 3)
        return vertices["position"].copy(), vertices["normal"].copy(), vertices["colour"][:, 0].copy()
    finally:
        snapshot.close()


def _extent(world):
    """Half the size of what moves; planes have none."""
    boxes = [b.bounds for b in world.bodies]
    boxes = np.array([b for b in boxes if np.isfinite(b).all() and np.abs(b).max() < 1e6])
    return float(np.ptp(boxes.reshape(-1, 3), axis=0).max()) / 2 if len(boxes) else 1.0


def of_mesh(positions, corners):
    points = np.asarray(positions)[np.asarray(corners)]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return points, np.repeat(normals[:, None], 3, axis=1), np.full(len(points), sinew.SN_COLOUR_MOVES, np.uint32)


def _basis():
    right = np.cross([0, 1, 0], EYE)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(EYE, right), EYE])


def picture(points, normals, colours, size=SIZE):
    """An array of height x width x 3 bytes: seen from the front and above, without perspective."""
    width, height = size
    image = np.tile(np.array(BACKGROUND, np.uint8), (height, width, 1))
    if not len(points):
        return image
    rotated = points.reshape(-1, 3) @ _basis().T
    low, high = rotated.min(axis=0), rotated.max(axis=0)
    scale = 0.92 * min(width / max(high[0] - low[0], 1e-9), height / max(high[1] - low[1], 1e-9))
    screen = (rotated - (low + high) / 2) * scale * [1, -1, 1] + [width / 2, height / 2, 0]
    screen, depth = screen.reshape(-1, 3, 3), np.full((height, width), -np.inf)
    rgb = np.stack([colours >> 24 & 255, colours >> 16 & 255, colours >> 8 & 255], axis=-1)
    shade = 0.45 + 0.55 * np.abs(normals.mean(axis=1) @ LIGHT)
    lit = np.clip(rgb * shade[:, None], 0, 255).astype(np.uint8)
    first = np.clip(np.floor(screen[:, :, :2].min(axis=1)), 0, [width, height]).astype(int)
    last = np.clip(np.ceil(screen[:, :, :2].max(axis=1)) + 1, 0, [width, height]).astype(int)
    for (ax, ay, az), (bx, by, bz), (cx, cy, cz), (x0, y0), (x1, y1), colour in zip(
            screen[:, 0], screen[:, 1], screen[:, 2], first, last, lit):
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if x1 <= x0 or y1 <= y0 or abs(area) < 1e-9:
            continue
        x, y = np.arange(x0, x1)[None] + 0.5, np.arange(y0, y1)[:, None] + 0.5
        u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
        v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
        z = u * az + v * bz + (1 - u - v) * cz
        inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (z > depth[y0:y1, x0:x1])
        depth[y0:y1, x0:x1][inside] = z[inside]
        image[y0:y1, x0:x1][inside] = colour
    return image


def png(points, normals, colours):
    """The bytes of a .png."""
    image = picture(points, normals, colours)
    height, width, _ = image.shape

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1).tobytes()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")


PAGE = """<!doctype html><meta charset="utf-8"><style>body{margin:0;background:rgb(245,246,248)}canvas{width:100vw;height:100vh;
cursor:grab;display:block}</style><canvas></canvas><script>
const given = GIVEN, bytes = Uint8Array.from(atob(given.vertices), c => c.charCodeAt(0));
const canvas = document.querySelector("canvas"), gl = canvas.getContext("webgl");
const build = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
const program = gl.createProgram();
gl.attachShader(program, build(gl.VERTEX_SHADER, `attribute vec3 at, up; attribute vec4 colour; uniform mat3 rotation; uniform vec3 mid;
  uniform vec2 scale; varying vec3 lit; void main() { vec3 p = rotation * (at - mid); gl_Position = vec4(p.xy * scale, -p.z * given_z, 1.0);
  lit = colour.rgb * (0.45 + 0.55 * abs(dot(up, normalize(vec3(0.35, 0.8, 0.5))))); }`.replace("given_z", given.depth.toExponential())));
gl.attachShader(program, build(gl.FRAGMENT_SHADER,
  "precision mediump float; varying vec3 lit; void main() { gl_FragColor = vec4(lit, 1.0); }"));
gl.linkProgram(program); gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
const bind = (name, size, kind, normalized, offset) => { const i = gl.getAttribLocation(program, name); gl.enableVertexAttribArray(i);
  gl.vertexAttribPointer(i, size, kind, normalized, 28, offset); };
bind("at", 3, gl.FLOAT, false, 0); bind("up", 3, gl.FLOAT, false, 12); bind("colour", 4, gl.UNSIGNED_BYTE, true, 24);
let yaw = -0.5, pitch = 0.3, zoom = 1;
const draw = () => {
  canvas.width = canvas.clientWidth * devicePixelRatio; canvas.height = canvas.clientHeight * devicePixelRatio;
  gl.viewport(0, 0, canvas.width, canvas.height); gl.clearColor(0.961, 0.965, 0.973, 1); gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const [c, s, d, t] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  gl.uniformMatrix3fv(gl.getUniformLocation(program, "rotation"), false, [c, t * s, -d * s, 0, d, t, s, -t * c, d * c]);
  gl.uniform3fv(gl.getUniformLocation(program, "mid"), given.middle);
  const size = zoom / given.radius, aspect = canvas.width / canvas.height;
  gl.uniform2f(gl.getUniformLocation(program, "scale"), size / Math.max(1, aspect), size * Math.min(1, aspect));
  gl.drawArrays(gl.TRIANGLES, 0, bytes.length / 28);
};
canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
canvas.onpointermove = e => { if (!e.buttons) return; yaw -= e.movementX / 150;
  pitch = Math.max(-1.5, Math.min(1.5, pitch + e.movementY / 150)); draw(); };
canvas.onwheel = e => { e.preventDefault(); zoom *= Math.exp(-e.deltaY / 500); draw(); };
onresize = draw; draw();
</script>"""


def html(points, normals, colours):
    """An <iframe> with a view that the mouse rotates."""
    kind = np.dtype([("position", np.float32, 3), ("normal", np.float32, 3), ("colour", np.uint8, 4)])
    vertices = np.zeros((len(points), 3), kind)
    vertices["position"], vertices["normal"] = points, normals
    vertices["colour"] = np.stack([colours >> shift & 255 for shift in (24, 16, 8, 0)], axis=-1)[:, None]
    flat = np.asarray(points, float).reshape(-1, 3)
    low, high = (flat.min(axis=0), flat.max(axis=0)) if len(flat) else (np.zeros(3), np.ones(3))
    radius = max(float(np.linalg.norm(high - low)) / 2, 1e-9)
    given = json.dumps({"vertices": base64.b64encode(vertices.tobytes()).decode(), "middle": ((low + high) / 2).tolist(),
                        "radius": radius, "depth": 0.9 / radius})
    page = markup.escape(PAGE.replace("GIVEN", given), quote=True)
    return f'<iframe srcdoc="{page}" style="width:{SIZE[0]}px;height:{SIZE[1]}px;border:0" sandbox="allow-scripts"></iframe>'
