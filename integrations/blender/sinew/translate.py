"""A Blender scene as a scene of Sinew: a JSON text, meshes beside it, and the poses of every frame.

Sinew's y is up, Blender's z: (x, y, z) there is (x, z, -y) here. Lengths are metres: Blender's times the scene's unit scale.
All geometry is written in the world's axes, as it is at the start; a body that is moved gets its origin there as the point about
which it rotates. If bones are not in the rest pose, in which muscles are modelled, in the first frame, the run begins in
the rest pose and moves them there first: these samples ("lead-in") are left out of the results.

What takes time is a generator that yields what is done, from 0 to 1, so that the interface goes on in between. Between two of
its steps anything may happen to the scene: it keeps names, no objects.
"""
import json
import math
import os
import time

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector, geometry

Y_UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], float)
CHUNK = 0.03  # seconds between two yields


class Problem(Exception):
    """Something that the user can put right; the text says what."""


class Body:
    """What simulates an object: 'name' in Sinew's scene, 'object' in Blender; 'rest' are its vertices, in metres, y up."""

    def __init__(self, name, thing, kind, rest=None):
        self.name, self.object, self.kind, self.rest = name, thing.name, kind, rest


def group_name(name):
    """A body's name as it stands in files of meshes."""
    return "".join("_" if c <= " " else c for c in name)


class Translation:
    def __init__(self):
        self.bodies, self.rigs, self.scene = [], [], {}  # rigs: (surface, rig, options) for sinew viperize
        self.names = set()
        self.fps = self.seconds = 0.0
        self.first = self.last = self.lead_in = 0  # frames
        self.metres = 1.0
        self.matrices = {}  # of each object, n frames x 4 x 4, in Blender's units


def body_name(made, name):
    """A name for a body in the scene: that of its object, unless files of meshes cut it, or could not tell it from another."""
    free = name = name.encode()[:40].decode(errors="ignore")
    number = 1
    while group_name(free) in made.names:
        number += 1
        free = f"{name} {number}"
    made.names.add(group_name(free))
    return free


def mesh_file(made, thing):
    """The name of a file for the mesh of an object, which errors begin with."""
    safe = "".join(c if c.isascii() and c.isalnum() else "_" for c in thing.name)
    return f"{safe}.{len(made.bodies)}.obj"


def y_up(points, metres):
    return np.asarray(points, float).reshape(-1, 3) @ Y_UP.T * metres


def z_up(points, metres):
    return np.asarray(points, float) @ Y_UP / metres


def transformed(points, matrix):
    m = np.array(matrix, float)
    return points @ m[:3, :3].T + m[:3, 3]


def plain(vector):
    return [float(x) for x in vector]


# ---- geometry

def mesh_arrays(mesh):
    """Vertices, and triangles of three vertex indices each."""
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return points.reshape(-1, 3).astype(float), triangles.reshape(-1, 3)


def in_group(thing, name, what):
    """The indices of the vertices in a group. No name: none."""
    if not name:
        return []
    group = thing.vertex_groups.get(name)
    if not group:
        raise Problem(f"{thing.name}: there is no vertex group '{name}' ({what})")
    found = [v.index for v in thing.data.vertices if any(g.group == group.index and g.weight > 0.5 for g in v.groups)]
    if not found:
        raise Problem(f"{thing.name}: no vertex of the group '{name}' ({what}) has a weight above 0.5")
    return found


def write_obj(path, points, triangles, first=(), last=()):
    """A mesh in metres; 'first' and 'last' are painted red and blue, which Sinew takes for the ends of a muscle."""
    colour = [""] * len(points)
    for vertices, text in ((first, " 1 0 0"), (last, " 0 0 1")):
        for v in vertices:
            colour[v] = text
    if first or last:
        colour = [c or " 1 1 1" for c in colour]
    with open(path, "w", encoding="ascii") as out:
        out.writelines("v %.9g %.9g %.9g%s\n" % (*p, c) for p, c in zip(points.tolist(), colour))
        out.writelines("f %d %d %d\n" % tuple(t) for t in (triangles + 1).tolist())


