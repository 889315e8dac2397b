#include "process_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include "gdr/base/environment.h"

namespace gdr::foreign {
namespace {

/// What the starters of MPI programs say to each rank. Those that do not say how many ranks there are are only asked
/// for where they started several, or cannot know.
struct RankVariables {
  const char* rank;
  const char* size;  // null: none
};
constexpr std::array<RankVariables, 6> kStarters{{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                  {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                                  {"PMI_RANK", "PMI_SIZE"},
                                                  {"PMIX_RANK", nullptr},
                                                  {"PALS_RANKID", nullptr},
                                                  {"SLURM_PROCID", "SLURM_NTASKS"}}};

struct MpiRank {
  std::string number = "0";
  bool one_of_many = false;
};
MpiRank mpi_rank() {
  for (const RankVariables& starter : kStarters) {
    const std::string rank = setting_of_process(starter.rank);
    if (rank.empty()) continue;
    const std::string size = starter.size == nullptr ? "" : setting_of_process(starter.size);
    return {rank, size != "1"};
  }
  return {};
}

/// Never freed: programs write files until their very end.
struct AtStart {
  std::string folder;
  std::map<std::string, std::string, std::less<>> variables;
};
const AtStart* at_start = nullptr;

[[gnu::constructor]] void remember_start() {
  try {
    auto start = std::make_unique<AtStart>();
    std::error_code error;
    start->folder = std::filesystem::current_path(error).string();
    for (const char* variable : {"GDR_REPORT", "GDR_BLAS_CALLS"}) {
      start->variables[variable] = base::environment(variable);
    }
    for (const RankVariables& starter : kStarters) {
      for (const char* variable : {starter.rank, starter.size}) {
        if (variable != nullptr) start->variables[variable] = base::environment(variable);
      }
    }
    at_start = start.release();
  } catch (const std::exception&) {
    at_start = nullptr;  // without memory nothing is remembered
  }
}

std::size_t replace_all(std::string& text, std::string_view place, std::string_view value) {
  std::size_t count = 0;
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
    text.replace(at, place.size(), value);
    ++count;
  }
  return count;
}

bool write_whole(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::string setting_of_process(const char* variable) {
  std::string value = base::environment(variable);
  if (!value.empty() || at_start == nullptr) return value;
  const auto found = at_start->variables.find(variable);
  return found == at_start->variables.end() ? value : found->second;
}

bool replace_at_once(const std::string& path, std::string_view content) noexcept {
  try {
    // A symbolic link stays one, as for base::write_file().
    std::error_code failed;
    const bool is_link = std::filesystem::is_symlink(path, failed);
    const std::string target = is_link ? std::filesystem::weakly_canonical(path, failed).string() : path;
    if (failed && is_link) return false;
    // base::write_file() removes such files of killed processes.
    const std::string temporary = target + ".gdr-" + std::to_string(getpid()) + "-0.tmp";
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return false;
    const bool written = write_whole(descriptor, content);
    const bool done = ::close(descriptor) == 0 && written && std::rename(temporary.c_str(), target.c_str()) == 0;
    if (!done) ::unlink(temporary.c_str());
    return done;
  } catch (const std::exception&) {
    return false;
  }
}

std::string file_of_process(std::string pattern, bool forked) {
  if (pattern.empty()) return pattern;
  const std::string process = std::to_string(getpid());
  const MpiRank rank = mpi_rank();
  const std::size_t processes = replace_all(pattern, "%p", process);
  const std::size_t ranks = replace_all(pattern, "%r", rank.number);
  if (pattern.front() != '/' && at_start != nullptr && !at_start->folder.empty()) {
    pattern = at_start->folder + "/" + pattern;
  }
  if (processes > 0) return pattern;
  if (rank.one_of_many && ranks == 0) pattern += "." + rank.number;
  if (forked) pattern += "." + process;
  return pattern;
}

}  // namespace gdr::foreign
