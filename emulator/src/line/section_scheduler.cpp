#include "section_scheduler.h"

#include <utility>

namespace gdr::emulator::simd {
namespace {

/// Place of the words that a section leaves to the next one.
constexpr std::uint32_t kEdgeBank = place::kBanks + 2 * kBankWords;

/// What held writes will write.
LineFacts facts_of_pending(const std::vector<HeldWrite>& late) {
  LineFacts facts;
  for (const HeldWrite& held : late) {
    facts.writes.add(held.kind == HeldWrite::Kind::indirect_words ? kLmRows : held.rows.rows());
    facts.flags_written = static_cast<std::uint8_t>(facts.flags_written | (1u << held.flag));
  }
  return facts;
}

}  // namespace

SectionScheduler::SectionScheduler(KernelSet kernels, Constants& constants, const SectionFrame& frame)
    : kernels_(kernels),
      constants_(constants),
      frame_(frame),
      rows_(writer_, kernels.arithmetic, frame_.long_pairs, frame_.invariant, frame_.lm_layout_pinned),
      pending_(frame.before) {}

SectionCode SectionScheduler::run(const std::vector<DecodedStep>& steps) {
  if (frame_.leaves_splats) dead_at_entry_ = overwritten_unread(lines_of(steps), frame_.facts);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const isa::Visitor schedule{[&](const DecodedLine& decoded) {
                                  line(decoded, after(steps, n));
                                  ++at_;
                                },
                                [](const isa::TransferStep&) {},  // the record is there when its iteration begins
                                [&](const isa::CollectStep& step) { collect(step); }};
    std::visit(schedule, steps[n]);
  }
  final_layouts_ = rows_.layouts();
  if (code_.has_lines) {
    finish();
  } else {
    code_.hook = writer_.size();
    code_.ops = writer_.take();
  }
  return std::move(code_);
}

SectionScheduler::Followers SectionScheduler::after(const std::vector<DecodedStep>& steps, std::size_t at) const {
  const LineFacts& next = at_ + 1 < frame_.facts.size() ? frame_.facts[at_ + 1] : frame_.after;
  bool collects = false;
  for (++at; at < steps.size() && !std::holds_alternative<DecodedLine>(steps[at]); ++at) {
    collects = collects || std::holds_alternative<isa::CollectStep>(steps[at]);
  }
  return {next, next.reads_bm || collects};
}

/// The units first. Then the pending writes of the line before land, then the writes that this line had to hold back.
void SectionScheduler::line(const DecodedLine& decoded, const Followers& next) {
  writer_.begin_line(at_, decoded.work.elements);
  const LinePlan plan =
      plan_of({decoded.work, frame_.jvalid, frame_.facts[at_], pending_, next.line, next.read_bm, rows_});
  LineCode code(decoded.work, kernels_, constants_, writer_, rows_);
  code.add(plan);
  code_.fp_elements += code.fp_elements();
  if (!std::exchange(code_.has_lines, true)) code_.hook = writer_.size();
  commit(late_, writer_, rows_);
  commit(code.own(), writer_, rows_);
  late_ = code.take_late();
  pending_ = facts_of_pending(late_);
}

/// Sends words to the tree with their values before the next line is issued.
void SectionScheduler::collect(const isa::CollectStep& collect) {
  MicroOp& op = writer_.push(moves::collect_words);
  op.a.high = frame_.program->address_of(collect);
  op.count = collect.words();
  op.uniform = collect.not_first && frame_.section == isa::Section::loop_body;
}

/// Lets writes of the last line land here or in the section that runs next, and restores the common layouts.
void SectionScheduler::finish() {
  RowSet still_to_land;
  for (const HeldWrite& held : late_) still_to_land.add(whole_pairs(held.rows.rows()));
  if (frame_.leaves_writes && !late_.empty()) {
    MicroOp& copy = writer_.push(moves::copy_words);
    copy.a.high = writer_.bank();
    copy.to[0].high = kEdgeBank;
    copy.count = writer_.used();
  } else {
    commit(late_, writer_, rows_);
    still_to_land = {};
  }
  rows_.restore_layouts();
  // A change of layout reads both rows of a pair, so both must be dead.
  const RowSet left = (rows_.uniform() & dead_at_entry_.both_of_pairs()) - still_to_land;
  finally_uniform_ = rows_.uniform() - still_to_land;
  finally_uniform_.remove(kTRows);
  rows_.spread(rows_.uniform() - left);
  code_.ops = writer_.take();

  rows_.spread(left);
  code_.spread = writer_.take();
  if (frame_.leaves_writes) {
    commit(late_, writer_, rows_, kEdgeBank - writer_.bank());
    rows_.restore_layouts();
  }
  code_.edge = writer_.take();
}

}  // namespace gdr::emulator::simd
