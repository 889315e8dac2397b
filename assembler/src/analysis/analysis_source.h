// Source text as both forms of the analysis (text and page) show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/analysis.h"

namespace gdr::assembler {

/// The lines of the loop body with their source text.
class SourceLines {
 public:
  explicit SourceLines(const AnalysedSources& sources);

  /// `file:12: fadd ...`, or the disassembled line if the source is not available.
  [[nodiscard]] const std::string& text(std::size_t line) const { return lines_[line].text; }
  /// The same for each source line from which the scheduler moved operations into this line.
  [[nodiscard]] const std::vector<std::string>& moved(std::size_t line) const { return lines_[line].moved; }
  [[nodiscard]] std::size_t moved_operations() const;
  /// The line's text after macro parameters and braces are replaced; empty if it equals the source.
  [[nodiscard]] const std::string& expanded(std::size_t line) const { return lines_[line].expanded; }
  /// The uses of macros that the line comes from, the innermost first: `file:14: recip r e`.
  [[nodiscard]] const std::vector<std::string>& uses(std::size_t line) const { return lines_[line].uses; }
  /// The calls that lead to the functions of a compiled program that the line's operations are in:
  /// `square, called by go at file:14: r2 = square(d);`.
  [[nodiscard]] const std::vector<std::string>& calls(std::size_t line) const { return lines_[line].calls; }
  /// The letters for units, as in the listing.
  [[nodiscard]] const std::string& units(std::size_t line) const { return lines_[line].units; }
  /// The lines of the source that it comes from: Program::source_lines_of(), then those of uses of macros.
  [[nodiscard]] const std::vector<isa::SourcePosition>& places(std::size_t line) const { return lines_[line].places; }
  /// The line disassembled from its word.
  [[nodiscard]] const std::string& printed(std::size_t line) const { return lines_[line].printed; }

 private:
  struct Line {
    std::string text;
    std::string printed;
    std::string units;
    std::string expanded;
    std::vector<std::string> moved;
    std::vector<std::string> uses;
    std::vector<std::string> calls;
    std::vector<isa::SourcePosition> places;
  };
  std::vector<Line> lines_;
};

/// The lines of a text without leading and trailing blanks.
[[nodiscard]] std::vector<std::string_view> trimmed_lines(std::string_view text);
/// One letter for each unit at work: adder, multiplier, integer unit, broadcast memory (r, w).
[[nodiscard]] std::string occupancy(const isa::Line& line);

/// The ports with the largest shares, at most `most`; ports that are never used are left out.
[[nodiscard]] std::vector<const PortUse*> busiest_first(const Analysis& analysis, std::size_t most);
/// The timeline section of the page: lines run to the right, with units, ports and operations below each other and the
/// paths of results.
[[nodiscard]] std::string timeline(const Analysis& analysis, const SourceLines& lines);

/// One sentence that says why there are no fewer lines.
[[nodiscard]] std::string limit_text(const Analysis& analysis);

}  // namespace gdr::assembler
