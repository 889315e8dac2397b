"""The program gdr of this package, under the name `gdr` that pip installs."""

import os
import pathlib
import sys


def main() -> None:
    """Becomes the program. Its data are those of this package, unless GDR_DATA_DIR names others."""
    folder = pathlib.Path(__file__).resolve().parent
    os.environ.setdefault("GDR_DATA_DIR", str(folder / "data"))
    program = folder / "bin" / "gdr"
    try:
        os.execv(program, ["gdr", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"gdr: {program}: {error.strerror}")
