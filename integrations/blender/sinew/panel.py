"""The panel in the sidebar of the 3D view: what the active object is, the simulation, and what went wrong."""
import textwrap

import bpy

from . import job


def lines(layout, text, width, icon):
    for number, line in enumerate(part for given in text.split("\n") for part in textwrap.wrap(given, width) or [""]):
        layout.label(text=line, icon=icon if number == 0 else "BLANK1")


class SINEW_PT_simulation(bpy.types.Panel):
    bl_label, bl_idname = "Sinew", "SINEW_PT_simulation"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Sinew"

    def draw(self, context):
        layout, scene = self.layout, context.scene
        width = max(20, int(context.region.width / (8.5 * context.preferences.system.ui_scale)))
        if job.current and job.current.state == "running":
            column = layout.column(align=True)
            column.label(text=f"{100 * job.current.fraction:.0f} %", icon="TIME")
            lines(column, job.current.text, width, "BLANK1")
            layout.operator("sinew.cancel", icon="CANCEL")
        else:
            row = layout.row()
            row.scale_y = 1.4
            row.operator("sinew.simulate", icon="PHYSICS")
            if scene.sinew.message:
                lines(layout.column(align=True), scene.sinew.message, width, "ERROR" if scene.sinew.failed else "INFO")
        row = layout.row(align=True)
        row.prop(scene, "frame_start", text="Start")
        row.prop(scene, "frame_end", text="End")
        column = layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        column.prop(scene.sinew, "substeps")
        column.prop(scene.sinew, "settle")
        column.prop(scene.sinew, "bone_radius")
        row = layout.row(align=True)
        row.operator("sinew.clear", text="Clear")
        row.operator("sinew.shape_keys")
        layout.operator("sinew.export_scene", icon="EXPORT")


class SINEW_PT_object(bpy.types.Panel):
    bl_label, bl_idname = "Body", "SINEW_PT_object"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Sinew"

    def draw(self, context):
        layout, thing = self.layout, context.active_object
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("sinew.make_muscle", text="Muscle", icon="FORCE_CURVE")
        row.operator("sinew.make_soft", text="Soft body", icon="MOD_SOFT")
        row = column.row(align=True)
        row.operator("sinew.make_cloth", text="Cloth", icon="MOD_CLOTH")
        row.operator("sinew.make_rope", text="Rope", icon="CURVE_DATA")
        row = column.row(align=True)
        row.operator("sinew.make_collider", text="Collider", icon="MOD_PHYSICS")
        row.operator("sinew.remove", text="None", icon="X")
        layout.operator("sinew.attach", icon="BONE_DATA")
        if thing is None or thing.sinew.kind == "NONE":
            return
        of = thing.sinew
        body = layout.column()
        body.use_property_split, body.use_property_decorate = True, False
        body.label(text=f"{thing.name}: {of.bl_rna.properties['kind'].enum_items[of.kind].name.lower()}")
        getattr(self, "draw_" + of.kind.lower())(context, body, thing, of)

    @staticmethod
    def group(context, body, thing, of, name):
        row = body.row(align=True)
        row.prop_search(of, name, thing, "vertex_groups", icon="GROUP_VERTEX")
        if context.mode == "EDIT_MESH":
            row.operator("sinew.end_from_selection", text="", icon="RESTRICT_SELECT_OFF").end = name

    @staticmethod
    def bones(body, of, *names):
        body.prop(of, "armature")
        for name in names if of.armature else ():
            body.prop_search(of, name, of.armature.data, "bones", icon="BONE_DATA")

    @staticmethod
    def matter(body, of):
        body.prop(of, "material")
        body.prop(of, "young")

    def draw_muscle(self, context, body, thing, of):
        self.group(context, body, thing, of, "group_first")
        self.group(context, body, thing, of, "group_last")
        body.operator("sinew.find_ends")
        self.bones(body, of, "bone_first", "bone_last")
        body.prop(of, "drive")
        if of.drive == "KEYED":
            row = body.row()
            row.use_property_decorate = True
            row.prop(of, "activation", slider=True)
        if of.drive != "NEVER":
            body.prop(of, "shortest")
        body.prop(of, "rods")
        body.prop(of, "slices")
        self.matter(body, of)
        body.prop(of, "friction")

    def draw_soft(self, context, body, thing, of):
        self.group(context, body, thing, of, "pins")
        self.bones(body, of, "bone_first")
        self.matter(body, of)
        for name in ("spheres", "friction", "self_collide"):
            body.prop(of, name)

    def draw_cloth(self, context, body, thing, of):
        self.group(context, body, thing, of, "pins")
        self.bones(body, of, "bone_first")
        for name in ("area_density", "stretch", "bend", "thickness", "friction", "self_collide"):
            body.prop(of, name)

    def draw_rope(self, _context, body, thing, of):
        for name in ("radius", "segments", "hold_first", "hold_last"):
            body.prop(of, name)
        self.bones(body, of, "bone_first", "bone_last")
        self.matter(body, of)
        for name in ("friction", "self_collide"):
            body.prop(of, name)

    def draw_collider(self, _context, body, thing, of):
        body.prop(of, "shape")
        body.prop(of, "friction")


CLASSES = (SINEW_PT_simulation, SINEW_PT_object)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
