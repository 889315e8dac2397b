// Translates one section to micro-operations.
#pragma once

#include <span>
#include <vector>

#include "line_code.h"

namespace gdr::emulator::simd {

/// The context for which a section is scheduled.
struct SectionFrame {
  isa::Section section = isa::Section::initialization;
  bool jvalid = true;
  bool leaves_writes = false;        // to the section that runs next; otherwise they land at the end of this one
  bool leaves_splats = false;        // to its own next iteration
  std::span<const LineFacts> facts;  // of its lines
  LineFacts before;                  // of the lines that may run before the first
  LineFacts after;                   // of the lines that may run after the last
  PairLayouts long_pairs;            // on entry and at the end
  bool lm_layout_pinned = false;     // an indirect access may use any word of LM
  RowSet invariant;                  // rows that an earlier section left equal in all PEs and this one never writes
  const isa::Program* program = nullptr;  // for the addresses of collects
};

/// Goes through the steps of a section. What is carried from line to line is in SectionRows, and in `late_` the writes
/// that the last line left pending. What concerns one line is a LinePlan and a LineCode, which are made for it.
class SectionScheduler {
 public:
  SectionScheduler(KernelSet kernels, Constants& constants, const SectionFrame& frame);

  SectionCode run(const std::vector<DecodedStep>& steps);
  /// Rows of GPR and LM that are equal in all PEs at the end. Their uniform word holds the value as well as the row.
  [[nodiscard]] const RowSet& finally_uniform() const { return finally_uniform_; }
  /// Layout of the pairs after the last line, before the common layout is restored.
  [[nodiscard]] const PairLayouts& final_layouts() const { return final_layouts_; }

 private:
  /// What would see a line's results too early if they were not held back: the next line, and the words that are
  /// collected before it.
  struct Followers {
    const LineFacts& line;
    bool read_bm = false;
  };
  [[nodiscard]] Followers after(const std::vector<DecodedStep>& steps, std::size_t at) const;
  void line(const DecodedLine& decoded, const Followers& next);
  void collect(const isa::CollectStep& collect);
  void finish();

  KernelSet kernels_;
  Constants& constants_;
  SectionFrame frame_;
  SectionCode code_;
  OpWriter writer_;
  SectionRows rows_;

  std::size_t at_ = 0;           // the current line
  std::vector<HeldWrite> late_;  // writes of the line before that still have to land
  LineFacts pending_;            // what they write; before the first line, what lines that ran before may have left
  RowSet dead_at_entry_;
  RowSet finally_uniform_;
  PairLayouts final_layouts_;
};

}  // namespace gdr::emulator::simd
