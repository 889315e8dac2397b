// Dealing work to the chips and adding up what they return.
#include "gdr/emulator/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gdr/emulator/lockstep.h"
#include "host_arithmetic.h"
#include "host_reduction.h"
#include "thread_pool.h"
#include "turn_runner.h"

namespace gdr::emulator {
namespace {

struct NamedEngine {
  Engine engine;
  std::string_view name;
};

constexpr std::array kEngines{NamedEngine{Engine::reference, "reference"}, NamedEngine{Engine::simd, "simd"},
                              NamedEngine{Engine::native, "native"}, NamedEngine{Engine::lockstep, "lockstep"},
                              NamedEngine{Engine::timing, "timing"}};

std::unique_ptr<Chip> make_chip(Engine engine, unsigned number) {
  switch (engine) {
    case Engine::reference:
    case Engine::timing:  // takes the program, so that one that cannot run is refused
      return make_reference_chip();
    case Engine::simd:
      return make_simd_chip();
    case Engine::native:
      return make_native_chip();
    case Engine::lockstep:
      break;
  }
  return make_lockstep_chip(make_reference_chip(), make_simd_chip(), number);
}

void require(bool holds, std::string_view argument, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (!holds) throw Error(fmt::format("{} = {} is refused: it must be {} to {}", argument, value, least, most));
}

void require_fields(std::string_view argument, std::size_t fields, std::size_t wanted) {
  if (fields == wanted) return;
  throw Error(fmt::format("{}: {} fields are refused: there must be {}", argument, fields, wanted));
}

}  // namespace

std::string_view name_of(Engine engine) {
  const auto known = std::ranges::find(kEngines, engine, &NamedEngine::engine);
  GDR_ASSERT(known != kEngines.end(), "every engine has a name");
  return known->name;
}

std::optional<Engine> engine_named(std::string_view name) {
  const auto known = std::ranges::find(kEngines, name, &NamedEngine::name);
  return known == kEngines.end() ? std::nullopt : std::optional(known->engine);
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const NamedEngine& engine : kEngines) names.emplace_back(engine.name);
  return names;
}

bool is_exact(Engine engine) { return engine != Engine::native && engine != Engine::timing; }

Boards::Boards(MachineDescription machine, unsigned boards, Engine engine, unsigned threads)
    : machine_(std::move(machine)) {
  if (boards < 1) throw Error("boards = 0 is refused: there must be at least one");
  if (threads < 1) throw Error("threads = 0 is refused: there must be at least one");
  for (unsigned chip = 0; chip < boards * machine_.chips; ++chip) {
    chips_.emplace_back(machine_, make_chip(engine, chip));
  }
  pool_ = std::make_unique<ThreadPool>(threads);
}

Boards::~Boards() = default;
Boards::Boards(Boards&&) noexcept = default;
Boards& Boards::operator=(Boards&&) noexcept = default;

ControlProcessor& Boards::chip(unsigned number) {
  require(number < chips(), "chip", number, 0, chips() - 1);
  return chips_[number];
}

void Boards::require_loaded() const {
  if (!loaded_) throw Error("no program is loaded");
}

void Boards::require_records(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t most = machine_.em_words / std::max<std::uint64_t>(program_.record_words, 1);
  require(first <= most, "first record", first, 0, most);
  require(count <= most - first, "records of a chip", count, 0, most - first);
}

void Boards::load(const isa::Program& program) {
  loaded_ = false;
  pool_->run(chips(), [&](unsigned chip) { chips_[chip].load(program); });
  program_ = program;
  loaded_ = true;
}

void Boards::set_parameter(const isa::Parameter& parameter, double value) {
  require_loaded();
  for (ControlProcessor& chip : chips_) chip.set_parameter(parameter, value);
}

void Boards::write_record(std::uint64_t k, std::span<const std::uint64_t> fields) {
  require_loaded();
  require_fields(fmt::format("j-record {}", k), fields.size(), program_.record_fields(isa::Transfer::elt));
  chips_[k % chips()].write_record(k / chips(), fields, k);
}

