#include "process_file.h"

#include <unistd.h>

#include <string_view>

#include "gdr/base/environment.h"

namespace gdr::foreign {
namespace {

/// Of Open MPI, and of MPICH and its descendants.
std::string first_of(const char* name, const char* other, const char* otherwise) {
  for (const char* variable : {name, other}) {
    if (std::string value = base::environment(variable); !value.empty()) return value;
  }
  return otherwise;
}

std::size_t replace_all(std::string& text, std::string_view place, std::string_view value) {
  std::size_t count = 0;
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
    text.replace(at, place.size(), value);
    ++count;
  }
  return count;
}

}  // namespace

std::string file_of_process(std::string pattern, bool forked) {
  if (pattern.empty()) return pattern;
  const std::string process = std::to_string(getpid());
  const std::string rank = first_of("OMPI_COMM_WORLD_RANK", "PMI_RANK", "0");
  const bool many_ranks = first_of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "1") != "1";
  const std::size_t processes = replace_all(pattern, "%p", process);
  const std::size_t ranks = replace_all(pattern, "%r", rank);
  if (processes > 0) return pattern;
  if (many_ranks && ranks == 0) pattern += "." + rank;
  if (forked) pattern += "." + process;
  return pattern;
}

}  // namespace gdr::foreign
