// Models for the rows of Koike et al. 2009, from those of the chip and the board: one function per quantity.
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "gdr/base/data_file.h"
#include "gdr/base/file.h"
#include "gdr/base/units.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/cluster/nbody_node.h"
#include "gdr/emulator/board_time.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/isa/loop_bound.h"
#include "systems.h"

namespace gdr::validation {
namespace {

/// Kernels and machines that the functions share, each read when first needed. The functions take turns.
struct GravityInputs {
  std::mutex mutex;
  static constexpr double kGravityClock = 333;  // MHz; Koike et al. 2009, section 3.2
  static constexpr double kDesignClock = 500;   // MHz; Koike et al. 2009, section 2.1

  const isa::Program& kernel(const std::string& name) {
    const auto [entry, is_new] = kernels_.try_emplace(name);
    if (is_new) entry->second = hostlib::kernel_program(name);
    return entry->second;
  }

  const emulator::MachineDescription& board() {
    if (board_.name.empty()) {
      board_ = emulator::load_machine("model1800");
      board_.clock_mhz = kGravityClock;
    }
    return board_;
  }

  /// The board of the published gravity runs, with the transfers of that time.
  emulator::BoardTime published_board() {
    return {kernel("gravity_jerk_2009"), board(), 1, emulator::TransferMode::as_of_2009};
  }

  /// Measured block sizes of individual time steps, from docs/block_steps.csv.
  const std::vector<hostlib::BlockSteps>& block_steps() {
    if (block_steps_.empty()) {
      const std::filesystem::path file = base::data_file("docs/block_steps.csv");
      block_steps_ = hostlib::block_steps_from_csv(base::read_file(file), file.string());
    }
    return block_steps_;
  }

