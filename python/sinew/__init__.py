"""Sinew from Python: the C library through ctypes, with the names of its headers.

The module reads the headers when it is imported, so it has every function, structure and constant of the library under
the same name, and the comments in the headers apply. Calls that return a status raise sinew.Error when they fail, with
the lines that the library logged.

    import numpy as np, sinew
    world = sinew.World(worker_count=2)
    rod = world.rod(points=np.linspace([0, 1, 0], [0.5, 1, 0], 11), radius=0.02, clamp_first=True)
    for frame in range(60):
        world.step(1 / 60, 4)
    print(rod.points[-1])

World and Body, with a subclass of Body for each kind, are a thin layer; everything else is called as in C:

    body = sinew.create(sinew.sn_rigid_create, world, sinew.sn_rigid_def_default(), sinew.sn_body)

If the library has the tools in it (`has_tools`), there are meshes, baking, scenes and captures too: sinew.tools.

SINEW_LIBRARY names the library and SINEW_INCLUDE the folder of the headers. Without them the module uses those beside it, where
'pip install' has put them, or searches the folders above this file: lib and include of the prefix it was installed into, or
build/* and include of the sources.
"""
import ctypes
import ctypes.util
import os
import pathlib
import re

import numpy as np

_HERE = pathlib.Path(__file__).resolve().parent


def _find(variable, names, what):
    given = os.environ.get(variable)
    if given:
        if not pathlib.Path(given).exists():
            raise ImportError(f"{variable} is '{given}', which does not exist")
        return pathlib.Path(given)
    for prefix in [_HERE, *_HERE.parents][:6]:
        for name in names:
            for found in sorted(prefix.glob(name)):
                return found
    raise ImportError(f"cannot find {what}: set {variable} to its path")


_library_path = _find("SINEW_LIBRARY",
                      [f"{folder}{name}{ending}" for name in ("libsinew-python", "libsinew") for folder, ending in (
                          ("", ".so"), ("", ".dylib"), ("", ".dll"), ("lib/", ".so"), ("lib/*/", ".so"), ("build/*/", ".so"))],
                      "libsinew.so (build it with -DBUILD_SHARED_LIBS=ON, or the target sinew_python)")
_include_path = _find("SINEW_INCLUDE", ["include/sinew"], "the headers of Sinew (the folder with sinew.h)")
for _needed in sorted((_library_path.parent / "needed").glob("*")):  # what a wheel brings, each after what it needs
    ctypes.CDLL(str(_needed), mode=ctypes.RTLD_GLOBAL)
_library = ctypes.CDLL(str(_library_path))
has_tools = hasattr(_library, "sn_scene_load") and (_include_path / "tools").is_dir()

# ---- reading the headers

_TYPES = {"int": ctypes.c_int, "bool": ctypes.c_bool, "float": ctypes.c_float, "double": ctypes.c_double,
          "size_t": ctypes.c_size_t, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16, "uint16_t": ctypes.c_uint16,
          "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "int32_t": ctypes.c_int32,
          "int64_t": ctypes.c_int64, "sn_real": ctypes.c_float, "char": ctypes.c_char,
          "unsigned char": ctypes.c_ubyte}
_functions = {}  # by name


def _read_headers():
    headers = sorted(_include_path.glob("*.h")) + (sorted((_include_path / "tools").glob("*.h")) if has_tools else [])
    text = "".join(header.read_text() for header in headers)
    for name, value in re.findall(r"^#define (SN_[A-Z_]+) +(\d+|0x[0-9A-F]+)u?\s*(?://.*)?$", text, flags=re.M):
        globals()[name] = int(value, 0)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^[ \t]*#[^\n]*$", "", text, flags=re.M)
    return " ".join(text.split())


def _ctype(text):
    """The ctypes type of a C type that is not an array, such as 'const sn_vec3 *'."""
    words = text.replace("const", " ").replace("struct ", " ")
    stars = words.count("*")
    base = " ".join(words.replace("*", " ").split())
    if base == "void":
        return ctypes.c_void_p if stars else None
    if base not in _TYPES:
        raise ImportError(f"the headers use a type that this module does not know: '{text}'")
    kind = _TYPES[base]
    if kind is None:  # opaque
        return ctypes.POINTER(ctypes.c_void_p) if stars > 1 else ctypes.c_void_p
    if base == "char" and stars:
        kind, stars = ctypes.c_char_p, stars - 1
    for _ in range(stars):
        kind = kind if isinstance(kind, type) and issubclass(kind, ctypes._CFuncPtr) else ctypes.POINTER(kind)
    return kind


