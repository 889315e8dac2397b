"""Potential with softening: pot = -Σ m_j / √(|x_j - x_i|² + eps2)"""

import numpy as np


def reference(i, j, parameters):
    """Results by column name, a row for each i-particle; i and j hold the columns of i.csv and j.csv as arrays."""
    r2 = sum((j[f"xj[{k}]"] - i[f"xi[{k}]"][:, None]) ** 2 for k in range(3))
    return {"pot": -np.sum(j["mj"] / np.sqrt(r2 + parameters["eps2"]), axis=1)}
