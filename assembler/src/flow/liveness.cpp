#include "liveness.h"

namespace gdr::assembler {
namespace {

using isa::Section;

Words words_of_results(const isa::Program& program) {
  Words results;
  for (const isa::Variable* variable : program.variables_by(isa::Transfer::rrn)) {
    const unsigned step = isa::short_words(variable->width) * (variable->vector ? isa::kVectorElements : 1);
    const unsigned base = variable->memory == isa::Memory::gpr  ? kFirstGprWord
                          : variable->memory == isa::Memory::lm ? kFirstLmWord
                                                                : kFirstBmWord;
    for (unsigned word = 0; word < step * variable->elements; ++word) results.set(base + variable->address + word);
  }
  return results;
}

}  // namespace

Words live_before(const CodeLine& line, Words live) {
  for (const CodeAccess& access : line.accesses) {
    if (access.write && !is_partial(line, access)) {
      for_words(access, line.line.vlen, [&](unsigned word, unsigned) { live.reset(word); });
    }
  }
  for (const CodeAccess& access : line.accesses) {
    if (access.write || access.defines) continue;
    for_words(access, line.line.vlen, [&](unsigned word, unsigned) { live.set(word); });
  }
  return live;
}

Liveness liveness_of(const SectionLines& lines, const isa::Program& program) {
  Liveness live;
  const auto through = [&](Section section, const Words& leaving) {
    const auto number = static_cast<std::size_t>(section);
    live.leaving[number] = leaving;
    Words words = leaving;
    for (auto line = lines[number].rbegin(); line != lines[number].rend(); ++line) words = live_before(**line, words);
    live.entering[number] = words;
    return words;
  };
  const Words results = words_of_results(program);
  Words next_run;  // words that are live from one run to the next
  for (bool changed = true; changed;) {
    const Words ending = through(Section::loop_termination, results | next_run);
    Words entering = ending;  // the begin of the body, or of the section after it
    for (bool turning = true; turning;) {
      const Words turn = through(Section::loop_body, entering) | entering;
      turning = turn != entering;
      entering = turn;
    }
    const Words again = through(Section::loop_initialization, entering) | next_run;
    changed = again != next_run;
    next_run = again;
  }
  through(Section::initialization, next_run);
  return live;
}

}  // namespace gdr::assembler