def _declared(text):
    """Yields (type, name) for each name that 'int a, *b[2]' declares."""
    text = text.strip()
    rows = re.match(r"((?:unsigned )?\w+)\s*\(\*(\w+)\)\s*\[(\w+)\]$", text)
    if rows:  # int (*tets)[4]: a pointer to rows
        size = rows.group(3)
        length = int(size) if size.isdigit() else globals()[size]
        yield ctypes.POINTER(_ctype(rows.group(1)) * length), rows.group(2)
        return
    first = re.match(r"((?:const |struct |unsigned )*\w+)\s*(.*)", text)
    for piece in first.group(2).split(","):
        stars = piece.count("*")
        name = re.search(r"(\w+)\s*((?:\[\w+\]\s*)*)$", piece.replace("*", " "))
        kind = _ctype(first.group(1) + "*" * stars)
        for size in reversed(re.findall(r"\[(\w+)\]", name.group(2))):
            kind = kind * (int(size) if size.isdigit() else globals()[size])
        yield kind, name.group(1)


class _Structure(ctypes.Structure):
    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n, *_ in self._fields_)})"


def _define():
    text = _read_headers()
    for body, name in re.findall(r"typedef enum \{([^}]*)\} (\w+);", text):
        _TYPES[name] = ctypes.c_int
        value = -1
        for item in filter(None, (part.strip() for part in body.split(","))):
            label, _, given = item.partition("=")
            value = int(given, 0) if given else value + 1
            globals()[label.strip()] = value
    for name in re.findall(r"typedef struct \w+ (\w+);", text):
        _TYPES.setdefault(name, None)
    # Structures and callback types may refer to each other in any order: repeat until all are known.
    left = [("struct", name, body) for body, name in re.findall(r"typedef struct \{([^}]*)\} (\w+);", text)]
    left += [("call", name, (result, given))
             for result, name, given in re.findall(r"typedef (\w+(?: \*)?) ?(\w+)\(([^)]*)\);", text)]
    while left:
        later = []
        for what, name, body in left:
            try:
                if what == "call":
                    _TYPES[name] = globals()[name] = ctypes.CFUNCTYPE(_ctype(body[0]), *(_ctype(re.sub(r"\w+$", "", a.strip()))
                                                                     for a in body[1].split(",")))
                    continue
                fields = []
                for line in filter(None, (part.strip() for part in body.split(";"))):
                    hook = re.match(r"(\w+ ?\*?)\s*\(\*(\w+)\)\((.*)\)$", line)
                    if hook:
                        given = [_ctype(re.sub(r"\w+$", "", a.strip())) for a in hook.group(3).split(",")]
                        fields.append((hook.group(2), ctypes.CFUNCTYPE(_ctype(hook.group(1)), *given)))
                    else:
                        fields += [(field, kind) for kind, field in _declared(line)]
                _TYPES[name] = globals()[name] = type(name, (_Structure,), {"_fields_": fields})
            except ImportError:
                later.append((what, name, body))
        if len(later) == len(left):
            raise ImportError(f"the headers have types that this module cannot read: {[n for _, n, _ in later]}")
        left = later
    for result, name, given in re.findall(r"SN_API ([\w ]+?[ *]+)(\w+)\(([^)]*)\);", text):
        function = getattr(_library, name, None)
        if function is None:
            raise ImportError(f"{_library_path} has no {name}: the headers belong to another version")
        arguments = [] if given.strip() == "void" else [a.strip() for a in given.split(",")]
        types = [re.sub(r"\w+$", "", a) if not a.endswith("]") else re.sub(r"\w+\s*\[.*$", "", a) + "*"
                 for a in arguments]
        function.argtypes = [_ctype(t) for t in types]
        function.restype = _ctype(result)
        _functions[name] = function
        globals()[name] = _raising(function) if result.strip() == "sn_status" else function


# ---- errors

_lines = []  # logged since the last call that returned a status


class Error(RuntimeError):
    """A call failed: .status is the code, the text has the logged lines."""

    def __init__(self, name, status, lines):
        self.status = status
        logged = "".join(f"\n  {line}" for line in lines)
        super().__init__(f"{name}: {sn_status_name(status).decode()}{logged}")


