"""Builds a wheel and a source distribution (PEP 517). CMake configures and builds the module and the program gdr, the
libraries that they need are put beside them, and a zip file with its records is made of that. Metadata are those of
pyproject.toml, the version is that of the project in CMakeLists.txt.

GDR_WHEEL_BUILD names a folder that is built already; otherwise everything is built in a folder of its own.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

import shared_libraries

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((pathlib.Path(__file__).resolve().parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DATA = {"kernels": "*.vsm", "kernels/cc": "*.cc", "kernels/cc/gdr": "*.h", "kernels/macros": "*.vsm", "machines": "*.toml"}
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
    subprocess.run(["cmake", "--build", str(folder), "--target", "gdr_python", "gdr", "--parallel"], check=True)
    return folder


def _files(build: pathlib.Path, into: pathlib.Path) -> dict[str, bytes]:
    """Contents by their names in the wheel. `into` is an empty folder for them."""
    package = into / "grapedr"
    (package / "bin").mkdir(parents=True)
    for file in sorted((build / "lib" / "python" / "grapedr").iterdir()):
        if file.suffix in (".py", ".pyi", ".so", ".typed") or file.name == "py.typed":
            shutil.copyfile(file, package / file.name)
    for name in PLUGINS:  # looked for beside the module and the program first
        if (file := build / "lib" / name).exists():
            shutil.copyfile(file, package / name)
    shutil.copyfile(build / "bin" / "gdr", package / "bin" / "gdr")
    for file in package.rglob("*"):
        if file.suffix == ".so" or file.name == "gdr":
            subprocess.run(["strip", "--strip-unneeded", str(file)], check=True)
    shared_libraries.bundle(package, into / "grapedr.libs")
    files = {str(file.relative_to(into)): file.read_bytes() for file in sorted(into.rglob("*")) if file.is_file()}
    for folder, pattern in DATA.items():
        for file in sorted((SOURCE / folder).glob(pattern)):
            files[f"grapedr/data/{folder}/{file.name}"] = file.read_bytes()
    for file in sorted((SOURCE / "course").rglob("*")):
        if file.is_file() and file.suffix in (".toml", ".md", ".vsm", ".csv"):
            files[f"grapedr/data/{file.relative_to(SOURCE)}"] = file.read_bytes()
    for name in DATA_FILES:
        files[f"grapedr/data/{name}"] = (SOURCE / name).read_bytes()
    return files


def _licences(build: pathlib.Path) -> dict[str, bytes]:
    """Our licence, and the notices of what is compiled in or put beside it."""
    notices = build / "notices-of-wheel.txt"
    subprocess.run([str(SOURCE / "scripts/sbom"), str(build), "--bundled", "--notices", str(notices)], check=True)
    return {"LICENSE": (SOURCE / "LICENSE").read_bytes(), "NOTICES": notices.read_bytes()}


def _metadata(version: str) -> bytes:
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {version}", f"Summary: {PROJECT['description']}",
             f"License: {PROJECT['license']['text']}", "License-File: LICENSE", "License-File: NOTICES",
             f"Requires-Python: {PROJECT['requires-python']}", f"Keywords: {','.join(PROJECT['keywords'])}"]
    lines += [f"Classifier: {each}" for each in PROJECT["classifiers"]]
    lines += [f"Requires-Dist: {each}" for each in PROJECT["dependencies"]]
    readme = (SOURCE / "docs/reference/python.md").read_text(encoding="utf-8").split("\n## ")[0]
    return ("\n".join([*lines, "Description-Content-Type: text/markdown", "", readme.strip(), ""])).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = sysconfig.get_platform().split("-", 1)[1].replace("-", "_")
    major, minor = shared_libraries.NEWEST_GLIBC
    tag = f"{python}-{python}-manylinux_{major}_{minor}_{machine}"
    info = f"grapedr-{version}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        build = _built(pathlib.Path(folder) / "build")
        files = _files(build, pathlib.Path(folder) / "wheel")
        for name, content in _licences(build).items():
            files[f"{info}/{name}"] = content
    files[f"{info}/METADATA"] = _metadata(version)
    scripts = "".join(f"{name} = {entry}\n" for name, entry in PROJECT["scripts"].items())
    files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}".encode()
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
            entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
            archive.writestr(entry, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """The whole project: the module is built from all of its components."""
    version = _version()
    name = f"grapedr-{version}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, capture_output=True)
    if listed.returncode != 0:
        raise SystemExit("a source distribution is made from a checkout by git, which lists its files")
    files = [file for file in listed.stdout.decode().split("\0") if file and (SOURCE / file).is_file()]
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        def add(place: str, content: bytes, mode: int) -> None:
            entry = tarfile.TarInfo(f"{name}/{place}")
            entry.size, entry.mode, entry.mtime = len(content), mode, 315532800  # of 1980, as in the wheel
            archive.addfile(entry, io.BytesIO(content))

        for file in files:
            add(file, (SOURCE / file).read_bytes(), (SOURCE / file).stat().st_mode & 0o755)
        project = (SOURCE / "python/pyproject.toml").read_text(encoding="utf-8")
        add("pyproject.toml", project.replace('backend-path = ["."]', 'backend-path = ["python"]').encode(), 0o644)
        add("PKG-INFO", _metadata(version), 0o644)
    return f"{name}.tar.gz"
