// The table of kinds, and the choice among them.
#include "kinds.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "formats/unpack.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/line_reader.h"

namespace gdr::hostlib {
namespace {

template <char... bytes>
bool begins_with(std::string_view content) {
  constexpr std::array<char, sizeof...(bytes)> kMagic{bytes...};
  return content.starts_with(std::string_view(kMagic.data(), kMagic.size()));
}

/// NEMO's text form of its structured files, as its program tsf prints them.
bool is_nemo_text(std::string_view content) {
  return base::trimmed(content.substr(0, content.find('\n'))) == "set SnapShot";
}

/// No text has zero bytes; UTF-16 has them, and begins with a mark.
bool is_binary(std::string_view content) { return content.find('\0') != std::string_view::npos; }

}  // namespace

std::span<const SnapshotKind> snapshot_kinds() {
  static constexpr std::array kKinds{
      SnapshotKind{"an HDF5 file", begins_with<'\x89', 'H', 'D', 'F'>, nullptr,
                   "give it a name that ends in .h5 or .hdf5"},
      SnapshotKind{"a zip archive, such as NumPy's .npz", begins_with<'P', 'K', '\3', '\4'>, read_npz_snapshot, "",
                   "NumPy's .npz"},
      SnapshotKind{"a NumPy array", begins_with<'\x93', 'N', 'U', 'M', 'P', 'Y'>, read_npy_snapshot, "",
                   "NumPy's .npy"},
      SnapshotKind{"a NEMO snapshot", is_nemo, read_nemo, "", "NEMO"},
      SnapshotKind{"a Gadget 1 snapshot", is_gadget1, read_gadget1, "", "Gadget 1"},
      SnapshotKind{"a Gadget 2 snapshot", is_gadget2, read_gadget2, "", "Gadget 2"},
      SnapshotKind{"unformatted Fortran records", is_unformatted, read_unformatted, "", "unformatted Fortran records"},
      SnapshotKind{"a Tipsy snapshot", is_tipsy, read_tipsy, "", "Tipsy"},
      SnapshotKind{"a Starlab snapshot", is_starlab, read_starlab, "", "Starlab"},
      SnapshotKind{"the text form (tsf) of a NEMO snapshot", is_nemo_text, nullptr,
                   "give the binary file, which NEMO's rsf makes of it"},
      SnapshotKind{"a binary file of no kind that gdr knows", is_binary, nullptr,
                   "convert it to NEMO, Gadget, Tipsy, HDF5 or text"},
      SnapshotKind{"text", [](std::string_view /*content*/) { return true; }, read_rows, "", "text in rows or CSV"},
  };
  return kKinds;
}

std::string readable_snapshots() {
  std::string text;
  for (const SnapshotKind& kind : snapshot_kinds()) {
    if (kind.read != nullptr) text += fmt::format("{}{}", text.empty() ? "" : ", ", kind.short_name);
  }
  return text;
}

LoadedSnapshot load_snapshot(const std::filesystem::path& path) {
  std::string content = base::read_file(path);
  const std::string file = path.string();
  const bool is_packed = is_gzip(content);
  if (is_packed) content = unpacked(content, Wrapping::gzip, std::nullopt, file);
  const auto refuse = [&](std::string_view name, std::string_view way_out) {
    throw Error(is_packed ? fmt::format("{}: is compressed by gzip and holds {}: unpack it with gunzip, and {}", file,
                                        name, way_out)
                          : fmt::format("{}: is {}: {}", file, name, way_out));
  };
  const base::FileKind* other = base::file_kind(content);
  if (other != nullptr && !other->holds_numbers) refuse(other->name, other->way_out);
  for (const SnapshotKind& kind : snapshot_kinds()) {
    if (!kind.is(content)) continue;
    if (kind.read == nullptr) refuse(kind.name, kind.way_out);
    LoadedSnapshot loaded = kind.read(content, file);
    if (loaded.snapshot.particles.size() == 0) throw Error(fmt::format("{}: the file holds no particles", file));
    if (!std::isfinite(loaded.snapshot.time)) throw Error(fmt::format("{}: the time is not finite", file));
    try {
      validate(loaded.snapshot.particles);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", file, error.what()));
    }
    return loaded;
  }
  throw Error(fmt::format("{}: the file holds no particles", file));
}

Snapshot read_snapshot(const std::filesystem::path& path) { return load_snapshot(path).snapshot; }

}  // namespace gdr::hostlib
