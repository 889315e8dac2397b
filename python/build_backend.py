"""Builds a wheel (PEP 517): CMake configures, builds and installs the module, and a zip file with its records is made of
that. The version is that of the project in CMakeLists.txt.

GDR_WHEEL_BUILD names a folder that is built already; otherwise everything is built in a folder of its own.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
DATA = {"kernels": "*.vsm", "kernels/macros": "*.vsm", "machines": "*.toml"}
PLUGINS = [f"libgdr_{name}.so" for name in ("goose", "hdf5", "import", "jit", "opencl", "simgrid")]
DATA_FILES = ["docs/validation.toml", "docs/block_steps.csv", "docs/hpl_residuals.csv"]


def _version() -> str:
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(gdr\s+VERSION\s+([0-9.]+)", text)[1]


def _built(folder: pathlib.Path) -> pathlib.Path:
    if build := os.environ.get("GDR_WHEEL_BUILD"):
        return pathlib.Path(build)
    run = ["cmake", "-S", str(SOURCE), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DGDR_BUILD_TESTS=OFF", "-DGDR_BUILD_BENCH=OFF"]
    subprocess.run([*run, f"-DGDR_PYTHON_PROGRAM={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "gdr_python", "--parallel"], check=True)
    return folder


def _files(build: pathlib.Path) -> dict[str, bytes]:
    """Contents by their names in the wheel."""
    files = {}
    package = build / "lib" / "python" / "grapedr"
    for file in sorted(package.iterdir()):
        if file.suffix in (".py", ".pyi", ".so", ".typed") or file.name == "py.typed":
            files[f"grapedr/{file.name}"] = file.read_bytes()
    for name in PLUGINS:  # looked for beside the module first
        if (file := build / "lib" / name).exists():
            files[f"grapedr/{name}"] = file.read_bytes()
    for folder, pattern in DATA.items():
        for file in sorted((SOURCE / folder).glob(pattern)):
            files[f"grapedr/data/{folder}/{file.name}"] = file.read_bytes()
    for name in DATA_FILES:
        files[f"grapedr/data/{name}"] = (SOURCE / name).read_bytes()
    return files


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{platform}"
    info = f"grapedr-{version}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        files = _files(_built(pathlib.Path(folder)))
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: grapedr\nVersion: {version}\nRequires-Dist: numpy\n"
        "Summary: The GRAPE-DR accelerator, emulated bit by bit: kernels, boards, N-body runs\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\n"
    ).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: gdr\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = f"{info}/RECORD"
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    wheel = f"grapedr-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the same content has the same bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("grapedr has no source distribution: it is built from the whole project")
