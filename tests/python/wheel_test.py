#!/usr/bin/python3
"""The wheel: pip makes and installs it, and it works from there alone, with the program, the kernels, the macros and all
libraries inside that a system need not have.

wheel_test.py SOURCE BUILD
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

source, build = sys.argv[1:]
if importlib.util.find_spec("pip") is None or shutil.which("patchelf") is None:
    sys.exit(77)
# PEP 600: what a system of the wheel's tag has. The rest belongs to plug-ins, which say what is missing.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6"}


def check_contents(wheel):
    """The tag, the licences, and that module and program name no library that is neither here nor everywhere."""
    assert re.search(r"-cp3\d+-cp3\d+-manylinux_2_36_x86_64\.whl$", wheel.name), wheel.name
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        texts = {name.split("/")[-1]: archive.read(name).decode() for name in names if ".dist-info/" in name}
        assert "Apache License" in texts["LICENSE"] and "libfmt" in texts["NOTICES"], "licences"
        assert "gdr = grapedr._program:main" in texts["entry_points.txt"]
        assert "License-File: NOTICES" in texts["METADATA"] and "Requires-Dist: numpy" in texts["METADATA"]
        bundled = {pathlib.Path(name).name for name in names if name.startswith("grapedr.libs/")}
        archive.extractall(folder)
        for name in names:
            file = pathlib.Path(folder) / name
            if name.startswith("grapedr/libgdr_") or file.read_bytes()[:4] != b"\x7fELF":
                continue
            dynamic = subprocess.run(["readelf", "-dW", file], check=True, capture_output=True, text=True).stdout
            for needed in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
                assert needed in SYSTEM | bundled or needed.startswith("ld-linux"), f"{name} needs {needed}"
            (path,) = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
            assert all(each.startswith("$ORIGIN") for each in path.split(":")), f"{name} searches {path}"


with tempfile.TemporaryDirectory() as folder:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GDR_DATA_DIR")}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder, f"{source}/python"],
        env=environment | {"GDR_WHEEL_BUILD": build},
        check=True,
    )
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    check_contents(wheel)
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
    pathlib.Path(f"{folder}/j.csv").write_text("xj,mj\n1,0.5\n4,2\n-3,1\n", encoding="utf-8")
    program = subprocess.run(
        [f"{target}/bin/gdr", "run", "tutorial", "--i", "-", "--j", "j.csv"], input="xi\n0\n1\n", cwd=folder,
        env=environment | {"PYTHONPATH": target}, capture_output=True, text=True,
    )
    assert program.stdout == "sum\n5.5\n2\n", program
    expected = "4495fccecef77a06b7d558c3722e7f1a5fe3e26247b85998881022ca26582b65 True\n"
    sys.exit(done.stdout != expected)
