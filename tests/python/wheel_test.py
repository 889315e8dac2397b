#!/usr/bin/python3
"""The wheel: pip makes and installs it, and it works from there alone, with the kernels and macros inside.

wheel_test.py SOURCE BUILD
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

source, build = sys.argv[1:]
if importlib.util.find_spec("pip") is None:
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GDR_DATA_DIR")}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder, f"{source}/python"],
        env=environment | {"GDR_WHEEL_BUILD": build},
        check=True,
    )
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    target = os.path.join(folder, "installed")
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", target, str(wheel)], env=environment, check=True)
    out = "run.h5" if os.path.exists(f"{build}/lib/libgdr_hdf5.so") else "run.txt"
    script = (
        "import grapedr, os\n"
        "assert os.environ['GDR_DATA_DIR'] == os.path.join(os.path.dirname(grapedr.__file__), 'data')\n"
        "grapedr.assemble('include \"math.vsm\"\\nkernel k\\nloop body\\n  nop\\n')\n"
        f"run = grapedr.NbodyRun(start='plummer', n=64, t_end=0.25, out={out!r})\n"
        "print(list(run)[-1].state_hash, len(grapedr.validate('G5')) > 0)\n"
        "loaded = os.path.join(os.path.dirname(grapedr.__file__), 'libgdr_hdf5.so') in open('/proc/self/maps').read()\n"
        f"assert loaded == {out.endswith('.h5')}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment | {"PYTHONPATH": target}, cwd=folder, capture_output=True, text=True
    )
    print(wheel.name, done.stdout, done.stderr)
    expected = "4495fccecef77a06b7d558c3722e7f1a5fe3e26247b85998881022ca26582b65 True\n"
    sys.exit(done.stdout != expected)
