"""A biceps lifts a forearm with a weight, and a PID controller holds it where it is told. Usage: curl_with_pid.py [OUT.png]

The forearm is a rigid body on a hinge. Muscles pull as Hill's: the controller asks for an angle, the activation is what it sets.
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot
import numpy as np
import sinew

STEP, SECONDS = 1 / 120, 8.0
ELBOW, LENGTH, MASS = (0, 0, 0), 0.28, 3.0


def fibre(start, end, points=9):
    """A fibre from the upper arm to the forearm, thicker in its middle."""
    along = np.linspace(0, 1, points)
    line = start + along[:, None] * (end - start)
    return line, 0.004 + 0.008 * np.sin(np.pi * along)


def wanted(time):
    """rad, against hanging down."""
    return np.radians(60 if time < 3 else 95 if time < 5.5 else 40)


with sinew.World(worker_count=1) as world:
    forearm = world.rigid(geometry=sinew.SN_GEOMETRY_PILL, ends=[(0, 0, 0), (0, -LENGTH, 0)], radii=[0.02, 0.02], dynamic=True,
                          mass=MASS)
    hinge = world.joint(kind=sinew.SN_JOINT_DIRECTION, body_a=forearm, position=ELBOW, axis=(1, 0, 0))
    muscle_material = sinew.sn_material_preset(sinew.SN_PRESET_MUSCLE)
    muscle_material.young *= 0.05  # what is passive pulls little
    rods = []
    for across in np.linspace(-0.012, 0.012, 3):
        points, radii = fibre(np.array([across, 0.28, 0.03]), np.array([across, -0.05, 0.035]))
        rods.append(world.rod(points, radii=radii, material=muscle_material, collide=False))
        rods[-1].hold(0)
        world.joint(kind=sinew.SN_JOINT_POINT, body_a=rods[-1], segment_a=len(points) - 1, along_a=1.0, body_b=forearm,
                    position=tuple(points[-1]))
    biceps = world.bundle(rods, activate=sinew.SN_ACTIVATE_FORCE, stress=6e5, optimal=0.95)

    count = int(SECONDS / STEP)
    angles, targets, signals = np.zeros(count), np.zeros(count), np.zeros(count)
    integral, before = 0.0, 0.0
    for k in range(count):
        x, y, z, w = forearm.pose[1]
        axis = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])  # the forearm's y in the world
        angle = float(np.arctan2(-axis[2], axis[1]))
        error = wanted(k * STEP) - angle
        integral = float(np.clip(integral + error * STEP, -0.5, 0.5))
        speed = (angle - before) / STEP if k else 0.0
        before = angle
        signal = float(np.clip(1.5 * error + 2.5 * integral - 0.25 * speed, 0, 1))
        biceps.activation = signal
        world.step(STEP, 2)
        angles[k], targets[k], signals[k] = np.degrees(angle), np.degrees(wanted(k * STEP)), signal

time = STEP * np.arange(count)
figure, (top, bottom) = plot.subplots(2, sharex=True, figsize=(7, 5), height_ratios=(2, 1))
top.plot(time, targets, "k:", label="wanted")
top.plot(time, angles, label="elbow")
top.set_ylabel("angle, degrees")
top.legend(frameon=False)
bottom.plot(time, signals)
bottom.set_ylabel("activation")
bottom.set_xlabel("time, s")
figure.tight_layout()
out = sys.argv[1] if len(sys.argv) > 1 else "curl.png"
figure.savefig(out, dpi=100)
last = {seconds: abs(angles - targets)[int((seconds - 0.2) / STEP):int(seconds / STEP)].max() for seconds in (3, 5.5, 8)}
print(f"{out}: " + ", ".join(f"off by {off:.1f} degrees at {seconds} s" for seconds, off in last.items()))
