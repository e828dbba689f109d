"""Vertices that come back from Sinew, as a vertex cache of each object, which a Mesh Cache modifier plays.

Sinew repairs surfaces, so what it returns may have other vertices than the mesh. Each vertex of the mesh is bound to the
surface as it was at the start: to the vertex in the same place, or else to the nearest triangle, as barycentric coordinates and an
offset in the triangle's own axes. Caches are in each object's own coordinates, so that an object may be animated or parented.
"""
import os
import struct

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from mathutils.kdtree import KDTree

from .translate import group_name, transformed, z_up

MODIFIER = "Sinew"


class Surface:
    """A body in a vertex cache: where its vertices begin, how many they are, and its triangles."""

    def __init__(self, first):
        self.first, self.points, self.triangles = first, [], []


def read_surfaces(path):
    """The bodies of NAME.rest.obj by name, in the order of the cache."""
    found, current, count = {}, None, 0
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            what, _, rest = line.partition(" ")
            if what == "g":
                current = found[rest.strip()] = Surface(count)
            elif what == "v":
                current.points.append([float(x) for x in rest.split()[:3]])
                count += 1
            elif what == "f":
                current.triangles.append([int(c.split("/")[0]) - 1 - current.first for c in rest.split()])
    return found


def open_cache(path):
    """The samples of a .pc2, n x points x 3, read as they are needed."""
    with open(path, "rb") as cache:
        header = cache.read(32)
    _, points, _, _, samples = struct.unpack("<iiffi", header[12:])
    return np.memmap(path, dtype="<f4", mode="r", offset=32, shape=(samples, points, 3))


class CacheWriter:
    """A .pc2, written sample by sample under a temporary name."""

    def __init__(self, path, points, samples):
        self.path, self.out = path, open(path + ".part", "wb")
        self.out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, points, 0, 1, samples))

    def add(self, points):
        self.out.write(np.ascontiguousarray(points, "<f4").tobytes())

    def finish(self):
        self.out.close()
        os.replace(self.path + ".part", self.path)


# ---- binding

def frames_of(points, triangles):
    """The axes of triangles: an edge, the normal, and what is at right angles to both; n x 3 x 3, rows."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    edge, normal = b - a, np.cross(b - a, c - a)
    edge = edge / np.maximum(np.linalg.norm(edge, axis=1, keepdims=True), 1e-30)
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    return np.stack([edge, normal, np.cross(edge, normal)], axis=1)


class Binding:
    """How the vertices of a mesh follow a surface."""

    def __init__(self, rest, points, triangles):
        points, triangles = np.array(points), np.array(triangles, int)
        size = float(np.ptp(points, axis=0).max())
        tree = KDTree(len(points))
        for i, p in enumerate(points):
            tree.insert(p, i)
        tree.balance()
        bvh = None
        self.vertex = np.zeros(len(rest), int)
        self.away, triangle, foot = [], [], []
        for v, p in enumerate(rest):
            _, self.vertex[v], distance = tree.find(p)
            if distance <= 1e-6 * size:
                continue
            bvh = bvh or BVHTree.FromPolygons(points.tolist(), triangles.tolist())
            at, _, index, _ = bvh.find_nearest(Vector(p))
            self.away.append(v)
            triangle.append(index)
            foot.append(at)
        if not self.away:
            return
        self.away, self.corners = np.array(self.away), triangles[triangle]
        foot = np.array(foot)
        a, b, c = (points[self.corners[:, k]] for k in range(3))
        # Barycentric coordinates of the feet, by areas.
        normal = np.cross(b - a, c - a)
        area = np.maximum(np.einsum("ij,ij->i", normal, normal), 1e-60)
        self.weights = np.stack([np.einsum("ij,ij->i", np.cross(c - b, foot - b), normal) / area,
                                 np.einsum("ij,ij->i", np.cross(a - c, foot - c), normal) / area], axis=1)
        self.weights = np.column_stack([self.weights, 1 - self.weights.sum(axis=1)])
        foot = np.einsum("ik,ikj->ij", self.weights, points[self.corners])
        self.offset = np.einsum("ikj,ij->ik", frames_of(points, self.corners), rest[self.away] - foot)

    def follow(self, points):
        out = np.array(points[self.vertex], float)
        if len(self.away):
            moved = np.asarray(points, float)
            out[self.away] = np.einsum("ik,ikj->ij", self.weights, moved[self.corners]) + \
                np.einsum("ikj,ik->ij", frames_of(moved, self.corners), self.offset)
        return out


# ---- writing them back

def cache_folder(scene_name):
    """A new folder for a run: beside the .blend file, or while there is none among Blender's temporary files."""
    base = bpy.path.abspath("//sinew_cache") if bpy.data.filepath else os.path.join(bpy.app.tempdir, "sinew_cache")
    safe = "".join(c if c.isalnum() else "_" for c in scene_name)
    number = 1
    while True:
        folder = os.path.join(base, f"{safe}-{number}")
        try:
            os.makedirs(folder)
            return folder
        except FileExistsError:
            number += 1