def nurbs(points, weights, order, cyclic, endpoints, count):
    """'count' points of a NURBS curve, by de Boor's recursion."""
    if cyclic:
        points, weights = points + points[:order - 1], weights + weights[:order - 1]
    n, p = len(points), min(order, len(points)) - 1
    knots = [float(min(max(i - p, 0), n - p) if endpoints and not cyclic else i) for i in range(n + p + 1)]
    homogeneous = [np.array([*(w * np.array(x)), w]) for x, w in zip(points, weights)]
    out = []
    for u in np.linspace(knots[p], knots[n], count, endpoint=not cyclic):
        k = max(p, min(n - 1, int(np.searchsorted(knots, u, side="right")) - 1))
        d = [homogeneous[j + k - p] for j in range(p + 1)]
        for r in range(1, p + 1):
            for j in range(p, r - 1, -1):
                low, high = knots[j + k - p], knots[j + 1 + k - r]
                a = (u - low) / (high - low) if high > low else 0.0
                d[j] = (1 - a) * d[j - 1] + a * d[j]
        out.append(d[p][:3] / d[p][3])
    return out


def spline_points(spline):
    """A spline as many points close to each other, in the curve's own coordinates."""
    if spline.type == "BEZIER":
        points, out = spline.bezier_points, []
        for a, b in zip(points, list(points[1:]) + ([points[0]] if spline.use_cyclic_u else [])):
            out += geometry.interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, 65)[:-1]
        return [Vector(x) for x in out] + ([] if spline.use_cyclic_u or not out else [points[-1].co.copy()])
    points = [Vector(p.co[:3]) for p in spline.points]
    if spline.type == "NURBS" and len(points) > 1:
        return [Vector(x) for x in nurbs([plain(p) for p in points], [p.co[3] for p in spline.points], spline.order_u,
                                         spline.use_cyclic_u, spline.use_endpoint_u, 64 * len(points))]
    return points


def even(points, closed, segments):
    """Points at equal distances along a line through points; of a closed one the first is not repeated."""
    points = np.array(points + ([points[0]] if closed else []), float)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0, along[-1], segments + 1)[: segments if closed else segments + 1]
    return np.stack([np.interp(at, along, points[:, k]) for k in range(3)], axis=1)


# ---- what there is

def participants(scene):
    """The objects of a scene that take part, and of which kind they are."""
    found = [thing for thing in scene.objects if thing.sinew.kind != "NONE"]
    for thing in found:
        wanted = "CURVE" if thing.sinew.kind == "ROPE" else "MESH"
        if thing.sinew.kind == "COLLIDER" and thing.sinew.shape == "PLANE":
            continue
        if thing.type != wanted:
            raise Problem(f"{thing.name}: a {thing.sinew.kind.lower()} must be a {wanted.lower()}, is a {thing.type.lower()}")
    if not any(thing.sinew.kind != "COLLIDER" for thing in found):
        raise Problem("nothing to simulate: select an object and make it a muscle, a soft body, cloth or a rope")
    return found


def bones_of(thing):
    """The (armature, bone) pairs that an object follows, checked."""
    of, pairs = thing.sinew, []
    for name in {of.bone_first, of.bone_last} - {""}:
        if not of.armature:
            raise Problem(f"{thing.name}: follows the bone '{name}' of no armature")
        if name not in of.armature.pose.bones:
            raise Problem(f"{thing.name}: the armature '{of.armature.name}' has no bone '{name}'")
        pairs.append((of.armature.name, name))
    return pairs


def bone_matrix(armature, bone, depsgraph):
    shown = armature.evaluated_get(depsgraph)
    return shown.matrix_world @ shown.pose.bones[bone].matrix


