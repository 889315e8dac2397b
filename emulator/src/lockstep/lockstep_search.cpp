#include "lockstep_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gdr::emulator {
namespace lockstep {
namespace {

using isa::Section;

/// First difference in the long words of a PE's memory.
std::optional<Difference> of_memory(unsigned pe, std::string_view name, std::span<const LongWord> expected,
                                    std::span<const LongWord> found) {
  const auto [at, other] = std::ranges::mismatch(expected, found);
  if (at == expected.end()) return std::nullopt;
  return Difference{pe, fmt::format("${}{}", name, 2 * (at - expected.begin())), isa::to_hex(*at), isa::to_hex(*other)};
}

std::optional<Difference> of_registers(unsigned pe, const PeRegisters& expected, const PeRegisters& found) {
  for (unsigned element = 0; element < isa::kVectorElements; ++element) {
    if (expected.t[element] != found.t[element]) {
      return Difference{pe, fmt::format("$t[{}]", element), isa::to_hex(expected.t[element]),
                        isa::to_hex(found.t[element])};
    }
    if (expected.flags[element] != found.flags[element]) {
      return Difference{pe, fmt::format("flags 4..1 of element {}", element),
                        fmt::format("{:04b}", expected.flags[element]), fmt::format("{:04b}", found.flags[element])};
    }
  }
  return std::nullopt;
}

std::optional<Difference> of_events(const BlockView& expected, const BlockView& found) {
  if (expected.counted != found.counted) {
    return Difference{0, "events", text_of(expected.counted), text_of(found.counted)};
  }
  const std::span<const PlacedEvent> first = expected.first.events();
  const std::span<const PlacedEvent> others = found.first.events();
  const auto [at, other] = std::ranges::mismatch(first, others);
  if (at == first.end() && other == others.end()) return std::nullopt;
  const auto text = [](auto event, auto end) { return event == end ? std::string("none") : emulator::text_of(*event); };
  return Difference{0, fmt::format("event {}", at - first.begin()), text(at, first.end()), text(other, others.end())};
}

class Search {
 public:
  Search(const isa::Program& program, unsigned block, const LoopRun& run)
      : program_(program), block_(block), run_(run) {}

  /// `before` are the engines before the run. `place` has the chip and the difference that was found after the run.
  Divergence::Place locate(const Pair& before, Divergence::Place place) const {
    const std::uint64_t iterations = run_.stream.iterations();
    if (differs_after(before, 0)) {
      place.section = Section::loop_initialization;
      return with_line(before, program_.steps(Section::loop_initialization), std::move(place));
    }
    if (!differs_after(before, iterations)) {
      place.section = Section::loop_termination;
      return with_line(*advanced(before, iterations).engines, program_.steps(Section::loop_termination),
                       std::move(place));
    }
    // The engines agree after `good` iterations and differ after `bad`.
    std::uint64_t good = 0;
    std::uint64_t bad = iterations;
    while (bad - good > 1) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (differs_after(before, middle) ? bad : good) = middle;
    }
    place.section = Section::loop_body;
    place.iteration = good;
    // The iteration's record is put where the control processor keeps i-data, so that the body can run line by line.
    if (run_.stream.record_words > isa::kTransferWindowWords) return place;
    const std::unique_ptr<Pair> engines = advanced(before, good).engines;
    const bool has_record = give_record(*engines, good);
    return with_line(*engines, body_elsewhere(has_record), std::move(place));
  }

 private:
  /// A program with the steps `then` as its loop termination. Loop initialization and body are kept if `loop` is true.
  [[nodiscard]] isa::Program with_sections(bool loop, std::vector<isa::Step> then) const {
    isa::Program program = program_;
    if (!loop) {
      for (const Section section : {Section::loop_initialization, Section::loop_body}) {
        program.sections[static_cast<std::size_t>(section)].clear();
      }
    }
    program.sections[static_cast<std::size_t>(Section::loop_termination)] = std::move(then);
    return program;
  }

  struct Advanced {
    std::unique_ptr<Pair> engines;
    bool differ = false;
  };

