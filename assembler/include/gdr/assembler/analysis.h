// Explains why a loop body has as many lines as it has: use of ports, longest chain of dependences, words in use.
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

/// A unit or port of a PE, and how much of the loop body uses it.
struct PortUse {
  std::string name;    // "multiplier", "GPR write"
  unsigned busy = 0;   // uses; a port that exists several times can count more than once in a line
  unsigned each = 1;   // uses that one line has room for
  unsigned lines = 0;  // of the body
  // Uses that no order of the operations avoids: fewer than `busy` if a line can read a word once for operations of
  // several lines.
  unsigned needed = 0;

  [[nodiscard]] double share() const { return lines == 0 ? 0 : static_cast<double>(busy) / (each * lines); }
  /// The smallest number of lines that has room for all uses.
  [[nodiscard]] unsigned least_lines() const { return (needed + each - 1) / each; }
};

/// An operation of the longest chain of dependences.
struct ChainStep {
  std::size_t line = 0;  // of the body
  isa::Unit unit = isa::Unit::none;
  std::string operation;  // "fmul"
  unsigned waits = 0;     // the next step of the chain is at least so many lines later
};

/// Operations that share a unit or a write port, wait for the same lines and are followed by the same lines.
struct SharedUse {
  std::string name;    // of the unit or port: "adder", "T write"
  unsigned first = 0;  // line before which none of them can be
  unsigned uses = 0;
  unsigned after = 0;  // lines that must follow each of them

  [[nodiscard]] unsigned least_lines() const { return uses == 0 ? 0 : first + uses + after; }
};

/// Why the operations do not fit into a number of lines, whatever their order is: dependences leave each of them lines
/// between a first and a last one, and some of these would have to hold more uses of a unit or port than they have room
/// for.
struct NoRoomIn {
  unsigned lines = 0;  // 0: nothing is known
  std::string name;    // of the unit or port; empty: no line is left for one operation
  unsigned uses = 0;   // that would be in the lines from `first` to `last`
  unsigned first = 0;
  unsigned last = 0;
  std::size_t line = 0;   // of the body, that has the one operation
  std::string operation;  // "fmul"

  [[nodiscard]] unsigned least_lines() const { return lines == 0 ? 0 : lines + 1; }
};

/// Why an operation cannot be on an earlier line.
enum class Held : std::uint8_t {
  by_nothing,     // it could be earlier: `line` has room for it
  by_begin,       // it is already on the first line
  by_result,      // it reads what the operation of `line` writes
  by_reader,      // it overwrites what the operation of `line` reads
  by_writer,      // it overwrites what the operation of `line` writes
  by_unit,        // its unit is in use on the line before, and no other line that it could be on has room
  by_port,        // the same, but a port is in use
  by_sequencer,   // the same, but those lines have another vector length or mask
  by_its_product  // it belongs to the other line of a long product and must stay next to that line
};
/// The name as it appears in JSON: `result`.
[[nodiscard]] std::string_view name_of(Held held);

/// An operation of a line, and the reason why it cannot be earlier.
struct HeldOperation {
  isa::Unit unit = isa::Unit::none;
  std::string operation;  // "fmul"
  Held held = Held::by_nothing;
  std::size_t line = 0;  // line of the body that holds it back, or that has room for it
  std::string what;      // the word ("$lr8v"), unit or port that is the reason

  /// The reason as a sentence without full stop: `reads $lr8v, which line 7 writes`.
  [[nodiscard]] std::string text() const;
};

/// A dependence: operation `to` reads what operation `from` writes in the same iteration.
struct DependentOperation {
  struct End {
    std::size_t line = 0;  // of the body
    isa::Unit unit = isa::Unit::none;
  };
  End from;
  End to;
  unsigned waits = 0;  // the reader must be at least so many lines later
  std::string what;    // the word that is written and read: "$lr8v", "T"
};

/// A line of the body.
struct LineUse {
  std::vector<std::size_t> ports;  // indices into Analysis::ports, ascending
  unsigned slack = 0;              // all of its operations could be so many lines later without making the body longer
  bool idle = false;               // true if the line has no operation
  std::vector<HeldOperation> operations;  // ordered by unit; empty if the body stores into the j-records
  unsigned live_gpr = 0;  // short words of registers that are live before this line: it or a later line reads them
  unsigned live_lm = 0;
};

struct Analysis {
  isa::LoopBound bound;  // in clocks
  unsigned lines = 0;    // of the body
  unsigned operations = 0;
  std::vector<PortUse> ports;  // units first
  // Empty if the body stores into the j-records: the order of those accesses is not followed.
  std::vector<ChainStep> chain;
  unsigned chain_lines = 0;  // lines that the chain takes, including its first and last line
  SharedUse shared;          // the operations that need the most lines; none if the chain is empty
  NoRoomIn no_room;          // one line less than the limit, if the limit does not follow from the above
  std::vector<LineUse> body;
  std::vector<DependentOperation> dependences;  // ordered by reader; empty if the body stores into the j-records

  /// The port, or unit, that needs the largest share of the body's lines.
  [[nodiscard]] const PortUse& busiest() const;
  /// Lower limit of the body's length: no order of the operations has fewer lines with these registers.
  [[nodiscard]] unsigned least_lines() const;
  /// Index of the line before which the most short words of registers are live.
  [[nodiscard]] std::size_t peak() const;
};

/// Analyses the loop body of `program` as it is, whether or not it has been packed by the scheduler.
[[nodiscard]] Analysis analyse(const isa::Program& program);

/// A program with its source files, as for listing().
struct AnalysedSources {
  const isa::Program& program;
  std::span<const SourceFile> files;  // may be empty; lines are then shown as disassembled text
};

/// Text for a terminal: bound, busiest ports, chain, slack and words in use; then a row for each line.
[[nodiscard]] std::string analysis_text(const Analysis& analysis, const AnalysedSources& sources);
/// One HTML page that needs no other files. It shows the source at the left and the lines at the right; selecting one
/// shows its counterpart. Below is a timeline of the body with units, ports and the paths of results.
[[nodiscard]] std::string analysis_page(const Analysis& analysis, const AnalysedSources& sources);

}  // namespace gdr::assembler
