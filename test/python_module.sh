#!/usr/bin/env bash
# The Python module: the same names and the same numbers as in C, errors that name the field, arrays, saving, and the
# example that plots.
# needs: no sanitizer
set -euo pipefail

python=/usr/bin/python3
"$python" -c 'import numpy, matplotlib' 2>/dev/null || exit 77 # scripts/setup installs both

work=$BUILD/python_module
rm -rf "$work"
mkdir -p "$work"
"$CC" -shared -o "$work/libsinew.so" -Wl,--whole-archive "$BUILD/libsinew.a" -Wl,--no-whole-archive -lm -lpthread
export SINEW_LIBRARY=$work/libsinew.so SINEW_INCLUDE=$SOURCE/include/sinew PYTHONPATH=$SOURCE/python
export PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=$work

"$CC" -I"$SOURCE/include" "$SOURCE/examples/hello_rod.c" -o "$work/hello_rod" "$BUILD/libsinew.a" -lm -lpthread
"$work/hello_rod" >"$work/c"

cat >"$work/check.py" <<'PY'
import ctypes, re, sys
import numpy as np, sinew

# Every public function is there under its name.
declared = set()
for header in sinew._include_path.glob("*.h"):
    declared |= set(re.findall(r"^SN_API [^(]*?(\w+)\(", header.read_text(), flags=re.M))
assert declared and not [name for name in declared if not hasattr(sinew, name)], declared

# The example of the headers gives the numbers it gives in C.
world = sinew.World()
rod = world.rod(points=[[0.05 * i, 1, 0] for i in range(11)], radius=0.02, clamp_first=True)
for frame in range(60):
    assert world.step(1 / 60, 4) == sinew.SN_OK
tip = "tip %.4f %.4f %.4f" % tuple(rod.points[-1])
assert tip == open(sys.argv[1]).read().strip(), tip
assert rod.points.shape == (11, 3) and rod.points.dtype == np.float32
assert abs(rod.volume / rod.rest_volume - 1) < 1e-3 and rod.volume == sinew.sn_body_volume(world, rod)

# Two workers, the same hash; a world saved and restored goes on bitwise.
def pile(workers):
    world = sinew.World(worker_count=workers)
    world.plane()
    for k in range(6):
        world.rod(points=np.linspace([0, 0.1 + 0.06 * k, 0], [0.3, 0.1 + 0.06 * k, 0.1 * (k % 3)], 9), radius=0.02)
    for frame in range(20):
        world.step(1 / 60, 2)
    return world
one, two = pile(1), pile(2)
assert one.hash == two.hash
saved = one.save()
again = ctypes.c_void_p()
definition = sinew.sn_world_def_default()
sinew.sn_world_restore(ctypes.byref(definition), saved, len(saved), ctypes.byref(again))
one.step(1 / 60, 2)
sinew.sn_world_step(again, 1 / 60, 2)
assert sinew.sn_world_hash(again) == one.hash
sinew.sn_world_destroy(again)

# Cloth, by the fields of its structures.
cloth = one.cloth(columns=5, rows=4, mass=0.1, corner=(0, 1, 0), body={"radius": 0.004})
assert cloth.points.shape == (20, 3) and cloth.triangles.shape == (24, 3) and cloth.triangles.max() == 19

# Every kind has the common calls.
assert [type(body) for body in one.bodies[:1] + one.bodies[-1:]] == [sinew.Rod, sinew.Rigid]
body = one.bodies[0]
assert body.kind == "rod" and body.exists and not body.asleep and body == one.body(body.handle)
assert body.points.shape == body.velocities.shape == (9, 3) and np.isclose(body.masses.sum(), body.mass)
assert (body.bounds[0] < body.points.min(axis=0)).all() and (body.bounds[1] > body.points.max(axis=0)).all()
assert body.energy.kinetic >= 0
body.label = 7
body.set_contact(collide=False)
assert body.label == 7 and body.contact[1:] == (False, False) and body.contact[0].friction_static > 0
body.wake()
ground = one.bodies[-1]
ground.move((0, 0.1, 0))
one.step()
assert np.allclose(ground.pose[0], (0, 0.1, 0)) and np.allclose(ground.points, [[0, 0.1, 0]])
body.destroy()
assert not body.exists and len(body.points) == 0

