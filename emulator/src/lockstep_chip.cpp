// The lockstep engine. Everything goes through the interface of Chip: the engines are not asked how they work.
#include "gdr/emulator/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "decoded_program.h"

namespace gdr::emulator {
namespace {

using isa::Section;

struct Difference {
  unsigned pe = 0;
  std::string destination;
  std::string expected;
  std::string found;
};

std::string text_of(const isa::Program& program, const Divergence::Place& place) {
  std::string where = fmt::format("block {}, PE {}, {}", place.block, place.pe, isa::name_of(place.section));
  if (place.section == Section::loop_body) where += fmt::format(", iteration {}", place.iteration);
  if (place.line) {
    const isa::ProgramLine line = program.lines(place.section)[*place.line];
    const std::string source = line.position.file < program.files.size()
                                   ? fmt::format("{}:{}", program.files[line.position.file], line.position.line)
                                   : fmt::format("line {}", *place.line);
    where += fmt::format(", {}: {}", source, isa::print(isa::decoded(line.word)));
  }
  return fmt::format("{}: {} is {}, expected {}", where, place.destination, place.found, place.expected);
}

std::string text_of(const FpEvents& events) {
  return fmt::format("invalid {}, overflow {}, underflow {}", events.invalid, events.overflow, events.underflow);
}

/// First difference in what a block shows.
std::optional<Difference> difference(const Chip& expected, const Chip& found, unsigned block, unsigned live_pes) {
  const auto of_words = [&](unsigned pe, const PeWords& where, std::string_view name) -> std::optional<Difference> {
    const std::vector<LongWord> a = expected.read_pe(block, pe, where);
    const std::vector<LongWord> b = found.read_pe(block, pe, where);
    const auto [at, other] = std::ranges::mismatch(a, b);
    if (at == a.end()) return std::nullopt;
    return Difference{pe, fmt::format("${}{}", name, 2 * (at - a.begin())), isa::to_hex(*at), isa::to_hex(*other)};
  };
  for (unsigned pe = 0; pe < live_pes; ++pe) {
    const PeWords gpr{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
    const PeWords lm{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};
    if (auto differs = of_words(pe, gpr, "lr")) return differs;
    if (auto differs = of_words(pe, lm, "lm")) return differs;
    const PeRegisters a = expected.registers(block, pe);
    const PeRegisters b = found.registers(block, pe);
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      if (a.t[element] != b.t[element]) {
        return Difference{pe, fmt::format("$t[{}]", element), isa::to_hex(a.t[element]), isa::to_hex(b.t[element])};
      }
      if (a.flags[element] != b.flags[element]) {
        return Difference{pe, fmt::format("flags 4..1 of element {}", element), fmt::format("{:04b}", a.flags[element]),
                          fmt::format("{:04b}", b.flags[element])};
      }
    }
  }
  const std::vector<LongWord> a = expected.read_bm(block, 0, isa::kBmShortWords / 2);
  const std::vector<LongWord> b = found.read_bm(block, 0, isa::kBmShortWords / 2);
  if (const auto [at, other] = std::ranges::mismatch(a, b); at != a.end()) {
    return Difference{0, fmt::format("bm {}", at - a.begin()), isa::to_hex(*at), isa::to_hex(*other)};
  }
  if (expected.events(block) != found.events(block)) {
    return Difference{0, "events", text_of(expected.events(block)), text_of(found.events(block))};
  }
  const FirstEvents first = expected.first_events(block);
  const FirstEvents other = found.first_events(block);
  if (!std::ranges::equal(first.events(), other.events())) {
    const auto [at, differs] = std::ranges::mismatch(first.events(), other.events());
    const auto text = [&](std::span<const PlacedEvent> all, std::size_t n) {
      return n < all.size() ? emulator::text_of(all[n]) : "none";
    };
    const auto n = static_cast<std::size_t>(at - first.events().begin());
    return Difference{0, fmt::format("event {}", n), text(first.events(), n), text(other.events(), n)};
  }
  return std::nullopt;
}

/// First difference in what a block collected.
std::optional<Difference> difference(std::span<const LongWord> expected, std::span<const LongWord> found) {
  const auto [at, other] = std::ranges::mismatch(expected, found);
  if (at == expected.end()) return std::nullopt;
  return Difference{0, fmt::format("collected word {}", at - expected.begin()), isa::to_hex(*at), isa::to_hex(*other)};
}

/// Two engines in the same state, which can be run on without touching the ones they were copied from.
struct Pair {
  std::unique_ptr<Chip> expected;
  std::unique_ptr<Chip> found;