  /// Copies of the engines that have run loop initialization and this many iterations.
  [[nodiscard]] Advanced advanced(const Pair& before, std::uint64_t iterations) const {
    std::unique_ptr<Pair> engines = before.clone();
    engines->patch(with_sections(true, {}));
    LoopRun run = run_;
    run.stream.records = std::min(run_.stream.records, iterations * kBlocks);
    const bool differ = engines->run_loop(block_, run).has_value();
    return {std::move(engines), differ};
  }

  [[nodiscard]] bool differs_after(const Pair& before, std::uint64_t iterations) const {
    return advanced(before, iterations).differ;
  }

  static constexpr unsigned kWindow = isa::kBmShortWords / 2 - isa::kTransferWindowWords;  // long words

  /// Writes the record of an iteration to where the control processor keeps i-data. False if the block has no record.
  [[nodiscard]] bool give_record(Pair& engines, std::uint64_t iteration) const {
    const RecordStream& stream = run_.stream;
    const std::uint64_t record = iteration * kBlocks + block_;
    const bool has_record = record < stream.records;
    std::vector<LongWord> words(stream.record_words);
    if (has_record) std::copy_n(stream.words.data() + record * stream.record_words, words.size(), words.begin());
    engines.write_bm(block_, kWindow, words);
    return has_record;
  }

  /// The loop body rewritten for use outside the loop, with its record in the transfer window.
  [[nodiscard]] std::vector<isa::Step> body_elsewhere(bool has_record) const {
    std::vector<isa::Step> steps = program_.steps(Section::loop_body);
    const isa::Visitor move{[&](isa::ProgramLine& coded) {
                              isa::Line line = isa::decoded(coded.word);
                              if (line.bm.mode != isa::BmMode::none && line.bm.record) {
                                line.bm.record = false;
                                line.bm.address = static_cast<std::uint16_t>(line.bm.address + 2 * kWindow);
                              }
                              if (!has_record) drop_writes_of_records(line);
                              coded.word = isa::encode(line);
                            },
                            [](isa::TransferStep&) {}, [](isa::CollectStep&) {}};
    for (isa::Step& step : steps) std::visit(move, step);
    return steps;
  }

  static void drop_writes_of_records(isa::Line& line) {
    for (isa::WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
      if (port->predicate.jvalid) *port = {};
    }
    for (isa::Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
      if (slot->flag.predicate.jvalid) slot->flag = {};
    }
    clear_unused(line);
  }

  /// Removes operations whose results are no longer used, and operands that only those operations read: such a line
  /// cannot be encoded.
  static void clear_unused(isa::Line& line) {
    const auto taken = [&](isa::Unit unit) {
      return line.t_write.source == unit || line.gpr_write.source == unit || line.lm_write.source == unit;
    };
    for (const isa::Unit unit : {isa::Unit::adder, isa::Unit::multiplier, isa::Unit::alu}) {
      isa::Slot& slot = isa::slot_of(line, unit);
      if (isa::info_of(slot.op).has_destination && slot.flag.flag == 0 && !taken(unit)) slot = {};
    }
    if (!isa::reads(line, isa::Source::gpr_a)) line.gpr_a = {};
    if (!isa::reads(line, isa::Source::gpr_b)) line.gpr_b = {};
    if (!isa::reads(line, isa::Source::lm)) line.lm_read = {};
    if (!isa::reads(line, isa::Source::immediate)) line.immediate = {};
    if (line.bm.mode == isa::BmMode::read && !isa::reads(line, isa::Source::bm) && !taken(isa::Unit::bm)) line.bm = {};
  }

  /// Runs the first line, the first two, ... of `steps` from the engines' state until the engines differ.
  [[nodiscard]] Divergence::Place with_line(const Pair& engines, const std::vector<isa::Step>& steps,
                                            Divergence::Place place) const {
    std::size_t line = 0;
    for (std::size_t end = 1; end <= steps.size(); ++end) {
      if (!std::holds_alternative<isa::ProgramLine>(steps[end - 1])) continue;
      ++line;
      const std::vector<isa::Step> first(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(end));
      const std::unique_ptr<Pair> trial = engines.clone();
      std::optional<Difference> differs;
      try {
        trial->patch(with_sections(false, first));
        LoopRun run;
        run.live_pes = run_.live_pes;
        differs = trial->run_loop(block_, run);
      } catch (const Fault&) {
        continue;  // cut between fmulh and fmull, or a fault of the whole program
      }
      if (!differs) continue;
      place.line = line - 1;
      place.pe = differs->pe;
      place.destination = differs->destination;
      place.expected = differs->expected;
      place.found = differs->found;
      break;
    }
    return place;
  }