 private:
  std::vector<hostlib::BlockSteps> block_steps_;
  std::map<std::string, isa::Program> kernels_;
  emulator::MachineDescription board_;
};

using emulator::BoardTime;
using emulator::RunClocks;

/// Interactions of a chip in one iteration: a run's i-particles with one j-particle in each block.
constexpr double kInteractions = double{emulator::kParticlesPerRun} * emulator::kBlocks;

/// Speed in Gflops of a loop that takes this many clocks per iteration.
double loop_speed(const isa::Program& program, double clocks, double chips, double clock_mhz) {
  return program.flops * kInteractions * chips * clock_mhz * kMega / clocks / kGiga;
}

double loop_lines(const isa::Program& program) { return static_cast<double>(isa::loop_bound(program).lines); }

double loop_clocks(const isa::Program& program, const emulator::MachineDescription& machine) {
  return static_cast<double>(isa::loop_bound(program, machine.idp_clocks).clocks());
}

double speed_on_board(GravityInputs& inputs, const std::string& kernel) {
  const emulator::MachineDescription& board = inputs.board();
  return loop_speed(inputs.kernel(kernel), loop_clocks(inputs.kernel(kernel), board), board.chips, board.clock_mhz);
}

double lines(GravityInputs& inputs, const Row& row) { return loop_lines(inputs.kernel(*row.what.kernel)); }

double clocks(GravityInputs& inputs, const Row& row) {
  return loop_clocks(inputs.kernel(*row.what.kernel), inputs.board());
}

double board_speed(GravityInputs& inputs, const Row& row) { return speed_on_board(inputs, *row.what.kernel); }

/// Speed of one chip at its design clock.
double chip_speed(GravityInputs& inputs, const Row& row) {
  const isa::Program& program = inputs.kernel(*row.what.kernel);
  return loop_speed(program, loop_clocks(program, inputs.board()), 1, GravityInputs::kDesignClock);
}

/// Speed in the limit of many j-particles: that of an iteration including its stall.
double asymptotic_speed(GravityInputs& inputs, const Row& row) {
  constexpr std::uint64_t kIterations = 1 << 20;
  const isa::Program& program = inputs.kernel(*row.what.kernel);
  const RunClocks clocks = emulator::Schedule(program, inputs.board()).run(kIterations * emulator::kBlocks);
  return loop_speed(program, static_cast<double>(clocks.loop_body + clocks.stall) / kIterations, inputs.board().chips,
                    inputs.board().clock_mhz);
}

/// Time of one force evaluation of n particles on one board.
BoardTime force_evaluation(GravityInputs& inputs, double n) {
  BoardTime form = inputs.published_board();
  const auto particles = static_cast<std::uint64_t>(n);
  form.send_j(particles);
  form.run(particles, particles);
  return form;
}

double force_speed(GravityInputs& inputs, const Row&) {
  constexpr double kParticles = 262144;  // Koike et al. 2009, section 3.2
  const BoardTime form = force_evaluation(inputs, kParticles);
  const double flops = inputs.kernel("gravity_jerk_2009").flops * static_cast<double>(form.interactions());
  return flops / form.seconds().total() / kGiga;
}

/// Speed in Gflops with individual time steps of n particles: the interactions of a unit of N-body time, divided by the
/// time for it.
double individual_speed(GravityInputs& inputs, double n) {
  const hostlib::BlockSteps blocks = hostlib::scaled_block_steps(inputs.block_steps(), n);
  const double seconds = hostlib::block_seconds(inputs.published_board(), blocks).total();
  return inputs.kernel("gravity_jerk_2009").flops * blocks.steps() * n / seconds / kGiga;
}

double individual_speed_of_most(GravityInputs& inputs, const Row&) {
  constexpr double kParticles = 262144;  // Koike et al. 2009, section 3.2
  return individual_speed(inputs, kParticles);
}

/// Number of particles at which this speed is reached, by bisection.
template <class SpeedOf>
double particles_at(double speed, SpeedOf speed_of) {
  double low = 2048;
  double high = 262144;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (speed_of(middle) < speed ? low : high) = middle;
  }
  return std::round(high);
}

/// Number of particles at which half of the loop's own speed is reached.
double half_speed_particles(GravityInputs& inputs, const Row&) {
  return particles_at(speed_on_board(inputs, "gravity_jerk_2009") / 2,
                      [&](double n) { return individual_speed(inputs, n); });
}

/// Speed of a board of GRAPE-6 in Gflops with individual time steps of n particles.
double grape_6_speed(GravityInputs& inputs, const cluster::PipelineBoard& board, double n) {
  const hostlib::BlockSteps blocks = hostlib::scaled_block_steps(inputs.block_steps(), n);
  cluster::NbodyModelOptions options;
  options.ranks = 1;
  const double seconds =
      nbody_times(cluster::Cluster{}, cluster::free_network(1), cluster::PipelineNode(board), blocks, options).seconds;
  return board.flops * blocks.steps() * n / seconds / kGiga;
}

/// Peak speed of the board in that of a board of GRAPE-6.
double peak_of_grape_6(GravityInputs& inputs, const Row&) {
  const double peak = cluster::load_pipeline_board("grape-6").peak() / kGiga;
  return speed_on_board(inputs, "gravity_jerk_2009") / peak * kPercent;
}

/// Number of particles at which the board reaches half of its peak, in that of a board of GRAPE-6.
double half_speed_of_grape_6(GravityInputs& inputs, const Row& row) {
  const cluster::PipelineBoard board = cluster::load_pipeline_board("grape-6");
  const double other =
      particles_at(board.peak() / kGiga / 2, [&](double n) { return grape_6_speed(inputs, board, n); });
  return half_speed_particles(inputs, row) / other;
}

double i_send_time(GravityInputs& inputs, const Row& row) { return force_evaluation(inputs, row.n).seconds().i_send; }
double j_send_time(GravityInputs& inputs, const Row& row) { return force_evaluation(inputs, row.n).seconds().j_send; }
double compute_time(GravityInputs& inputs, const Row& row) { return force_evaluation(inputs, row.n).seconds().compute; }

constexpr double kMost = 262144;     // particles, Koike et al. 2009, section 3.2
constexpr double kIBytes = 72;       // of an i-particle, Koike et al. 2009, section 3.2
constexpr double kJBytes = 160;      // of a j-particle, Koike et al. 2009, section 3.2
constexpr double kResultBytes = 64;  // of a particle's results, Koike et al. 2009, section 3.2

double share_of_loop(GravityInputs& inputs, double gflops) {
  return gflops / speed_on_board(inputs, "gravity_jerk_2009") * kPercent;
}
double force_share(GravityInputs& inputs, const Row& row) { return share_of_loop(inputs, force_speed(inputs, row)); }
double individual_share(GravityInputs& inputs, const Row& row) {
  return share_of_loop(inputs, individual_speed_of_most(inputs, row));
}
double asymptotic_loss(GravityInputs& inputs, const Row& row) {
  return kPercent - share_of_loop(inputs, asymptotic_speed(inputs, row));
}

/// Particles that a transfer moves in a second, from the slope of its time between half of the most particles and all:
/// the published rates are slopes of fits.
double slope_rate(GravityInputs& inputs, double emulator::StageSeconds::* stage) {
  const auto seconds = [&](double n) { return force_evaluation(inputs, n).seconds().*stage; };
  return kMost / 2 / (seconds(kMost) - seconds(kMost / 2));
}
double i_rate(GravityInputs& inputs, const Row&) { return slope_rate(inputs, &emulator::StageSeconds::i_send); }
double j_rate(GravityInputs& inputs, const Row&) { return slope_rate(inputs, &emulator::StageSeconds::j_send); }
double i_bandwidth(GravityInputs& inputs, const Row& row) { return i_rate(inputs, row) * kIBytes / kMega; }
double j_bandwidth(GravityInputs& inputs, const Row& row) { return j_rate(inputs, row) * kJBytes / kMega; }

/// What a run takes besides its loop, in us: the linear term of the time to compute, for the particles of a run.
double run_overhead(GravityInputs& inputs, const Row&) {
  const auto by_n = [&](double n) { return force_evaluation(inputs, n).seconds().compute / n; };
  const double linear = 2 * by_n(kMost / 2) - by_n(kMost);  // by_n is linear in n
  return linear * emulator::kParticlesPerRun / kMicro;
}
double result_dma(GravityInputs& inputs, const Row&) {
  return kResultBytes * emulator::kParticlesPerRun / (inputs.board().result_dma_mb * kMega) / kMicro;
}
double run_start(GravityInputs& inputs, const Row& row) { return run_overhead(inputs, row) - result_dma(inputs, row); }
double result_dma_rate(GravityInputs& inputs, const Row&) { return inputs.board().result_dma_mb; }
double write_rate(GravityInputs& inputs, const Row&) { return inputs.board().pio_mb; }

/// How many times as fast i-particles are sent as planned.
double planned_i_gain(GravityInputs& inputs, const Row&) {
  BoardTime planned(inputs.kernel("gravity_jerk_2009"), inputs.board(), 1, emulator::TransferMode::ideal);
  const auto particles = static_cast<std::uint64_t>(kMost);
  planned.send_j(particles);
  planned.run(particles, particles);
  return force_evaluation(inputs, kMost).seconds().i_send / planned.seconds().i_send;
}

double planned_j_rate(GravityInputs& inputs, const Row&) {
  const BoardTime planned(inputs.kernel("gravity_jerk_136"), inputs.board(), 1, emulator::TransferMode::ideal);
  return 1 / planned.j_seconds(1);
}

}  // namespace

