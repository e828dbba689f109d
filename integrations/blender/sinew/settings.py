"""What objects, scenes and the add-on itself remember. All of it is in the .blend file, but for the path of the program."""
import os
import shutil

import bpy
from bpy.props import (BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty)

KINDS = (
    ("NONE", "None", "Sinew leaves this object alone"),
    ("MUSCLE", "Muscle", "A bundle of fibres in this mesh, which contracts and bulges"),
    ("SOFT", "Soft body", "A solid that keeps its volume"),
    ("CLOTH", "Cloth", "A sheet: its edges are springs"),
    ("ROPE", "Rope", "A rod along this curve"),
    ("COLLIDER", "Collider", "A solid obstacle, which may be animated"),
)
MATERIALS = tuple((name, name.capitalize(), "") for name in
                  ("muscle", "tendon", "fat", "skin", "cartilage", "rubber", "silicone", "jelly", "rope", "steel"))


def is_armature(_, thing):
    return thing.type == "ARMATURE"


class SinewObject(bpy.types.PropertyGroup):
    kind: EnumProperty(name="Kind", items=KINDS, default="NONE")
    material: EnumProperty(name="Material", items=MATERIALS, default="muscle", description="Stiffness, density and damping")
    young: FloatProperty(name="Stiffness", default=0, min=0, soft_max=1e8,
                         description="Young's modulus in pascals; 0: that of the material")
    friction: FloatProperty(name="Friction", default=0.5, min=0, soft_max=2)
    self_collide: BoolProperty(name="Self collision", default=False)
    # What holds it.
    armature: PointerProperty(name="Armature", type=bpy.types.Object, poll=is_armature)
    bone_first: StringProperty(name="Origin bone", description="What the first end follows; empty: nothing")
    bone_last: StringProperty(name="Insertion bone", description="What the last end follows; empty: nothing")
    pins: StringProperty(name="Pins", description="Vertices of this group follow the bone, or stay where they are")
    # Muscles.
    group_first: StringProperty(name="Origin", description="Vertex group where fibres begin; empty: found from the form")
    group_last: StringProperty(name="Insertion", description="Vertex group where fibres end; empty: found from the form")
    rods: IntProperty(name="Fibres", default=8, min=1, max=64)
    slices: IntProperty(name="Sections", default=12, min=3, max=64, description="Along each fibre")
    drive: EnumProperty(name="Contract", default="BENDING", items=(
        ("BENDING", "By bending", "As far as its ends come closer: the muscle that bends the joint"),
        ("KEYED", "By keyframes", "By the value below, which can be animated"),
        ("NEVER", "Never", "Only stretched and bent by its bones")))
    activation: FloatProperty(name="Activation", default=0, min=0, max=1)
    shortest: FloatProperty(name="Shortest", default=0.7, min=0.3, max=1,
                            description="Length of a fully active fibre, over its length at rest")
    # Cloth and soft bodies.
    area_density: FloatProperty(name="Density", default=0.2, min=0.001, soft_max=10, description="kg/m²")
    stretch: FloatProperty(name="Stretch", default=1000, min=0, soft_max=1e5, description="N/m: force over width and strain")
    bend: FloatProperty(name="Bend", default=10, min=0, soft_max=1e4, description="N/m")
    thickness: FloatProperty(name="Thickness", default=0.01, min=0.0001, soft_max=0.1, subtype="DISTANCE")
    spheres: IntProperty(name="Spheres", default=60, min=4, max=1000,
                         description="Of the medial axis that moves the body: more deform in more detail")
    # Ropes.
    radius: FloatProperty(name="Radius", default=0, min=0, soft_max=0.2, subtype="DISTANCE",
                          description="0: the bevel of the curve, or a centimetre")
    segments: IntProperty(name="Segments", default=32, min=2, max=1000)
    hold_first: BoolProperty(name="Hold start", default=True)
    hold_last: BoolProperty(name="Hold end", default=False)
    # Colliders.
    shape: EnumProperty(name="Shape", default="MESH", items=(
        ("MESH", "Mesh", "The triangles of the mesh, with its modifiers"),
        ("PLANE", "Endless plane", "Solid below the object's origin, facing its z axis")))
    result: StringProperty(options={"HIDDEN"})  # the object that shows a rope


class SinewScene(bpy.types.PropertyGroup):
    substeps: IntProperty(name="Substeps", default=0, min=0, max=64, description="0: as many as fast motion needs")
    settle: FloatProperty(name="Settle", default=0.5, min=0, max=10, subtype="TIME_ABSOLUTE",
                          description="If the first frame is not the rest pose, the time in which bones go there first")
    bone_radius: FloatProperty(name="Bone radius", default=0.05, min=0, max=0.5,
                               description="Radius of bones for contact, over their length; 0: muscles go through bones")
    message: StringProperty(options={"SKIP_SAVE"})
    failed: BoolProperty(options={"SKIP_SAVE"})


class SinewPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    program: StringProperty(name="Program", subtype="FILE_PATH", description="The command 'sinew'; empty: searched in PATH")

    def draw(self, _context):
        self.layout.prop(self, "program")
        found = find_program()
        self.layout.label(text=f"Found {found}" if found else "Not found: build it with 'make', then name it here",
                          icon="CHECKMARK" if found else "ERROR")


def find_program():
    """The path of the command line: preferences, the variable SINEW, beside the add-on, PATH. None: there is none."""
    addon = bpy.context.preferences.addons.get(__package__)
    beside = os.path.join(os.path.dirname(__file__), "bin", "sinew")
    for path in (bpy.path.abspath(addon.preferences.program) if addon else "", os.environ.get("SINEW", ""), beside):
        for name in (path, path + ".exe") if path else ():
            if os.path.isfile(name) and os.access(name, os.X_OK):
                return os.path.abspath(name)
    return shutil.which("sinew")


CLASSES = (SinewObject, SinewScene, SinewPreferences)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.sinew = PointerProperty(type=SinewObject)
    bpy.types.Scene.sinew = PointerProperty(type=SinewScene)


def unregister():
    del bpy.types.Scene.sinew
    del bpy.types.Object.sinew
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
