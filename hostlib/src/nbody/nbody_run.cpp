#include "gdr/hostlib/nbody_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/own_files.h"
#include "gdr/base/stopping.h"
#include "gdr/emulator/chip.h"
#include "gdr/emulator/transfer_mode.h"
#include "gdr/hostlib/digests.h"
#include "gdr/hostlib/table.h"
#include "nbody/finite_energy.h"
#include "nbody/run_recorder.h"

namespace gdr::hostlib {
namespace {

Provenance provenance_without_board() {
  Provenance provenance;
  provenance.version = GDR_VERSION;
  provenance.boards = 0;
  provenance.engine = kDirectEngine;
  provenance.exact = false;
  return provenance;
}

}  // namespace

Provenance provenance_of(const Device& device, const std::string& kernel, const isa::Program& program) {
  const DeviceOptions& options = device.options();
  return {GDR_VERSION,
          kernel,
          kernel_digest(program),
          device.machine().name,
          machine_digest(device.machine()),
          device.machine().clock_mhz,
          std::string(name_of(options.transfer)),
          options.boards,
          options.engine,
          emulator::make_engine(options.engine)->traits().exact};
}

std::vector<std::string> differences(const Provenance& one, const Provenance& other) {
  std::vector<std::string> found;
  const auto compare = [&](std::string_view what, const auto& a, const auto& b) {
    if (a != b) found.push_back(fmt::format("{} {} instead of {}", what, b, a));
  };
  if (!one.has_board() || !other.has_board()) {
    compare("engine", one.engine, other.engine);
    return found;
  }
  compare("kernel", one.kernel, other.kernel);
  if (one.kernel == other.kernel && one.kernel_sha256 != other.kernel_sha256) {
    found.push_back(fmt::format("another version of kernel {}", one.kernel));
  }
  compare("machine", one.machine, other.machine);
  if (one.machine == other.machine && one.machine_sha256 != other.machine_sha256) {
    found.push_back(fmt::format("other parameters of machine {}", one.machine));
  }
  compare("clock in MHz", one.clock_mhz, other.clock_mhz);
  compare("transfer", one.transfer, other.transfer);
  compare("boards", one.boards, other.boards);
  if (one.exact != other.exact || (!one.exact && one.engine != other.engine)) {
    compare("engine", one.engine, other.engine);
  }
  return found;
}

std::vector<base::NamedFile> outputs_of(const NbodySettings& settings) {
  std::vector<base::NamedFile> files;
  const auto add = [&](const base::NamedFile& file) {
    if (!file.path.empty()) files.push_back(file);
  };
  add({"out", settings.out});
  if (settings.every > 0) add({"out", settings.out, "", true});
  add({"log", settings.log});
  add({"checkpoint", settings.checkpoint, "restart"});
  if (!settings.checkpoint.empty()) add({"checkpoint", previous_checkpoint(settings.checkpoint), "restart"});
  return files;
}

NbodyRun::NbodyRun(NbodySettings settings, std::optional<Device> device, Provenance provenance)
    : settings_(std::move(settings)), device_(std::move(device)), provenance_(std::move(provenance)) {
  check_settings();
  recorder_ = std::make_unique<RunRecorder>(settings_);
}

NbodyRun::NbodyRun(NbodySettings settings, Device device, isa::Program program)
    : NbodyRun(std::move(settings), std::optional(std::move(device)), Provenance{}) {
  provenance_ = provenance_of(*device_, settings_.kernel, program);
  if (settings_.sharing) {
    provenance_.boards *= settings_.sharing->boards();
    backend_ = settings_.sharing->share(*device_, std::move(program));
  } else {
    backend_ = std::make_unique<BoardForce>(*device_, std::move(program));
  }
  begin();
}

NbodyRun::NbodyRun(NbodySettings settings, const DirectOptions& direct)
    : NbodyRun(std::move(settings), std::nullopt, provenance_without_board()) {
  if (settings_.sharing) throw Error("engine direct computes all forces in one process: there is nothing to share");
  backend_ = std::make_unique<DirectForce>(direct);
  begin();
}

void NbodyRun::check_settings() const {
  const int sources = settings_.start.has_value() + settings_.particles.has_value() + !settings_.in.empty() +
                      !settings_.restart.empty();
  if (sources != 1) {
    throw Error("particles come from exactly one of: a start model, the caller, a snapshot, a checkpoint");
  }
  require_every(settings_.every, true);
  if (!settings_.out.empty()) require_snapshot_ending(settings_.out, settings_.format);
  require_csv_ending(settings_.log);
  const std::array<base::NamedFile, 2> inputs{{{"in_file", settings_.in}, {"restart", settings_.restart}}};
  base::refuse_lost_files(outputs_of(settings_), inputs);
  for (const std::filesystem::path& file : {settings_.in, settings_.out}) {
    if (is_hdf5_input(file)) require_hdf5(file);
  }
}

void NbodyRun::begin() {
  RecordedLength recorded;
  if (settings_.restart.empty()) {
    begin_new();
  } else {
    recorded = begin_from_checkpoint();
  }
  begin_time_ = time();
  recorder_->open(begin_time_, outputs_, std::move(recorded));
  constexpr std::size_t kReserve = 4 << 20;     // for texts and pages
  constexpr std::size_t kReserveOfEach = 1024;  // for copies of a particle, its neighbours, its part of the checkpoint
  reserve_ = std::make_unique_for_overwrite<char[]>(kReserve + kReserveOfEach * state().bodies.size());
}

NbodyRun::~NbodyRun() = default;

Device& NbodyRun::device() {
  require_board();
  return *device_;
}
const Device& NbodyRun::device() const {
  require_board();
  return *device_;
}

void NbodyRun::require_board() const {
  if (!device_) throw Error(fmt::format("a run on engine {} has no board", provenance_.engine));
}

void NbodyRun::require_room(std::size_t particles) const {
  if (!device_) return;  // host memory: an allocation that fails says so itself
  const std::size_t room =
      settings_.sharing ? settings_.sharing->j_capacity(device_->j_capacity()) : device_->j_capacity();
  if (particles <= room) return;
  throw Error(fmt::format("{} particles do not fit: the external memory of {} board{} holds {}", particles,
                          provenance_.boards, provenance_.boards == 1 ? "" : "s", room));
}

void NbodyRun::begin_new() {
  if (settings_.start) {
    require_particles_of(settings_.start->kind, settings_.start->particles);
    require_room(settings_.start->particles);
    if (fixed_particles(settings_.start->kind) == 0) seed_ = settings_.start->seed;
  }
  RunStart start = start_of_run(settings_);
  const Particles& particles = start.particles;
  require_room(particles.size());
  notes_ = std::move(start.notes);
  start_ = std::move(start.name);
  units_ = std::move(start.units);
  time_offset_ = start.time;
  step_offset_ = start.step;
  if (!(settings_.t_end >= time_offset_ && settings_.t_end - time_offset_ <= kLargestTime)) {
    throw Error(fmt::format("t-end = {} is refused: it must be {} to {}", settings_.t_end, time_offset_,
                            time_offset_ + kLargestTime));
  }
  require_told_apart(settings_.every, time_offset_, settings_.t_end);
  begin_orbits(particles.id);
  begin_energy(particles);
  integrator_ = std::make_unique<HermiteIntegrator>(*backend_, particles, settings_.hermite);
}

double NbodyRun::time() const { return time_offset_ + integrator_->time(); }

double NbodyRun::own_time(double t) const {
  for (const double own : {integrator_->time(), integrator_->next_block_time()}) {
    if (t == time_offset_ + own) return own;
  }
  return t - time_offset_;
}

Particles NbodyRun::particles() const { return particles_at(result_time()); }
Particles NbodyRun::particles_at(double t) const { return integrator_->particles_at(own_time(t)); }
std::size_t NbodyRun::predicted() const { return integrator_->predicted_at(own_time(result_time())); }
/// The next multiple of `every` for which there was no output yet; none if it is not before the end.
std::optional<double> NbodyRun::next_output() const {
  if (settings_.every == 0) return std::nullopt;
  return next_output_time(settings_.every, settings_.t_end, time(), last_output_);
}

NbodyEnd NbodyRun::integrate(const std::function<bool(const NbodyRun&)>& go_on) {
  while (integrate_to_output(go_on)) {
  }
  return end_;
}

bool NbodyRun::integrate_to_output(const std::function<bool(const NbodyRun&)>& go_on) {
  if (settings_.sharing) return go_to_output(go_on);  // the other ranks' states would be of another time
  try {
    return go_to_output(go_on);
  } catch (const std::bad_alloc&) {
    // An output that was begun is not counted, so that a restart makes it.
    reserve_.reset();
    end_ = NbodyEnd::stopped;
    if (last_output_) write_checkpoint_before_output();
    throw;
  } catch (const base::Stopped&) {
    end_ = NbodyEnd::stopped;
    if (last_output_) write_checkpoint_before_output();
    throw;
  }
}

bool NbodyRun::go_to_output(const std::function<bool(const NbodyRun&)>& go_on) {
  end_ = NbodyEnd::reached;
  const std::optional<double> output_time = next_output();
  // A run that gets into trouble before its first output can go back to its start.
  if (!std::exchange(began_, true) && settings_.restart.empty() && output_time != time()) write_checkpoint();
  const double until = output_time.value_or(settings_.t_end) - time_offset_;
  while (integrator_->next_block_time() <= until) {
    const std::uint64_t watched = watch_number();
    try {
      integrator_->step();
    } catch (const base::Stopped&) {
      if (settings_.sharing) throw;  // the other ranks have gone on
      end_ = NbodyEnd::stopped;
      write_checkpoint();
      return false;
    }
    if (watches() && watch_number() != watched) {
      last_watch_ = watch(time());
      if (in_trouble()) {
        end_ = NbodyEnd::energy_error;  // the previous checkpoint is kept
        return false;
      }
    }
    if (!go_on(*this)) {
      end_ = NbodyEnd::stopped;
      write_checkpoint();
      return false;
    }
    if (recorder_->checkpoint_is_due()) write_checkpoint();
  }
  const double t = output_time.value_or(settings_.t_end);
  if (last_output_ != t) output(t);
  if (end_ != NbodyEnd::reached) return false;
  if (output_time) return true;
  recorder_->end(*this, settings_.t_end);
  return false;
}

void NbodyRun::output(double t) {
  const std::optional<Energy> energy = recorder_->output(*this, t, outputs_);
  if (energy || watches()) {
    last_watch_ = energy ? watch(t, *energy) : watch(t);
    if (watches() && in_trouble()) {
      end_ = NbodyEnd::energy_error;  // the previous checkpoint is kept
      return;
    }
  }
  extend_orbits(t);
  last_output_ = t;
  ++outputs_;
  write_checkpoint();
}

Sample NbodyRun::sample(double t) const {
  const Particles now = particles_at(t);
  Sample sample;
  sample.t = t;
  sample.energy = hostlib::energy(now, state().options.eps);
  sample.energy_error = energy_error(sample.energy);
  if (device_ && state().pairs.empty() && integrator_->predicted_at(own_time(t)) == 0) {
    sample.board_energy = sample.energy.kinetic + integrator_->backend_potential_energy();
  }
  sample.centre_of_mass = centre_of_mass(now);
  sample.momentum = momentum(now);
  sample.angular_momentum = angular_momentum(now);
  sample.core = core_of(now);
  const Vec3 centre = sample.core ? sample.core->centre : sample.centre_of_mass;
  std::ranges::copy(lagrangian_radii(now, kLogFractions, centre), sample.radii.begin());
  sample.counters = counters();
  sample.pipe_occupancy = pipe_occupancy();
  return sample;
}

/// In one iteration of the loop, every block of a chip processes one j-particle for all i-particles of a run.
std::optional<double> NbodyRun::pipe_occupancy() const {
  if (!device_) return std::nullopt;
  const std::uint64_t iterations = device_->emulated().iterations();
  if (iterations == 0) return std::nullopt;
  // Ranks share the work evenly, so each has as many iterations as this one.
  const double chips = static_cast<double>(device_->chips()) * (settings_.sharing ? settings_.sharing->ranks() : 1);
  const double places = static_cast<double>(iterations) * chips * emulator::kBlocks * emulator::kParticlesPerRun;
  return static_cast<double>(counters().interactions) / places;
}

Snapshot NbodyRun::snapshot(double t) const {
  const std::int64_t step = step_offset_ + static_cast<std::int64_t>(counters().block_steps);
  return {step, t, particles_at(t)};
}

const std::vector<std::vector<double>>& NbodyRun::samples() const { return recorder_->samples(); }

void NbodyRun::write_checkpoint() {
  recorder_->checkpoint([&](const RecordedLength& recorded) { return checkpoint(recorded); });
}

void NbodyRun::write_checkpoint_before_output() {
  recorder_->checkpoint_before_output([&](const RecordedLength& recorded) { return checkpoint(recorded); });
}

}  // namespace gdr::hostlib
