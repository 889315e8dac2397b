// What the fuzz targets share. A target is a function of bytes that must hold its properties for any of them; libFuzzer
// looks for bytes for which it does not, and replay.cpp runs it on the kept corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "gdr/base/error.h"
#include "gdr/base/file.h"

/// Ends the process if a property does not hold: what libFuzzer takes as a finding.
#define FUZZ_HOLDS(property)                                                                      \
  do {                                                                                            \
    if (!(property)) {                                                                            \
      std::fprintf(stderr, "%s:%d: property does not hold: %s\n", __FILE__, __LINE__, #property); \
      std::abort();                                                                               \
    }                                                                                             \
  } while (false)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gdr::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file that is gone at the end of the process.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& extension) : path_(directory() / ("input" + extension)) {}
  ~ScratchFile() {
    std::error_code none;
    std::filesystem::remove_all(path_.parent_path(), none);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(std::string_view content) const { base::write_file(path_, content); }

 private:
  static std::filesystem::path directory() {
    std::string name = (std::filesystem::temp_directory_path() / "gdr-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("no temporary directory: " + name);
    return name;
  }

  std::filesystem::path path_;
};

/// True if `read` refuses its input as it should: by an exception of ours.
template <class Read>
bool refuses(Read read) {
  try {
    read();
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace gdr::fuzz
