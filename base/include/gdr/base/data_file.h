// Files that come with gdr: descriptions of machines, kernels, published numbers.
#pragma once

#include <filesystem>
#include <optional>

namespace gdr::base {

/// The file `name`, such as "kernels/dgemm.vsm", in the first of data_directories() that has it; nothing if none has.
[[nodiscard]] std::optional<std::filesystem::path> find_data_file(const std::filesystem::path& name);

/// The same. Throws gdr::Error with all places where it was looked for if none has it.
[[nodiscard]] std::filesystem::path data_file(const std::filesystem::path& name);

}  // namespace gdr::base