def _raising(function):
    # Calls of the tools end with a text for the error: it may be left out, for it is in the exception.
    has_text = has_tools and function.argtypes[-1:] == [ctypes.POINTER(_TYPES["sn_error"])]

    def call(*arguments):
        del _lines[:]
        if has_text and len(arguments) == len(function.argtypes) - 1:
            error = sn_error()
            status = function(*arguments, ctypes.byref(error))
            lines = [*_lines, *filter(None, [error.text.decode(errors="replace")])]
        else:
            status = function(*arguments)
            lines = _lines
        if status not in (SN_OK, SN_WARN_DIVERGED, SN_WARN_ENERGY):
            raise Error(function.__name__, status, dict.fromkeys(lines))
        return status

    call.__name__ = function.__name__
    return call


_define()


@_TYPES["sn_log_fn"]
def _log(user, level, code, field, text):
    _lines.append(f"{field.decode()}: {text.decode()}" if field else text.decode())


# ---- arrays

def vectors(values):
    """Any n x 3 numbers as an array that C can read; pass it with pointer()."""
    return np.ascontiguousarray(values, dtype=np.float32).reshape(-1, 3)


def pointer(array, kind):
    """A pointer to the numbers of an array, as a C type such as sinew.sn_vec3 or ctypes.c_float. Keep the array."""
    return array.ctypes.data_as(ctypes.POINTER(kind))


def read(getter, *which, width=3, dtype=np.float32):
    """The result of a getter of the library, such as sn_body_get_points, as a NumPy array."""
    count = getter(*which, None, 0)
    out = np.zeros((count, width) if width > 1 else count, dtype=dtype)
    getter(*which, out.ctypes.data_as(getter.argtypes[-2]), count)
    return out


def create(maker, world, definition, handle):
    """Calls sn_..._create(world, definition, &handle) and returns the handle; 'handle' is its type."""
    made = handle()
    maker(world, ctypes.byref(definition), ctypes.byref(made))
    return made


def _fill(definition, fields):
    """Sets fields of a definition; arrays become pointers, and the caller sets their counts. Returns the arrays by name;
    keep them while the definition is used."""
    kinds = dict(definition._fields_)
    keep = {}
    for name, value in fields.items():
        kind = kinds.get(name)
        if kind is None:
            raise TypeError(f"{type(definition).__name__} has no field '{name}'; it has {', '.join(kinds)}")
        if isinstance(value, np.ndarray) or (isinstance(value, (list, tuple)) and hasattr(kind, "contents")):
            item = kind._type_
            if issubclass(item, ctypes.Structure) and len(value) and isinstance(value[0], item):
                keep[name] = (item * len(value))(*value)
                value = ctypes.cast(keep[name], kind)
            else:  # numbers, or rows of them: points
                number = ctypes.c_float if issubclass(item, ctypes.Structure) else item
                keep[name] = np.ascontiguousarray(value, dtype=np.dtype(number))
                value = keep[name].ctypes.data_as(kind)
        elif isinstance(value, (list, tuple)) and issubclass(kind, ctypes.Structure):
            value = kind(*value)
        elif hasattr(value, "handle"):
            value = value.handle
        elif isinstance(value, (list, tuple)) and issubclass(kind, ctypes.Array):
            item = kind._type_
            value = kind(*(item(*v) if issubclass(item, ctypes.Structure) else v for v in value))
        setattr(definition, name, value)
    return keep


# ---- bodies

