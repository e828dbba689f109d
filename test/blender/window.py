"""The Blender add-on in a window: the interface goes on while it simulates, undo takes the result back, and the panel is there.

    blender --factory-startup --enable-event-simulate --window-geometry 0 0 1400 900 --python test/blender/window.py -- FOLDER

Leaves FOLDER/panel.png, a picture of the window.
"""
import os
import pathlib
import sys
import time
import traceback

import numpy as np

for kind in (bool, int, float, object):  # Blender 3.4 is older than the NumPy that may be there
    if kind.__name__ not in vars(np):
        setattr(np, kind.__name__, kind)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integrations" / "blender"))

import bpy  # noqa: E402
import sinew  # noqa: E402
from sinew import job  # noqa: E402

folder = pathlib.Path(sys.argv[sys.argv.index("--") + 1])
sinew.register()
bpy.context.preferences.view.show_splash = False


def in_view(call, *arguments, **named):
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    with bpy.context.temp_override(window=window, area=area, region=next(r for r in area.regions if r.type == "WINDOW")):
        return call(*arguments, **named)


def steps():
    scene = bpy.context.scene
    scene.frame_end = 90
    scene.render.fps = 24
    in_view(bpy.ops.object.select_all, action="SELECT")
    in_view(bpy.ops.object.delete)
    in_view(bpy.ops.mesh.primitive_plane_add, size=20)
    bpy.context.object.name = "Ground"
    in_view(bpy.ops.sinew.make_collider)
    in_view(bpy.ops.mesh.primitive_cone_add, radius1=0.6, depth=2, location=(0, 0, 1))
    in_view(bpy.ops.sinew.make_collider)
    in_view(bpy.ops.curve.primitive_bezier_circle_add, radius=0.8, location=(0, 0, 2.5))
    bpy.context.object.data.bevel_depth = 0.15
    in_view(bpy.ops.sinew.make_rope)
    bpy.context.object.sinew.hold_first = False
    in_view(bpy.ops.mesh.primitive_uv_sphere_add, radius=0.7, location=(2, -1, 1))
    ball = bpy.context.object
    in_view(bpy.ops.sinew.make_soft)
    ball.sinew.spheres, ball.sinew.young = 12, 2e5
    bpy.ops.ed.undo_push(message="made")
    yield 0.5
    assert bpy.ops.sinew.simulate("INVOKE_DEFAULT") == {"FINISHED"}
    ticks, longest, last = 0, 0.0, time.monotonic()
    seen = set()
    while job.current.state == "running":
        yield 0.01
        now = time.monotonic()
        ticks, longest, last = ticks + 1, max(longest, now - last), now
        seen.add(bpy.context.scene.sinew.message)
    assert job.current.state == "done", job.current.text
    yield 0.5
    scene = bpy.context.scene
    assert ticks > 4 and len(seen) > 3, (ticks, seen)
    ball = scene.objects["Sphere"]
    result = scene.objects["BezierCircle"].sinew.result
    assert ball.modifiers and result in scene.objects, scene.sinew.message
    in_view(bpy.ops.ed.undo)
    yield 0.2
    scene = bpy.context.scene
    assert not scene.objects["Sphere"].modifiers and result not in scene.objects, "undo"
    in_view(bpy.ops.ed.redo)
    yield 0.2
    scene = bpy.context.scene
    assert scene.objects["Sphere"].modifiers and result in scene.objects, "redo"
    # What the picture shows: the panel, and the end.
    scene.frame_set(40)
    bpy.context.view_layer.objects.active = scene.objects["Sphere"]
    scene.objects["Sphere"].select_set(True)
    window = bpy.context.window_manager.windows[0]
    for area in window.screen.areas:
        if area.type == "VIEW_3D":
            area.spaces.active.show_region_ui = True
    yield 1.0
    tab = {"x": 1143, "y": 655}  # of Sinew, in a window of this size
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", **tab)
    yield 0.2
    window.event_simulate(type="LEFTMOUSE", value="PRESS", **tab)
    window.event_simulate(type="LEFTMOUSE", value="RELEASE", **tab)
    yield 0.5
    in_view(bpy.ops.view3d.view_selected)
    in_view(bpy.ops.view3d.zoom, delta=-4)
    yield 1.0
    with bpy.context.temp_override(window=window):
        bpy.ops.screen.screenshot(filepath=str(folder / "panel.png"))
    print(f"window: {ticks} ticks while it simulated, none longer than {longest:.1f} s; undo and redo")


running = steps()


def go_on():
    try:
        return next(running)
    except StopIteration:
        code = 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


bpy.app.timers.register(go_on, first_interval=1.0, persistent=True)
