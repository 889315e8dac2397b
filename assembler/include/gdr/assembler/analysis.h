// Why a loop body has as many lines as it has: ports, the longest chain of dependences, words in use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/isa/loop_bound.h"
#include "gdr/isa/program.h"

namespace gdr::assembler {

/// A unit or port of a PE, and in how many lines of the body it is taken.
struct PortUse {
  std::string name;    // "multiplier", "GPR write"
  unsigned busy = 0;   // takings; of ports that there are several of more than one in a line
  unsigned each = 1;   // takings that a line has room for
  unsigned lines = 0;  // of the body

  [[nodiscard]] double share() const { return lines == 0 ? 0 : static_cast<double>(busy) / (each * lines); }
  /// Lines that the takings need at least.
  [[nodiscard]] unsigned least_lines() const { return (busy + each - 1) / each; }
};

/// An operation of the longest chain.
struct ChainStep {
  std::size_t line = 0;  // of the body
  isa::Unit unit = isa::Unit::none;
  std::string operation;  // "fmul"
  unsigned waits = 0;     // lines that the next step of the chain stands behind at least
};

/// Why an operation stands in no earlier line.
enum class Held : std::uint8_t {
  by_nothing,     // an earlier line, `line`, has room for it
  by_begin,       // it stands in the first line
  by_result,      // it reads what the operation of `line` writes
  by_reader,      // it writes over what the operation of `line` reads
  by_writer,      // it writes over what the operation of `line` writes
  by_unit,        // the unit is taken in the line before, and in all others that it could stand in
  by_port,        // or a port
  by_sequencer,   // or vector length or mask are others
  by_its_product  // the other line of a long product stands beside it
};
/// As a JSON value: `result`.
[[nodiscard]] std::string_view name_of(Held held);

/// An operation of a line, and what holds it there.
struct HeldOperation {
  isa::Unit unit = isa::Unit::none;
  std::string operation;  // "fmul"
  Held held = Held::by_nothing;
  std::size_t line = 0;  // of the body, that holds it or has room
  std::string what;      // the word ("$lr8v"), unit or port

  /// A sentence without full stop: `reads $lr8v, which line 7 writes`.
  [[nodiscard]] std::string text() const;
};

/// An operation that reads what another one of the same turn writes.
struct DependentOperation {
  struct End {
    std::size_t line = 0;  // of the body
    isa::Unit unit = isa::Unit::none;
  };
  End from;
  End to;
  unsigned waits = 0;  // lines that the reader must stand behind at least
  std::string what;    // the word: "$lr8v", "T"
};

/// A line of the body.
struct LineUse {
  std::vector<std::size_t> ports;  // indices into Analysis::ports, ascending
  unsigned slack = 0;  // lines by which the least movable of its operations could stand later, the body's length kept
  bool idle = false;   // without an operation
  std::vector<HeldOperation> operations;  // by unit; none if the body stores into the j-records
  unsigned live_gpr = 0;                  // short words of registers that a later line reads, before this one
  unsigned live_lm = 0;
};

struct Analysis {
  isa::LoopBound bound;  // in clocks
  unsigned lines = 0;    // of the body
  unsigned operations = 0;
  std::vector<PortUse> ports;    // units first
  std::vector<ChainStep> chain;  // empty if the body stores into the j-records, whose order is not followed
  unsigned chain_lines = 0;      // that the chain takes, its first and last line included
  std::vector<LineUse> body;
  std::vector<DependentOperation> dependences;  // by reader; none if the body stores into the j-records

  /// The port that needs the most lines.
  [[nodiscard]] const PortUse& busiest() const;
  /// Lines that chain and ports leave no way around.
  [[nodiscard]] unsigned least_lines() const;
  /// Of the line before which the most short words of registers are in use.
  [[nodiscard]] std::size_t peak() const;
};

/// Of the loop body, as it stands in the program, packed or not.
[[nodiscard]] Analysis analyse(const isa::Program& program);

/// What listing() takes.
struct AnalysedSources {
  const isa::Program& program;
  std::span<const SourceFile> files;  // may be empty: lines are shown as printed
};

/// Bound, busiest ports, chain, slack and words in use on a screen; then a row for each line.
[[nodiscard]] std::string analysis_text(const Analysis& analysis, const AnalysedSources& sources);
/// One HTML page without other files: source at the left, lines at the right, each showing its other side; below, the
/// body as a timeline with units, ports and the ways of results.
[[nodiscard]] std::string analysis_page(const Analysis& analysis, const AnalysedSources& sources);

}  // namespace gdr::assembler