class Body:
    """A body of any kind. Each access to an array property reads it again."""

    def __init__(self, world, handle):
        self.world, self.handle = world, handle

    @property
    def _as_parameter_(self):
        return self.handle

    def __repr__(self):
        return f"<{type(self).__name__} {self.handle.slot1}>"

    def __eq__(self, other):
        return isinstance(other, Body) and self.world is other.world and bytes(self.handle) == bytes(other.handle)

    def __hash__(self):
        return hash(bytes(self.handle))

    @property
    def kind(self):
        """The name of the kind, such as "rod"."""
        return sn_kind_name(self.handle.kind).decode()

    @property
    def exists(self):
        return sn_body_exists(self.world, self)

    def destroy(self):
        sn_body_destroy(self.world, self)

    @property
    def label(self):
        return sn_body_label(self.world, self)

    @label.setter
    def label(self, value):
        sn_body_set_label(self.world, self, value)

    @property
    def points(self):
        """Positions, n x 3, m."""
        return read(sn_body_get_points, self.world, self)

    @property
    def velocities(self):
        """n x 3, m/s."""
        return read(sn_body_get_velocities, self.world, self)

    @property
    def masses(self):
        """Mass of each point, kg; 0 for a held point."""
        return read(sn_body_get_masses, self.world, self, width=1)

    @property
    def mass(self):
        return sn_body_mass(self.world, self)

    @property
    def volume(self):
        return sn_body_volume(self.world, self)

    @property
    def rest_volume(self):
        return sn_body_rest_volume(self.world, self)

    @property
    def energy(self):
        """.kinetic, .elastic and .potential, J."""
        return sn_body_energy(self.world, self)

    @property
    def bounds(self):
        """Two rows: the min and max corner of the body's bounding box."""
        box = sn_body_bounds(self.world, self)
        return np.array([[corner.x, corner.y, corner.z] for corner in (box.min, box.max)], dtype=np.float32)

    @property
    def contact(self):
        """(surface, collide, self_collide)."""
        surface, collide, self_collide = sn_surface(), ctypes.c_bool(), ctypes.c_bool()
        sn_body_get_contact(self.world, self, ctypes.byref(surface), ctypes.byref(collide), ctypes.byref(self_collide))
        return surface, collide.value, self_collide.value

    def set_contact(self, surface=None, collide=None, self_collide=None):
        """Sets how the body collides; arguments left out keep their value."""
        now = self.contact
        surface, collide, self_collide = (given if given is not None else old
                                          for given, old in zip((surface, collide, self_collide), now))
        sn_body_set_contact(self.world, self, ctypes.byref(surface), collide, self_collide)

    def wake(self):
        sn_body_wake(self.world, self)

    @property
    def asleep(self):
        return sn_body_asleep(self.world, self)


class Rod(Body):
    """A rod: a chain, a tree or a loop of points."""

    @property
    def radii(self):
        return read(sn_rod_get_radii, self.world, self, width=1)

    @property
    def parents(self):
        return read(sn_rod_get_parents, self.world, self, width=1, dtype=np.int32)

    def hold(self, point, what=None):
        """Holds a point: a sum of SN_HOLD_*, by default its position."""
        sn_rod_hold(self.world, self, point, SN_HOLD_CENTRE if what is None else what)

    def move(self, point, to):
        """Moves a held point there during the next step."""
        sn_rod_move_centre(self.world, self, point, sn_vec3(*to))


class Springs(Body):
    """A mass-spring body."""

    @property
    def triangles(self):
        return read(sn_springs_get_triangles, self.world, self, dtype=np.int32)

    @property
    def tets(self):
        return read(sn_springs_get_tets, self.world, self, width=4, dtype=np.int32)

    @property
    def springs(self):
        """A structured array with the fields of sn_spring."""
        out = (sn_spring * sn_springs_spring_count(self.world, self))()
        sn_springs_get_springs(self.world, self, out, len(out))
        return _records(sn_spring, out)

    def move(self, point, to):
        """Moves a held point there during the next step."""
        sn_springs_move(self.world, self, point, sn_vec3(*to))

    def set_force(self, point, force):
        """A force on a point, N, until it is set again."""
        sn_springs_set_force(self.world, self, point, sn_vec3(*force))

    def set_points(self, points):
        points = vectors(points)
        sn_springs_set_points(self.world, self, pointer(points, sn_vec3), len(points))


class Elastic(Body):
    """An elastic body; its points are its medial spheres."""

    @property
    def radii(self):
        """Of the medial spheres, m."""
        return read(sn_elastic_get_radii, self.world, self, width=1)

    @property
    def vertices(self):
        """Of the tetrahedra, n x 3, m."""
        return read(sn_elastic_get_vertices, self.world, self)

    @property
    def drawn(self):
        """Vertices of the surface that is drawn, n x 3, m."""
        return read(sn_elastic_get_drawn, self.world, self)

    def move_anchors(self, position, rotation=(0, 0, 0, 1)):
        """Moves the anchored vertices, as one, to this pose of the model during the next step."""
        sn_elastic_move_anchors(self.world, self, sn_vec3(*position), sn_quat(*rotation))

    def set_force(self, vertex, force):
        """A force on a vertex of the tetrahedra, N, until it is set again."""
        sn_elastic_set_force(self.world, self, vertex, sn_vec3(*force))


