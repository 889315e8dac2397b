#include "gdr/base/scratch_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"

namespace gdr::base {

ScratchFolder::ScratchFolder(std::string_view name) {
  const std::string chosen = environment("TMPDIR");
  const std::string pattern = fmt::format("{}/{}-XXXXXX", chosen.empty() ? "/tmp" : chosen, name);
  std::string made = pattern;
  if (mkdtemp(made.data()) == nullptr) {
    throw Error(fmt::format("{}: this folder for temporary files cannot be made{}: {}", pattern,
                            chosen.empty() ? "" : " (TMPDIR)", std::strerror(errno)));
  }
  path_ = made;
}

ScratchFolder::~ScratchFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

}  // namespace gdr::base
