"""Gravity in NumPy: acceleration and potential of each i-particle. gravity.py I.CSV J.CSV, with eps2 = 0.0625."""

import sys

import numpy as np

xi = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, ndmin=2)
xj, mj = np.split(np.loadtxt(sys.argv[2], delimiter=",", skiprows=1, ndmin=2), [3], axis=1)

d = xj[None, :, :] - xi[:, None, :]  # every pair at once: ni x nj x 3 words of memory
r2 = (d * d).sum(axis=2) + 0.0625
m_r = mj[:, 0] / np.sqrt(r2)
acc = ((m_r / r2)[:, :, None] * d).sum(axis=1)
pot = -m_r.sum(axis=1)

for row in np.column_stack([acc, pot]):
    print(",".join(f"{value:.5f}" for value in row))
