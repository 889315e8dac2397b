"""Gravity with jerk in 40 lines: acc = Σ m_j d / r³, jerk = Σ m_j (u - q d) / r³"""

import numpy as np


def reference(i, j, parameters):
    """Results by column name, a row for each i-particle; i and j hold the columns of i.csv and j.csv as arrays."""
    d = [j[f"xj[{k}]"] - i[f"xi[{k}]"][:, None] for k in range(3)]
    u = [j[f"vj[{k}]"] - i[f"vi[{k}]"][:, None] for k in range(3)]
    r2 = sum(x**2 for x in d) + parameters["eps2"]
    m_r3 = j["mj"] / r2**1.5
    q = 3 * sum(x * v for x, v in zip(d, u)) / r2
    results = {f"acc[{k}]": np.sum(m_r3 * d[k], axis=1) for k in range(3)}
    return {**results, **{f"jerk[{k}]": np.sum(m_r3 * (u[k] - q * d[k]), axis=1) for k in range(3)}}