  const isa::Program& program_;
  unsigned block_;
  const LoopRun& run_;
};

}  // namespace

std::string text_of(const FpEvents& events) {
  return fmt::format("invalid {}, overflow {}, underflow {}", events.invalid, events.overflow, events.underflow);
}

Divergence::Place place_of(unsigned block, const Difference& differs) {
  Divergence::Place place;
  place.block = block;
  place.pe = differs.pe;
  place.destination = differs.destination;
  place.expected = differs.expected;
  place.found = differs.found;
  return place;
}

std::optional<Difference> difference(const BlockView& expected, const BlockView& found, unsigned live_pes) {
  constexpr std::size_t kGprWords = isa::kGprShortWords / 2;
  constexpr std::size_t kLmWords = isa::kLmShortWords / 2;
  for (unsigned pe = 0; pe < live_pes; ++pe) {
    const auto own = [&](const std::vector<LongWord>& memory, std::size_t words) {
      return std::span(memory).subspan(pe * words, words);
    };
    auto differs = of_memory(pe, "lr", own(expected.state.gpr, kGprWords), own(found.state.gpr, kGprWords));
    if (!differs) differs = of_memory(pe, "lm", own(expected.state.lm, kLmWords), own(found.state.lm, kLmWords));
    if (!differs) differs = of_registers(pe, expected.state.registers[pe], found.state.registers[pe]);
    if (differs) return differs;
  }
  const auto [at, other] = std::ranges::mismatch(expected.state.bm, found.state.bm);
  if (at != expected.state.bm.end()) {
    return Difference{0, fmt::format("bm {}", at - expected.state.bm.begin()), isa::to_hex(*at), isa::to_hex(*other)};
  }
  return of_events(expected, found);
}

std::optional<Difference> difference(std::span<const LongWord> expected, std::span<const LongWord> found) {
  const auto [at, other] = std::ranges::mismatch(expected, found);
  if (at == expected.end()) return std::nullopt;
  return Difference{0, fmt::format("collected word {}", at - expected.begin()), isa::to_hex(*at), isa::to_hex(*other)};
}

Divergence::Place locate(const isa::Program& program, const LoopRun& run, const Pair& before, Divergence::Place place) {
  return Search(program, place.block, run).locate(before, std::move(place));
}

}  // namespace lockstep

namespace {

std::string text_of(const isa::Program& program, const Divergence::Place& place) {
  std::string where = fmt::format("block {}, PE {}, {}", place.block, place.pe, isa::name_of(place.section));
  if (place.section == isa::Section::loop_body) where += fmt::format(", iteration {}", place.iteration);
  if (place.line) {
    const isa::ProgramLine line = program.lines(place.section)[*place.line];
    const std::string source = line.position.file < program.files.size()
                                   ? fmt::format("{}:{}", program.files[line.position.file], line.position.line)
                                   : fmt::format("line {}", *place.line);
    where += fmt::format(", {}: {}", source, isa::print(isa::decoded(line.word)));
  }
  return fmt::format("{}: {} is {}, expected {}", where, place.destination, place.found, place.expected);
}

}  // namespace

Divergence::Divergence(const isa::Program& program, const Place& place) : Divergence(place, text_of(program, place)) {}

Divergence::Divergence(const Place& place, std::string text)
    : Error(fmt::format("the engines differ: chip {}, {}", place.chip, text)), place_(place), text_(std::move(text)) {}

Divergence Divergence::on_chip(unsigned chip) const {
  Place place = place_;
  place.chip = chip;
  return {place, text_};
}

}  // namespace gdr::emulator
