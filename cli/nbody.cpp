#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "command.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/hostlib/snapshot.h"
#include "observe.h"

namespace gdr::cli {
namespace {

using hostlib::HermiteIntegrator;
using hostlib::Particles;

struct Options {
  BoardOptions board;
  ReportOptions report;
  ObserveOptions observe;
  std::size_t plummer = 0;
  std::string in;
  std::string restart;
  double t_end = 0;
  double eps = 0.01;
  double eta = 0.1;
  std::uint64_t seed = 1;
  std::string out;
  std::string out_format = "phigrape";
  double out_every = 0;
  std::string log;
  std::string checkpoint;
  std::string kernel = "gravity_jerk";
  std::size_t measured_n = 1024;
  std::string block_sizes;
  std::string from_block_sizes;
};

/// A run: the integrator, and the energy it began with.
struct Run {
  HermiteIntegrator integrator;
  double initial_energy;
};

Run begin(const Options& options, hostlib::ForceBackend& backend) {
  if (!options.restart.empty()) {
    hostlib::Checkpoint checkpoint = hostlib::read_checkpoint(options.restart);
    return {HermiteIntegrator(backend, std::move(checkpoint.state)), checkpoint.initial_energy};
  }
  const Particles particles = options.in.empty() ? hostlib::make_plummer(options.plummer, options.seed)
                                                 : hostlib::read_snapshot(options.in).particles;
  return {HermiteIntegrator(backend, particles, {options.eta, options.eps}),
          hostlib::energy(particles, options.eps).total()};
}

/// One line of diagnostics, the columns of kLogHeader.
constexpr std::string_view kLogHeader =
    "t,energy,energy_error,virial_ratio,com_x,com_y,com_z,l_x,l_y,l_z,r_01,r_10,r_50,r_90,steps,block_steps,"
    "interactions\n";

std::string log_line(const Run& run, double t) {
  static constexpr std::array<double, 4> kFractions{0.01, 0.1, 0.5, 0.9};
  const Particles particles = run.integrator.particles_at(t);
  const hostlib::Energy energy = hostlib::energy(particles, run.integrator.state().options.eps);
  const hostlib::Vec3 centre = hostlib::centre_of_mass(particles);
  const hostlib::Vec3 l = hostlib::angular_momentum(particles);
  const std::vector<double> radii = hostlib::lagrangian_radii(particles, kFractions, centre);
  const hostlib::HermiteCounters& counters = run.integrator.counters();
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", t, energy.total(),
                     (energy.total() - run.initial_energy) / std::abs(run.initial_energy), energy.virial_ratio(),
                     centre.x, centre.y, centre.z, l.x, l.y, l.z, fmt::join(radii, ","), counters.steps,
                     counters.block_steps, counters.interactions);
}

/// Snapshots go to NAME with the output's number before its extension: snap.txt, then snap-0001.txt, ...
std::string numbered(const std::string& name, unsigned number) {
  const std::filesystem::path path(name);
  return (path.parent_path() / fmt::format("{}-{:04}{}", path.stem().string(), number, path.extension().string()))
      .string();
}

void write_snapshot(const Options& options, const Run& run, double t, const std::string& name) {
  const auto format =
      options.out_format == "plain" ? hostlib::SnapshotFormat::plain : hostlib::SnapshotFormat::phigrape;
  const auto step = static_cast<std::int64_t>(run.integrator.counters().block_steps);
  hostlib::write_snapshot(name, {step, t, run.integrator.particles_at(t)}, format);
}

/// Integrates to t_end with every output on the way.
void integrate(const Options& options, Run& run) {
  Progress progress("integrating", options.report.quiet);
  const double begin = run.integrator.time();
  const auto show = [&](const HermiteIntegrator& integrator) {
    const double span = options.t_end - begin;
    progress.show(span > 0 ? (integrator.time() - begin) / span : 1,
                  fmt::format("t = {:.4f}, {} steps", integrator.time(), integrator.counters().steps));
  };
  std::string log(kLogHeader);
  unsigned number = 0;
  const auto output = [&](double t) {
    if (!options.out.empty() && options.out_every > 0) {
      write_snapshot(options, run, t, numbered(options.out, number));
    }
    if (!options.log.empty()) {
      log += log_line(run, t);
      base::write_file(options.log, log);
    }
    if (!options.checkpoint.empty()) {
      hostlib::write_checkpoint(options.checkpoint, {run.integrator.state(), run.initial_energy});
    }
    ++number;
  };
  if (options.out_every > 0) {
    number = static_cast<unsigned>(std::ceil(begin / options.out_every));
    for (double t = number * options.out_every; t < options.t_end; t = number * options.out_every) {
      run.integrator.evolve(t, show);
      output(t);
    }
  }
  run.integrator.evolve(options.t_end, show);
  output(options.t_end);
}

void check(const Options& options, double begin) {
  const int sources = (options.plummer > 0) + !options.in.empty() + !options.restart.empty();
  if (sources != 1) throw UsageError("exactly one of --plummer, --in, --restart says where the particles come from");
  if (options.out_every > 0 && options.out.empty() && options.log.empty() && options.checkpoint.empty()) {
    throw UsageError("--out-every has no effect without --out, --log or --checkpoint");
  }
  if (options.t_end < begin) {
    throw UsageError(fmt::format("--t-end {} lies before the restart's time {}", options.t_end, begin));
  }
}

/// Emulated time of a run that is too large to be computed: its blocks are measured on fewer particles and scaled.
int timed_nbody(const Options& options) {
  const Stopwatch watch;
  if (options.plummer == 0)
    throw UsageError("engine timing has no particles: it takes --plummer, not --in or --restart");
  if (!options.out.empty() || !options.log.empty() || !options.checkpoint.empty()) {
    throw UsageError("engine timing has no particles: it writes no --out, --log or --checkpoint");
  }
  if (!options.observe.trace.empty() || !options.observe.profile.empty()) {
    throw UsageError("--trace and --profile: engine timing scales the blocks of nbody, it plays none");
  }
  Device device(options.board.device_options());
  device.load(load_kernel(options.kernel));
  if (options.plummer > device.j_capacity()) {
    throw Error(
        fmt::format("{} j-particles do not fit: external memory holds {}", options.plummer, device.j_capacity()));
  }
  // Where many are measured few are enough; a sphere is measured over one unit of time at most.
  const std::size_t larger = std::min(options.measured_n, options.plummer);
  const double span = std::min(options.t_end, 1.0);
  std::vector<hostlib::BlockSteps> measured;
  if (!options.from_block_sizes.empty()) {
    measured = hostlib::block_steps_from_csv(base::read_file(options.from_block_sizes), options.from_block_sizes);
  }
  Progress progress("measuring block sizes", options.report.quiet);
  for (const std::size_t n : {std::max<std::size_t>(larger / 2, 2), std::max<std::size_t>(larger, 4)}) {
    if (!options.from_block_sizes.empty()) break;
    measured.push_back(hostlib::measure_block_steps(n, options.seed, {options.eta, options.eps}, span));
    progress.show(0.2);
  }
  if (!options.block_sizes.empty()) base::write_file(options.block_sizes, hostlib::to_csv(measured));

  const auto n = static_cast<double>(options.plummer);
  const hostlib::BlockSteps blocks = hostlib::scaled_block_steps(measured, n);
  device.time_j(options.plummer);
  device.time_run(options.plummer, options.plummer);  // the forces at the start
  const emulator::BoardTime& board = device.emulated();
  emulator::StageSeconds stages = hostlib::block_seconds(board, blocks).times(options.t_end);
  stages += board.seconds();
  const double steps = blocks.steps() * options.t_end;
  const double interactions = n * (steps + n);
  const double gflops = interactions * device.program().flops / stages.total() / 1e9;

  Json json = envelope("nbody", device.machine().name, options.board.engine, false);
  json["emulated_seconds"] = stages.total();
  json["emulated_gflops"] = gflops;
  json["n"] = options.plummer;
  json["t"] = options.t_end;
  json["energy_error"] = nullptr;
  json["steps"] = steps;
  json["block_steps"] = blocks.blocks() * options.t_end;
  json["interactions"] = interactions;
  json["state_hash"] = nullptr;
  json["kernel"] = options.kernel;
  json["stages"] = {{"i_send", stages.i_send},
                    {"j_send", stages.j_send},
                    {"compute", stages.compute},
                    {"add", stages.add},
                    {"host", stages.host}};
  json["block_sizes_measured_at"] = Json::array();
  for (const hostlib::BlockSteps& m : measured) json["block_sizes_measured_at"].push_back(m.n);
  json["host_seconds"] = watch.seconds();
  options.report.write(json);
  if (!options.report.speaks()) return kSuccess;
  fmt::print("{} particles to t = {} on {} at {} MHz, kernel {}: emulated time alone\n", options.plummer, options.t_end,
             device.machine().title, device.machine().clock_mhz, options.kernel);
  fmt::print("  blocks          {:.0f} of {:.1f} particles on average, {:.4g} steps\n", blocks.blocks() * options.t_end,
             blocks.steps() / blocks.blocks(), steps);
  fmt::print("                  scaled from block sizes measured with {:.0f} to {:.0f} particles to t = {}\n",
             measured.front().n, measured.back().n, span);
  fmt::print(
      "  emulated time   {:.4f} s: i send {:.4f}, j send {:.4f}, compute and collect {:.4f}, add {:.4f}, integration "
      "{:.4f}\n",
      stages.total(), stages.i_send, stages.j_send, stages.compute, stages.add, stages.host);
  fmt::print("  emulated speed  {:.2f} Gflops at {:.0f} flops per interaction\n", gflops, device.program().flops);
  fmt::print("  host time       {:.2f} s\n", watch.seconds());
  return kSuccess;
}

int nbody(const Options& options) {
  const Stopwatch watch;
  check(options, 0);
  if (options.board.engine == emulator::name_of(emulator::Engine::timing)) return timed_nbody(options);
  Device device(options.board.device_options());
  options.observe.begin(device);
  hostlib::BoardForce backend(device, load_kernel(options.kernel));
  Run run = begin(options, backend);
  check(options, run.integrator.time());
  const double eps = run.integrator.state().options.eps;
  integrate(options, run);

  const Particles particles = run.integrator.particles_at(options.t_end);
  const hostlib::Energy energy = hostlib::energy(particles, eps);
  const double energy_error = (energy.total() - run.initial_energy) / std::abs(run.initial_energy);
  const hostlib::HermiteCounters& counters = run.integrator.counters();
  const std::string hash = hostlib::state_hash(particles);
  const std::size_t predicted = run.integrator.predicted_at(options.t_end);
  if (!options.out.empty()) write_snapshot(options, run, options.t_end, options.out);

  // The host's work is counted at the end: what it took does not depend on when.
  device.time_integration(counters.steps, particles.size());
  Json json = envelope("nbody", device.machine().name, options.board.engine, options.board.exact());
  add_device_results(json, device);
  json["host_seconds"] = watch.seconds();
  json["n"] = particles.size();
  json["t"] = options.t_end;
  json["energy_error"] = energy_error;
  json["steps"] = counters.steps;
  json["block_steps"] = counters.block_steps;
  json["interactions"] = counters.interactions;
  json["state_hash"] = hash;
  json["kernel"] = options.kernel;
  json["predicted_at_end"] = predicted;
  options.observe.finish(device, options.board.engine, options.report);
  options.report.write(json);
  if (!options.report.speaks()) return kSuccess;

  const double emulated = device.emulated().seconds().total();
  fmt::print("{} particles to t = {} on {} at {} MHz, kernel {}, engine {} ({})\n", particles.size(), options.t_end,
             device.machine().title, device.machine().clock_mhz, options.kernel, options.board.engine,
             options.board.exactness());
  fmt::print("  energy error    {:+.2e} (E = {:.10f}, virial ratio {:.3f})\n", energy_error, energy.total(),
             energy.virial_ratio());
  fmt::print(
      "  steps           {} in {} blocks, {:.1f} particles a block\n", counters.steps, counters.block_steps,
      static_cast<double>(counters.steps) / static_cast<double>(std::max<std::uint64_t>(counters.block_steps, 1)));
  fmt::print("  interactions    {}\n", counters.interactions);
  fmt::print("  emulated time   {:.4f} s on the board and its host of 2009\n", emulated);
  fmt::print("  emulated speed  {:.2f} Gflops at {:.0f} flops per interaction\n",
             json["emulated_gflops"].is_null() ? 0.0 : json["emulated_gflops"].number(), device.program().flops);
  fmt::print("  host time       {:.2f} s\n", watch.seconds());
  fmt::print("  state hash      {}\n", hash);
  if (predicted > 0) {
    fmt::print("  note: t = {} is no block time; {} particles were predicted to it\n", options.t_end, predicted);
  }
  if (counters.smallest_steps > 0) {
    fmt::print("  note: {} steps were held at the smallest step 2^{}; lower eta or soften\n", counters.smallest_steps,
               hostlib::kSmallestStepLog2);
  }
  return kSuccess;
}

}  // namespace

