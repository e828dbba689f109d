"""What the buttons do. Each operator is a step of undo, says what is wrong where Blender shows it, and changes nothing then."""
import heapq
import os

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, StringProperty
from mathutils import Vector

from . import job, results, settings, translate
from .translate import Problem


def selected(context, kind, fit=None):
    found = [thing for thing in context.selected_objects if thing.type == kind and (fit is None or fit(thing))]
    active = context.active_object
    if not found and active and active.type == kind and (fit is None or fit(active)):
        found = [active]
    return found


def make_room(thing, kind):
    """Object mode, and single-user settings for this kind."""
    thing.sinew.kind = kind
    thing.sinew.material = {"MUSCLE": "muscle", "SOFT": "jelly", "ROPE": "rope"}.get(kind, thing.sinew.material)


class Maker:
    bl_options = {"REGISTER", "UNDO"}
    kind, of = "", "MESH"

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bool(selected(context, cls.of))

    def execute(self, context):
        things = selected(context, self.of)
        try:
            for thing in things:
                self.prepare(thing)
        except Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        for thing in things:
            make_room(thing, self.kind)
        return {"FINISHED"}

    def prepare(self, thing):
        if not thing.data.polygons:
            raise Problem(f"{thing.name}: the mesh has no faces")


# ---- muscles

def distances(mesh, start):
    """Along the edges from a vertex to all others; infinite where none lead."""
    near = [[] for _ in mesh.vertices]
    for edge in mesh.edges:
        a, b = edge.vertices
        length = (mesh.vertices[a].co - mesh.vertices[b].co).length
        near[a].append((b, length))
        near[b].append((a, length))
    far = [float("inf")] * len(near)
    far[start], heap = 0.0, [(0.0, start)]
    while heap:
        here, v = heapq.heappop(heap)
        if here > far[v]:
            continue
        for other, length in near[v]:
            if here + length < far[other]:
                far[other] = here + length
                heapq.heappush(heap, (far[other], other))
    return far


def find_ends(thing, share=0.08):
    """The ends of the longest way through a mesh, the upper one first: two lists of vertices."""
    mesh = thing.data

    def farthest(far):
        return max(range(len(far)), key=lambda v: far[v] if far[v] < float("inf") else -1)

    one = farthest(distances(mesh, 0))
    from_one = distances(mesh, one)
    other = farthest(from_one)
    from_other, length = distances(mesh, other), from_one[other]
    ends = [[v for v, d in enumerate(far) if d <= share * length] for far in (from_one, from_other)]
    if not length > 0 or set(ends[0]) & set(ends[1]):
        raise Problem(f"{thing.name}: has no two ends; name them by vertex groups")
    height = [(thing.matrix_world @ mesh.vertices[v].co).z for v in (one, other)]
    return ends if height[0] >= height[1] else ends[::-1]


def set_group(thing, name, vertices):
    group = thing.vertex_groups.get(name) or thing.vertex_groups.new(name=name)
    group.remove(range(len(thing.data.vertices)))
    group.add(vertices, 1.0, "REPLACE")
    return group.name


class SINEW_OT_make_muscle(Maker, bpy.types.Operator):
    """Makes the selected meshes muscles. Their ends are the vertex groups 'origin' and 'insertion', which are found from the form \
where there are none"""
    bl_idname, bl_label, kind = "sinew.make_muscle", "Make muscle", "MUSCLE"

    def prepare(self, thing):
        Maker.prepare(self, thing)
        names = [next((g.name for g in thing.vertex_groups if g.name.lower() in words), "")
                 for words in (("origin", "source"), ("insertion", "sink"))]
        if not all(names):
            ends = find_ends(thing)
            names = [set_group(thing, name, end) for name, end in zip(("origin", "insertion"), ends)]
        thing.sinew.group_first, thing.sinew.group_last = names


class SINEW_OT_find_ends(bpy.types.Operator):
    """Finds the ends of the selected muscles from their form, and writes them into their vertex groups"""
    bl_idname, bl_label, bl_options = "sinew.find_ends", "Find ends", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bool(selected(context, "MESH", lambda t: t.sinew.kind == "MUSCLE"))

    def execute(self, context):
        for thing in selected(context, "MESH", lambda t: t.sinew.kind == "MUSCLE"):
            try:
                ends = find_ends(thing)
            except Problem as problem:
                self.report({"ERROR"}, str(problem))
                return {"CANCELLED"}
            of = thing.sinew
            of.group_first = set_group(thing, of.group_first or "origin", ends[0])
            of.group_last = set_group(thing, of.group_last or "insertion", ends[1])
        return {"FINISHED"}


