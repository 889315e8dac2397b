#include "gdr/base/memory_file.h"

#include <cerrno>
#include <cstring>

namespace gdr::base {

std::string memory_file_reason(int error) {
  const std::string reason = std::strerror(error);
  return error == EFBIG ? reason + " (the limit on the size of files, ulimit -f, counts for files in memory, too)"
                        : reason;
}

}  // namespace gdr::base
