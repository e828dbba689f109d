"""The Blender add-on without a window, by its operators alone. Run by scripts/blender, with the program in $SINEW:

    blender --background --factory-startup --python test/blender/addon.py -- FOLDER
"""
import os
import pathlib
import subprocess
import sys

import numpy as np

for kind in (bool, int, float, object):  # Blender 3.4 is older than the NumPy that may be there
    if kind.__name__ not in vars(np):
        setattr(np, kind.__name__, kind)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integrations" / "blender"))

import bpy  # noqa: E402
import sinew  # noqa: E402
from sinew import job, results  # noqa: E402

folder = pathlib.Path(sys.argv[sys.argv.index("--") + 1])
program = os.environ["SINEW"]
sinew.register()


def shown(thing):
    """The vertices of an object as Blender evaluates it, in the world."""
    found = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    at = np.empty(3 * len(found.data.vertices), np.float32)
    found.data.vertices.foreach_get("co", at)
    world = np.array(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    return at.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def at_frame(thing, frame):
    bpy.context.scene.frame_set(frame)
    return shown(thing)


def obj_vertices(path, name):
    """The vertices of a body in an .obj, with z up."""
    rows, inside = [], False
    for line in open(path):
        if line[0] == "o":
            inside = line[2:].strip() == name
        elif inside and line.startswith("v "):
            rows.append([float(x) for x in line.split()[1:4]])
    return np.array(rows)[:, [0, 2, 1]] * [1, -1, 1]


def select(*things):
    bpy.ops.object.select_all(action="DESELECT")
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[-1]


def empty_scene(frames, gravity=True):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps, scene.use_gravity = 1, frames, 24, gravity
    return scene


def arm(first=0.0, last=-100.0, frames=40):
    """The zoo's biceps, and an armature that bends at the elbow."""
    scene = empty_scene(frames, gravity=False)
    subprocess.run([program, "zoo", "biceps-long", "-o", folder / "biceps.obj"], check=True)
    bpy.ops.wm.obj_import(filepath=str(folder / "biceps.obj"))
    biceps = bpy.context.selected_objects[0]
    biceps.name = "Biceps"
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    upper = rig.data.edit_bones[0]
    upper.name, upper.head, upper.tail = "upper", (0, 0, 0), (0, 0, -0.3)
    fore = rig.data.edit_bones.new("fore")
    fore.head, fore.tail, fore.parent = (0, 0, -0.3), (0, 0, -0.56), upper
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = rig.pose.bones["fore"]
    bone.rotation_mode = "XYZ"
    for frame, degrees in ((1, first), (frames, last)):
        bone.rotation_euler[0] = np.radians(degrees)
        bone.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    wrist = (rig.matrix_world @ bone.tail)
    if last:  # whichever way x turns: the wrist must come forward, which is -y
        scene.frame_set(frames)
        if (rig.matrix_world @ bone.tail).y > wrist.y:
            for curve in rig.animation_data.action.fcurves:
                for key in curve.keyframe_points:
                    key.co.y = -key.co.y
                curve.update()
        scene.frame_set(1)
    return scene, biceps, rig


def girth(points, rest):
    """How thick the middle of the muscle is: the mean distance from its rings' centres."""
    height = rest[:, 2]
    low, high = height.min() + 0.4 * np.ptp(height), height.min() + 0.7 * np.ptp(height)
    sizes = []
    for ring in np.array_split(np.argsort(height), 60):
        if low < height[ring].mean() < high:
            away = points[ring] - points[ring].mean(axis=0)
            sizes.append(np.sqrt(np.linalg.eigvalsh(away.T @ away / len(ring))[1:].mean()))
    return np.mean(sizes)


def volume(points, mesh):
    mesh.calc_loop_triangles()
    a, b, c = (points[[t.vertices[k] for t in mesh.loop_triangles]].astype(float) for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def state(scene):
    """What a user would see changed."""
    return [(t.name, t.type, t.sinew.kind, [(m.name, m.type) for m in t.modifiers], len(t.data.vertices) if t.type == "MESH" else 0,
             sorted(t.vertex_groups.keys()), t.matrix_world.copy().freeze()) for t in scene.objects] + [scene.frame_current]


def a_muscle_bulges():
    scene, biceps, rig = arm()
    rest = shown(biceps)
    select(biceps)
    bpy.ops.sinew.make_muscle()
    select(biceps, rig)
    bpy.ops.sinew.attach()
    assert (biceps.sinew.bone_first, biceps.sinew.bone_last) == ("upper", "fore"), biceps.sinew.bone_last
    assert bpy.ops.sinew.simulate(wait=True) == {"FINISHED"}
    assert biceps.modifiers[0].name == results.MODIFIER and not scene.sinew.failed, scene.sinew.message
    # As the command line has it.
    exported = folder / "arm"
    bpy.ops.sinew.export_scene(directory=str(exported))
    errors = []
    for frame in (1, 40):
        if frame == 1:  # a run has at least one step
            subprocess.run([program, "run", exported / "scene.json", "-q", "--fps", "24", "-o", exported / "out.pc2"], check=True)
            surface = results.read_surfaces(exported / "out.rest.obj")["Biceps"]
            want = np.array(surface.points)[:, [0, 2, 1]] * [1, -1, 1]
        else:
            subprocess.run([program, "run", exported / "scene.json", "-q", "-o", exported / "out.obj"], check=True)
            want = obj_vertices(exported / "out.obj", "Biceps")
        have = at_frame(biceps, frame)
        assert len(want) == len(have)
        errors.append(np.abs(have - want).max())
    bent = at_frame(biceps, 40)
    thicker, kept = girth(bent, rest) / girth(rest, rest), volume(bent, biceps.data) / volume(rest, biceps.data)
    half = at_frame(biceps, 20)
    assert np.abs(at_frame(biceps, 40) - bent).max() == 0 and np.abs(half - bent).max() > 0.01  # scrubbing
    print(f"muscle: frames 1 and 40 differ from 'sinew run' by {errors[0]:.1e} and {errors[1]:.1e} m; "
          f"{100 * (thicker - 1):.0f} % thicker when bent, {100 * kept:.1f} % of its volume")
    assert max(errors) < 1e-5 and thicker > 1.08 and abs(kept - 1) < 0.04


def a_posed_first_frame():
    scene, biceps, rig = arm(first=-90.0, last=-90.0, frames=4)
    rest = shown(biceps)
    select(biceps)
    bpy.ops.sinew.make_muscle()
    select(biceps, rig)
    bpy.ops.sinew.attach()
    bpy.ops.sinew.simulate(wait=True)
    start = at_frame(biceps, 1)
    end = rest[:, 2].argmin()  # the tendon at the forearm
    print(f"posed: the insertion is moved by {np.linalg.norm(start[end] - rest[end]):.3f} m in the first frame")
    assert np.linalg.norm(start[end] - rest[end]) > 0.03 and girth(start, rest) > 1.05 * girth(rest, rest)


def cancelling_leaves_all():
    scene, biceps, rig = arm(frames=200)
    select(biceps)
    bpy.ops.sinew.make_muscle()
    scene.frame_set(7)
    before, said = state(scene), set(os.listdir(bpy.app.tempdir))
    for stage in ("reading", "making", "simulating"):
        bpy.ops.sinew.simulate()
        while not job.current.text.startswith(stage):
            assert job.current.advance(1e-6), (stage, job.current.text)
        process, work = job.current.process, job.current.work
        assert not bpy.ops.sinew.simulate.poll()
        bpy.ops.sinew.cancel()
        assert job.current.state == "cancelled" and state(scene) == before and set(os.listdir(bpy.app.tempdir)) == said
        assert not os.path.exists(work) and (process is None or process.poll() is not None), stage
    print("cancel: the scene is as it was")


def other_bodies():
    scene = empty_scene(30)
    scene.unit_settings.scale_length = 0.1  # a Blender unit is ten centimetres
    bpy.ops.mesh.primitive_plane_add(size=20)
    ground = bpy.context.object
    bpy.ops.sinew.make_collider()
    ground.sinew.shape = "PLANE"
    bpy.ops.mesh.primitive_cube_add(size=2, location=(6, 0, 0))
    box = bpy.context.object
    bpy.ops.sinew.make_collider()
    for frame, x in ((1, 6), (30, 8)):
        box.location.x = x
        box.keyframe_insert("location", frame=frame)
    bpy.ops.mesh.primitive_ico_sphere_add(radius=1, subdivisions=3, location=(0, 0, 1.5))
    ball = bpy.context.object
    bpy.ops.sinew.make_soft()
    ball.sinew.spheres = 12
    bpy.ops.mesh.primitive_grid_add(size=4, x_subdivisions=16, y_subdivisions=16, location=(0, 6, 4))
    sheet = bpy.context.object
    bpy.ops.sinew.make_cloth()
    sheet.sinew.pins = sinew.operators.set_group(sheet, "pins", [v.index for v in sheet.data.vertices if v.co.y > 1.99])
    bpy.ops.curve.primitive_nurbs_path_add(location=(-6, 0, 4))
    curve = bpy.context.object
    curve.data.bevel_depth = 0.1
    bpy.ops.sinew.make_rope()
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 30))  # takes no part
    assert bpy.ops.sinew.simulate(wait=True) == {"FINISHED"}
    starts = {t.name: at_frame(t, 1) for t in (ball, sheet)}
    tube = scene.objects[curve.sinew.result]
    began = at_frame(tube, 1)
    lowest = at_frame(ball, 30)[:, 2].min()
    hung = at_frame(sheet, 30)
    pins = np.array([v.index for v in sheet.data.vertices if v.co.y > 1.99])
    assert np.abs(starts[ball.name] - [0, 0, 1.5]).max() < 1.01  # units of the scene
    assert -0.1 < lowest < 0.15, lowest
    assert np.abs(hung[pins] - starts[sheet.name][pins]).max() < 1e-5 and hung[:, 2].min() < 3
    held, free = began[:, 0].argmin(), began[:, 0].argmax()
    sunk = at_frame(tube, 30)[:, 2] - began[:, 2]
    assert abs(sunk[held]) < 0.15 and sunk[free] < -1, (sunk[held], sunk[free])
    assert began[:, 2].max() - 4 < 0.11  # as thick as its bevel
    # Again: the same object shows the rope, and results go.
    bpy.ops.sinew.simulate(wait=True)
    assert scene.objects[curve.sinew.result] == tube
    select(sheet)
    last = at_frame(sheet, 30)
    bpy.ops.sinew.shape_keys()
    assert not sheet.modifiers and np.abs(at_frame(sheet, 30) - last).max() < 1e-4
    bpy.ops.sinew.clear()
    assert not ball.modifiers and not curve.sinew.result
    print(f"bodies: a ball lies {lowest:.2f} above the ground, cloth hangs down to {hung[:, 2].min():.2f}, a rope swings")


