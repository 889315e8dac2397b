// A file of another program as a network or a task graph of gdr, whatever it holds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/interconnect/imported_network.h"

namespace gdr::interconnect {

/// Formats of networks and of task graphs, behind `auto`, which goes by the content.
[[nodiscard]] std::vector<std::string> import_formats();
/// The format of a file from its content, and from its name if it is a graph.
[[nodiscard]] std::string guess_import_format(std::string_view text, std::string_view name);
[[nodiscard]] bool is_network_format(std::string_view name);

/// What an import has made.
struct Imported {
  std::string format;
  bool is_network = false;
  std::size_t size = 0;   // nodes or tasks
  std::size_t edges = 0;  // links or transfers
  std::vector<std::string> files;
  std::vector<std::string> notes;
};
/// Writes `output` and the files beside it: a description FILE.toml, or a task graph as CSV. `format` is one of
/// import_formats(), but `auto`. Throws gdr::Error as the readers do, and if a file cannot be written.
[[nodiscard]] Imported import_file(const std::string& file, std::string_view text, std::string_view format,
                                   const std::string& output, const ImportOptions& options);

/// Sets the fields of its report.
void add_imported(base::Json& json, const Imported& imported);

}  // namespace gdr::interconnect