  [[nodiscard]] Pair clone() const { return {expected->clone(), found->clone()}; }
  void patch(const isa::Program& program) const {
    expected->patch(program);
    found->patch(program);
  }
  /// Returns the first difference in what the block of `program` shows and collects.
  [[nodiscard]] std::optional<Difference> run_loop(const isa::Program& program, unsigned block, LoopRun run) const {
    std::vector<LongWord> of_expected(collected_words(program, run.stream.iterations(), run.begins, run.ends));
    std::vector<LongWord> of_found(of_expected.size());
    run.collected = of_expected;
    expected->run_loop({block, 1}, run);
    run.collected = of_found;
    found->run_loop({block, 1}, run);
    auto differs = difference(*expected, *found, block, run.live_pes);
    return differs ? differs : difference(of_expected, of_found);
  }
};

/// Looks for the line that makes two engines differ, by running ever more of the program from the state before the run.
class Search {
 public:
  Search(const isa::Program& program, unsigned block, const LoopRun& run)
      : program_(program), block_(block), run_(run) {}

  /// `before`: the engines before the run. `place` has the chip and what differed in the end.
  Divergence::Place locate(const Pair& before, Divergence::Place place) const {
    const std::uint64_t iterations = run_.stream.iterations();
    if (differs_after(before, 0)) {
      place.section = Section::loop_initialization;
      return with_line(before, program_.steps(Section::loop_initialization), std::move(place));
    }
    if (!differs_after(before, iterations)) {
      place.section = Section::loop_termination;
      return with_line(advanced(before, iterations).engines, program_.steps(Section::loop_termination),
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
    // To find the line, the iteration's record stands where the control processor keeps i-data.
    if (run_.stream.record_words > isa::kTransferWindowWords) return place;
    const Pair engines = advanced(before, good).engines;
    const bool has_record = give_record(engines, good);
    return with_line(engines, body_elsewhere(has_record), std::move(place));
  }

 private:
  /// A program of loop initialization and body, and the steps that follow them.
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
    Pair engines;
    bool differ = false;
  };

  /// Copies that have run loop initialization and that many iterations.
  [[nodiscard]] Advanced advanced(const Pair& before, std::uint64_t iterations) const {
    Pair engines = before.clone();
    const isa::Program program = with_sections(true, {});
    engines.patch(program);
    LoopRun run = run_;
    run.stream.records = std::min(run_.stream.records, iterations * kBlocks);
    const bool differ = engines.run_loop(program, block_, run).has_value();
    return {std::move(engines), differ};
  }

  [[nodiscard]] bool differs_after(const Pair& before, std::uint64_t iterations) const {
    return advanced(before, iterations).differ;
  }

  static constexpr unsigned kWindow = isa::kBmShortWords / 2 - isa::kTransferWindowWords;  // long words

  /// The record of an iteration to where the control processor keeps i-data; false if the block has none.
  [[nodiscard]] bool give_record(const Pair& engines, std::uint64_t iteration) const {
    const RecordStream& stream = run_.stream;
    const std::uint64_t record = iteration * kBlocks + block_;
    const bool has_record = record < stream.records;
    std::vector<LongWord> words(stream.record_words);
    if (has_record) std::copy_n(stream.words.data() + record * stream.record_words, words.size(), words.begin());
    for (Chip* chip : {engines.expected.get(), engines.found.get()}) chip->write_bm(block_, kWindow, words);
    return has_record;
  }

  /// The loop body as it would be written outside the loop, its record standing in the transfer window.
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
  }

