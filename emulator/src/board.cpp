// Dealing work to the chips and adding up what they return.
#include "gdr/emulator/board.h"

#include <algorithm>
#include <array>
#include <bit>

#include "gdr/emulator/lockstep.h"
#include "host_arithmetic.h"
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

/// The host's part of a reduction over chips, on 64-bit fields.
std::uint64_t combine(isa::Op op, bool floating, std::uint64_t a, std::uint64_t b) {
  const double x = std::bit_cast<double>(a);
  const double y = std::bit_cast<double>(b);
  const auto i = std::bit_cast<std::int64_t>(a);
  const auto j = std::bit_cast<std::int64_t>(b);
  switch (op) {
    case isa::Op::FADD:
      return std::bit_cast<std::uint64_t>(x + y);
    case isa::Op::FMAX:
      return y > x ? b : a;
    case isa::Op::FMIN:
      return y < x ? b : a;
    case isa::Op::UADD:
      return a + b;
    case isa::Op::UAND:
      return a & b;
    case isa::Op::UOR:
      return a | b;
    case isa::Op::UXOR:
      return a ^ b;
    case isa::Op::UMAX:
      return j > i ? b : a;
    case isa::Op::UMIN:
      return j < i ? b : a;
    default:
      break;
  }
  GDR_ASSERT(!floating, "a program's reductions are operations of the tree's nodes");
  return a;
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

void Boards::load(const isa::Program& program) {
  pool_->run(chips(), [&](unsigned chip) { chips_[chip].load(program); });
  program_ = program;
}

void Boards::set_parameter(const isa::Parameter& parameter, double value) {
  for (ControlProcessor& chip : chips_) chip.set_parameter(parameter, value);
}

void Boards::write_record(std::uint64_t k, std::span<const std::uint64_t> fields) {
  chips_[k % chips()].write_record(k / chips(), fields, k);
}

std::vector<std::uint64_t> Boards::run(std::span<const std::uint64_t> particles, unsigned count,
                                       std::size_t first_index, std::uint64_t records, Combination combination) {
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
        sums[n] = combine(*variable.reduction, isa::info_of(*variable.conversion).floating, sums[n], fields[chip][n]);
      }
    }
  }
  return std::move(sums);
}

void Boards::write_block_particles(unsigned chip, std::span<const std::uint64_t> particles) {
  const std::size_t share = program_.record_fields(isa::Transfer::hlt) * kParticlesPerRun;
  for (unsigned block = 0; block * share < particles.size(); ++block) {
    chips_[chip].write_block_particles(block, particles.subspan(block * share, share), block * kParticlesPerRun);
  }
}

std::vector<std::vector<std::uint64_t>> Boards::run_turns(std::span<const Ring> rings, const TurnRun& run) {
  return TurnRunner(program_, chips_, *pool_, rings, run).results();
}

Counters Boards::counters() const {
  Counters all;
  for (const ControlProcessor& chip : chips_) all += chip.counters();
  return all;
}

}  // namespace gdr::emulator