def sample(scene, names, bones):
    """Yields progress; returns the matrices of objects, those of bones, and the activation of objects, frame by frame."""
    scene_name, first, last = scene.name, scene.frame_start, scene.frame_end
    matrices, poses, activation = {n: [] for n in names}, {b: [] for b in bones}, {n: [] for n in names}
    frame = first
    while frame <= last:
        scene = bpy.data.scenes[scene_name]
        shown, begin = (scene.frame_current, scene.frame_subframe), time.monotonic()
        try:
            while frame <= last and time.monotonic() - begin < CHUNK:
                scene.frame_set(frame)
                graph = bpy.context.evaluated_depsgraph_get()
                for name in names:
                    thing = bpy.data.objects[name]
                    matrices[name].append(np.array(thing.evaluated_get(graph).matrix_world, float))
                    activation[name].append(thing.evaluated_get(graph).sinew.activation)
                for armature, bone in bones:
                    poses[armature, bone].append(np.array(bone_matrix(bpy.data.objects[armature], bone, graph), float))
                frame += 1
        except KeyError as missing:
            raise Problem(f"{missing.args[0]} was deleted or renamed while it was read") from missing
        finally:
            scene.frame_set(shown[0], subframe=shown[1])
        yield (frame - first) / (last - first + 1)
    return matrices, poses, activation


def at_rest(scene, names, armatures):
    """Where objects are in the first frame when armatures are in their rest pose: {object: 4 x 4}."""
    data = [(bpy.data.objects[name].data, bpy.data.objects[name].data.pose_position) for name in armatures]
    shown = scene.frame_current, scene.frame_subframe
    try:
        for armature, _ in data:
            armature.pose_position = "REST"
        scene.frame_set(scene.frame_start)
        graph = bpy.context.evaluated_depsgraph_get()
        return {name: np.array(bpy.data.objects[name].evaluated_get(graph).matrix_world, float) for name in names}
    finally:
        for armature, position in data:
            armature.pose_position = position
        scene.frame_set(shown[0], subframe=shown[1])


# ---- motion

def without_scale(matrix):
    position, rotation, _ = Matrix(matrix.tolist()).decompose()
    return position, rotation


def keys_of(matrices, times, metres):
    """Poses as the keys of a motion about the first: rotation vectors, each the nearest to the one before."""
    first = without_scale(matrices[0])[1]
    keys, before = [], Vector((0, 0, 0))
    for matrix, t in zip(matrices, times):
        position, rotation = without_scale(matrix)
        axis, angle = (rotation @ first.inverted()).to_axis_angle()
        axis = Vector(axis).normalized() if axis.length > 0 else Vector((0, 0, 1))
        turns = round((before.dot(axis) - angle) / (2 * math.pi))
        vector = axis * (angle + 2 * math.pi * turns)
        opposite = -axis * (2 * math.pi - angle)
        vector = min((vector, opposite), key=lambda v: (v - before).length)
        before = vector
        turned = y_up([vector], 1)[0]
        size = float(np.linalg.norm(turned))
        keys.append({"t": t, "position": plain(y_up([position], metres)[0]),
                     "rotation": {"axis": plain(turned / size) if size > 0 else [0, 1, 0], "degrees": math.degrees(size)}})
    return keys


def moves(matrices):
    return bool(np.abs(np.array(matrices) - matrices[0]).max() > 1e-7)


def motion_of(matrices, times, metres):
    """What a rigid body has besides its geometry: its position, and a motion if it moves."""
    at = {"position": plain(y_up([matrices[0][:3, 3]], metres)[0])}
    if moves(matrices):
        at["motion"] = {"keys": keys_of(matrices, times, metres)}
    return at


# ---- bodies

def bone_name(pair):
    return f"{pair[0]}:{pair[1]}"


def followed(thing, bone):
    """The other side of a joint: a bone, or without one the place in space where it is."""
    return {"rigid_body": bone_name((thing.sinew.armature.name, bone))} if bone else {}


def material_of(made, thing):
    of = thing.sinew
    if of.young <= 0:
        return of.material
    name = f"{thing.name} material"
    made.scene["materials"][name] = {"preset": of.material, "young": of.young}
    return name