class ImplicitMuscles(Body):
    """The muscles and bones of a character."""

    @property
    def count(self):
        return sn_implicit_muscles_count(self.world, self)

    @property
    def poses(self):
        """Of the bones: n x 7, position and rotation as x, y, z, w."""
        return read(sn_implicit_muscles_get_poses, self.world, self, width=7)

    def move(self, poses):
        """Moves the bones to these poses, n x 7, during the next step."""
        poses = np.ascontiguousarray(poses, dtype=np.float32).reshape(-1, 7)
        sn_implicit_muscles_move(self.world, self, pointer(poses, sn_transform), len(poses))

    def axis(self, muscle):
        """The points of a muscle's axis, n x 3, m."""
        return read(sn_implicit_muscles_get_axis, self.world, self, muscle)

    def muscle_volume(self, muscle):
        return sn_implicit_muscles_volume(self.world, self, muscle)


class Rigid(Body):
    """A rigid body: static, kinematic, or dynamic."""

    @property
    def dynamic(self):
        return bool(sn_rigid_is_dynamic(self.world, self))

    @property
    def velocity(self):
        """(velocity, angular velocity) of a dynamic body."""
        linear, angular = sn_vec3(), sn_vec3()
        sn_rigid_get_velocity(self.world, self, ctypes.byref(linear), ctypes.byref(angular))
        return (np.array([linear.x, linear.y, linear.z], dtype=np.float32),
                np.array([angular.x, angular.y, angular.z], dtype=np.float32))

    @velocity.setter
    def velocity(self, both):
        sn_rigid_set_velocity(self.world, self, sn_vec3(*both[0]), sn_vec3(*both[1]))

    def push(self, impulse, point):
        """Adds an impulse (N s) at a point of the world to a dynamic body."""
        sn_rigid_apply_impulse(self.world, self, sn_vec3(*impulse), sn_vec3(*point))

    @property
    def pose(self):
        """(position, rotation as x, y, z, w)."""
        position, rotation = sn_vec3(), sn_quat()
        sn_rigid_get_pose(self.world, self, ctypes.byref(position), ctypes.byref(rotation))
        return (np.array([position.x, position.y, position.z], dtype=np.float32),
                np.array([rotation.x, rotation.y, rotation.z, rotation.w], dtype=np.float32))

    @property
    def reaction(self):
        """(force, torque about the position) that a static or kinematic body bore in the last step."""
        force, torque = sn_vec3(), sn_vec3()
        sn_rigid_get_reaction(self.world, self, ctypes.byref(force), ctypes.byref(torque))
        return (np.array([force.x, force.y, force.z], dtype=np.float32),
                np.array([torque.x, torque.y, torque.z], dtype=np.float32))

    def move(self, position, rotation=(0, 0, 0, 1)):
        """Moves the body to this pose during the next step."""
        sn_rigid_move(self.world, self, sn_vec3(*position), sn_quat(*rotation))


_CLASSES = {SN_KIND_ROD: Rod, SN_KIND_SPRING: Springs, SN_KIND_ELASTIC: Elastic,
            SN_KIND_IMPLICIT_MUSCLE: ImplicitMuscles, SN_KIND_RIGID: Rigid}


def _records(kind, array):
    """C structures as a structured array, with vectors as rows of three."""
    rows = {sn_vec3: (np.float32, 3), sn_quat: (np.float32, 4), sn_body: (np.uint32, 3)}
    names, formats, offsets = [], [], []
    for name, of in kind._fields_:
        names.append(name)
        offsets.append(getattr(kind, name).offset)
        formats.append(rows[of] if of in rows else np.dtype(of))
    dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ctypes.sizeof(kind)})
    return np.frombuffer(array, dtype=dtype).copy() if len(array) else np.zeros(0, dtype)