def odd_objects():
    """Names that files cannot have, scales, parents, other modifiers, names that become equal."""
    scene = empty_scene(12)
    bpy.ops.object.empty_add(location=(1, 2, 3), rotation=(0.3, 0.2, 0.1))
    parent = bpy.context.object
    parent.scale = (2, 2, 2)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, segments=16, ring_count=8)
    ball = bpy.context.object
    ball.name, ball.parent = 'Mm. "é"  x\\ ' + "long" * 11, parent
    ball.modifiers.new("Smooth", "SUBSURF")
    bpy.ops.sinew.make_soft()
    ball.sinew.spheres = 8
    sheets = []
    for name, x in (("a b", 10), ("a_b", 15)):
        bpy.ops.mesh.primitive_grid_add(size=2, x_subdivisions=4 + x % 10, y_subdivisions=5, location=(x, 0, 0))
        sheets.append(bpy.context.object)
        sheets[-1].name = name
        bpy.ops.sinew.make_cloth()
        rim = [v.index for v in sheets[-1].data.vertices if v.co.x < 0]
        sheets[-1].sinew.pins = sinew.operators.set_group(sheets[-1], "pins", rim)
    assert bpy.ops.sinew.simulate(wait=True) == {"FINISHED"} and not scene.sinew.failed, scene.sinew.message
    assert [m.type for m in ball.modifiers] == ["MESH_CACHE", "SUBSURF"]
    drop = shown(ball).mean(axis=0) - at_frame(ball, 12).mean(axis=0)
    assert np.abs(drop - [0, 0, 9.81 / 2 * (11 / 24) ** 2]).max() < 0.1, drop
    for sheet, x in zip(sheets, (10, 15)):
        start, end = at_frame(sheet, 1), at_frame(sheet, 12)
        held = [v.index for v in sheet.data.vertices if v.co.x < 0]
        assert np.abs(start[:, 0].mean() - x) < 1e-5 and np.abs(end[held] - start[held]).max() < 1e-5 and end[:, 2].min() < -0.2
    print("odd objects: names, scales, parents and other modifiers")


