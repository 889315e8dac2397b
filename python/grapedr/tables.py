"""Tables of numbers in files: .npy, .npz, HDF5 (.h5, .hdf5) and .csv; .csv.gz, .npy.gz and .npz.gz are read, too.

A table is a dictionary of arrays with one length, an array of shape (n, *dimensions) for each column: what Kernel.run()
takes for `i` and `j`. A structured array will do for writing.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import pathlib
import re
import threading
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_doubles, refuse_not_finite
from ._core import Error

Table = dict[str, NDArray]
_KINDS = ".npy, .npz, .h5, .hdf5 or .csv"


def _checked(table: Mapping[str, ArrayLike] | NDArray, what: str) -> Table:
    if isinstance(table, np.ndarray):
        if table.dtype.names is None:
            raise Error(f"{what}: an array of type {table.dtype} has no names of columns: give a structured array")
        table = {name: table[name] for name in table.dtype.names}
    if not isinstance(table, Mapping):
        raise Error(f"{what} is of type {type(table).__name__}: it must be a dictionary of arrays, or a structured array")
    columns = {str(name): np.asarray(column) for name, column in table.items()}
    for name, column in columns.items():
        if column.dtype.kind not in "iufb":
            raise Error(f"{what}: column '{name}' has type {column.dtype}: it must hold real numbers")
        if column.ndim == 0:
            raise Error(f"{what}: column '{name}' is a number: it must be an array")
        if column.dtype.kind == "f":
            refuse_not_finite(f"{what}: column '{name}'", column, finite=False)
        if column.dtype.kind == "f" and column.dtype.itemsize > 8:  # files hold doubles
            columns[name] = as_doubles(f"{what}: column '{name}'", column, column)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise Error(f"{what}: the columns must have one length ({', '.join(f'{k}: {n}' for k, n in lengths.items())})")
    return columns


def _hdf5(path: pathlib.Path):
    try:
        import h5py
    except ImportError as error:
        raise Error(f"{path}: HDF5 needs the module h5py (Debian's python3-h5py)") from error
    return h5py


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_csv(path: pathlib.Path, content: bytes) -> Table:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Error(f"{path}: byte {error.start} is no text in UTF-8") from None
    every = [(n, row) for n, row in enumerate(csv.reader(io.StringIO(text, newline="")), 1) if row]
    lines = [(n, row) for n, row in every if not row[0].lstrip().startswith("#")]
    if not lines:
        raise Error(f"{path}: there is no line with the names of columns")
    if all(map(_is_number, lines[0][1])):
        comments = [(n, row) for n, row in every if n < lines[0][0] and len(row) == len(lines[0][1])]
        lines[:0] = [(n, [row[0].lstrip()[1:], *row[1:]]) for n, row in comments[:1]]
        if len(comments) > 1 and len(comments[0][1]) > 1:
            n, units = comments[1]
            raise Error(f"{path}:{n}: the columns have units ({','.join(units).lstrip('# ')}), which a table does not keep: "
                        "give the numbers in the units that you mean, without this line")
    names = [name.strip() for name in lines[0][1]]
    for n, row in lines[1:]:
        if len(row) != len(names):
            raise Error(f"{path}:{n}: {len(row)} numbers instead of {len(names)}")
    flat: dict[str, NDArray] = {}
    for place, name in enumerate(names):
        texts = [row[place].strip() for _, row in lines[1:]]
        integers = all(re.fullmatch(r"[+-]?\d+", text) for text in texts)
        values = []
        for (n, _), text in zip(lines[1:], texts):
            try:
                values.append(int(text) if integers else float(text))
            except ValueError:
                raise Error(f"{path}:{n}: '{text}' in column '{name}' is no number") from None
        kind: type[np.float64 | np.int64 | np.uint64] = np.float64
        if integers and values:
            kind = np.int64 if max(values) < 2**63 else np.uint64
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
            for (n, _), value in zip(lines[1:], values):
                if not least <= value <= most:
                    raise Error(f"{path}:{n}: {value} in column '{name}' is refused: it must be {least} to {most}")
        flat[name] = np.array(values, dtype=kind)
    table: Table = {}
    for name, column in flat.items():  # x[0], x[1], ... become one column x
        parts = re.fullmatch(r"(.+?)((?:\[\d+\])+)", name)
        if not parts:
            table[name] = column
            continue
        elements = [other for other in flat if re.fullmatch(re.escape(parts[1]) + r"(\[\d+\])+", other)]
        indices = np.array([[int(n) for n in re.findall(r"\[(\d+)\]", other)] for other in elements])
        if parts[1] in table:
            continue
        kinds = {flat[e].dtype for e in elements}
        common = np.result_type(*kinds)
        if common.kind == "f" and all(one.kind in "iu" for one in kinds):  # NumPy would round signed and unsigned numbers to doubles
            if min(flat[e].min() for e in elements) < 0:
                raise Error(f"{path}: column '{parts[1]}' has numbers below 0 and numbers above 2^63 - 1, which no type of 64 bits holds")
            common = np.dtype(np.uint64)
        whole = np.zeros((len(column), *(indices.max(axis=0) + 1)), common)
        if whole[0:1].size != len(elements) and len(column) > 0:
            raise Error(f"{path}: column '{parts[1]}' has {len(elements)} elements instead of {whole[0:1].size}")
        for index, other in zip(indices, elements):
            whole[(slice(None), *index)] = flat[other]
        table[parts[1]] = whole
    return table


def read_table(path: str | os.PathLike[str]) -> Table:
    """Columns by name. A .npy file holds a structured array, a .npz file or the root of an HDF5 file an array for each
    column; in .csv the elements of a column of vectors are x[0], x[1], ..., and names may be in a comment before the first
    numbers. All but HDF5 may be compressed by gzip; the name then ends in .gz. NaN is refused, with its place."""
    path = pathlib.Path(path)
    if not path.exists():
        raise Error(f"{path}: is not there")
    suffix = pathlib.Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix in (".npy", ".npz", ".csv"):
        content = _content(path)
    if suffix == ".npy":
        return _checked(_loaded(path, content), str(path))
    if suffix == ".npz":
        with _loaded(path, content) as file:
            return _checked({name: file[name] for name in file.files}, str(path))
    if path.suffix in (".h5", ".hdf5"):
        h5py = _hdf5(path)
        with h5py.File(path, "r") as file:
            return _checked({n: node[()] for n, node in file.items() if isinstance(node, h5py.Dataset)}, str(path))
    if suffix == ".csv":
        return _checked(_read_csv(path, content), str(path))
    raise Error(f"{path} is refused: its name must end in {_KINDS}")


def _content(path: pathlib.Path) -> bytes:
    """The bytes of a file, unpacked if gzip packed them."""
    content = path.read_bytes()
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise Error(f"{path}: what gzip packed is damaged: {error}") from None


def _loaded(path: pathlib.Path, content: bytes) -> Any:
    try:
        return np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise Error(f"{path}: {error}") from None


def write_table(path: str | os.PathLike[str], table: Mapping[str, ArrayLike] | NDArray) -> None:
    """Writes columns in a form that read_table() reads back to the same bits; in .csv numbers become doubles or integers of
    64 bits, and truth values 0 and 1. Names that the form does not keep are refused. An existing file is replaced only when the new
    one is complete."""
    path = pathlib.Path(path)
    columns = _checked(table, "the table")
    rows = len(next(iter(columns.values()))) if columns else 0
    # Short, since the name of the file may be as long as the file system takes.
    part = path.with_name(f".gdr-{os.getpid()}-{threading.get_ident()}")
    try:
        if path.suffix == ".npy":
            array = np.zeros(rows, [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
            for name, column in columns.items():
                array[name] = column
            with open(part, "wb") as file:
                np.save(file, array, allow_pickle=False)
        elif path.suffix == ".npz":
            with open(part, "wb") as file:
                np.savez(file, **columns)
        elif path.suffix in (".h5", ".hdf5"):
            for name in columns:
                if "/" in name or name in ("", "."):
                    raise Error(f"{path}: the column name '{name}' is refused: HDF5 takes it for a path or for nothing")
            with _hdf5(path).File(part, "w") as file:
                for name, column in columns.items():
                    file.create_dataset(name, data=column)
        elif path.suffix == ".csv":
            _require_names_of_csv(path, columns)
            with open(part, "w", newline="", encoding="utf-8") as file:
                _write_csv(file, columns, rows)
        else:
            raise Error(f"{path} is refused: its name must end in {_KINDS}")
        os.replace(part, path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)


def _require_names_of_csv(path: pathlib.Path, columns: Table) -> None:
    """Refuses names that read_table() would not give back, such as those of comments."""
    head = io.StringIO(newline="")
    _write_csv(head, {name: np.zeros((1, *column.shape[1:])) for name, column in columns.items()}, 1)
    try:
        names = list(_read_csv(path, head.getvalue().encode("utf-8")))
    except Error:
        names = []
    for name in columns:
        if name not in names:
            raise Error(f"{path}: the column name '{name}' is refused: CSV does not keep it; .npz does")


def _write_csv(file, columns: Table, rows: int) -> None:
    names, flat = [], []
    for name, column in columns.items():
        for index in np.ndindex(*column.shape[1:]):
            names.append(name + "".join(f"[{n}]" for n in index))
            place: tuple[Any, ...] = (slice(None), *index)
            flat.append(column[place].astype(np.int8) if column.dtype.kind == "b" else column[place])
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    for row in range(rows):
        writer.writerow([repr(column[row].item()) for column in flat])  # as many digits as the bits need
