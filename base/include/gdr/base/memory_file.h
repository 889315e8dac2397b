// Files in memory, which other libraries and programs read as files without a folder that can be written to.
#pragma once

#include <string>

namespace gdr::base {

/// Why a file in memory could not be made or written, after `error`, an errno: the system says only that it is too
/// large if the user's limit on the size of files is reached, which counts for files in memory, too.
[[nodiscard]] std::string memory_file_reason(int error);

}  // namespace gdr::base
