#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <new>
#include <optional>
#include <thread>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/base/file.h"
#include "gdr/base/own_files.h"
#include "gdr/cluster/nbody_ranks.h"
#include "gdr/cluster/nbody_result.h"
#include "gdr/cluster/on_ranks.h"
#include "gdr/commandline/interrupts.h"
#include "gdr/commandline/terminal.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/king.h"
#include "gdr/hostlib/nbody_run.h"
#include "gdr/hostlib/restart.h"
#include "gdr/hostlib/run_files.h"
#include "gdr/hostlib/run_report.h"
#include "gdr/hostlib/run_watch.h"
#include "gdr/hostlib/start_model.h"
#include "gdr/hostlib/table.h"
#include "nbody_options.h"
#include "runs/observe.h"

namespace gdr::cli {
namespace {

/// The device and program of a run on a board.
struct BoardSide {
  Device device;
  isa::Program program;
};

/// The ranks of a run that is distributed.
struct Ranks {
  cluster::Communicator* communicator = nullptr;
  std::shared_ptr<cluster::NbodyRanks> sharing;
  cluster::Split split;
  std::string cluster;
};

/// The model that --start or --plummer selects. Throws UsageError for an option that has no effect on the model.
std::optional<hostlib::StartModel> start_of(const NbodyOptions& options) {
  using hostlib::StartKind;
  const bool starts = options.plummer > 0 || !options.start.empty();
  hostlib::StartModel model;
  if (!options.start.empty()) model.kind = hostlib::start_kind(options.start);
  const std::size_t fixed = hostlib::fixed_particles(model.kind);
  const auto take = [&](const std::optional<double>& given, StartKind kind, std::string_view option, double& value) {
    if (!given) return;
    if (!starts || model.kind != kind) {
      throw UsageError(fmt::format("{} has no effect without --start {}", option, name_of(kind)));
    }
    value = *given;
  };
  take(options.w0, StartKind::king, "--w0", model.w0);
  take(options.separation, StartKind::merger, "--separation", model.separation);
  take(options.pericentre, StartKind::merger, "--pericentre", model.pericentre);
  take(options.eccentricity, StartKind::binary, "--eccentricity", model.eccentricity);
  if (options.particles && options.start.empty()) throw UsageError("--n has no effect without --start");
  if (!starts) return std::nullopt;
  if (!options.start.empty() && fixed == 0 && !options.particles) {
    throw UsageError(fmt::format("--start {} needs --n", options.start));
  }
  model.particles = options.plummer > 0 ? options.plummer : options.particles.value_or(fixed);
  if (options.seed && fixed > 0) {
    throw UsageError(fmt::format("--seed has no effect with --start {}: nothing of it is drawn", options.start));
  }
  model.seed = options.seed.value_or(model.seed);
  return model;
}

hostlib::NbodySettings settings_of(const NbodyOptions& options) {
  hostlib::NbodySettings settings = options.run;
  settings.start = start_of(options);
  settings.in = options.in == "-" ? "/dev/stdin" : options.in;
  if (!options.units.empty()) {
    settings.units = from_command_line("--units", [&] { return hostlib::units_named(options.units); });
  }
  settings.scale_to_henon = !options.scale.empty();
  settings.restart = options.restart;
  settings.out = options.out;
  settings.log = options.log;
  settings.checkpoint = options.checkpoint;
  settings.orbits.assign(options.orbits.begin(), options.orbits.end());
  settings.keep_samples = !options.page.empty();
  if (!settings.restart.empty()) {
    if (options.command->given("--eta")) settings.changed_eta = settings.hermite.eta;
    if (options.command->given("--eps")) settings.changed_eps = settings.hermite.eps;
    settings.change_kernel = options.command->given("--kernel");
  }
  settings.hermite.regularise = options.binaries == "regularised";
  if (!options.out_format.empty()) settings.format = hostlib::snapshot_format_names().find(options.out_format);
  return settings;
}

/// The options, in which a restart has the choices of its checkpoint that were not given. Ranks that share the blocks
/// have all of its boards each; those that share the sums have one each, and the number of ranks is given.
NbodyOptions with_choices_of_checkpoint(NbodyOptions options) {
  if (options.restart.empty() || options.board.timing()) return options;
  const auto is_given = [&](std::string_view choice) {
    const bool shares_boards = !options.split.empty() && options.split != "i";
    return (choice == "boards" && shares_boards) || options.command->given(fmt::format("--{}", choice));
  };
  hostlib::continue_as(hostlib::provenance_in(options.restart), is_given, options.run.kernel, options.board);
  return options;
}

/// Throws UsageError if one of the options `without_effect` was given.
void refuse(const std::vector<Option>& without_effect, std::string_view because) {
  for (const Option& option : without_effect) {
    if (option.given()) throw UsageError(fmt::format("{} has no effect {}", option.name(), because));
  }
}

/// Throws UsageError for an option that has no effect with the engine.
void check_engine(const NbodyOptions& options) {
  if (options.board.direct()) {
    refuse(options.of_board, "with --engine direct: the host computes the forces, without a board");
  }
  if (options.board.timing()) {
    refuse(options.of_particles, "with --timing-only: there are no particles");
    if (!options.measures_block_sizes() && !options.draws_own_start())
      refuse(options.of_measuring, "with --timing-only, unless --measured-n or --block-sizes has block sizes measured");
  } else {
    refuse(options.of_timing, "without --timing-only");
  }
}

void check(const NbodyOptions& options) {
  check_engine(options);
  const hostlib::NbodySettings run = settings_of(options);
  const int sources = (options.plummer > 0) + !options.start.empty() + !run.in.empty() + !run.restart.empty();
  if (sources != 1) {
    throw UsageError("exactly one of --start, --plummer, --in, --restart says where the particles come from");
  }
  if (!options.orbits.empty() && (options.page.empty() || run.every == 0)) {
    throw UsageError("--orbits has no effect without --report and --out-every");
  }
  if (run.every > 0 && outputs_of(run).empty() && options.page.empty()) {
    throw UsageError("--out-every has no effect without --output, --log, --checkpoint or --report");
  }
  if (run.hermite.regularise && run.hermite.eps > 0) {
    throw UsageError("--binaries regularised follows orbits without softening: --eps must be 0");
  }
  if (!run.out.empty()) {
    from_command_line(run.format ? "--out-format" : "--output", [&] { require_snapshot_ending(run.out, run.format); });
  }
  from_command_line("--log", [&] { hostlib::require_csv_ending(run.log); });
  from_command_line("--block-sizes", [&] { hostlib::require_csv_ending(options.block_sizes); });
  if (run.start && !options.board.timing() && !(run.t_end >= 0 && run.t_end <= hostlib::kLargestTime)) {
    throw UsageError(
        fmt::format("--t-end: {} is refused: it must be a number from 0 to {}", run.t_end, hostlib::kLargestTime));
  }
  std::vector<base::NamedFile> derived;
  if (run.every > 0) derived.push_back({"--output", run.out, "", true});
  if (!run.checkpoint.empty()) {
    derived.push_back({"--checkpoint", hostlib::previous_checkpoint(run.checkpoint), "--restart"});
  }
  options.command->try_outputs(derived);
}

/// Requests to end the run, on any of its ranks.
struct Asked {
  int signal = 0;
  bool stop_file = false;
  [[nodiscard]] bool any() const { return signal != 0 || stop_file; }
};

/// Combines the requests of all ranks.
Asked together(cluster::Communicator& communicator, const Asked& own) {
  std::vector<Asked> all(communicator.size());
  const std::vector<std::size_t> bytes(communicator.size(), sizeof(Asked));
  communicator.allgatherv(std::as_bytes(std::span(&own, 1)), bytes, std::as_writable_bytes(std::span(all)));
  Asked asked;
  for (const Asked& one : all) {
    asked.signal = std::max(asked.signal, one.signal);
    asked.stop_file = asked.stop_file || one.stop_file;
  }
  return asked;
}

/// Prints warnings of the start and notes on it to standard error, so that they are also seen with `--json -`.
void tell_of_start(const hostlib::NbodyRun& run) {
  for (const std::string& warning : hostlib::warnings_of_start(run)) {
    commandline::print_message(fmt::format("gdr nbody: warning: {}\n", warning));
  }
  for (const std::string& note : run.notes()) commandline::print_message(fmt::format("gdr nbody: note: {}\n", note));
}

/// Runs on this process, or on this rank of `ranks`; then only rank 0 prints and writes. Without a board, the host's
/// own force loop computes the forces.
int run_nbody(const NbodyOptions& options, std::optional<BoardSide> board, const Ranks* ranks) {
  hostlib::NbodySettings settings = settings_of(options);
  if (ranks != nullptr) settings.sharing = ranks->sharing;
  std::optional<Progress> starting(std::in_place, "computing the first forces", options.report.progress_shown());
  if (board) {
    options.observe.begin(board->device);
    board->device.on_progress([&](std::size_t done, std::size_t all) { starting->show_count(done, all, "particles"); });
  }
  hostlib::NbodyRun run =
      board ? hostlib::NbodyRun(std::move(settings), std::move(board->device), std::move(board->program))
            : hostlib::NbodyRun(std::move(settings), hostlib::DirectOptions{options.board.threads, {}});
  if (board) run.device().on_progress({});
  starting.reset();
  if (ranks == nullptr || ranks->communicator->rank() == 0) tell_of_start(run);
  // All ranks must have read the checkpoint before rank 0 may overwrite it.
  if (ranks != nullptr) ranks->communicator->barrier();

  // A second signal ends the program at once.
  const commandline::Interrupts interrupts;
  commandline::StopFile stop_file(options.stop_file);
  Asked asked;
  hostlib::NbodyEnd end = hostlib::NbodyEnd::reached;
  bool no_memory = false;
  constexpr double kLongestPause = 4.0;  // seconds between lines of progress
  std::optional<Progress> integrating(std::in_place, "integrating", options.report.progress_shown(), kLongestPause);
  const auto warn = [](const std::string& sentence) {
    commandline::print_message(fmt::format("gdr nbody: warning: {}\n", sentence));
  };
  hostlib::RunWatch watch_of_run({warn, [&](double done) { return integrating->due(done); },
                                  [&](double done, const std::string& detail) { integrating->show(done, detail); }},
                                 options.checkpoint);
  {
    const bool speaks = ranks == nullptr || ranks->communicator->rank() == 0;
    try {
      end = run.integrate([&](const hostlib::NbodyRun& now) {
        if (speaks) watch_of_run.look(now);
        asked = {commandline::Interrupts::signal(), asked.stop_file || stop_file.is_there()};
        if (ranks != nullptr) asked = together(*ranks->communicator, asked);
        return !asked.any();
      });
    } catch (const std::bad_alloc&) {
      if (ranks != nullptr) throw;
      no_memory = true;  // the run has written its checkpoint; the report tells how far it came
      end = run.end();
    }
  }
  integrating.reset();
  if (!no_memory && !asked.any()) asked.signal = commandline::Interrupts::signal();

  // The host's work is added at the end: its time does not depend on when it is counted.
  const bool shares = ranks != nullptr && ranks->communicator->size() > 1;  // then the clock of the ranks has it
  if (board && !shares) run.device().time_integration(run.counters().steps, run.state().bodies.size());
  const std::string stopped = end == hostlib::NbodyEnd::reached        ? ""
                              : end == hostlib::NbodyEnd::energy_error ? "energy error"
                              : no_memory                              ? "memory"
                              : asked.stop_file                        ? "stop file"
                              : asked.signal == SIGTERM                ? "SIGTERM"
                                                                       : "SIGINT";
  const int status = end == hostlib::NbodyEnd::reached        ? kSuccess
                     : end == hostlib::NbodyEnd::energy_error ? kFailure
                     : no_memory                              ? kFailure
                     : asked.stop_file                        ? kSuccess
                                                              : 128 + asked.signal;
  std::vector<cluster::RankSeconds> of_ranks;
  if (ranks != nullptr) of_ranks = ranks->sharing->seconds();
  if (ranks != nullptr && ranks->communicator->rank() > 0) return status;
  cluster::NbodyResult result{
      run.sample(run.result_time()), hostlib::state_hash(run.particles()), std::move(of_ranks), {}, {}};
  if (ranks != nullptr) {
    result.split = ranks->split;
    result.cluster = ranks->cluster;
  }
  const hostlib::Provenance& provenance = run.provenance();
  Json json = options.report.begin(provenance.machine, provenance.engine, provenance.exact);
  cluster::add_nbody(json, run, result);
  json["stopped"] = stopped.empty() ? Json(nullptr) : Json(stopped);
  if (board) options.observe.finish(run.device(), options.board.engine, options.report);
  if (!options.page.empty()) {
    const auto number = [&](std::string_view key) {
      return json[key].is_null() ? std::nullopt : std::optional(json[key].number());
    };
    const hostlib::RunOutcome outcome{result.sample, result.state_hash, number("emulated_seconds"),
                                      number("emulated_gflops"), stopped};
    base::write_file(options.page, hostlib::page_of(run, outcome));
  }
  const std::string arithmetic =
      board ? fmt::format("engine {} ({})", options.board.engine, options.board.exactness()) : "";
  options.report.show(json, cluster::words_of(run, result, arithmetic));
  if (const auto noise = hostlib::note_on_noise(run))
    commandline::print_message(fmt::format("gdr nbody: note: {}\n", *noise));
  if (end != hostlib::NbodyEnd::energy_error) watch_of_run.finish(run, result.sample);

  if (end != hostlib::NbodyEnd::reached)
    commandline::print_message(fmt::format("gdr nbody: {}\n", cluster::text_of_end(run, stopped)));
  return status;
}

/// The options for a rank: all ranks but rank 0 write and print nothing.
NbodyOptions of_rank(NbodyOptions options, unsigned rank, const std::optional<cluster::Launch>& launch) {
  if (options.board.threads == 0 && launch) {
    options.board.threads = std::max(1U, std::thread::hardware_concurrency() / launch->ranks_here);
  }
  if (rank == 0) return options;
  options.out.clear();
  options.log.clear();
  options.checkpoint.clear();
  options.page.clear();
  options.report = {};
  options.report.quiet = true;
  options.observe = {};
  return options;
}

void check_ranks(const NbodyOptions& options, unsigned ranks) {
  if (options.board.direct()) {
    throw UsageError("--engine direct computes all forces in one process: start it without mpirun");
  }
  if (options.split.empty()) {
    throw UsageError(
        fmt::format("{} ranks of a run that is not shared out would all do the same: --split says how to "
                    "share it ({})",
                    ranks, fmt::join(cluster::split_names(), ", ")));
  }
  if (options.in == "-") throw UsageError("--in -: the ranks have no common standard input: name a file");
  if (options.board.timing()) {
    throw UsageError("--split has no effect with --timing-only: gdr cluster nbody gives the time of a cluster");
  }
  if (options.split != "i" && options.board.boards > 1) {
    throw UsageError(fmt::format("--boards: {} is refused with --split {}: a rank has a board, start more ranks",
                                 options.board.boards, options.split));
  }
  if (const auto start = start_of(options); start && start->particles < ranks) {
    throw UsageError(fmt::format("{} ranks are refused: there are {} particles to share", ranks, start->particles));
  }
  require_known(options.cluster, cluster::cluster_names(), "--cluster");
}

/// Everything that determines a run's bits and time.
std::string facts_of(const NbodyOptions& options, const hostlib::Provenance& provenance) {
  const auto start = start_of(options);
  return fmt::format(
      "version {}\nsplit {}\noverlap {}\ncluster {}\nkernel {} {}\nmachine {} {}\nclock {}\ntransfer {}\nboards {}\n"
      "engine {}\nbinaries {}\nstart {} {} {}\nunits {} {}\nt-end {}\neps {}\neta {}\nout-every {}\nmax-energy-error "
      "{}",
      provenance.version, options.split, options.overlap, options.cluster, provenance.kernel, provenance.kernel_sha256,
      provenance.machine, provenance.machine_sha256, provenance.clock_mhz, provenance.transfer, provenance.boards,
      provenance.engine, options.binaries, start ? hostlib::describe(*start) : "", options.in, options.restart,
      options.units, options.scale, options.run.t_end, options.run.hermite.eps, options.run.hermite.eta,
      options.run.every, options.run.most_energy_error.value_or(hostlib::kMostTrouble));
}

int nbody_on_ranks(const NbodyOptions& given, const std::optional<cluster::Launch>& launch) {
  NbodyOptions options;
  std::optional<Device> device;
  std::optional<isa::Program> program;
  Ranks ranks;
  const auto prepare = [&](cluster::Communicator& communicator) {
    options = with_choices_of_checkpoint(of_rank(given, communicator.rank(), launch));
    if (communicator.rank() == 0) check(options);  // the others have no outputs; their other options are the same
    check_ranks(options, communicator.size());
    cluster::Split split =
        from_command_line("--split", [&] { return cluster::split_named(options.split, communicator.size()); });
    split.overlap = options.overlap;
    const cluster::Cluster network = cluster::load_cluster(options.cluster);
    ranks = {&communicator, std::make_shared<cluster::NbodyRanks>(communicator, split, network), split, network.name};
    device.emplace(options.board.device_options());
    program = load_kernel(options.run.kernel);
    return facts_of(options, hostlib::provenance_of(*device, options.run.kernel, *program));
  };
  const auto status_of = [](const std::exception& error) {
    return dynamic_cast<const UsageError*>(&error) != nullptr ? kUsage : kFailure;
  };
  return cluster::on_ranks({"gdr", "gdr nbody", status_of}, prepare, [&](cluster::Communicator&) {
    return run_nbody(options, BoardSide{*std::move(device), *std::move(program)}, &ranks);
  });
}

int nbody(const NbodyOptions& given) {
  const std::optional<cluster::Launch> launch = cluster::launch_of_environment();
  if (!given.split.empty() || (launch && launch->ranks > 1)) return nbody_on_ranks(given, launch);
  const NbodyOptions options = with_choices_of_checkpoint(given);
  check(options);
  if (options.board.timing()) return timed_nbody(options, settings_of(options));
  if (options.board.direct()) return run_nbody(options, std::nullopt, nullptr);
  Device device(options.board.device_options());
  return run_nbody(options, BoardSide{std::move(device), load_kernel(options.run.kernel)}, nullptr);
}

}  // namespace

void add_nbody(Command program, const std::string& name) {
  auto options = std::make_shared<NbodyOptions>();
  const Command command = program.add_command(name, "Hermite block-timestep N-body simulation on the emulated board",
                                              "gdr nbody --plummer 256 --t-end 1 --clock 333", [options] {
                                                // A reader that goes away must not end a run without its checkpoint.
                                                std::signal(SIGPIPE, SIG_IGN);
                                                return nbody(*options);
                                              });
  command.leave_outputs_to_run();
  options->command = command;
  command.heading("Start");
  command.add_option("--start", options->start, "model to start from", one_of(hostlib::start_kind_names()));
  command.add_option("--n particles", options->particles);
  command.add_option("--plummer", options->plummer, "the same as --start plummer --n",
                     whole_in_range(2, hostlib::kMostStartParticles));
  command.add_option("--w0", options->w0, "king: central potential in units of sigma^2; default: 6",
                     in_range(hostlib::kLeastKingW0, hostlib::kMostKingW0));
  command.add_option("--separation", options->separation, "merger: distance of the spheres, total mass 1; default: 4",
                     in_range(1e-6, 1e6));
  command.add_option("--pericentre", options->pericentre, "merger: least distance on the parabolic orbit; default: 0.5",
                     in_range(0, 1e6));
  command.add_option("--eccentricity", options->eccentricity, "binary: eccentricity; default: 0.9",
                     in_range(0, 0.9999999));
  const Option in =
      command.add_option("--in=FILE", options->in,
                         fmt::format("start from a snapshot, also packed by gzip: {}; HDF5 of gdr, AMUSE, Gadget and "
                                     "NBODY6++GPU",
                                     hostlib::readable_snapshots()));
  command
      .add_option("--units=M,L,V", options->units,
                  "units of the run, and of what the file of --in states none for, such as msun,pc,km/s; default: "
                  "those that the "
                  "file states, or those with G = 1")
      .needs(in);
  command
      .add_option("--scale", options->scale, "scale the file of --in to mass 1 and virial radius 1, at rest",
                  one_of({"henon"}))
      .needs(in);
  const Option restart =
      command.add_option("--restart=FILE", options->restart,
                         "resume from a checkpoint, with its kernel, machine, clock and boards unless these are given; "
                         "--eps, --eta and --kernel change what it has");
  command.heading("Run");
  command.add_option("--t-end run", options->run.t_end).required();
  const Option eps = command.add_option("--eps", options->run.hermite.eps);
  const Option eta = command.add_option("--eta", options->run.hermite.eta, "accuracy parameter of the time step",
                                        in_range(hostlib::kLeastEta, hostlib::kMostEta));
  const Option binaries = command.add_option(
      "--binaries", options->binaries,
      "hard binaries: plain integrates their stars like all others, regularised advances them on the "
      "host by algorithmic regularisation (--eps 0)",
      one_of({"plain", "regularised"}));
  const Option seed = command.add_option("--seed", options->seed).by_default("1");
  command.heading("Outputs");
  const Option out = command.add_output(
      "-o,--output", options->out,
      "write the final snapshot here; with --out-every also NAME-0001.EXT, ...; HDF5 if the name ends in .h5 or "
      ".hdf5");
  command.keep_old_name("--out", out);
  command
      .add_option("--out-format", options->out_format,
                  "format of the snapshots; default: csv, npy, npz or nemo if the name ends so, else phigrape",
                  one_of({hostlib::snapshot_format_names().begin(), hostlib::snapshot_format_names().end()}))
      .needs(out);
  const Option every =
      command.add_option("--out-every", options->run.every, "time between snapshots, log lines and checkpoints",
                         in_range(hostlib::kLeastEvery, hostlib::kLargestTime));
  command.add_output("--log", options->log, "write energy, momenta and Lagrangian radii as CSV");
  command.add_output("--report", options->page,
                     "write an HTML page with curves of the run, one point every --out-every");
  const Option orbits =
      command
          .add_option("--orbits=ID", options->orbits,
                      "--report also shows the orbits of the particles with these ids, one point every "
                      "--out-every")
          .delimiter(',');
  const Option checkpoint =
      command.add_output("--checkpoint", options->checkpoint,
                         "write the complete state here at every output, and every --checkpoint-minutes");
  command.may_replace(checkpoint, restart);
  command
      .add_option("--checkpoint-minutes", options->run.checkpoint_minutes, "wall-clock time between checkpoints",
                  in_range(0, 1e6, ValueUnit::minutes))
      .needs(checkpoint);
  command
      .add_flag("--force-restart", options->run.force_restart,
                "resume even if the checkpoint comes from another kernel, machine, number of boards or engine")
      .needs(restart);
  const Option most_error = command.add_option(
      "--max-energy-error", options->run.most_energy_error,
      "end with status 1 if the relative energy error at an output or, in between, after 64 steps of each "
      "particle is larger than this; default: 1",
      in_range(0, kNoLimit));
  const Option stop_file = command.add_option("--stop-file=FILE", options->stop_file,
                                              "write a checkpoint and end the run when this file appears");
  command.awaits(stop_file);
  options->of_particles = {every, most_error, stop_file, binaries, orbits};
  command.heading("Run");
  const Option kernel = command.add_option("--kernel forces", options->run.kernel);
  const Option measured_n =
      command.add_option("--measured-n", options->measured_n,
                         "--timing-only: measure block sizes with this many particles and half as "
                         "many, and scale them; default: for a Plummer sphere docs/block_steps.csv "
                         "is scaled, others are measured with up to 1024",
                         whole_in_range(4, 4194304));
  const Option block_sizes = command.add_output("--block-sizes", options->block_sizes,
                                                "--timing-only: measure block sizes, and write them as CSV");
  const Option from_block_sizes = command.add_option("--from-block-sizes", options->from_block_sizes)
                                      .by_default("docs/block_steps.csv")
                                      .excludes(measured_n)
                                      .excludes(block_sizes);
  options->of_timing = {measured_n, block_sizes, from_block_sizes};
  options->of_measuring = {seed};
  command.heading("Ranks");
  const Option split = command.add_option("--split forces", options->split);
  command.add_option("--cluster", options->cluster).needs(split);
  command.add_flag("--overlap blocks", options->overlap).needs(split);
  command.heading(kUsualHeading);
  restart.excludes(binaries);  // a checkpoint has it
  restart.excludes(seed);      // a checkpoint has it; a snapshot needs none
  from_block_sizes.excludes(eps).excludes(eta).excludes(seed);
  in.excludes(seed);
  options->of_board = {kernel, split};
  for (const std::vector<Option>& more :
       {options->board.add_to(command, DirectEngine::taken), options->observe.add_to(command)}) {
    options->of_board.insert(options->of_board.end(), more.begin(), more.end());
  }
  options->report.add_to(command);
}

}  // namespace gdr::cli
