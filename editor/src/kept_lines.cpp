#include "kept_lines.h"

#include <algorithm>

namespace gdr::editor {
namespace {

// Between the first and the last changed line; beyond, all lines there count as changed.
constexpr std::size_t kMostPairs = std::size_t{1} << 22;

}  // namespace

KeptLines::KeptLines(const Text& before, const Text& after) : now_(before.lines()), before_(after.lines()) {
  const std::size_t most = std::min(before.lines(), after.lines());
  std::size_t head = 0;
  while (head < most && before.line(head) == after.line(head)) {
    keep(head, head);
    ++head;
  }
  std::size_t tail = 0;
  const auto from_end = [](const Text& text, std::size_t n) { return text.lines() - 1 - n; };
  while (tail < most - head && before.line(from_end(before, tail)) == after.line(from_end(after, tail))) {
    keep(from_end(before, tail), from_end(after, tail));
    ++tail;
  }
  const std::size_t olds = before.lines() - head - tail;
  const std::size_t news = after.lines() - head - tail;
  if (olds == 0 || news == 0 || olds > kMostPairs / news) return;
  // The longest common subsequence of the lines in between; common[o][n]: its length from there on.
  std::vector<std::vector<std::uint32_t>> common(olds + 1, std::vector<std::uint32_t>(news + 1, 0));
  const auto same = [&](std::size_t o, std::size_t n) { return before.line(head + o) == after.line(head + n); };
  for (std::size_t o = olds; o-- > 0;) {
    for (std::size_t n = news; n-- > 0;) {
      common[o][n] = same(o, n) ? common[o + 1][n + 1] + 1 : std::max(common[o + 1][n], common[o][n + 1]);
    }
  }
  for (std::size_t o = 0, n = 0; o < olds && n < news;) {
    if (same(o, n)) {
      keep(head + o++, head + n++);
    } else if (common[o + 1][n] >= common[o][n + 1]) {
      ++o;
    } else {
      ++n;
    }
  }
}

void KeptLines::keep(std::size_t old_line, std::size_t new_line) {
  now_[old_line] = static_cast<std::uint32_t>(new_line);
  before_[new_line] = static_cast<std::uint32_t>(old_line);
}

std::optional<std::uint32_t> KeptLines::now(std::size_t number) const {
  return number < now_.size() ? now_[number] : std::nullopt;
}

std::optional<std::uint32_t> KeptLines::before(std::size_t number) const {
  return number < before_.size() ? before_[number] : std::nullopt;
}

}  // namespace gdr::editor
