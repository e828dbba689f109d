"""Plots the energy of a swinging rubber rod, and the volume that it keeps. Usage: plot_energy.py [OUT.png]"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot
import numpy as np
import sinew

FRAMES = 180
with sinew.World(worker_count=2) as world:
    rod = world.rod(points=np.linspace([0, 0, 0], [0.6, 0, 0], 25), radius=0.02, clamp_first=True)
    kinetic, elastic, potential, volume = (np.zeros(FRAMES) for _ in range(4))
    for frame in range(FRAMES):
        world.step(1 / 60, 4)
        energy = world.energy
        kinetic[frame], elastic[frame], potential[frame] = energy.kinetic, energy.elastic, energy.potential
        volume[frame] = rod.volume / rod.rest_volume

time = np.arange(1, FRAMES + 1) / 60
figure, (top, bottom) = plot.subplots(2, sharex=True, figsize=(7, 5), height_ratios=(3, 1))
for name, series in {"kinetic": kinetic, "elastic": elastic, "gravity": potential}.items():
    top.plot(time, series, label=name)
top.plot(time, kinetic + elastic + potential, "k", label="sum")
top.set_ylabel("energy, J")
top.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4, frameon=False)
bottom.plot(time, 100 * (volume - 1))
bottom.set_ylabel("volume, %")
bottom.set_xlabel("time, s")
figure.tight_layout()
out = sys.argv[1] if len(sys.argv) > 1 else "energy.png"
figure.savefig(out, dpi=100)
print(f"{out}: energy from {(kinetic + elastic + potential)[0]:.3f} to {(kinetic + elastic + potential)[-1]:.3f} J, "
      f"volume within {100 * np.abs(volume - 1).max():.2f} %")
