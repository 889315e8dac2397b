// Encoded lines, with what the proof of legality and the listing need to know about them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "gdr/isa/line.h"
#include "gdr/isa/program.h"
#include "operands.h"
#include "reporter.h"
#include "symbols.h"

namespace gdr::assembler {

/// One use of a register or memory word by a line.
struct Access {
  OperandKind kind = OperandKind::gpr;  // gpr, lm, bm, record, t or flag
  bool write = false;
  isa::Unit unit = isa::Unit::none;  // that writes
  isa::Width width = isa::Width::short_word;
  bool vector = false;
  bool indirect = false;
  bool floating = false;      // read as a floating-point number
  bool defines = false;       // x op x, whose result does not depend on x
  bool asserted = false;      // $ti
  std::uint32_t address = 0;  // short words; or number of a flag
  std::uint32_t end = 0;      // bound of an indirect access
  const Symbol* symbol = nullptr;
  Place where;
  std::string text;
  isa::Unit operation = isa::Unit::none;  // unit of the operation that it belongs to; none: the line's mask
};

struct CodeLine {
  isa::Line line;
  std::vector<Access> accesses;
  Place where;
  std::string text;
  bool unknown = false;           // could not be encoded: may do anything, so that nothing follows from it
  std::vector<Place> moved_here;  // by the scheduler, from other lines of the source
};

struct CodeTransfer {
  Place where;
};

struct CodeCollect {
  isa::CollectStep step;  // its position is that of `where`
  const Symbol* symbol = nullptr;
  Place where;
};

using CodeStep = std::variant<CodeLine, CodeTransfer, CodeCollect>;
using SectionCode = std::array<std::vector<CodeStep>, isa::kSections>;

/// The lines of each section alone, of the code they point into.
using SectionLines = std::array<std::vector<const CodeLine*>, isa::kSections>;
[[nodiscard]] SectionLines lines_of(const SectionCode& code);

/// Encodes the sections' steps.
[[nodiscard]] SectionCode encode_steps(const Expansion& expansion, const Declared& declared,
                                       const AssembleOptions& options, Reporter& reporter);

/// Proves that the lines are legal on every path, or reports why they are not.
void prove(const SectionLines& lines, const Declared& declared, Reporter& reporter);

/// Proves that transfers and collects meet none of the lines' accesses to broadcast memory.
void prove_moves(const SectionCode& code, const Declared& declared, Reporter& reporter);

}  // namespace gdr::assembler
