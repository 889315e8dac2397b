// The lockstep engine for two chips. It uses only the interface of Chip and knows nothing else about the engines.
#include "gdr/emulator/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "chip/chip_arguments.h"
#include "gdr/emulator/block_stepper.h"
#include "line/decoded_program.h"
#include "lockstep_search.h"

namespace gdr::emulator {
namespace {

using isa::Section;

using lockstep::BlockView;
using lockstep::difference;
using lockstep::Difference;

BlockView view_of(const Chip& chip, unsigned block, unsigned live_pes) {
  BlockView view;
  view.state.gpr.reserve(live_pes * std::size_t{kWholeGpr.count});
  view.state.lm.reserve(live_pes * std::size_t{kWholeLm.count});
  for (unsigned pe = 0; pe < live_pes; ++pe) {
    for (const auto& [where, words] : {std::pair(kWholeGpr, &view.state.gpr), std::pair(kWholeLm, &view.state.lm)}) {
      const std::vector<LongWord> own = chip.read_pe(block, pe, where);
      words->insert(words->end(), own.begin(), own.end());
    }
    view.state.registers.push_back(chip.registers(block, pe));
  }
  view.state.bm = chip.read_bm(block, 0, isa::kBmShortWords / 2);
  view.counted = chip.events(block);
  view.first = chip.first_events(block);
  return view;
}

std::optional<Difference> difference(const Chip& expected, const Chip& found, unsigned block, unsigned live_pes) {
  return difference(view_of(expected, block, live_pes), view_of(found, block, live_pes), live_pes);
}

/// Two chips in the same state. Copies can continue to run without changing the originals.
struct ChipPair final : lockstep::Pair {
  ChipPair(std::unique_ptr<Chip> of_expected, std::unique_ptr<Chip> of_found)
      : expected(std::move(of_expected)), found(std::move(of_found)) {}

  [[nodiscard]] ChipPair copy() const {
    ChipPair copied(expected->clone(), found->clone());
    copied.program_ = program_;
    return copied;
  }
  [[nodiscard]] std::unique_ptr<Pair> clone() const override { return std::make_unique<ChipPair>(copy()); }
  void patch(const isa::Program& program) override {
    expected->patch(program);
    found->patch(program);
    program_ = program;
  }
  void write_bm(unsigned block, unsigned address, std::span<const LongWord> words) override {
    expected->write_bm(block, address, words);
    found->write_bm(block, address, words);
  }
  [[nodiscard]] std::optional<Difference> run_loop(unsigned block, const LoopRun& run) override {
    std::vector<LongWord> of_expected(collected_words(program_, run.stream.iterations(), run.begins, run.ends));
    std::vector<LongWord> of_found(of_expected.size());
    LoopRun own = run;
    own.collected = of_expected;
    expected->run_loop({block, 1}, own);
    own.collected = of_found;
    found->run_loop({block, 1}, own);
    auto differs = difference(*expected, *found, block, run.live_pes);
    return differs ? differs : difference(of_expected, of_found);
  }

  std::unique_ptr<Chip> expected;
  std::unique_ptr<Chip> found;

 private:
  isa::Program program_;
};

/// How the run of a block ended, besides its state.
struct Ending {
  std::optional<Fault> fault;

  [[nodiscard]] std::string text() const { return fault ? fault->what() : "no fault"; }
};

/// A program lowered by each of the two engines.
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
  explicit Lockstep(ChipPair engines) : engines_(std::move(engines)) {}

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
    auto copy = std::make_unique<Lockstep>(engines_.copy());
    copy->program_ = program_;
    return copy;
  }

  void do_run_initialization(unsigned block) override {
    const std::lock_guard lock(mutex_);
    const auto run = [&](Chip& chip) { chip.run_initialization(block); };
    run_both(block, run);
    if (const auto differs = difference(*engines_.expected, *engines_.found, block, kPesPerBlock)) {
      throw Divergence(program_->program(), lockstep::place_of(block, *differs));
    }
  }

  void do_run_loop(BlockRange blocks, const LoopRun& run) override {
    const std::lock_guard lock(mutex_);
    const std::size_t share = collected_words(program_->program(), run.stream.iterations(), run.begins, run.ends);
    const std::size_t room = run.collected.size() / blocks.count;
    std::vector<LongWord> of_found(share);
    const ChipPair before = engines_.copy();  // once for all blocks: each of them runs separately
    for (unsigned n = 0; n < blocks.count; ++n) {
      const unsigned block = blocks.first + n;
      LoopRun own = run;
      own.collected = run.collected.subspan(n * room, share);
      LoopRun others = run;
      others.collected = of_found;
      run_both(block, [&](Chip& chip) { chip.run_loop({block, 1}, &chip == engines_.found.get() ? others : own); });
      auto differs = difference(*engines_.expected, *engines_.found, block, run.live_pes);
      if (!differs) differs = difference(own.collected, of_found);
      if (differs) {
        throw Divergence(program_->program(),
                         lockstep::locate(program_->program(), run, before, lockstep::place_of(block, *differs)));
      }
      // PEs that were not live hold other undefined words on each engine. They may be live again, and both go on with
      // the same words.
      if (run.live_pes < kPesPerBlock) set_state(*engines_.found, block, state_of(*engines_.expected, block));
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

  /// Throws Divergence if the trees of the engines give different words or count different events. Each PE has `per_pe`
  /// words.
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
    if (expected_events != found_events) fail(0, lockstep::text_of(expected_events), lockstep::text_of(found_events));
  }

  static Ending ending_of(const std::function<void(Chip&)>& run, Chip& chip) {
    try {
      run(chip);
    } catch (const Fault& fault) {
      return {fault};
    }
    return {};
  }

  /// Runs both engines. Throws the Fault if both end with the same one, and Divergence if they end differently.
  void run_both(unsigned block, const std::function<void(Chip&)>& run) {
    const Ending expected = ending_of(run, *engines_.expected);
    const Ending found = ending_of(run, *engines_.found);
    if (expected.text() != found.text()) {
      throw Divergence(program_->program(),
                       lockstep::place_of(block, {0, "the run's end", expected.text(), found.text()}));
    }
    if (expected.fault) throw Fault(*expected.fault);
  }

  ChipPair engines_;
  std::shared_ptr<const Lowered> program_;
  std::mutex mutex_;  // a run copies the engines with all their blocks
};

}  // namespace

std::unique_ptr<Chip> make_lockstep_chip(std::unique_ptr<Chip> expected, std::unique_ptr<Chip> found) {
  return std::make_unique<Lockstep>(ChipPair(std::move(expected), std::move(found)));
}

}  // namespace gdr::emulator
