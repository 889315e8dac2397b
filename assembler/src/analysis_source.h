// What both forms of an analysis show of the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/analysis.h"

namespace gdr::assembler {

/// Lines of the body with their source.
class SourceLines {
 public:
  explicit SourceLines(const AnalysedSources& sources);

  /// `file:12: fadd ...`, or the printed line where the source is not there.
  [[nodiscard]] const std::string& text(std::size_t line) const { return lines_[line].text; }
  /// The same of each source line that the scheduler brought into it.
  [[nodiscard]] const std::vector<std::string>& moved(std::size_t line) const { return lines_[line].moved; }
  [[nodiscard]] std::size_t moved_operations() const;
  /// The line's text with braces and a macro's parameters replaced; empty where that is what the source says.
  [[nodiscard]] const std::string& expanded(std::size_t line) const { return lines_[line].expanded; }
  /// The uses of macros that the line comes from, the innermost first: `file:14: recip r e`.
  [[nodiscard]] const std::vector<std::string>& uses(std::size_t line) const { return lines_[line].uses; }
  /// The listing's letters.
  [[nodiscard]] const std::string& units(std::size_t line) const { return lines_[line].units; }
  /// Its own place and those of what moved into it, then those of the uses of macros that they come from.
  [[nodiscard]] const std::vector<isa::SourcePosition>& places(std::size_t line) const { return lines_[line].places; }
  /// As printed from the word.
  [[nodiscard]] const std::string& printed(std::size_t line) const { return lines_[line].printed; }

 private:
  struct Line {
    std::string text;
    std::string printed;
    std::string units;
    std::string expanded;
    std::vector<std::string> moved;
    std::vector<std::string> uses;
    std::vector<isa::SourcePosition> places;
  };
  std::vector<Line> lines_;
};

/// The lines of a text, without blanks around them.
[[nodiscard]] std::vector<std::string_view> trimmed_lines(std::string_view text);
/// One letter for each unit at work: adder, multiplier, integer unit, broadcast memory (r, w).
[[nodiscard]] std::string occupancy(const isa::Line& line);

/// The ports with the largest shares, no more than `most`, none that is never taken.
[[nodiscard]] std::vector<const PortUse*> busiest_first(const Analysis& analysis, std::size_t most);
/// A section of the page: lines to the right, units, ports and operations below each other, and the ways of results.
[[nodiscard]] std::string timeline(const Analysis& analysis, const SourceLines& lines);

/// Why there are no fewer lines, in a sentence.
[[nodiscard]] std::string limit_text(const Analysis& analysis);

}  // namespace gdr::assembler
