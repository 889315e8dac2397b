// Files of libraries that are loaded into other people's programs, a file for each process.
#pragma once

#include <string>

namespace gdr::foreign {

/// `pattern` with %p and %r replaced by process and MPI rank. Where several processes would write one file it gets the
/// rank at its end (programs of more than one MPI rank), or the process (`forked`).
[[nodiscard]] std::string file_of_process(std::string pattern, bool forked);

}  // namespace gdr::foreign
