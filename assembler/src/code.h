// Encoded lines, with what the proof of legality and the listing need to know about them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"
#include "operands.h"
#include "reporter.h"
#include "symbols.h"

namespace gdr::assembler {

/// What a line reads or writes, and what of the source says so.
struct CodeAccess : isa::Access {
  bool asserted = false;  // $ti
  const Symbol* symbol = nullptr;
  const Symbol* register_name = nullptr;  // of an operand that is written so
  Place where;
  std::string text;
};

struct CodeLine {
  isa::Line line;
  std::vector<CodeAccess> accesses;  // of isa::effects(line), reads first
  Place where;
  std::string text;
  bool unknown = false;            // could not be encoded: may do anything, so that nothing follows from it
  std::vector<Place> moved_here;   // by the scheduler, from other lines of the source
  std::optional<Place> vlen_from;  // of a `vlen` below 4 that stood alone on a line before
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

/// Where each section's `vlen` below 4 came from that still holds at its end.
using LeftShort = std::array<std::optional<Place>, isa::kSections>;

/// Encodes the sections' steps.
struct Encoded {
  SectionCode code;
  LeftShort left_short;
};
[[nodiscard]] Encoded encode_steps(const Expansion& expansion, const Declared& declared, const AssembleOptions& options,
                                   Reporter& reporter);

/// Proves that the lines are legal on every path, or reports why they are not.
void prove(const SectionLines& lines, const Declared& declared, Reporter& reporter);

/// Proves that transfers and collects meet none of the lines' accesses to broadcast memory.
void prove_moves(const SectionCode& code, const Declared& declared, Reporter& reporter);

}  // namespace gdr::assembler
