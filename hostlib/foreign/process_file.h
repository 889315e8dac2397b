// Files of libraries that are loaded into other people's programs, a file for each process.
#pragma once

#include <string>
#include <string_view>

namespace gdr::foreign {

/// A variable of the environment, or what it was when the library was loaded: programs that clear their environment
/// keep the files that they were started with.
[[nodiscard]] std::string setting_of_process(const char* variable);

/// `pattern` with %p and %r replaced by process and MPI rank. Where several processes would write one file it gets the
/// rank at its end (programs of more than one MPI rank, under Open MPI, MPICH, MVAPICH, PMIx, PALS and Slurm), or the
/// process (`forked`). A relative name is one of the folder in which the program was started.
[[nodiscard]] std::string file_of_process(std::string pattern, bool forked);

/// Replaces `path` by a file of this content, which a reader sees whole or not at all, and does not wait for the disk:
/// for files that are written while a program runs, in case it is killed. False if it could not be written.
[[nodiscard]] bool replace_at_once(const std::string& path, std::string_view content) noexcept;

}  // namespace gdr::foreign