def errors_are_told():
    def told(words):
        try:
            bpy.ops.sinew.simulate(wait=True)
        except RuntimeError as error:
            assert words in str(error) and words in scene.sinew.message and scene.sinew.failed, (words, str(error))
            return
        raise AssertionError(f"nothing was said of: {words}")

    scene, biceps, rig = arm(frames=4)
    told("nothing to simulate")
    select(biceps)
    bpy.ops.sinew.make_muscle()
    biceps.sinew.group_last = "elbow"
    told("no vertex group 'elbow'")
    biceps.sinew.group_last = "insertion"
    biceps.sinew.bone_first = "upper"
    told("of no armature")
    biceps.sinew.armature, biceps.sinew.bone_first = rig, "tibia"
    told("no bone 'tibia'")
    biceps.sinew.bone_first = "upper"
    for v in biceps.data.vertices:  # no volume: what the program says arrives
        v.co = (v.co.x, 0, 0)
    told("Biceps.0.obj")
    os.environ["SINEW"], path = "/nowhere", os.environ["PATH"]
    os.environ["PATH"] = "/nowhere"
    told("was not found")
    os.environ["SINEW"], os.environ["PATH"] = program, path
    print("errors: said by the operator and in the panel")


for test in (a_muscle_bulges, a_posed_first_frame, cancelling_leaves_all, other_bodies, odd_objects, errors_are_told):
    test()
sinew.unregister()