def surface_of(thing, **more):
    return {"friction_static": thing.sinew.friction, "friction_dynamic": 0.8 * thing.sinew.friction, **more}


def muscle(made, thing, name, matrix, folder, poses, activation, times):
    of = thing.sinew
    points, triangles = mesh_arrays(thing.data)
    if not len(triangles):
        raise Problem(f"{thing.name}: the mesh has no faces")
    rest = y_up(transformed(points, matrix), made.metres)
    if not of.group_first or not of.group_last:
        raise Problem(f"{thing.name}: a muscle needs two vertex groups, for its origin and its insertion: press Find ends")
    ends = [in_group(thing, of.group_first, "origin"), in_group(thing, of.group_last, "insertion")]
    if set(ends[0]) & set(ends[1]):
        raise Problem(f"{thing.name}: origin and insertion share vertices")
    surface = os.path.join(folder, mesh_file(made, thing))
    rig = os.path.basename(surface)[:-4] + ".rig.json"
    write_obj(surface, rest, triangles, *ends)
    options = ["--rods", str(of.rods), "--slices", str(of.slices), "--scale", "1", "--name", name,
               "--source", "painted", "--sink", "painted"]
    made.rigs.append((surface, os.path.join(folder, rig), options))
    entry = {"kind": "muscle", "name": name, "rig": rig, "material": material_of(made, thing),
             "activate": {"shortest": of.shortest}, "surface": surface_of(thing, compliance=3e-5)}
    pairs = [(of.armature.name, b) if b else None for b in (of.bone_first, of.bone_last)]
    held = {end: {"rigid_body": bone_name(pair)} for end, pair in zip(("first", "last"), pairs) if pair}
    if held:
        entry["attach"] = held
    if of.drive == "KEYED":
        values = [float(a) for a in activation]
    elif of.drive == "BENDING" and all(pairs) and pairs[0] != pairs[1]:
        values = shortening(ends, rest, pairs, poses, of.shortest, made.metres)
    else:
        values = None
    if values:
        made.scene["activation"].append({"body": name, "keys": [{"t": t, "value": v} for t, v in zip(times, values)]})
    made.scene["bodies"].append(entry)
    return rest


def shortening(ends, rest, pairs, poses, shortest, metres):
    """The activation that shortens fibres as far as the ends come closer: 1 - a (1 - shortest) = length over that at rest."""
    centres = [np.append(z_up(rest[e].mean(axis=0), metres), 1) for e in ends]
    local = [np.linalg.solve(poses[pair][0], centre) for pair, centre in zip(pairs, centres)]
    lengths = [np.linalg.norm((a @ local[0] - b @ local[1])[:3]) for a, b in zip(poses[pairs[0]], poses[pairs[1]])]
    return [float(min(1, max(0, (1 - length / lengths[0]) / max(1 - shortest, 1e-6)))) for length in lengths]


def used_points(rest, triangles):
    """For each vertex its index after Sinew has joined those in one place and dropped those without a face; -1: dropped."""
    index, seen, used = np.full(len(rest), -1), {}, set(triangles.ravel().tolist())
    for v in range(len(rest)):
        if v in used:
            index[v] = seen.setdefault(tuple(np.float32(rest[v])), len(seen))
    return index


def cloth(made, thing, name, matrix, folder):
    of = thing.sinew
    points, triangles = mesh_arrays(thing.data)
    if not len(triangles):
        raise Problem(f"{thing.name}: the mesh has no faces")
    rest = y_up(transformed(points, matrix), made.metres)
    file = mesh_file(made, thing)
    write_obj(os.path.join(folder, file), rest, triangles)
    entry = {"kind": "spring", "name": name, "net": {"file": file}, "radius": 0.5 * of.thickness * made.metres,
             "fabric": {"density": of.area_density, "stretch": of.stretch, "bend": of.bend},
             "self_collide": of.self_collide, "surface": surface_of(thing)}
    pins = in_group(thing, of.pins, "pins")
    if pins:
        index = used_points(rest, triangles)
        held = sorted({int(index[v]) for v in pins} - {-1})
        if of.bone_first:
            made.scene["joints"] += [{"a": {"body": name, "point": point}, "b": followed(thing, of.bone_first),
                                      "keep_offset": True} for point in held]
        else:
            entry["hold"] = [{"points": held}]
    made.scene["bodies"].append(entry)
    return rest


