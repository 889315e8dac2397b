"""Makes the programs and libraries of a wheel find their libraries in the wheel, as auditwheel does: what a system of the
tag's age does not have for certain is copied beside them under a name that no other package uses."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

# PEP 600: what every system of a manylinux tag has, as far as gdr uses it.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6"}
# Large libraries of plug-ins, which those who want them install: without them gdr says which one is missing.
OPTIONAL = re.compile(r"lib(LLVM|clang-cpp|simgrid|hdf5|mpi|OpenCL|rsvg|cairo|glib|gobject)[-_.0-9a-z]*\.so")
NEWEST_GLIBC = (2, 36)


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(file: pathlib.Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.+)\]", _output("readelf", "-dW", str(file)))


def glibc_of(file: pathlib.Path) -> tuple[int, int]:
    """The newest version of glibc that the file asks for."""
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", _output("readelf", "-VW", str(file)))
    return max(((int(major), int(minor)) for major, minor in versions), default=(2, 0))


def _system_library(name: str) -> pathlib.Path:
    for line in _output("/sbin/ldconfig", "-p").splitlines():
        if (found := re.match(r"\s*(\S+) \(.*x86-64.*\) => (\S+)", line)) and found[1] == name:
            return pathlib.Path(os.path.realpath(found[2]))
    raise SystemExit(f"{name} is not found: it cannot be put into the wheel")


def bundle(folder: pathlib.Path, libraries: pathlib.Path) -> None:
    """Copies what the programs and libraries in `folder` need into `libraries`, and sets their search paths."""
    own = {file.name for file in folder.rglob("*.so*")}
    libraries.mkdir()
    copied: dict[str, str] = {}  # names in the wheel by names on the system
    waiting = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
    while waiting:
        file = waiting.pop()
        replaced: list[str] = []
        for name in needed(file):
            if name in EVERYWHERE or name in own or name.startswith("ld-linux") or OPTIONAL.match(name):
                continue
            if name not in copied:
                source = _system_library(name)
                digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
                stem, _, rest = name.partition(".so")
                copied[name] = f"{stem}-{digest}.so{rest}"
                target = libraries / copied[name]
                shutil.copyfile(source, target)
                subprocess.run(["patchelf", "--set-soname", copied[name], target], check=True)
                waiting.append(target)
            replaced += ["--replace-needed", name, copied[name]]
        beside = [os.path.relpath(libraries, file.parent), os.path.relpath(folder, file.parent)]
        path = ":".join("$ORIGIN" if each == "." else f"$ORIGIN/{each}" for each in beside)
        # patchelf 0.14 of Debian 12 confuses names where it changes both at once.
        if replaced:
            subprocess.run(["patchelf", *replaced, file], check=True)
        subprocess.run(["patchelf", "--set-rpath", path, file], check=True)
        if (version := glibc_of(file)) > NEWEST_GLIBC:
            raise SystemExit(f"{file.name} asks for glibc {version[0]}.{version[1]}: the wheel promises {NEWEST_GLIBC[0]}.{NEWEST_GLIBC[1]}")
