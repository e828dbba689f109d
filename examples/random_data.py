"""Domain-randomised data for learning: rods of random stiffness, density, thickness and length droop, each in a world of its own. What is
learned from the data in a line, by least squares, is how far they droop. Usage: random_data.py [OUT.npz] [COUNT]

The same seed gives the same bits on every machine and for any number of workers.
"""
import sys

import numpy as np
import sinew

SEED, POINTS, FRAMES = 7, 17, 90


def sample(random):
    """The parameters of a rod: Young's modulus (Pa), density (kg/m^3), radius and length (m)."""
    return {"young": 10 ** random.uniform(5.5, 7), "density": random.uniform(800, 2000), "radius": random.uniform(0.008, 0.02),
            "length": random.uniform(0.15, 0.3)}


def simulate(of):
    """The rod's points in every frame: FRAMES x POINTS x 3."""
    material = sinew.sn_material_make(of["young"], 0.49, of["density"])
    material.damping = 5
    with sinew.World() as world:
        rod = world.rod(np.linspace([0, 0, 0], [of["length"], 0, 0], POINTS), radius=of["radius"], material=material,
                        clamp_first=True)
        frames = np.empty((FRAMES, POINTS, 3), np.float32)
        for frame in frames:
            world.step(1 / 60, 1)
            frame[:] = rod.points
    return frames


count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
random = np.random.default_rng(SEED)
parameters = [sample(random) for _ in range(count)]
motions = np.stack([simulate(of) for of in parameters])
names = sorted(parameters[0])
table = np.array([[of[name] for name in names] for of in parameters])
droop = -motions[:, -1, -1, 1]
out = sys.argv[1] if len(sys.argv) > 1 else "droop.npz"
np.savez_compressed(out, names=names, parameters=table, motions=motions)

# A beam's tip sinks by rho A g L^4 / (8 E I), with A / I = 4 / r^2: powers of the parameters. Fitted to rods that droop little.
little = droop < 0.1 * table[:, names.index("length")]
logs = np.column_stack([np.log(table), np.ones(count)])[little]
fitted, *_ = np.linalg.lstsq(logs, np.log(droop[little]), rcond=None)
told = ", ".join(f"{name}^{power:.2f}" for name, power in zip(names, fitted))
print(f"{out}: {count} motions, {motions.nbytes / 1e6:.1f} MB; droop = {told}")
