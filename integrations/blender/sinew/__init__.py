"""Sinew in Blender: muscles, soft bodies, cloth and ropes, simulated by the program `sinew`.

    settings.py    what objects, scenes and the add-on remember
    translate.py   a Blender scene as a scene of Sinew: geometry, poses of every frame
    results.py     vertices that come back, as a mesh cache of each object
    job.py         a simulation in the background
    operators.py   what the buttons do
    panel.py       the buttons

The add-on talks to Sinew by files only: it writes a scene and meshes, starts `sinew viperize` and `sinew run`, and reads a vertex
cache. docs/blender.md is its manual.
"""
bl_info = {
    "name": "Sinew",
    "description": "Muscles, soft bodies, cloth and ropes that keep their volume",
    "author": "Sinew",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Sinew",
    "category": "Physics",
}

from . import operators, panel, settings  # noqa: E402: Blender reads bl_info first


def register():
    settings.register()
    operators.register()
    panel.register()


def unregister():
    panel.unregister()
    operators.unregister()
    settings.unregister()
