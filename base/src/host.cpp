#include "gdr/base/host.h"

#include <fstream>

extern char** environ;

namespace gdr::base {
namespace {

/// The value of the first line of a system file that begins with `key`, up to the end or in quotes; empty if none does.
std::string field_of(const char* file, std::string_view key, char after) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \"", line.find(after) + 1);
    return start == std::string::npos ? "" : line.substr(start, line.find_last_not_of('"') - start + 1);
  }
  return "";
}

}  // namespace

std::string system_name() { return field_of("/etc/os-release", "PRETTY_NAME", '='); }

std::string processor_name() { return field_of("/proc/cpuinfo", "model name", ':'); }

std::map<std::string, std::string> settings_of(std::string_view prefix) {
  std::map<std::string, std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(prefix) || text.find('=') == std::string_view::npos) continue;
    found.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  }
  return found;
}

}  // namespace gdr::base