  /// Runs the first line, the first two, ... of `code` from the engines' state until they differ.
  [[nodiscard]] Divergence::Place with_line(const Pair& engines, const std::vector<isa::Step>& steps,
                                            Divergence::Place place) const {
    std::size_t line = 0;
    for (std::size_t end = 1; end <= steps.size(); ++end) {
      if (!std::holds_alternative<isa::ProgramLine>(steps[end - 1])) continue;
      ++line;
      const std::vector<isa::Step> first(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(end));
      const Pair trial = engines.clone();
      const isa::Program program = with_sections(false, first);
      std::optional<Difference> differs;
      try {
        trial.patch(program);
        LoopRun run;
        run.live_pes = run_.live_pes;
        differs = trial.run_loop(program, block_, run);
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

/// What running a block ended with, besides its state.
struct Ending {
  std::optional<Fault> fault;

  [[nodiscard]] std::string text() const { return fault ? fault->what() : "no fault"; }
};

/// A program as either engine runs it.
class LoweredTwice final : public Lowered {
 public:
  LoweredTwice(std::shared_ptr<const Lowered> of_expected, std::shared_ptr<const Lowered> of_found)
      : expected(std::move(of_expected)), found(std::move(of_found)) {}
  [[nodiscard]] const isa::Program& program() const override { return expected->program(); }

  const std::shared_ptr<const Lowered> expected;
  const std::shared_ptr<const Lowered> found;
};

class Lockstep final : public Chip {
 public:
  explicit Lockstep(Pair engines) : engines_(std::move(engines)) {}

 private:
  std::shared_ptr<const Lowered> do_lower(const isa::Program& program) const override {
    return std::make_shared<LoweredTwice>(engines_.expected->lower(program), engines_.found->lower(program));
  }
  void do_load(std::shared_ptr<const Lowered> program) override {
    const auto own = lowered_here<LoweredTwice>(program);
    engines_.expected->load(own->expected);
    engines_.found->load(own->found);
    program_ = own;
  }
  void do_patch(std::shared_ptr<const Lowered> program) override {
    engines_.patch(program->program());
    program_ = std::move(program);
  }
  std::unique_ptr<Chip> do_clone() const override {
    auto copy = std::make_unique<Lockstep>(engines_.clone());
    copy->program_ = program_;
    return copy;
  }

  void do_run_initialization(unsigned block) override {
    const std::lock_guard lock(mutex_);
    const auto run = [&](Chip& chip) { chip.run_initialization(block); };
    run_both(block, run);
    if (const auto differs = difference(*engines_.expected, *engines_.found, block, kPesPerBlock)) {
      throw Divergence(program_->program(), place_of(block, *differs));
    }
  }

  void do_run_loop(BlockRange blocks, const LoopRun& run) override {
    const std::lock_guard lock(mutex_);
    const std::size_t share = collected_words(program_->program(), run.stream.iterations(), run.begins, run.ends);
    const std::size_t room = run.collected.size() / blocks.count;
    std::vector<LongWord> of_found(share);
    for (unsigned n = 0; n < blocks.count; ++n) {
      const unsigned block = blocks.first + n;
      const Pair before = engines_.clone();
      LoopRun own = run;
      own.collected = run.collected.subspan(n * room, share);
      LoopRun others = run;
      others.collected = of_found;
      run_both(block, [&](Chip& chip) { chip.run_loop({block, 1}, &chip == engines_.found.get() ? others : own); });
      auto differs = difference(*engines_.expected, *engines_.found, block, run.live_pes);
      if (!differs) differs = difference(own.collected, of_found);
      if (differs) {
        throw Divergence(program_->program(),
                         Search(program_->program(), block, run).locate(before, place_of(block, *differs)));
      }
    }
  }

  void do_write_bm(unsigned block, unsigned address, std::span<const LongWord> words) override {
    engines_.expected->write_bm(block, address, words);
    engines_.found->write_bm(block, address, words);
  }
  void do_write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words) override {
    engines_.expected->write_pe(block, pe, where, words);
    engines_.found->write_pe(block, pe, where, words);
  }
  std::vector<LongWord> do_read_pe(unsigned block, unsigned pe, const PeWords& where) const override {
    return engines_.expected->read_pe(block, pe, where);
  }
  std::vector<LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const override {
    return engines_.expected->read_bm(block, address, count);
  }
  PeRegisters do_registers(unsigned block, unsigned pe) const override {
    return engines_.expected->registers(block, pe);
  }
  std::vector<LongWord> do_collect(const Collection& collection, FpEvents& events) const override {
    FpEvents of_found;
    FpEvents of_expected;
    std::vector<LongWord> results = engines_.expected->collect(collection, of_expected);
    const std::vector<LongWord> others = engines_.found->collect(collection, of_found);
    compare_tree(results, others, collection.where.count, of_expected, of_found);
    events += of_expected;
    return results;
  }
  void do_reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                        std::span<LongWord> sums, FpEvents& events) const override {
    FpEvents of_expected;
    FpEvents of_found;
    std::vector<LongWord> others(sums.size());
    engines_.expected->reduce_blocks(op, node_width, blocks, sums, of_expected);
    engines_.found->reduce_blocks(op, node_width, blocks, others, of_found);
    compare_tree(sums, others, 1, of_expected, of_found);
    events += of_expected;
  }
  FirstEvents do_first_events(unsigned block) const override { return engines_.expected->first_events(block); }
  void do_write_registers(unsigned block, unsigned pe, const PeRegisters& registers) override {
    engines_.expected->write_registers(block, pe, registers);
    engines_.found->write_registers(block, pe, registers);
  }
  FpEvents do_events(unsigned block) const override { return engines_.expected->events(block); }
  FpLanes do_fp_lanes(unsigned block) const override { return engines_.found->fp_lanes(block); }

  /// Throws where the engines' trees give different words, `per_pe` of each PE, or count different events.
  void compare_tree(std::span<const LongWord> expected, std::span<const LongWord> found, unsigned per_pe,
                    const FpEvents& expected_events, const FpEvents& found_events) const {
    const auto fail = [&](std::size_t result, const std::string& of_expected, const std::string& of_found) {
      Divergence::Place place;
      place.section = Section::loop_termination;
      place.pe = static_cast<unsigned>(result / per_pe);
      place.destination = fmt::format("result {} of the tree", result);
      place.expected = of_expected;
      place.found = of_found;
      throw Divergence(program_->program(), place);
    };
    const auto [at, other] = std::ranges::mismatch(expected, found);
    if (at != expected.end()) {
      fail(static_cast<std::size_t>(at - expected.begin()), isa::to_hex(*at), isa::to_hex(*other));
    }
    if (expected_events != found_events) fail(0, text_of(expected_events), text_of(found_events));
  }

  [[nodiscard]] Divergence::Place place_of(unsigned block, const Difference& differs) const {
    Divergence::Place place;
    place.block = block;
    place.pe = differs.pe;
    place.destination = differs.destination;
    place.expected = differs.expected;
    place.found = differs.found;
    return place;
  }

  static Ending ending_of(const std::function<void(Chip&)>& run, Chip& chip) {
    try {
      run(chip);
    } catch (const Fault& fault) {
      return {fault};
    }
    return {};
  }

  /// Throws the fault that both end with.
  void run_both(unsigned block, const std::function<void(Chip&)>& run) {
    const Ending expected = ending_of(run, *engines_.expected);
    const Ending found = ending_of(run, *engines_.found);
    if (expected.text() != found.text()) {
      throw Divergence(program_->program(), place_of(block, {0, "the run's end", expected.text(), found.text()}));
    }
    if (expected.fault) throw Fault(*expected.fault);
  }

  Pair engines_;
  std::shared_ptr<const Lowered> program_;
  std::mutex mutex_;  // the engines are copied whole while a block runs
};

}  // namespace

Divergence::Divergence(const isa::Program& program, Place place) : Divergence(place, text_of(program, place)) {}

Divergence::Divergence(const Place& place, std::string text)
    : Error(fmt::format("the engines differ: chip {}, {}", place.chip, text)), place_(place), text_(std::move(text)) {}

Divergence Divergence::on_chip(unsigned chip) const {
  Place place = place_;
  place.chip = chip;
  return {place, text_};
}

std::unique_ptr<Chip> make_lockstep_chip(std::unique_ptr<Chip> expected, std::unique_ptr<Chip> found) {
  return std::make_unique<Lockstep>(Pair{std::move(expected), std::move(found)});
}

}  // namespace gdr::emulator