class SINEW_OT_end_from_selection(bpy.types.Operator):
    """Makes the selected vertices an end of the muscle, or the pins of cloth or a soft body"""
    bl_idname, bl_label, bl_options = "sinew.end_from_selection", "From selection", {"REGISTER", "UNDO"}
    end: EnumProperty(items=(("group_first", "Origin", ""), ("group_last", "Insertion", ""), ("pins", "Pins", "")))

    @classmethod
    def poll(cls, context):
        return context.mode == "EDIT_MESH" and context.active_object.sinew.kind in ("MUSCLE", "SOFT", "CLOTH")

    def execute(self, context):
        thing = context.active_object
        bpy.ops.object.mode_set(mode="OBJECT")
        chosen = [v.index for v in thing.data.vertices if v.select]
        if chosen:
            name = getattr(thing.sinew, self.end) or {"group_first": "origin", "group_last": "insertion"}.get(self.end, "pins")
            setattr(thing.sinew, self.end, set_group(thing, name, chosen))
        bpy.ops.object.mode_set(mode="EDIT")
        if not chosen:
            self.report({"ERROR"}, "no vertex is selected")
            return {"CANCELLED"}
        return {"FINISHED"}


class SINEW_OT_attach(bpy.types.Operator):
    """Attaches the selected bodies to the bones of the selected armature: each end to the nearest, or only to selected pose bones"""
    bl_idname, bl_label, bl_options = "sinew.attach", "Attach to bones", {"REGISTER", "UNDO"}
    bone_first: StringProperty(name="Origin bone", description="Empty: the nearest")
    bone_last: StringProperty(name="Insertion bone", description="Empty: the nearest")

    @classmethod
    def poll(cls, context):
        return context.mode in ("OBJECT", "POSE")

    def execute(self, context):
        armatures = [t for t in context.selected_objects if t.type == "ARMATURE"]
        things = [t for t in context.selected_objects if t.sinew.kind in ("MUSCLE", "SOFT", "CLOTH", "ROPE")]
        if len(armatures) != 1 or not things:
            self.report({"ERROR"}, "select the bodies and one armature")
            return {"CANCELLED"}
        armature = armatures[0]
        bones = [b.name for b in armature.data.bones if b.select] if context.mode == "POSE" else []
        bones = bones or [b.name for b in armature.data.bones]
        unknown = [b for b in (self.bone_first, self.bone_last) if b and b not in armature.data.bones]
        if not bones or unknown:
            self.report({"ERROR"}, f"{armature.name} has no bone '{unknown[0]}'" if unknown else f"{armature.name} has no bones")
            return {"CANCELLED"}
        try:
            ends = {thing.name: self.ends_of(thing) for thing in things}
        except Problem as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        for thing in things:
            thing.sinew.armature = armature
            for name, place in ends[thing.name].items():
                given = getattr(self, name)
                setattr(thing.sinew, name, given or min(bones, key=lambda b: self.distance(armature, b, place)))
            self.report({"INFO"}, f"{thing.name}: {thing.sinew.bone_first} to {thing.sinew.bone_last}" if thing.sinew.bone_last else
                        f"{thing.name}: {thing.sinew.bone_first}")
        return {"FINISHED"}

    @staticmethod
    def ends_of(thing):
        """The centres of what is attached, in the world, by the setting that names its bone."""
        of = thing.sinew
        if of.kind == "ROPE":
            line = next((translate.spline_points(s) for s in thing.data.splines), [])
            if not line:
                raise Problem(f"{thing.name}: the curve has no points")
            return {name: thing.matrix_world @ Vector(p)
                    for name, p, held in (("bone_first", line[0], of.hold_first), ("bone_last", line[-1], of.hold_last)) if held}
        groups = {"bone_first": of.group_first, "bone_last": of.group_last} if of.kind == "MUSCLE" else {"bone_first": of.pins}
        ends = {}
        for name, group in groups.items():
            vertices = translate.in_group(thing, group, name.replace("_", " "))
            if not vertices:
                raise Problem(f"{thing.name}: needs a vertex group that says what is attached")
            ends[name] = thing.matrix_world @ (sum((thing.data.vertices[v].co for v in vertices), Vector()) / len(vertices))
        return ends

    @staticmethod
    def distance(armature, bone, place):
        """From a place to a bone at rest."""
        of = armature.data.bones[bone]
        a, b = armature.matrix_world @ of.head_local, armature.matrix_world @ of.tail_local
        along = (b - a).dot(place - a) / max((b - a).length_squared, 1e-20)
        return (a + min(1, max(0, along)) * (b - a) - place).length


