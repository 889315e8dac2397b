// Runs a fuzz target on files, or on all files of folders, where it is not built with libFuzzer.
#include <algorithm>
#include <vector>

#include "fuzz.h"

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int n = 1; n < argc; ++n) {
    if (!std::filesystem::is_directory(argv[n])) {
      files.emplace_back(argv[n]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[n])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::fprintf(stderr, "%s\n", file.c_str());
    const std::string bytes = gdr::base::read_file(file);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  if (files.empty()) std::fprintf(stderr, "no files to run on\n");
  return files.empty() ? 1 : 0;
}
