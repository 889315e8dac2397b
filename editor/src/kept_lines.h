// Which lines of a text are still there after it was edited.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "text.h"

namespace gdr::editor {

/// For each line of `before` its number in `after`; nothing for a line that was changed or deleted. The order of lines
/// stays, so that a line that was moved counts as changed.
class KeptLines {
 public:
  KeptLines(const Text& before, const Text& after);

  /// The line that line `number` of the old text is now.
  [[nodiscard]] std::optional<std::uint32_t> now(std::size_t number) const;
  /// The line of the old text that line `number` of the new one was.
  [[nodiscard]] std::optional<std::uint32_t> before(std::size_t number) const;

 private:
  void keep(std::size_t old_line, std::size_t new_line);

  std::vector<std::optional<std::uint32_t>> now_;
  std::vector<std::optional<std::uint32_t>> before_;
};

}  // namespace gdr::editor
