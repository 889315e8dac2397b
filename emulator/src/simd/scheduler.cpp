#include "scheduler.h"

#include "section_scheduler.h"

namespace gdr::emulator::simd {
namespace {

using isa::Line;
using isa::Section;

void add_first(LineFacts& facts, const std::vector<DecodedStep>& steps) {
  const std::vector<const Line*> lines = lines_of(steps);
  if (!lines.empty()) facts |= facts_of(*lines.front());
}
void add_last(LineFacts& facts, const std::vector<DecodedStep>& steps) {
  const std::vector<const Line*> lines = lines_of(steps);
  if (!lines.empty()) facts |= facts_of(*lines.back());
}

/// Layout of LM in a program that addresses it indirectly: that of its indirect accesses.
struct IndirectUse {
  bool any = false;
  bool of_longs = false;
};

IndirectUse indirect_use(const DecodedProgram& program) {
  IndirectUse use;
  for (const std::vector<DecodedStep>& steps : program.sections) {
    for (const Line* each : lines_of(steps)) {
      const Line& line = *each;
      if (!facts_of(line).indirect) continue;
      use.any = true;
      const bool long_read =
          uses(line, isa::Source::lm) && line.lm_read.indirect && line.lm_read.width == Width::long_word;
      const bool long_write =
          line.lm_write.indirect && isa::result_width(line, line.lm_write.source) == Width::long_word;
      use.of_longs = use.of_longs || long_read || long_write;
    }
  }
  return use;
}

class ProgramScheduler {
 public:
  ProgramScheduler(const DecodedProgram& program, KernelSet kernels) : program_(program), kernels_(kernels) {
    const IndirectUse indirect = indirect_use(program);
    lm_form_pinned_ = indirect.any;
    long_pairs_.set();
    if (indirect.any && !indirect.of_longs) {
      for (unsigned pair = kLmRow / 2; pair < kTRow / 2; ++pair) long_pairs_.reset(pair);
    }
  }

  Schedule run() {
    // The body leaves its pairs as it wants to find them again: no layout changes from iteration to iteration.
    long_pairs_ = scheduled(frame_of(Section::loop_body, true)).second;

    Schedule schedule;
    for (const Section section :
         {Section::initialization, Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
      schedule.sections[static_cast<std::size_t>(section)] = scheduled(frame_of(section, true)).first;
      if (section == Section::loop_initialization) invariant_ = uniform_at_end_ & ~written_in_body();
    }
    schedule.body_without_record = scheduled(frame_of(Section::loop_body, false)).first;
    schedule.long_pairs = long_pairs_;
    schedule.constants = constants_.values();
    schedule.may_fault = lm_form_pinned_;
    return schedule;
  }

 private:
  SectionFrame frame_of(Section section, bool jvalid) const {
    SectionFrame frame;
    frame.section = section;
    frame.jvalid = jvalid;
    frame.long_pairs = long_pairs_;
    if (section == Section::loop_body) frame.invariant = invariant_;
    frame.lm_form_pinned = lm_form_pinned_;
    frame.program = &program_.program;
    frame.leaves_writes = section == Section::loop_initialization || section == Section::loop_body;
    frame.leaves_splats = section == Section::loop_body && jvalid;
    const auto& body = program_.steps(Section::loop_body);
    if (frame.leaves_writes) {
      add_first(frame.after, body);
      add_first(frame.after, program_.steps(Section::loop_termination));
      frame.after.reads_bm = true;  // the next record is written before a store lands
    }
    if (section == Section::loop_body || section == Section::loop_termination) {
      add_last(frame.before, program_.steps(Section::loop_initialization));
      add_last(frame.before, body);
    }
    return frame;
  }

  /// Pairs that the loop body touches: the layout of the others does not change in it either.
  [[nodiscard]] RowSet written_in_body() const {
    RowSet rows;
    for (const Line* line : lines_of(program_.steps(Section::loop_body))) rows |= facts_of(*line).writes;
    return whole_pairs(rows);
  }

  std::pair<SectionCode, PairForms> scheduled(const SectionFrame& frame) {
    SectionScheduler scheduler(kernels_, constants_, frame);
    SectionCode code = scheduler.run(program_.steps(frame.section));
    uniform_at_end_ = scheduler.finally_uniform();
    return {std::move(code), scheduler.final_long_pairs()};
  }

  const DecodedProgram& program_;
  KernelSet kernels_;
  Constants constants_;
  PairForms long_pairs_;
  bool lm_form_pinned_ = false;
  RowSet uniform_at_end_;  // of the section scheduled last
  RowSet invariant_;       // in the loop body
};

}  // namespace

Schedule make_schedule(const DecodedProgram& program, KernelSet kernels) {
  return ProgramScheduler(program, kernels).run();
}

}  // namespace gdr::emulator::simd