std::vector<Model> koike_gravity_models() {
  const auto inputs = std::make_shared<GravityInputs>();
  const auto with = [inputs](double (*compute)(GravityInputs&, const Row&)) {
    return [inputs, compute](const Row& row) -> Ours {
      const std::scoped_lock lock(inputs->mutex);
      return compute(*inputs, row);
    };
  };
  return {{"kernel.lines", {CaseField::kernel}, with(lines)},
          {"kernel.clocks", {CaseField::kernel}, with(clocks)},
          {"kernel.board_speed", {CaseField::kernel}, with(board_speed)},
          {"kernel.chip_speed", {CaseField::kernel}, with(chip_speed)},
          {"kernel.asymptotic_speed", {CaseField::kernel}, with(asymptotic_speed)},
          {"gravity.force_speed", {}, with(force_speed)},
          {"gravity.i_send_time", {}, with(i_send_time)},
          {"gravity.j_send_time", {}, with(j_send_time)},
          {"gravity.compute_time", {}, with(compute_time)},
          {"gravity.individual_speed", {}, with(individual_speed_of_most)},
          {"gravity.half_speed_particles", {}, with(half_speed_particles)},
          {"gravity.peak_of_grape_6", {}, with(peak_of_grape_6)},
          {"gravity.half_speed_of_grape_6", {}, with(half_speed_of_grape_6)},
          {"gravity.force_share", {}, with(force_share)},
          {"gravity.individual_share", {}, with(individual_share)},
          {"kernel.asymptotic_loss", {CaseField::kernel}, with(asymptotic_loss)},
          {"gravity.i_rate", {}, with(i_rate)},
          {"gravity.j_rate", {}, with(j_rate)},
          {"gravity.i_bandwidth", {}, with(i_bandwidth)},
          {"gravity.j_bandwidth", {}, with(j_bandwidth)},
          {"gravity.run_overhead", {}, with(run_overhead)},
          {"gravity.run_start", {}, with(run_start)},
          {"board.result_dma", {}, with(result_dma)},
          {"board.result_dma_rate", {}, with(result_dma_rate)},
          {"board.write_rate", {}, with(write_rate)},
          {"board.planned_i_gain", {}, with(planned_i_gain)},
          {"board.planned_j_rate", {}, with(planned_j_rate)}};
}

}  // namespace gdr::validation
