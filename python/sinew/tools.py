"""The tools of Sinew from Python: meshes, baking, scenes and captures.

    from sinew import tools
    scene = tools.Scene("scenes/arm.json")
    with scene.world(worker_count=2) as world, scene.capture(world, "arm.glb", "arm.png") as capture:
        for step in range(scene.step_count):
            world.step()
            capture.frame()

    mesh = tools.Mesh.read("biceps.obj")
    rig = mesh.viperize(rods=8)                       # a muscle of rods
    model = mesh.elastic(spheres=60)                  # a model of elastic bodies
    tets, axis = mesh.tets(), mesh.medial(spheres=50)

Definitions take their fields by name; 'progress' is a function of the fraction and what is done.
"""
import ctypes
import json
import os

import numpy as np

import sinew
from sinew import Error, World, _fill, pointer, vectors

Error = Error  # raised by all of it

__all__ = ["Capture", "ElasticModel", "Error", "ImplicitModel", "Medial", "Mesh", "MuscleRig", "Scene", "SceneWorld", "Tets"]


class _Handle:
    """An object of the library's, destroyed with this one."""
    _destroy = None

    def __init__(self, maker, *arguments):
        self._pointer = ctypes.c_void_p()
        maker(*arguments, ctypes.byref(self._pointer))

    @classmethod
    def _made(cls, maker, *arguments):
        made = cls.__new__(cls)
        _Handle.__init__(made, maker, *arguments)
        return made

    @property
    def _as_parameter_(self):
        return self._pointer

    def close(self):
        if getattr(self, "_pointer", None):
            type(self)._destroy(self._pointer)
            self._pointer = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _path(path):
    return os.fsencode(path)


def _definition(default, fields):
    """A definition with fields by name, and what must be kept while it is used."""
    made, keep = default(), []
    if "progress" in fields:
        given = fields["progress"]
        fields = dict(fields, progress=sinew.sn_progress_fn(lambda _, done, stage: given(done, (stage or b"").decode())))
    if "anchors" in fields:
        texts = [text.encode() for text in fields["anchors"]]
        keep.append((ctypes.c_char_p * len(texts))(*texts))
        fields = dict(fields, anchor_count=len(texts), anchors=ctypes.cast(keep[0], ctypes.POINTER(ctypes.c_char_p)))
    keep += [fields, _fill(made, fields)]
    return made, keep


class Mesh(_Handle):
    """Triangles: n x 3 positions (m) and m x 3 indices, counter-clockwise from outside."""
    _destroy = sinew.sn_mesh_destroy

    def __init__(self, positions, triangles):
        positions, triangles = vectors(positions), np.ascontiguousarray(triangles, dtype=np.int32).reshape(-1, 3)
        _Handle.__init__(self, lambda *a: sinew.sn_mesh_create(*a), pointer(positions, ctypes.c_float), len(positions),
                         pointer(triangles, ctypes.c_int), len(triangles))

    @classmethod
    def read(cls, path, scale=0):
        """Reads .obj, .ply, .stl, .off, .glb and .gltf; 'scale' is metres per unit, 0: guessed."""
        return cls._made(sinew.sn_mesh_read, _path(path), scale)

    def write(self, path):
        """As .obj."""
        sinew.sn_mesh_write(self, _path(path))

    @property
    def positions(self):
        return sinew.read(sinew.sn_mesh_get_positions, self)

    @property
    def triangles(self):
        return sinew.read(sinew.sn_mesh_get_triangles, self, dtype=np.int32)

    @property
    def area(self):
        return sinew.sn_mesh_area(self)

    @property
    def volume(self):
        """Signed; meaningless for open meshes."""
        return sinew.sn_mesh_volume(self)

    def repaired(self, **fields):
        """A repaired copy, and a report with the fields of sn_mesh_repair_report. Takes fields of sn_mesh_repair_def."""
        definition, keep = _definition(sinew.sn_mesh_repair_def_default, fields)
        report, made = sinew.sn_mesh_repair_report(), Mesh.__new__(Mesh)
        made._pointer = ctypes.c_void_p()
        sinew.sn_mesh_repair(self, ctypes.byref(definition), ctypes.byref(made._pointer), ctypes.byref(report))
        del keep
        return made, report

    def viperize(self, name="muscle", **fields):
        """The muscle in this surface, as rods: a MuscleRig. Takes fields of sn_muscle_bake_def."""
        definition, keep = _definition(sinew.sn_muscle_bake_def_default, fields)
        made = MuscleRig._made(sinew.sn_muscle_rig_bake, self, name.encode(), ctypes.byref(definition))
        del keep
        return made

    def elastic(self, **fields):
        """The elastic body in this surface: an ElasticModel. Takes fields of sn_elastic_bake_def."""
        definition, keep = _definition(sinew.sn_elastic_bake_def_default, fields)
        made = ElasticModel._made(sinew.sn_elastic_model_bake, self, ctypes.byref(definition))
        del keep
        return made

    def tets(self, **fields):
        """Tetrahedra that fill this surface: Tets. Takes fields of sn_tets_def."""
        definition, keep = _definition(sinew.sn_tets_def_default, fields)
        made = Tets._made(sinew.sn_tets_fill, self, ctypes.byref(definition))
        del keep
        return made

    def medial(self, **fields):
        """The medial mesh of this surface: Medial. Takes fields of sn_medial_def."""
        definition, keep = _definition(sinew.sn_medial_def_default, fields)
        made = Medial._made(sinew.sn_medial_create, self, ctypes.byref(definition))
        del keep
        return made

    def _repr_png_(self):
        from . import notebook
        return notebook.png(*notebook.of_mesh(self.positions, self.triangles))

    def _repr_html_(self):
        from . import notebook
        return notebook.html(*notebook.of_mesh(self.positions, self.triangles))


