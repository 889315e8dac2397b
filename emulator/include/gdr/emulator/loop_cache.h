// Where compiled loop bodies are kept from one process to the next.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gdr::emulator {

struct LoopCache {
  std::filesystem::path folder;  // of GDR_CACHE_DIR or the user's cache folder; empty if neither is known
  std::string refusal;           // why entries are not read from it or written to it; empty if they are
  std::size_t entries = 0;       // compiled loop bodies in it
};

/// The folder of this user, which need not exist yet.
[[nodiscard]] LoopCache loop_cache();

}  // namespace gdr::emulator
