// The operations of one line.
#pragma once

#include <algorithm>
#include <vector>

#include "held_write.h"
#include "line_plan.h"

namespace gdr::emulator::simd {

/// The immediates of a program, without duplicates.
class Constants {
 public:
  /// Place of the value's high plane; the low one follows.
  std::uint32_t place_of(isa::LongWord value);
  [[nodiscard]] const std::vector<isa::LongWord>& values() const { return values_; }

 private:
  std::vector<isa::LongWord> values_;
};

/// Adds the operations of one line, and is thrown away: first the words that all units fetch together, at computed
/// addresses of LM and from BM, then the units in the order of the plan.
class LineCode {
 public:
  LineCode(const isa::LineWork& line, KernelSet kernels, Constants& constants, OpWriter& writer, SectionRows& rows)
      : line_(line), kernels_(kernels), constants_(constants), writer_(writer), rows_(rows) {}

  void add(const LinePlan& plan);

  /// Writes that land at the end of this line, or of the next one. If two units write the same flag, the later unit in
  /// the line wins, in whatever order they were executed.
  [[nodiscard]] const std::vector<HeldWrite>& own() const { return own_; }
  [[nodiscard]] std::vector<HeldWrite> take_late() { return std::move(late_); }
  /// Elements of floating-point operations.
  [[nodiscard]] unsigned fp_elements() const { return fp_elements_; }

 private:
  void prepare_indirect(const LinePlan& plan);
  /// Computes the rows of an indirect access from the current T.
  Destination indirect_rows(const isa::Access& access, const Gate& gate, std::uint32_t lane_mask);
  void fetch_bm(const LinePlan& plan);
  void add_unit(const PlannedUnit& unit);
  void add_store(const PlannedUnit& unit);
  Destination destination_of(const PlannedUnit& unit, const PlannedWrite& target, bool uniform);
  Destination held_destination_of(const PlannedUnit& unit, const PlannedWrite& target);
  /// Place in T of a direct write that some PEs or elements do not make.
  Destination part_of_t(const PlannedUnit& unit, const PlannedWrite& target);
  FlagDestination flag_destination_of(const PlannedUnit& unit);
  Value value_of(const isa::UnitOperand& operand, bool takes_doubles);
  Value word_of(const isa::Access& read, bool takes_doubles);
  [[nodiscard]] bool has_uniform_result(const PlannedUnit& unit) const;
  void turn_elements_into_lanes(MicroOp& op) const;
  void hold(const HeldWrite& held, Landing landing);
  [[nodiscard]] Gate line_gate() const;

  const isa::LineWork& line_;
  KernelSet kernels_;
  Constants& constants_;
  OpWriter& writer_;
  SectionRows& rows_;

  Operand indirect_read_;
  Destination indirect_write_;  // row numbers and lanes of an indirect write
  Operand bm_;
  std::vector<HeldWrite> own_;
  std::vector<HeldWrite> late_;
  unsigned fp_elements_ = 0;
};

}  // namespace gdr::emulator::simd
