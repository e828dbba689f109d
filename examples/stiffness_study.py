"""A study with plots: how far a clamped rod droops by its stiffness, beside what beam theory says. Usage: stiffness_study.py [OUT.png]"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot
import numpy as np
import sinew

LENGTH, RADIUS, GRAVITY = 0.25, 0.008, 9.81


def droop(young, segments, substeps):
    """Where the tip comes to rest, m below the clamp, and the rod's points."""
    material = sinew.sn_material_make(young, 0.49, 1100)
    material.damping = 6
    with sinew.World() as world:
        rod = world.rod(np.linspace([0, 0, 0], [LENGTH, 0, 0], segments + 1), radius=RADIUS, material=material, clamp_first=True)
        for _ in range(300):
            world.step(1 / 60, substeps)
        return -rod.points[-1][1], rod.points


stiffness = np.geomspace(5e5, 1e8, 12)
theory = 1100 * GRAVITY * LENGTH ** 4 / (2 * stiffness * RADIUS ** 2)  # small droop: rho A g L^4 / (8 E I)
measured = {(segments, substeps): np.array([droop(young, segments, substeps)[0] for young in stiffness])
            for segments, substeps in ((16, 1), (16, 4), (48, 1))}

figure, (left, right) = plot.subplots(1, 2, figsize=(9, 4))
left.loglog(stiffness, theory / LENGTH, "k:", label="beam theory, small droop")
for (segments, substeps), values in measured.items():
    left.loglog(stiffness, values / LENGTH, ".-", label=f"{segments} segments, {substeps} substeps")
left.set_xlabel("Young's modulus, Pa")
left.set_ylabel("droop over length")
left.legend(frameon=False)
for young in stiffness[::3]:
    points = droop(young, 32, 1)[1]
    right.plot(points[:, 0], points[:, 1], label=f"{young:.1e} Pa")
right.set_aspect("equal")
right.set_xlabel("m")
right.legend(frameon=False)
figure.tight_layout()
out = sys.argv[1] if len(sys.argv) > 1 else "stiffness.png"
figure.savefig(out, dpi=100)
stiff = stiffness > 2e7
error = max(abs(values[stiff] / theory[stiff] - 1).max() for values in measured.values())
spread = abs(measured[16, 1] / measured[16, 4] - 1).max()
print(f"{out}: stiff rods within {100 * error:.1f} % of theory; one and four substeps within {100 * spread:.2f} %")