def soft(made, thing, name, matrix, folder):
    of = thing.sinew
    points, triangles = mesh_arrays(thing.data)
    if not len(triangles):
        raise Problem(f"{thing.name}: the mesh has no faces")
    rest = y_up(transformed(points, matrix), made.metres)
    file = mesh_file(made, thing)
    write_obj(os.path.join(folder, file), rest, triangles)
    made.scene["bodies"].append({
        "kind": "elastic", "name": name, "file": file, "spheres": of.spheres, "material": material_of(made, thing),
        "self_collide": of.self_collide, "surface": surface_of(thing)})
    pins = in_group(thing, of.pins, "pins")
    # Joints hold the nearest medial sphere each: some pins far from each other stand for all.
    chosen = pins[:1]
    while chosen and len(chosen) < min(8, len(pins)):
        away = [min(np.linalg.norm(rest[v] - rest[c]) for c in chosen) for v in pins]
        if max(away) < 1e-6:
            break
        chosen.append(pins[int(np.argmax(away))])
    for v in chosen:
        b = {**followed(thing, of.bone_first), "position": plain(rest[v])}
        made.scene["joints"].append({"a": {"body": name}, "b": b, "keep_offset": True})
    return rest


def rope(made, thing, matrix):
    of, added = thing.sinew, []
    radius = (of.radius or getattr(thing.data, "bevel_depth", 0) or 0.01 / made.metres) * made.metres
    for spline in thing.data.splines:
        points = spline_points(spline)
        if len(points) < 2:
            continue
        name = body_name(made, thing.name)
        line = y_up(transformed(even([plain(p) for p in points], spline.use_cyclic_u, of.segments), matrix), made.metres)
        entry = {"kind": "rod", "name": name, "points": line.tolist(), "radius": radius, "closed": spline.use_cyclic_u,
                 "material": material_of(made, thing), "self_collide": of.self_collide, "surface": surface_of(thing)}
        for point, bone, held in ((0, of.bone_first, of.hold_first), (-1, of.bone_last, of.hold_last)):
            if spline.use_cyclic_u and point:
                continue
            if bone or held:
                made.scene["joints"].append({"a": {"body": name, "point": point}, "b": followed(thing, bone),
                                             **({"keep_offset": True} if bone else {})})
        made.scene["bodies"].append(entry)
        added.append(Body(name, thing, "ROPE"))
    if not added:
        raise Problem(f"{thing.name}: the curve has no points")
    return added


def collider(made, thing, matrices, times, folder):
    if thing.sinew.shape == "PLANE":
        entry = {"plane": True}
        rotation = without_scale(matrices[0])[1]
        axis, angle = rotation.to_axis_angle()
        if angle:
            entry["rotation"] = {"axis": plain(y_up([axis], 1)[0]), "degrees": math.degrees(angle)}
        entry["position"] = plain(y_up([matrices[0][:3, 3]], made.metres)[0])
    else:
        shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = shown.to_mesh()
        points, triangles = mesh_arrays(mesh)
        shown.to_mesh_clear()
        if not len(triangles):
            raise Problem(f"{thing.name}: the mesh has no faces")
        file = f"rigid{len(made.scene['rigid_bodies'])}.obj"
        turned = points @ matrices[0][:3, :3].T  # about the origin of the object
        write_obj(os.path.join(folder, file), y_up(turned, made.metres), triangles)
        entry = {"mesh": {"file": file, "scale": 1}, **motion_of(matrices, times, made.metres)}
    made.scene["rigid_bodies"].append({"name": thing.name, **entry, "surface": surface_of(thing)})