# ---- other bodies

class SINEW_OT_make_soft(Maker, bpy.types.Operator):
    """Makes the selected meshes soft bodies"""
    bl_idname, bl_label, kind = "sinew.make_soft", "Make soft body", "SOFT"


class SINEW_OT_make_cloth(Maker, bpy.types.Operator):
    """Makes the selected meshes cloth"""
    bl_idname, bl_label, kind = "sinew.make_cloth", "Make cloth", "CLOTH"


class SINEW_OT_make_rope(Maker, bpy.types.Operator):
    """Makes the selected curves ropes"""
    bl_idname, bl_label, kind, of = "sinew.make_rope", "Make rope", "ROPE", "CURVE"

    def prepare(self, thing):
        if not any(len(translate.spline_points(s)) > 1 for s in thing.data.splines):
            raise Problem(f"{thing.name}: the curve has no points")


class SINEW_OT_make_collider(Maker, bpy.types.Operator):
    """Makes the selected meshes obstacles, which may be animated"""
    bl_idname, bl_label, kind = "sinew.make_collider", "Make collider", "COLLIDER"


class SINEW_OT_remove(bpy.types.Operator):
    """Makes the selected objects ordinary ones again"""
    bl_idname, bl_label, bl_options = "sinew.remove", "Remove", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return any(t.sinew.kind != "NONE" for t in context.selected_objects)

    def execute(self, context):
        for thing in context.selected_objects:
            modifier = thing.modifiers.get(results.MODIFIER)
            if thing.sinew.kind != "NONE" and modifier and modifier.type == "MESH_CACHE":
                thing.modifiers.remove(modifier)
            thing.sinew.kind = "NONE"
        return {"FINISHED"}


# ---- simulation

def say(scene, text, failed=False):
    scene.sinew.message, scene.sinew.failed = text, failed
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def watch():
    """The timer of a job: works a little, then lets Blender go on; at the end puts the results into the scene."""
    of = job.current
    scene = bpy.data.scenes.get(of.scene)
    if scene is None:
        of.cancel()
        return None
    if of.advance():
        say(scene, f"{100 * of.fraction:.0f} %  {of.text}")
        return 0.02
    windows = bpy.context.window_manager.windows
    if of.state == "done" and windows:
        with bpy.context.temp_override(window=windows[0], scene=scene):
            bpy.ops.sinew.apply_result("EXEC_DEFAULT", True)  # a step of undo
    elif of.state == "failed":
        say(scene, of.text, failed=True)
        if windows:
            lines = of.text.split("\n")
            with bpy.context.temp_override(window=windows[0]):
                bpy.context.window_manager.popup_menu(lambda menu, _: [menu.layout.label(text=t) for t in lines],
                                                      title="Sinew", icon="ERROR")
    else:
        say(scene, of.text)
    return None


class SINEW_OT_simulate(bpy.types.Operator):
    """Simulates the frame range in the background, then puts the result into the scene"""
    bl_idname, bl_label, bl_options = "sinew.simulate", "Simulate", {"REGISTER"}
    wait: BoolProperty(name="Wait", default=False, options={"HIDDEN", "SKIP_SAVE"},
                       description="Blender stands still until it is done, as it does without a window")

    @classmethod
    def poll(cls, _context):
        return not (job.current and job.current.state == "running")

    def execute(self, context):
        try:
            of = job.start(context.scene)
        except Problem as problem:
            say(context.scene, str(problem), failed=True)
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        if not self.wait:
            bpy.app.timers.register(watch)
            return {"FINISHED"}
        of.finish()
        if of.state == "done":
            return bpy.ops.sinew.apply_result()
        say(context.scene, of.text, failed=True)
        self.report({"ERROR"}, of.text)
        return {"CANCELLED"}

    def invoke(self, context, _event):
        return self.execute(context)


