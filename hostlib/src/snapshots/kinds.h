// Kinds of files with particles, those of gdr and those of other codes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {

/// A kind of file that its content tells. Text that none of the kinds knows is read as rows.
struct SnapshotKind {
  std::string_view name;  // with its article
  bool (*is)(std::string_view content);
  LoadedSnapshot (*read)(std::string_view content, const std::string& file);  // null: it is named and refused
  std::string_view way_out;                                                   // for kinds that are not read
  std::string_view short_name = {};                                           // of the others, for lists
};

/// The kinds in the order in which a file is asked for them.
[[nodiscard]] std::span<const SnapshotKind> snapshot_kinds();

// Readers. `file` is the name in messages. They throw gdr::Error with file, place and value.
[[nodiscard]] LoadedSnapshot read_gadget1(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_gadget2(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_unformatted(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_tipsy(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_nemo(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_npy_snapshot(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_npz_snapshot(std::string_view content, const std::string& file);
[[nodiscard]] LoadedSnapshot read_starlab(std::string_view content, const std::string& file);
/// Text in rows: phiGRAPE, seven columns, columns by names, PeTar, treecodes, Tipsy's text.
[[nodiscard]] LoadedSnapshot read_rows(std::string_view content, const std::string& file);

// What tells a kind.
[[nodiscard]] bool is_gadget1(std::string_view content);
[[nodiscard]] bool is_gadget2(std::string_view content);
[[nodiscard]] bool is_unformatted(std::string_view content);
[[nodiscard]] bool is_tipsy(std::string_view content);
[[nodiscard]] bool is_nemo(std::string_view content);
[[nodiscard]] bool is_starlab(std::string_view content);

// Writers.
[[nodiscard]] std::string nemo_image(const Snapshot& snapshot);
[[nodiscard]] std::string npz_image(const Snapshot& snapshot);

}  // namespace gdr::hostlib
