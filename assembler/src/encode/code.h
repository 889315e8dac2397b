// Encoded lines, with the data that the proof of legality and the listing need.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "diagnostics/reporter.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"
#include "operands.h"
#include "symbols.h"

namespace gdr::assembler {

/// A word that a line reads or writes, and the source text that causes it.
struct CodeAccess : isa::Access {
  bool asserted = false;  // $ti
  const Symbol* symbol = nullptr;
  const Symbol* register_name = nullptr;  // the register name, if the operand was written with one
  Place where;
  std::string text;
};

/// The immediate of a line as it is written. Operands that share it as numbers of two kinds count as bits.
struct CodeImmediate {
  ImmediateKind number = ImmediateKind::hex;
  Place where;
  std::string text;
};

struct CodeLine {
  isa::Line line;
  std::vector<CodeAccess> accesses;  // those of isa::effects(line), reads first
  Place where;
  std::string text;
  CodeImmediate immediate;
  bool unknown = false;            // could not be encoded: it may do anything, so nothing is concluded from it
  std::vector<Place> moved_here;   // by the scheduler, from other lines of the source
  std::optional<Place> vlen_from;  // place of a `vlen` below 4 that was alone on an earlier line and still applies
};

struct CodeTransfer {
  Place where;
};

struct CodeCollect {
  isa::CollectStep step;  // its position is the same as `where`
  const Symbol* symbol = nullptr;
  Place where;
};

using CodeStep = std::variant<CodeLine, CodeTransfer, CodeCollect>;
using SectionCode = std::array<std::vector<CodeStep>, isa::kSections>;

/// Only the lines of each section; the pointers refer to a SectionCode.
using SectionLines = std::array<std::vector<const CodeLine*>, isa::kSections>;
[[nodiscard]] SectionLines lines_of(const SectionCode& code);

/// For each section: the place of a `vlen` below 4 that still applies at the section's end.
using LeftShort = std::array<std::optional<Place>, isa::kSections>;

/// The encoded steps of all sections.
struct Encoded {
  SectionCode code;
  LeftShort left_short;
};
[[nodiscard]] Encoded encode_steps(const Expansion& expansion, const Declared& declared, const AssembleOptions& options,
                                   Reporter& reporter);

}  // namespace gdr::assembler