# Rays, events and reactions: a ball falls onto a tray; arrays of records.
fall = sinew.World()
tray = fall.rigid(geometry=sinew.SN_GEOMETRY_BOX, half=(1, 0.1, 1))
ball = fall.rigid(geometry=sinew.SN_GEOMETRY_SPHERE, radii=[0.1, 0], position=(0.5, 0.4, 0), dynamic=True)
fall.ask_events()
changes = []
for frame in range(60):
    fall.step()
    changes += [int(e["change"]) for e in fall.events]
    assert all(fall.body_of(e, "body_a") == tray and fall.body_of(e, "body_b") == ball for e in fall.events)
assert changes.count(sinew.SN_CONTACT_BEGIN) == 1 and changes.count(sinew.SN_CONTACT_STAY) > 10, changes
force, torque = tray.reaction
assert np.isclose(force[1], -9.81 * ball.mass, rtol=1e-2) and np.isclose(torque[2], 0.5 * force[1], rtol=1e-2)
assert len(fall.contacts) > 0 and np.allclose(fall.contacts["point"][0], (0.5, 0.1, 0), atol=1e-2)
snapshot = fall.snapshot()
hits = snapshot.cast([[0.5, 2, 0], [-0.5, 2, 0], [5, 2, 0]], [[0, -4, 0]] * 3)
assert [fall.body_of(h) for h in hits] == [ball, tray, None] and np.allclose(hits["point"][1], (-0.5, 0.1, 0), atol=1e-5)
assert fall.body_of(snapshot.cast([[0.5, 2, 0]], [[0, -4, 0]], radius=0.05, skip=ball)[0]) == tray
assert np.allclose(snapshot.nearest([[-0.5, 1, 0]])["distance"], 0.9, atol=1e-5)
assert [fall.body_of(h) for h in snapshot.overlap((0.5, 0.15, 0), radius=0.1)] == [tray, ball]
tray.move((0, 1, 0))
fall.step()
snapshot.update()
assert np.allclose(snapshot.nearest([[-0.5, 2, 0]], max=5)["distance"], 0.9, atol=1e-4)
snapshot.close()
fall.close()

# Errors are told with the field, before anything is changed.
try:
    world.rod(points=[[0, 0, 0]], radius=-1)
    raise SystemExit("a bad rod was made")
except sinew.Error as error:
    assert error.status == sinew.SN_ERR_DEF and "point_count" in str(error) and "radius" in str(error), error
try:
    world.rod(points=[[0, 0, 0], [1, 0, 0]], radus=1)
    raise SystemExit("a field that is not there was set")
except TypeError as error:
    assert "radus" in str(error)
# An array that is shorter than the points is not read past its end; materials are one for each point.
soft, hard = (sinew.sn_material_preset(p) for p in (sinew.SN_PRESET_JELLY, sinew.SN_PRESET_STEEL))
try:
    world.rod(points=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], radii=[0.1, 0.1])
    raise SystemExit("two radii for three points were taken")
except ValueError as error:
    assert "radii has 2" in str(error), error
mixed = world.rod(points=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], materials=[soft, soft, hard])
made = (sinew.sn_material * 3)()
assert sinew.sn_rod_get_materials(world, mixed, made, 3) == 3
assert [m.young for m in made] == [soft.young, soft.young, hard.young]
world.close()
PY
"$python" "$work/check.py" "$work/c"

"$python" "$SOURCE/examples/plot_energy.py" "$work/energy.png"
[[ $(head -c 4 "$work/energy.png" | tail -c 3) == PNG ]]

# Where it is installed, it finds the library and the headers beside it.
prefix=$work/prefix
mkdir -p "$prefix/lib" "$prefix/include" "$prefix/share/sinew/python"
cp "$work/libsinew.so" "$prefix/lib"
cp -r "$SOURCE/include/sinew" "$prefix/include"
cp -r "$SOURCE/python/sinew" "$prefix/share/sinew/python"
(cd "$work" && env -u SINEW_LIBRARY -u SINEW_INCLUDE PYTHONPATH="$prefix/share/sinew/python" "$python" -c '
import sinew, sys
assert str(sinew._library_path).startswith(sys.argv[1]) and str(sinew._include_path).startswith(sys.argv[1])
sinew.World().close()' "$prefix")