def bind_and_write(made, work, folder):
    """Writes the caches of all objects into a folder. Yields progress; returns {object: what 'apply' needs}."""
    surfaces, samples = read_surfaces(os.path.join(work, "out.rest.obj")), open_cache(os.path.join(work, "out.pc2"))
    frames = made.last - made.first + 1
    samples = samples[made.lead_in:]
    if len(samples) < frames:
        raise RuntimeError(f"the run has {len(samples)} frames instead of {frames}")
    done, ropes = {}, {}
    for number, body in enumerate(made.bodies):
        surface = surfaces[group_name(body.name)]
        if body.kind == "ROPE":
            ropes.setdefault(body.object, []).append(surface)
            continue
        binding = Binding(body.rest, surface.points, surface.triangles)
        path = os.path.join(folder, f"{number}.pc2")
        writer = CacheWriter(path, len(body.rest), frames)
        for k in range(frames):
            moved = binding.follow(samples[k, surface.first:surface.first + len(surface.points)])
            writer.add(transformed(z_up(moved, made.metres), np.linalg.inv(made.matrices[body.object][k])))
            if k % 8 == 7:
                yield (number + k / frames) / len(made.bodies)
        writer.finish()
        done[body.object] = {"cache": path}
    for name, parts in ropes.items():  # tubes, in the world's coordinates
        path = os.path.join(folder, f"rope{len(done)}.pc2")
        writer = CacheWriter(path, sum(len(p.points) for p in parts), frames)
        for k in range(frames):
            writer.add(np.concatenate([z_up(samples[k, p.first:p.first + len(p.points)], made.metres) for p in parts]))
        writer.finish()
        offsets = np.cumsum([0] + [len(p.points) for p in parts])
        done[name] = {"cache": path, "points": np.concatenate([z_up(p.points, made.metres) for p in parts]).tolist(),
                      "triangles": np.concatenate([np.array(p.triangles) + o for p, o in zip(parts, offsets)]).tolist()}
        yield 1.0
    return done


def play(thing, path, first):
    """Gives an object the modifier that plays a cache, before all others."""
    modifier = thing.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "MESH_CACHE":
        modifier = thing.modifiers.new(MODIFIER, "MESH_CACHE")
        if len(thing.modifiers) > 1:
            with bpy.context.temp_override(object=thing, active_object=thing):
                bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=0)
            modifier = thing.modifiers[MODIFIER]
    modifier.cache_format, modifier.frame_start = "PC2", first
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.filepath = bpy.path.relpath(path) if bpy.data.filepath else path


def show_rope(scene, curve, result, first):
    """The tube of a rope: a mesh object beside its curve."""
    mesh = bpy.data.meshes.new(f"{curve.name} rope")
    mesh.from_pydata(result["points"], [], result["triangles"])
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    for material in curve.data.materials:
        mesh.materials.append(material)
    mesh.update()
    shown = scene.objects.get(curve.sinew.result) if curve.sinew.result else None
    if shown is None or shown.type != "MESH":
        shown = bpy.data.objects.new(mesh.name, mesh)
        (curve.users_collection[0] if curve.users_collection else scene.collection).objects.link(shown)
        curve.sinew.result = shown.name
    else:
        before, shown.data = shown.data, mesh
        if before.users == 0:
            bpy.data.meshes.remove(before)
    play(shown, result["cache"], first)


def apply(scene, made, done):
    """Puts results into the scene. Returns the names of objects that are no longer there, or changed."""
    missing = []
    counts = {body.object: len(body.rest) for body in made.bodies if body.rest is not None}
    for name, result in done.items():
        thing = scene.objects.get(name)
        if thing is None or (name in counts and (thing.type != "MESH" or len(thing.data.vertices) != counts[name])):
            missing.append(name)
        elif "points" in result:
            show_rope(scene, thing, result, made.first)
        else:
            play(thing, result["cache"], made.first)
    return missing


def clear(scene):
    """Removes all results from a scene; the files stay, so that this can be undone."""
    tubes = [thing.sinew.result for thing in scene.objects if thing.sinew.result]
    for thing in scene.objects:
        thing.sinew.result = ""
    for name in tubes:
        if scene.objects.get(name):
            bpy.data.objects.remove(scene.objects[name])
    count = len(tubes)
    for thing in scene.objects:
        modifier = thing.modifiers.get(MODIFIER)
        if modifier is not None and modifier.type == "MESH_CACHE" and thing.sinew.kind != "NONE":
            thing.modifiers.remove(modifier)
            count += 1
    return count


def to_shape_keys(thing):
    """Turns an object's cache into shape keys, one a frame: they travel in glTF and FBX."""
    modifier = thing.modifiers.get(MODIFIER)
    samples, first = open_cache(bpy.path.abspath(modifier.filepath)), int(modifier.frame_start)
    if not thing.data.shape_keys:
        thing.shape_key_add(name="Basis")
    for k in range(len(samples)):
        key = thing.shape_key_add(name=f"Sinew {first + k}", from_mix=False)
        key.data.foreach_set("co", np.ascontiguousarray(samples[k], np.float32).ravel())
        for frame, value in ((first + k - 1, 0), (first + k, 1), (first + k + 1, 0)):
            if first <= frame < first + len(samples):
                key.value = value
                key.keyframe_insert("value", frame=frame)
    for curve in thing.data.shape_keys.animation_data.action.fcurves:
        if "Sinew " in curve.data_path:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    thing.modifiers.remove(modifier)
    return len(samples)
