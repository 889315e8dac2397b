// Files that come with gdr: descriptions of machines, kernels, published numbers.
#pragma once

#include <filesystem>
#include <optional>

namespace gdr::base {

/// The file `name`, such as "kernels/dgemm.vsm", in the first of data_directories() that has it; nothing if none has.
[[nodiscard]] std::optional<std::filesystem::path> find_data_file(const std::filesystem::path& name);

/// As find_data_file(), but throws gdr::Error with all places that were searched if none has the file.
[[nodiscard]] std::filesystem::path data_file(const std::filesystem::path& name);

}  // namespace gdr::base