std::vector<std::uint64_t> Boards::run(std::span<const std::uint64_t> particles, unsigned count,
                                       std::size_t first_index, std::uint64_t records, Combination combination) {
  require_loaded();
  require(count >= 1 && count <= kParticlesPerRun, "count", count, 1, kParticlesPerRun);
  require_fields("particles", particles.size(), count * program_.record_fields(isa::Transfer::hlt));
  require_records(0, records / chips() + (records % chips() == 0 ? 0 : 1));
  // Tasks of a fourth of a chip: enough to keep every thread busy to the end, few enough that an engine has blocks to
  // run side by side.
  constexpr unsigned kTasksPerChip = 4;
  constexpr unsigned kBlocksPerTask = kBlocks / kTasksPerChip;
  const bool ring = combination == Combination::ring;
  std::vector<std::vector<LongWord>> words(chips());
  std::vector<std::vector<std::uint64_t>> fields(chips());
  const auto prepare = [&](unsigned chip) {
    chips_[chip].write_particles(particles, count, first_index);
    chips_[chip].start((records + chips() - 1 - chip) / chips(), count);
  };
  const auto compute = [&](unsigned task) {
    chips_[task / kTasksPerChip].run_blocks({task % kTasksPerChip * kBlocksPerTask, kBlocksPerTask});
  };
  const auto collect = [&](unsigned chip) {
    words[chip] = chips_[chip].collect_words();
    if (!ring) fields[chip] = chips_[chip].send_to_host(words[chip]);
  };
  if (chips() % pool_->threads() == 0) {  // whole chips: threads need not wait for one another between the stages
    pool_->run(chips(), [&](unsigned chip) {
      prepare(chip);
      chips_[chip].run_blocks({0, kBlocks});
      collect(chip);
    });
  } else {
    pool_->run(chips(), prepare);
    pool_->run(chips() * kTasksPerChip, compute);
    pool_->run(chips(), collect);
  }

  if (ring) {
    for (unsigned chip = 1; chip < chips(); ++chip) chips_[chip].add_in_ring(words[chip], words[chip - 1]);
    return chips_.back().send_to_host(words.back());
  }
  const HostArithmetic arithmetic(Subnormals::kept);
  const auto by_field = result_fields(program_);
  std::vector<std::uint64_t>& sums = fields[0];
  for (unsigned chip = 1; chip < chips(); ++chip) {
    for (std::size_t n = 0; n < sums.size(); ++n) {
      const isa::Variable& variable = *by_field[n % by_field.size()];
      if (variable.reduction) {
        sums[n] = reduce_on_host(*variable.reduction, sums[n], fields[chip][n]);
      }
    }
  }
  return std::move(sums);
}

void Boards::write_block_particles(unsigned chip, std::span<const std::uint64_t> particles) {
  require_loaded();
  ControlProcessor& control = this->chip(chip);
  const std::size_t record = program_.record_fields(isa::Transfer::hlt);
  if (record == 0 ? !particles.empty() : particles.size() % record != 0) {
    throw Error(fmt::format("particles: {} fields are no whole number of records of {}", particles.size(), record));
  }
  const std::size_t share = record * kParticlesPerRun;
  require(particles.size() <= kBlocks * share, "particles", particles.size(), 0, kBlocks * share);
  for (unsigned block = 0; !particles.empty(); ++block) {
    const auto own = particles.first(std::min(share, particles.size()));
    control.write_block_particles(block, own, block * kParticlesPerRun);
    particles = particles.subspan(own.size());
  }
}

std::vector<std::vector<std::uint64_t>> Boards::run_turns(std::span<const Ring> rings, const TurnRun& run) {
  require_loaded();
  unsigned end = 0;  // of the rings before
  for (const Ring& ring : rings) {
    require(ring.first_chip >= end && ring.first_chip < chips(), "ring.first_chip", ring.first_chip, end, chips() - 1);
    require(ring.chips >= 1 && ring.chips <= chips() - ring.first_chip, "ring.chips", ring.chips, 1,
            chips() - ring.first_chip);
    end = ring.first_chip + ring.chips;
  }
  require(run.live_blocks <= kBlocks, "live_blocks", run.live_blocks, 0, kBlocks);
  require(run.live_pes <= kPesPerBlock, "live_pes", run.live_pes, 0, kPesPerBlock);
  const std::uint64_t most = machine_.em_words / kBlocks;
  require(run.turns <= most, "turns", run.turns, 0, most);
  require_records(run.first_record, run.turns * kBlocks);
  return TurnRunner(program_, chips_, *pool_, rings, run).results();
}

Counters Boards::counters() const {
  require_loaded();
  Counters all;
  for (const ControlProcessor& chip : chips_) all += chip.counters();
  return all;
}

}  // namespace gdr::emulator