void add_nbody(Command program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("nbody", "Hermite block-timestep N-body simulation on the emulated board",
                          "gdr nbody --plummer 256 --t-end 1 --clock 333", [options] { return nbody(*options); });
  command.add_option("--plummer", options->plummer, "start from a Plummer sphere of this many particles")
      .check(whole_in_range(2, 4194304));
  const Option in =
      command.add_option("--in", options->in, "start from a snapshot (phiGRAPE text, or lines m x y z vx vy vz)");
  const Option restart = command.add_option("--restart", options->restart, "go on from a checkpoint");
  command.add_option("--t-end", options->t_end, "time to integrate to, Henon units")
      .required()
      .check(in_range(0, hostlib::kLargestTime));
  const Option eps = command.add_option("--eps", options->eps, "Plummer softening length")
                         .check(in_range(0, 1e6))
                         .capture_default_str();
  const Option eta = command.add_option("--eta", options->eta, "accuracy parameter of the time step")
                         .check(in_range(1e-6, 10))
                         .capture_default_str();
  const Option seed = command.add_option("--seed", options->seed, "seed of the Plummer sphere")
                          .check(whole_in_range(0, std::numeric_limits<std::uint64_t>::max()))
                          .capture_default_str();
  command.add_option("--out", options->out, "write the final snapshot here; with --out-every also NAME-0001.EXT, ...");
  command.add_option("--out-format", options->out_format, "form of the snapshots")
      .check(one_of({"phigrape", "plain"}))
      .capture_default_str();
  command.add_option("--out-every", options->out_every, "time between snapshots, log lines and checkpoints")
      .check(in_range(0x1p-20, hostlib::kLargestTime));
  command.add_option("--log", options->log, "write diagnostics as CSV: energy, momenta, Lagrangian radii");
  command.add_option("--checkpoint", options->checkpoint, "write the complete state here at every output");
  command.add_option("--kernel", options->kernel, "kernel that computes the forces")
      .check(one_of({"gravity_jerk", "gravity_jerk_2009"}))
      .capture_default_str();
  command.add_option("--measured-n", options->measured_n, "engine timing: particles whose block sizes are measured")
      .check(whole_in_range(4, 4194304))
      .capture_default_str();
  command.add_option("--block-sizes", options->block_sizes, "engine timing: write the measured block sizes as CSV");
  command.add_option("--from-block-sizes", options->from_block_sizes,
                     "engine timing: block sizes measured before, CSV");
  // A checkpoint holds them; a snapshot needs no seed.
  restart.excludes(eps).excludes(eta).excludes(seed);
  in.excludes(seed);
  options->board.add_to(command);
  options->observe.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