class Tets(_Handle):
    """A mesh of tetrahedra."""
    _destroy = sinew.sn_tets_destroy

    @classmethod
    def read(cls, path):
        """Reads .msh, .mesh, .vtk, or .node with .ele."""
        return cls._made(sinew.sn_tets_read, _path(path))

    def write(self, path):
        sinew.sn_tets_write(self, _path(path))

    @property
    def positions(self):
        return sinew.read(sinew.sn_tets_get_positions, self)

    @property
    def tets(self):
        """n x 4 indices."""
        return sinew.read(sinew.sn_tets_get_tets, self, width=4, dtype=np.int32)

    @property
    def volume(self):
        return sinew.sn_tets_volume(self)


class Medial(_Handle):
    """A medial mesh: spheres, cones between two of them, slabs between three."""
    _destroy = sinew.sn_medial_destroy

    @classmethod
    def read(cls, path):
        return cls._made(sinew.sn_medial_read, _path(path))

    def write(self, path):
        """As .ma."""
        sinew.sn_medial_write(self, _path(path))

    @property
    def centres(self):
        return sinew.read(sinew.sn_medial_get_centres, self)

    @property
    def radii(self):
        return sinew.read(sinew.sn_medial_get_radii, self, width=1)

    @property
    def cones(self):
        return sinew.read(sinew.sn_medial_get_cones, self, width=2, dtype=np.int32)

    @property
    def slabs(self):
        return sinew.read(sinew.sn_medial_get_slabs, self, width=3, dtype=np.int32)

    def distance(self, point):
        """The signed distance from a point to its surface, m; negative inside."""
        return sinew.sn_medial_distance(self, sinew.sn_vec3(*point))


class MuscleRig(_Handle):
    """A muscle as rods with a skin; World.muscle simulates it."""
    _destroy = sinew.sn_muscle_rig_destroy

    @classmethod
    def read(cls, path):
        """Reads a .rig.json file."""
        return cls._made(sinew.sn_muscle_rig_read, _path(path))

    def write(self, path):
        sinew.sn_muscle_rig_write(self, _path(path))

    @property
    def slices(self):
        return sinew.sn_muscle_rig_slice_count(self)

    @property
    def rods(self):
        """(points, radii) of each rod."""
        return [(sinew.read(sinew.sn_muscle_rig_get_points, self, i), sinew.read(sinew.sn_muscle_rig_get_radii, self, i, width=1))
                for i in range(sinew.sn_muscle_rig_rod_count(self))]

    @property
    def skin(self):
        """(positions, triangles) of the skin at rest, or None."""
        mesh = sinew.sn_muscle_rig_skin(self)
        if not mesh:
            return None
        return sinew.read(sinew.sn_mesh_get_positions, mesh), sinew.read(sinew.sn_mesh_get_triangles, mesh, dtype=np.int32)