def translate(scene, folder):
    """Writes scene.json and its meshes into a folder. Yields progress; returns a Translation. Raises Problem."""
    made = Translation()
    made.fps, made.metres = scene.render.fps / scene.render.fps_base, scene.unit_settings.scale_length or 1.0
    made.first, made.last = scene.frame_start, scene.frame_end
    if made.last <= made.first:
        raise Problem("the frame range has less than two frames")
    things = participants(scene)
    names = [thing.name for thing in things]
    bones = sorted({pair for thing in things for pair in bones_of(thing)})
    armatures = sorted({pair[0] for pair in bones})
    settle, bone_radius, scene_name = scene.sinew.settle, scene.sinew.bone_radius, scene.name

    matrices, poses, activation = yield from sample(scene, names + armatures, bones)
    made.matrices, scene = matrices, bpy.data.scenes[scene_name]

    # The lead-in: from the rest pose to that of the first frame.
    rest = {(a, b): matrices[a][0] @ np.array(bpy.data.objects[a].data.bones[b].matrix_local) for a, b in bones}
    posed = any(np.abs(rest[b] - poses[b][0]).max() > 1e-5 for b in bones)
    made.lead_in = max(1, math.ceil(settle * made.fps)) if posed and settle > 0 else 0
    frames = made.last - made.first + 1
    times = [0.0] * (made.lead_in > 0) + [(made.lead_in + k) / made.fps for k in range(frames)]
    made.seconds = (made.lead_in + frames - 1) / made.fps
    if made.lead_in:
        for b in bones:
            poses[b] = [rest[b], *poses[b]]
    start = at_rest(scene, names, armatures) if made.lead_in else {n: matrices[n][0] for n in names}
    started = {n: ([m[0]] if made.lead_in else []) + m for n, m in matrices.items()}
    active = {n: ([a[0]] if made.lead_in else []) + a for n, a in activation.items()}

    gravity = scene.gravity if scene.use_gravity else Vector((0, 0, 0))
    # A whole number of steps to a frame, of at most a sixtieth of a second.
    made.scene = {"title": scene_name, "gravity": plain(y_up([gravity], 1)[0]), "duration": made.seconds,
                  "step": 1 / (made.fps * math.ceil(60 / made.fps - 1e-9)), "materials": {}, "bodies": [], "rigid_bodies": [],
                  "joints": [], "activation": []}
    muscles = any(thing.sinew.kind == "MUSCLE" for thing in things)
    made.scene["substeps"] = scene.sinew.substeps or (4 if muscles else 0)
    for pair in bones:
        armature = bpy.data.objects[pair[0]]
        matrix = poses[pair][0]
        length = armature.data.bones[pair[1]].length
        span = y_up([matrix[:3, 1] * length], made.metres)[0]
        radius = max(bone_radius, 0.01) * float(np.linalg.norm(span))
        entry = {"name": bone_name(pair), "pill": {"to": plain(span), "radius": radius}, **motion_of(poses[pair], times, made.metres)}
        if bone_radius <= 0:
            entry["surface"] = {"mask": []}
        made.scene["rigid_bodies"].append(entry)
    for number, name in enumerate(names):
        thing = bpy.data.objects[name]
        kind, matrix = thing.sinew.kind, start[name]
        called = body_name(made, name) if kind in ("MUSCLE", "CLOTH", "SOFT") else name
        if kind == "MUSCLE":
            rest = muscle(made, thing, called, matrix, folder, poses, active[name], times)
            made.bodies.append(Body(called, thing, kind, rest))
        elif kind == "CLOTH":
            made.bodies.append(Body(called, thing, kind, cloth(made, thing, called, matrix, folder)))
        elif kind == "SOFT":
            made.bodies.append(Body(called, thing, kind, soft(made, thing, called, matrix, folder)))
        elif kind == "ROPE":
            made.bodies += rope(made, thing, matrix)
        else:
            collider(made, thing, started[name], times, folder)
        yield (number + 1) / len(names)
    text = json.dumps({k: v for k, v in made.scene.items() if v not in ([], {})}, indent=1)
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as out:
        out.write(text)
    return made