class Bundle:
    """Rods that are a muscle."""

    def __init__(self, world, handle, rods):
        self.world, self.handle, self.rods = world, handle, rods

    @property
    def _as_parameter_(self):
        return self.handle

    @property
    def exists(self):
        return sn_bundle_exists(self.world, self)

    def destroy(self):
        sn_bundle_destroy(self.world, self)

    @property
    def activation(self):
        """0 to 1; a change takes effect in the next step."""
        return sn_bundle_activation(self.world, self)

    @activation.setter
    def activation(self, value):
        sn_bundle_set_activation(self.world, self, value)

    @property
    def state(self):
        """.activation, .length (m), .speed (m/s), .force and .full_force (N)."""
        state = sn_muscle_state()
        sn_bundle_get_state(self.world, self, ctypes.byref(state))
        return state

    @property
    def sections(self):
        """The cross-sections: a structured array with the fields of sn_section."""
        out = (sn_section * sn_bundle_get_sections(self.world, self, None, 0))()
        sn_bundle_get_sections(self.world, self, out, len(out))
        return _records(sn_section, out)

    @property
    def volume(self):
        return sn_bundle_volume(self.world, self)

    @property
    def rest_volume(self):
        return sn_bundle_rest_volume(self.world, self)


class Joint:
    """What holds two bodies together."""

    def __init__(self, world, handle):
        self.world, self.handle = world, handle

    @property
    def _as_parameter_(self):
        return self.handle

    @property
    def exists(self):
        return sn_joint_exists(self.world, self)

    def destroy(self):
        sn_joint_destroy(self.world, self)

    @property
    def coordinate(self):
        """What the joint leaves free: an angle, rad, or a displacement, m."""
        return sn_joint_coordinate(self.world, self)

    @property
    def force(self):
        """N, in the last step."""
        return sn_joint_force(self.world, self)

    def set_motor(self, **fields):
        """Takes fields of sn_joint_motor; none: no motor."""
        sn_joint_set_motor(self.world, self, ctypes.byref(sn_joint_motor(**fields)))

    def move(self, position):
        """Moves the point of space, or the place on a rigid body, that is side b."""
        sn_joint_move(self.world, self, sn_vec3(*position))


class Snapshot:
    """The collision geometry of a world, to ask where rays go and what is near. Answers are structured arrays with the fields of
    sn_hit; .body is (0, 0, 0) where nothing was found. Probes are points, spheres (radius) or, with 'ends', pills."""

    def __init__(self, world):
        self.world, self._snapshot = world, ctypes.c_void_p()
        sn_snapshot_create(world, ctypes.byref(self._snapshot))

    def update(self):
        sn_snapshot_update(self._snapshot, self.world)

    def close(self):
        if getattr(self, "_snapshot", None):
            sn_snapshot_destroy(self._snapshot)
            self._snapshot = None

    __del__ = close

    @property
    def _as_parameter_(self):
        return self._snapshot

    @staticmethod
    def _probes(starts, motions, radius, ends, end_radius):
        starts = vectors(starts)
        probes = np.zeros(len(starts), dtype=[("ends", np.float32, (2, 3)), ("radii", np.float32, 2),
                                              ("motion", np.float32, 3)])
        probes["ends"][:, 0] = starts
        probes["ends"][:, 1] = starts if ends is None else vectors(ends)
        probes["radii"][:, 0] = radius
        probes["radii"][:, 1] = radius if end_radius is None else end_radius
        probes["motion"] = 0 if motions is None else vectors(motions)
        return probes

    @staticmethod
    def _filter(groups, skip):
        of = sn_query_filter_default()
        of.groups = groups
        if skip is not None:
            of.skip = skip.handle
        return of

    def cast(self, starts, motions, radius=0, ends=None, end_radius=None, groups=0xFFFFFFFF, skip=None):
        """What each probe meets first on its way."""
        probes = self._probes(starts, motions, radius, ends, end_radius)
        hits = (sn_hit * len(probes))()
        of = self._filter(groups, skip)
        sn_snapshot_cast(self, pointer(probes, sn_probe), len(probes), ctypes.byref(of), hits)
        return _records(sn_hit, hits)

    def nearest(self, starts, radius=0, ends=None, end_radius=None, max=np.inf, groups=0xFFFFFFFF, skip=None):
        """What is nearest to each probe, within 'max'."""
        probes = self._probes(starts, None, radius, ends, end_radius)
        hits = (sn_hit * len(probes))()
        of = self._filter(groups, skip)
        sn_snapshot_nearest(self, pointer(probes, sn_probe), len(probes), max, ctypes.byref(of), hits)
        return _records(sn_hit, hits)

    def overlap(self, start, radius=0, end=None, end_radius=None, groups=0xFFFFFFFF, skip=None):
        """The bodies that overlap one probe."""
        probe = self._probes([start], None, radius, None if end is None else [end], end_radius)
        of = self._filter(groups, skip)
        given = (self, pointer(probe, sn_probe), ctypes.byref(of))
        hits = (sn_hit * sn_snapshot_overlap(*given, None, 0))()
        sn_snapshot_overlap(*given, hits, len(hits))
        return _records(sn_hit, hits)