class ElasticModel(_Handle):
    """What elastic bodies are made of; World.elastic simulates them."""
    _destroy = sinew.sn_elastic_model_destroy

    @classmethod
    def read(cls, path):
        """Reads an .elastic file."""
        return cls._made(sinew.sn_elastic_model_read, _path(path), None)

    def write(self, path):
        sinew.sn_elastic_model_write(self, _path(path))

    @property
    def asset(self):
        """The model's sn_elastic_asset, valid as long as the model."""
        return ctypes.cast(sinew.sn_elastic_model_asset(self), ctypes.POINTER(sinew.sn_elastic_asset)).contents

    def close(self):
        try:
            _Handle.close(self)
        except Error:  # a world still uses it, and lets go of it when it is closed
            pass

    __del__ = close


class ImplicitModel(_Handle):
    """The implicit skin of a character."""
    _destroy = sinew.sn_implicit_model_destroy

    @classmethod
    def bake(cls, path, scale=1):
        """From the skinned mesh of a glTF file."""
        return cls._made(sinew.sn_implicit_model_bake, _path(path), scale, sinew._log, None)

    @classmethod
    def read(cls, path):
        return cls._made(sinew.sn_implicit_model_read, _path(path), None)

    def write(self, path):
        sinew.sn_implicit_model_write(self, _path(path))


class Scene(_Handle):
    """A scene: a file, or a dict with what stands in one ('beside' is then the folder in which it looks for files)."""
    _destroy = sinew.sn_scene_destroy

    def __init__(self, scene, beside="."):
        if isinstance(scene, dict):
            text = json.dumps(scene).encode()
            name = os.path.join(beside, "scene.json")
            _Handle.__init__(self, sinew.sn_scene_parse, _path(name), text, len(text), sinew._log, None)
        else:
            _Handle.__init__(self, sinew.sn_scene_load, _path(scene), sinew._log, None)

    @property
    def step_length(self):
        return sinew.sn_scene_step_length(self)

    @property
    def substeps(self):
        return sinew.sn_scene_substeps(self)

    @property
    def duration(self):
        return sinew.sn_scene_duration(self)

    @property
    def step_count(self):
        return sinew.sn_scene_step_count(self)

    def world(self, **fields):
        """Its world; takes worker_count, lanes and hooks of sn_world_def. The timeline belongs to the world made last."""
        return SceneWorld(self, **fields)

    def capture(self, world, *paths, **fields):
        """A Capture of its world into files; takes fields of sn_capture_def."""
        return Capture(self, world, *paths, **fields)


class SceneWorld(World):
    """The world of a scene: its steps are those of the scene, with all that moves in time."""

    def __init__(self, scene, **fields):
        self.scene = scene
        World.__init__(self, **fields)

    def _create(self, definition):
        sinew.sn_scene_build(self.scene, ctypes.byref(definition), ctypes.byref(self._world))

    def step(self, dt=None, substeps=None):
        """A step of the scene; with a length, one of that length that the timeline has no part in."""
        if dt is not None:
            return World.step(self, dt, substeps or 0)
        return sinew.sn_scene_step(self.scene, self)

    def find(self, name, copy=0):
        """The first body of an entry of "bodies" with this name; KeyError: there is none."""
        handle = sinew.sn_scene_find_body(self.scene, self, name.encode(), copy)
        if not handle.slot1:
            raise KeyError(name)
        return self.body(handle)

    def name_of(self, body):
        """A readable name such as 'rod "arm", copy 3'; empty if the body is not an entry of the scene."""
        out = ctypes.create_string_buffer(300)
        sinew.sn_scene_body_name(self.scene, self, body.handle, out, len(out))
        return out.value.decode()


class Capture(_Handle):
    """Writes a run to files while it goes: .glb, .pc2, .mdd, .obj, .vtp, .pvd, .png, .mp4. Used in a 'with', it is finished at the
    end; after an exception its files are left out."""
    _destroy = sinew.sn_capture_destroy

    def __init__(self, scene, world, *paths, **fields):
        self.scene, self.world = scene, world
        if "camera" in fields:
            fields["camera"] = fields["camera"].encode()
        self._definition = _definition(sinew.sn_capture_def_default, fields)
        _Handle.__init__(self, sinew.sn_capture_create, scene, ctypes.byref(self._definition[0]))
        for path in paths:
            sinew.sn_capture_add_file(self, _path(path))
        if paths:
            self.frame()

    def add(self, path):
        """Another file, before the first frame."""
        sinew.sn_capture_add_file(self, _path(path))

    def frame(self):
        """Writes a frame if one is due: once before the first step, and after every step."""
        sinew.sn_capture_frame(self, self.world)

    def finish(self):
        sinew.sn_capture_finish(self, self.world)

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()
