#include "scheduler.h"

#include "section_scheduler.h"

namespace gdr::emulator::simd {
namespace {

using isa::Section;

/// If a program addresses LM indirectly, LM has the layout of its indirect accesses.
struct IndirectUse {
  bool any = false;
  bool of_longs = false;
};

IndirectUse indirect_use(const DecodedProgram& program) {
  IndirectUse use;
  const auto note = [&](const isa::Access& access) {
    use.any = use.any || access.indirect;
    use.of_longs = use.of_longs || (access.indirect && access.width == Width::long_word);
  };
  for (const std::vector<DecodedStep>& steps : program.sections) {
    for (const DecodedLine* line : lines_of(steps)) {
      for_each_read(line->effects, note);
      for (const isa::Access& write : line->effects.writes()) note(write);
    }
  }
  return use;
}

class ProgramScheduler {
 public:
  ProgramScheduler(const DecodedProgram& program, KernelSet kernels, EqualRows equal)
      : program_(program), kernels_(kernels), equal_(equal) {
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (const DecodedLine* line : lines_of(program.sections[section])) {
        facts_[section].push_back(facts_of(line->effects));
      }
    }
    const IndirectUse indirect = indirect_use(program);
    lm_layout_pinned_ = indirect.any;
    long_pairs_.set();
    if (indirect.any && !indirect.of_longs) {
      for (unsigned pair = kLmRow / 2; pair < kTRow / 2; ++pair) long_pairs_.reset(pair);
    }
  }

  Schedule run() {
    // The body leaves its pairs in the layout that it needs at its beginning, so no layout changes between iterations.
    long_pairs_ = scheduled(frame_of(Section::loop_body, true)).second;

    Schedule schedule;
    for (const Section section :
         {Section::initialization, Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
      schedule.sections[static_cast<std::size_t>(section)] = scheduled(frame_of(section, true)).first;
      if (section == Section::loop_initialization && equal_ == EqualRows::in_one_word) {
        invariant_ = uniform_at_end_ - written_in_body();
      }
    }
    schedule.body_without_record = scheduled(frame_of(Section::loop_body, false)).first;
    schedule.long_pairs = long_pairs_;
    schedule.invariant = invariant_;
    schedule.constants = constants_.values();
    schedule.may_fault = lm_layout_pinned_;
    return schedule;
  }

 private:
  SectionFrame frame_of(Section section, bool jvalid) const {
    SectionFrame frame;
    frame.section = section;
    frame.jvalid = jvalid;
    frame.long_pairs = long_pairs_;
    if (section == Section::loop_body) frame.invariant = invariant_;
    frame.lm_layout_pinned = lm_layout_pinned_;
    frame.program = &program_.program;
    frame.leaves_writes = section == Section::loop_initialization || section == Section::loop_body;
    frame.leaves_splats = section == Section::loop_body && jvalid;
    if (frame.leaves_writes) {
      for (const Section next : {Section::loop_body, Section::loop_termination}) {
        if (!facts(next).empty()) frame.after |= facts(next).front();
      }
      frame.after.reads_bm = true;  // the next record is written before a store lands
    }
    frame.facts = facts(section);
    frame.before = facts_before(section);
    return frame;
  }

  /// Pairs that the loop body writes. The layout of the other pairs does not change in it either.
  [[nodiscard]] RowSet written_in_body() const {
    RowSet rows;
    for (const LineFacts& line : facts(Section::loop_body)) rows |= line.writes;
    return rows.whole_pairs();
  }

  std::pair<SectionCode, PairLayouts> scheduled(const SectionFrame& frame) {
    SectionScheduler scheduler(kernels_, constants_, frame);
    SectionCode code = scheduler.run(program_.steps(frame.section));
    uniform_at_end_ = scheduler.finally_uniform();
    return {std::move(code), scheduler.final_layouts()};
  }

  [[nodiscard]] const std::vector<LineFacts>& facts(Section section) const {
    return facts_[static_cast<std::size_t>(section)];
  }

  /// Facts of the last lines whose writes may be pending when the section begins. Those of initialization have landed.
  [[nodiscard]] LineFacts facts_before(Section section) const {
    LineFacts before;
    std::array<bool, isa::kSections> has_lines{};
    for (std::size_t n = 0; n < isa::kSections; ++n) has_lines[n] = !facts_[n].empty();
    for (const Section earlier : isa::sections_before(section, has_lines)) {
      if (earlier != Section::initialization) before |= facts(earlier).back();
    }
    return before;
  }

  const DecodedProgram& program_;
  KernelSet kernels_;
  EqualRows equal_;
  std::array<std::vector<LineFacts>, isa::kSections> facts_;  // by section and line
  Constants constants_;
  PairLayouts long_pairs_;
  bool lm_layout_pinned_ = false;
  RowSet uniform_at_end_;  // at the end of the section that was scheduled last
  RowSet invariant_;       // in the loop body
};

}  // namespace

Schedule make_schedule(const DecodedProgram& program, KernelSet kernels, EqualRows equal) {
  return ProgramScheduler(program, kernels, equal).run();
}

}  // namespace gdr::emulator::simd