class SINEW_OT_apply_result(bpy.types.Operator):
    """Puts the results of the last simulation into the scene"""
    bl_idname, bl_label, bl_options = "sinew.apply_result", "Sinew simulation", {"INTERNAL", "UNDO"}

    def execute(self, _context):
        of = job.current
        scene = bpy.data.scenes.get(of.scene) if of else None
        if scene is None or of.state != "done" or of.done is None:
            self.report({"ERROR"}, "there is no result")
            return {"CANCELLED"}
        missing = results.apply(scene, of.made, of.done)
        of.done = None
        text = f"frames {of.made.first} to {of.made.last}"
        if not bpy.data.filepath:
            text += "; save the file to keep them"
        warnings = [line.partition("warning: ")[2] for line in of.said if "warning: " in line]
        if missing:
            warnings.insert(0, "changed or deleted meanwhile: " + ", ".join(missing))
        for line in warnings:
            self.report({"WARNING"}, line)
        say(scene, "\n".join([text, *warnings[:3]]), failed=bool(missing))
        return {"FINISHED"}


class SINEW_OT_cancel(bpy.types.Operator):
    """Ends the simulation; the scene stays as it was"""
    bl_idname, bl_label = "sinew.cancel", "Cancel"

    @classmethod
    def poll(cls, _context):
        return bool(job.current and job.current.state == "running")

    def execute(self, context):
        job.current.cancel()
        say(context.scene, job.current.text)
        if bpy.app.timers.is_registered(watch):
            bpy.app.timers.unregister(watch)
        return {"FINISHED"}


class SINEW_OT_clear(bpy.types.Operator):
    """Removes the results from the scene"""
    bl_idname, bl_label, bl_options = "sinew.clear", "Clear results", {"REGISTER", "UNDO"}

    def execute(self, context):
        say(context.scene, f"{results.clear(context.scene)} results removed")
        return {"FINISHED"}


class SINEW_OT_shape_keys(bpy.types.Operator):
    """Turns the results of the selected objects into shape keys, a key a frame, which other programs and files understand"""
    bl_idname, bl_label, bl_options = "sinew.shape_keys", "To shape keys", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bool(selected(context, "MESH", cls.has_result))

    @staticmethod
    def has_result(thing):
        modifier = thing.modifiers.get(results.MODIFIER)
        return modifier is not None and modifier.type == "MESH_CACHE"

    def execute(self, context):
        for thing in selected(context, "MESH", self.has_result):
            try:
                results.to_shape_keys(thing)
            except (OSError, ValueError) as problem:
                self.report({"ERROR"}, f"{thing.name}: its cache cannot be read: {problem}")
                return {"CANCELLED"}
        return {"FINISHED"}


class SINEW_OT_export_scene(bpy.types.Operator):
    """Writes what is simulated as a scene of Sinew, with its meshes, into a folder: for 'sinew run', 'sinew view' and programs"""
    bl_idname, bl_label = "sinew.export_scene", "Export scene"
    directory: StringProperty(subtype="DIR_PATH")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        folder, program = bpy.path.abspath(self.directory), settings.find_program()
        try:
            os.makedirs(folder, exist_ok=True)
            if not program:
                raise Problem("the program 'sinew' was not found: name it in Preferences > Add-ons > Sinew")
            of = job.Export(context.scene, program, folder)
        except (Problem, OSError) as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        of.finish()
        if of.state != "done":
            self.report({"ERROR"}, of.text)
            return {"CANCELLED"}
        self.report({"INFO"}, f"wrote {os.path.join(folder, 'scene.json')}")
        return {"FINISHED"}


CLASSES = (SINEW_OT_make_muscle, SINEW_OT_find_ends, SINEW_OT_end_from_selection, SINEW_OT_attach, SINEW_OT_make_soft,
           SINEW_OT_make_cloth, SINEW_OT_make_rope, SINEW_OT_make_collider, SINEW_OT_remove, SINEW_OT_simulate,
           SINEW_OT_apply_result, SINEW_OT_cancel, SINEW_OT_clear, SINEW_OT_shape_keys, SINEW_OT_export_scene)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    if job.current:
        job.current.cancel()
    if bpy.app.timers.is_registered(watch):
        bpy.app.timers.unregister(watch)
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