class World:
    """A world; takes fields of sn_world_def by name. Destroyed with the object, or at the end of a 'with'."""

    def __init__(self, **fields):
        definition = sn_world_def_default()
        definition.log = _log
        _fill(definition, fields)
        self._world, self._keep = ctypes.c_void_p(), []
        self._create(definition)

    def _create(self, definition):
        sn_world_create(ctypes.byref(definition), ctypes.byref(self._world))

    @property
    def _as_parameter_(self):
        return self._world

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if getattr(self, "_world", None):
            sn_world_destroy(self._world)
            self._world = None
            self._keep.clear()

    __del__ = close

    def step(self, dt=1 / 60, substeps=0):
        """Simulates dt seconds in equal substeps (0: as many as needed); returns SN_OK, SN_WARN_DIVERGED or SN_WARN_ENERGY."""
        return sn_world_step(self, dt, substeps)

    @property
    def time(self):
        return sn_world_time(self)

    @property
    def energy(self):
        return sn_world_energy(self)

    @property
    def energy_balance(self):
        """Energy and work since energy_check was set; see sn_energy_balance."""
        return sn_world_energy_balance(self)

    @property
    def energy_check(self):
        return sn_world_energy_check(self)

    @energy_check.setter
    def energy_check(self, on):
        sn_world_set_energy_check(self, on)

    @property
    def hash(self):
        return sn_world_hash(self)

    def save(self):
        size = sn_world_save(self, None, 0)
        out = ctypes.create_string_buffer(size)
        sn_world_save(self, out, size)
        return out.raw

    def body(self, handle):
        """The Body for a handle, an instance of the class of its kind."""
        return _CLASSES.get(handle.kind, Body)(self, handle)

    def body_of(self, record, field="body"):
        """The Body of a row of hits, contacts or events, None if there is none."""
        handle = sn_body(*(int(x) for x in record[field]))
        return self.body(handle) if sn_body_exists(self, handle) else None

    def snapshot(self):
        return Snapshot(self)

    @property
    def contacts(self):
        """Contacts that bore a force in the last substep: a structured array with the fields of sn_contact."""
        out = (sn_contact * sn_world_get_contacts(self, None, 0))()
        sn_world_get_contacts(self, out, len(out))
        return _records(sn_contact, out)

    def ask_events(self, groups=0xFFFFFFFF, among=0xFFFFFFFF):
        """Events of contacts from the next step on, between bodies of these groups (bits)."""
        sn_world_set_contact_events(self, groups, among, sn_contact_keep_fn(), None)

    @property
    def events(self):
        """What began, stayed and ended in the last step: a structured array with the fields of sn_contact_event."""
        out = (sn_contact_event * sn_world_get_contact_events(self, None, 0))()
        sn_world_get_contact_events(self, out, len(out))
        return _records(sn_contact_event, out)

    @property
    def bodies(self):
        """All bodies, kind by kind."""
        return [self.body(sn_world_body_at(self, i)) for i in range(sn_world_body_count(self))]

    def rod(self, points, **fields):
        """Creates a rod; takes fields of sn_rod_def by name. Arrays have one entry per point."""
        points = vectors(points)
        definition = sn_rod_def_default()
        keep = _fill(definition, dict(fields, points=points, point_count=len(points)))
        for name, array in keep.items():
            if len(array) != len(points):  # C would read past its end
                raise ValueError(f"{name} has {len(array)} entries, points has {len(points)}: they must be equal")
        made = create(sn_rod_create, self, definition, sn_body)
        del keep
        return self.body(made)

    def plane(self, position=(0, 0, 0), **fields):
        """Creates a static plane, solid below."""
        return self.rigid(position=position, **fields)

    def rigid(self, **fields):
        """Creates a rigid body, dynamic=True for one that moves; takes fields of sn_rigid_def by name."""
        definition = sn_rigid_def_default()
        keep = _fill(definition, fields)
        made = create(sn_rigid_create, self, definition, sn_body)
        del keep
        return self.body(made)

    def cloth(self, body=None, **fields):
        """Creates cloth; takes fields of sn_spring_cloth by name and those of sn_springs_def in the dict 'body'."""
        return self._springs(sn_springs_make_cloth, sn_spring_cloth_default(), fields, body)

    def chain(self, body=None, **fields):
        """Creates a chain of springs; takes fields of sn_spring_chain, and of sn_springs_def in the dict 'body'."""
        return self._springs(sn_springs_make_chain, sn_spring_chain_default(), fields, body)

    def solid(self, points, tets, body=None, **fields):
        """Creates a solid of springs from tetrahedra; takes fields of sn_spring_solid, and of sn_springs_def in 'body'."""
        points, tets = vectors(points), np.ascontiguousarray(tets, dtype=np.int32).reshape(-1, 4)
        given = dict(fields, points=points, count=len(points), tets=tets, tet_count=len(tets))
        return self._springs(sn_springs_make_solid, sn_spring_solid_default(), given, body)

    def sheet(self, points, triangles, body=None, **fields):
        """Creates springs along the edges of a surface; takes fields of sn_spring_surface, and of sn_springs_def in 'body'."""
        points, triangles = vectors(points), np.ascontiguousarray(triangles, dtype=np.int32).reshape(-1, 3)
        given = dict(fields, points=points, count=len(points), triangles=triangles, triangle_count=len(triangles))
        return self._springs(sn_springs_make_surface, sn_spring_surface_default(), given, body)

    def _springs(self, maker, form, fields, body):
        keep = [_fill(form, fields)]
        net = sn_spring_net()
        try:
            maker(ctypes.byref(form), None, ctypes.byref(net))
        except Error as error:
            raise ValueError(net.error.decode()) from error
        definition = sn_springs_def_of(ctypes.byref(net))
        keep.append(_fill(definition, body or {}))
        try:
            return self.body(create(sn_springs_create, self, definition, sn_body))
        finally:
            sn_spring_net_free(ctypes.byref(net))
            del keep

    def elastic(self, model, **fields):
        """Creates an elastic body of a model, such as sinew.tools.ElasticModel; takes fields of sn_elastic_def by name."""
        definition = sn_elastic_def_default()
        keep = _fill(definition, fields)
        definition.model = getattr(model, "_as_parameter_", model)
        made = self.body(create(sn_elastic_create, self, definition, sn_body))
        self._keep.append(model)  # it must outlive the body
        del keep
        return made

    def implicit_muscles(self, definition):
        """Creates a character's muscles from an sn_implicit_muscles_def, such as one of sn_implicit_model_muscles."""
        return self.body(create(sn_implicit_muscles_create, self, definition, sn_body))

    def bundle(self, rods, **fields):
        """Makes rods a muscle; takes fields of sn_bundle_def by name."""
        definition = sn_bundle_def_default()
        keep = _fill(definition, dict(fields, rods=[rod.handle for rod in rods], rod_count=len(rods)))
        made = create(sn_bundle_create, self, definition, sn_bundle)
        del keep
        return Bundle(self, made, list(rods))

    def muscle(self, rig, hold=True, bundle=None, **fields):
        """Creates a muscle from a rig (sinew.tools.MuscleRig), or from a list of (points, radii): its rods take fields of
        sn_rod_def, its bundle those of sn_bundle_def in the dict 'bundle'. 'hold': its ends stay where they are."""
        made = []
        for points, radii in getattr(rig, "rods", rig):
            made.append(self.rod(points, radii=radii, **{"material": sn_material_preset(SN_PRESET_MUSCLE), **fields}))
            for point in (0, len(points) - 1) if hold else ():
                made[-1].hold(point)
        return self.bundle(made, **(bundle or {}))

    def joint(self, **fields):
        """Creates a joint; takes fields of sn_joint_def by name, bodies as they are."""
        definition = sn_joint_def_default()
        keep = _fill(definition, fields)
        made = create(sn_joint_create, self, definition, sn_joint)
        del keep
        return Joint(self, made)

    def _repr_png_(self):
        from . import notebook
        return notebook.png(*notebook.triangles(self))

    def _repr_html_(self):
        from . import notebook
        return notebook.html(*notebook.triangles(self))


if has_tools:
    from . import tools  # noqa: E402, F401
