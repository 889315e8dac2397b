// A program as the engines start from: lines are decoded, and lines that no run could execute are refused.
#pragma once

#include <array>
#include <memory>
#include <variant>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/unit_work.h"

namespace gdr::emulator {

struct DecodedLine {
  explicit DecodedLine(const isa::Line& line) : line(line), work(isa::line_work(line)), effects(isa::effects(work)) {}

  isa::Line line;
  isa::LineWork work;
  isa::Effects effects;
};

/// Corresponds to isa::Step.
using DecodedStep = std::variant<DecodedLine, isa::TransferStep, isa::CollectStep>;

struct DecodedProgram {
  isa::Program program;  // for source positions of faults and for the variables of collects
  std::array<std::vector<DecodedStep>, isa::kSections> sections;

  [[nodiscard]] const std::vector<DecodedStep>& steps(isa::Section section) const {
    return sections[static_cast<std::size_t>(section)];
  }
};

/// The lines among the steps. The pointers point into `steps`.
[[nodiscard]] std::vector<const DecodedLine*> lines_of(const std::vector<DecodedStep>& steps);

/// The program that was given to load(), as the type `Own` of the engine. Throws gdr::Error if another engine lowered
/// it.
template <class Own>
std::shared_ptr<const Own> lowered_here(const std::shared_ptr<const Lowered>& program) {
  auto own = std::dynamic_pointer_cast<const Own>(program);
  if (own == nullptr) throw Error("program is refused: another engine lowered it");
  return own;
}

/// Throws Fault for undefined words, static addresses outside their memory, operands of a width that the operation does
/// not take, and fmulh and fmull that are no product or whose operands may change between them.
[[nodiscard]] DecodedProgram decode_program(const isa::Program& program);

/// First short-word address of the record window that iteration `iteration` reads.
[[nodiscard]] constexpr unsigned record_base(unsigned record_words, std::uint64_t iteration) {
  return iteration % 2 == 0 ? 0 : 2 * record_words;
}

}  // namespace gdr::emulator
