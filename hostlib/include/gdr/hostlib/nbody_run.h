// An N-body run as users start it: the source of the particles, the board or the host's own loop that computes the
// forces, all outputs during the run, and a restart that continues all of this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/own_files.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/diagnostics.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/output_times.h"
#include "gdr/hostlib/particles.h"
#include "gdr/hostlib/run_files.h"
#include "gdr/hostlib/run_page.h"
#include "gdr/hostlib/scales.h"
#include "gdr/hostlib/snapshot.h"
#include "gdr/hostlib/start_model.h"

namespace gdr::hostlib {

/// Engine of a run whose forces the host computes itself with DirectForce. Such a run has no board, no kernel and no
/// emulated time.
inline constexpr std::string_view kDirectEngine = "direct";

/// Everything except the particles that decides the bits and the emulated time of a run. A run without a board has only
/// the version and the engine.
struct Provenance {
  std::string version;         // of gdr; reported, not compared
  std::string kernel;          // name
  std::string kernel_sha256;   // kernel_digest()
  std::string machine;         // name
  std::string machine_sha256;  // machine_digest()
  double clock_mhz = 0;
  std::string transfer;  // `2009` or `ideal`
  unsigned boards = 1;
  std::string engine;
  bool exact = true;  // the engine is exact; another exact engine may continue the run

  [[nodiscard]] bool has_board() const { return engine != kDirectEngine; }
};
[[nodiscard]] Provenance provenance_of(const Device& device, const std::string& kernel, const isa::Program& program);
/// The reasons, in words, why a run begun as `one` cannot continue as `other`; empty if it can.
[[nodiscard]] std::vector<std::string> differences(const Provenance& one, const Provenance& other);

/// Shares the computation of forces among processes that all do the same run.
class ForceSharing {
 public:
  virtual ~ForceSharing() = default;
  /// Loads `program` into `device` and returns the force engine of the run. Called once; the device outlives the
  /// engine.
  [[nodiscard]] virtual std::unique_ptr<ForceBackend> share(Device& device, isa::Program program) = 0;
  /// A single process gives the same bits with this many times the boards of one device.
  [[nodiscard]] virtual unsigned boards() const = 0;
  /// Number of processes.
  [[nodiscard]] virtual unsigned ranks() const = 0;
  /// Number of j-particles that all processes together hold if one device holds `of_device`.
  [[nodiscard]] virtual std::size_t j_capacity(std::size_t of_device) const = 0;
  /// totals() returns what a checkpoint keeps of the clocks of all processes. resume() continues from it after the
  /// device has resumed; `totals` is empty if the checkpoint belongs to a run that shared nothing, whose host has
  /// integrated for `integration` emulated seconds. Throws gdr::Error or a JSON exception if `totals` is damaged.
  [[nodiscard]] virtual std::string totals() const = 0;
  virtual void resume(const std::string& totals, double integration) = 0;

 protected:
  ForceSharing() = default;
  ForceSharing(const ForceSharing&) = default;
  ForceSharing& operator=(const ForceSharing&) = default;
};

/// Limit of EnergyWatch::trouble of a run whose settings give no limit of the energy error: nothing is left of a run
/// beyond it, whatever is wrong with it.
inline constexpr double kMostTrouble = 1;
/// EnergyWatch::trouble of which a person is to be told.
inline constexpr double kTroubleToTell = 1e-3;

struct NbodySettings {
  // The source of the particles: exactly one of these is set.
  std::optional<StartModel> start;
  std::optional<Particles> particles;
  double particles_time = 0;        // at which they are; the run begins there
  std::int64_t particles_step = 0;  // number of the step that led there
  std::filesystem::path in;
  /// Of mass and length in the run, with G = 1. Numbers of the snapshot that it states no unit for are in these.
  std::optional<Units> units;
  bool scale_to_henon = false;  // the snapshot or the particles, after their units
  std::filesystem::path restart;
  bool force_restart = false;  // restart even if provenance differs; no uninterrupted run then gives the same bits
  // A restart with another accuracy, softening or kernel than the checkpoint's, which the provenance then records.
  std::optional<double> changed_eta;
  std::optional<double> changed_eps;
  bool change_kernel = false;  // `kernel` may be another one

  std::string kernel = "gravity_jerk";  // of a run on a board
  HermiteOptions hermite;               // of a new run; a checkpoint has its own
  double t_end = 0;                     // counts from the same origin as the snapshot's time, if it has one
  /// Largest relative energy error; infinity: no limit. None: EnergyWatch::trouble may be kMostTrouble. A run that
  /// exceeds it at an output or at a watch, one for every 64 N steps, ends there.
  std::optional<double> most_energy_error;

  double every = 0;  // time between outputs, at least kLeastEvery; 0: only one output, at the end
  std::filesystem::path out;
  /// Of snapshots; none: snapshot_format_for(out). A name in HDF5 takes gadget alone.
  std::optional<SnapshotFormat> format;
  std::filesystem::path log;
  bool keep_samples = false;         // fill samples() even without a log
  std::vector<std::int64_t> orbits;  // ids of particles whose places at the outputs are kept, also in checkpoints
  std::filesystem::path checkpoint;
  double checkpoint_minutes = 10;  // wall-clock time between checkpoints, which are also written at outputs

  std::shared_ptr<ForceSharing> sharing;  // null: the run's own device computes the forces
};

/// The particles with which a new run begins.
struct RunStart {
  Particles particles;
  double time = 0;
  std::int64_t step = 0;
  std::string name;                // `plummer 64`, or that of the snapshot
  std::optional<Units> units;      // of mass and length; none if unknown, as in Henon's
  std::vector<std::string> notes;  // of the snapshot's reader
};
/// Of the start model, the particles or the snapshot of `settings`, in units with G = 1. Throws gdr::Error as the
/// readers do.
[[nodiscard]] RunStart start_of_run(const NbodySettings& settings);

/// The files that a run will write, with the settings that lead to them: snapshots, also those with numbers, log,
/// checkpoint and the one before it.
[[nodiscard]] std::vector<base::NamedFile> outputs_of(const NbodySettings& settings);

/// How well the energy is kept at one time.
struct EnergyWatch {
  double t = 0.0;
  std::optional<double> energy_error;  // as in Sample
  /// |E - E0| divided by |E0|, or by a hundredth of T0 + |W0| if that is more: a system whose energy is almost 0 is not
  /// in trouble if it loses all of it. NaN if the energy is.
  double trouble = 0.0;
};

/// An option that a restart changed.
struct RunChange {
  double t = 0.0;    // time of the checkpoint
  std::string what;  // `eta 0.02 instead of 0.1`
};

struct Checkpoint;
class RunRecorder;
struct RecordedLength;

enum class NbodyEnd : std::uint8_t { reached, stopped, energy_error };

class NbodyRun {
 public:
  /// Loads `program` into `device`, opens every output, and computes the first forces. Throws gdr::Error before
  /// anything is computed if settings contradict each other, a path cannot be written to, an output would replace
  /// another one or an input, the checkpoint has another kernel, machine or number of boards, or the log does not
  /// belong to the checkpoint.
  NbodyRun(NbodySettings settings, Device device, isa::Program program);
  /// The same with the host's own force loop instead of a board. Also throws gdr::Error if the settings share forces.
  NbodyRun(NbodySettings settings, const DirectOptions& direct);
  ~NbodyRun();
  NbodyRun(const NbodyRun&) = delete;
  NbodyRun& operator=(const NbodyRun&) = delete;

  /// Integrates to the end and writes outputs and checkpoints. `go_on` is called after every block step; if it returns
  /// false, the run writes its checkpoint and ends. Throws gdr::Error if an output cannot be written or a force is not
  /// finite; the last checkpoint is kept. Throws std::bad_alloc if memory is exhausted, after writing a checkpoint of
  /// the last complete block; there is then memory for one sample and its report.
  NbodyEnd integrate(const std::function<bool(const NbodyRun&)>& go_on);
  /// The same, but only up to the next output. Returns true if further outputs follow. May be mixed with integrate().
  bool integrate_to_output(const std::function<bool(const NbodyRun&)>& go_on);
  [[nodiscard]] const NbodySettings& settings() const { return settings_; }
  /// How the last call of integrate() or integrate_to_output() ended.
  [[nodiscard]] NbodyEnd end() const { return end_; }
  /// What the reader of a snapshot left out or assumed, in sentences.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// Time of the last output; none before the first.
  [[nodiscard]] std::optional<double> last_output() const { return last_output_; }

  /// Present time of the run. If the snapshot had a time, the run began at that time.
  [[nodiscard]] double time() const;
  [[nodiscard]] double begin_time() const { return begin_time_; }
  [[nodiscard]] double end_time() const { return settings_.t_end; }
  /// Time of the results: the end time, or the time at which the run was stopped.
  [[nodiscard]] double result_time() const { return end_ == NbodyEnd::reached ? settings_.t_end : time(); }

  [[nodiscard]] Particles particles() const;  // at result_time()
  /// Particles at `t`, from time() to the time of the next block. Throws gdr::Error for other times.
  [[nodiscard]] Particles particles_at(double t) const;
  /// The same with the number of the step that led there.
  [[nodiscard]] Snapshot snapshot(double t) const;
  /// Number of particles that particles() has to predict.
  [[nodiscard]] std::size_t predicted() const;
  [[nodiscard]] Energy energy() const;  // throws gdr::Error if it is not finite
  /// Of the particles with which the run began, also after a restart.
  [[nodiscard]] const Scales& scales() const { return scales_; }
  /// Of mass, length and time in this run; none if nothing tells which they are. Kept by a restart.
  [[nodiscard]] const std::optional<Units>& units() const { return units_; }
  /// At the start of a new run; none after a restart.
  [[nodiscard]] const std::optional<Energy>& first_energy() const { return first_energy_; }
  /// (E - E0) / |E0|, without the motion of the centre of mass; none if E0 = 0.
  [[nodiscard]] std::optional<double> energy_error(const Energy& now) const;
  /// O(N^2). At `t` from time() to the time of the next block.
  [[nodiscard]] EnergyWatch watch(double t) const;
  /// The same, where the energy `now` at `t` is known.
  [[nodiscard]] EnergyWatch watch(double t, const Energy& now) const;
  /// The last watch that the run made itself; none before the first.
  [[nodiscard]] const std::optional<EnergyWatch>& last_watch() const { return last_watch_; }
  /// At time(), from the particles with the shortest steps. O(N).
  [[nodiscard]] std::optional<ClosePair> closest_pair() const;
  /// Length of the shortest step of all particles. O(N).
  [[nodiscard]] double shortest_step() const;
  /// What restarts changed, the oldest first.
  [[nodiscard]] const std::vector<RunChange>& changes() const { return changes_; }
  /// Everything that an output reports, at `t` from time() to the time of the next block. O(N^2).
  [[nodiscard]] Sample sample(double t) const;
  /// Values of the outputs so far, in the order of sample_columns(), if there is a log or an HDF5 output or
  /// keep_samples is set. With a log or an HDF5 output, those from before a restart are included.
  [[nodiscard]] const std::vector<std::vector<double>>& samples() const;
  /// Places at the outputs so far of the particles of settings.orbits, including those that a checkpoint has.
  [[nodiscard]] const std::vector<Orbit>& orbits() const { return orbits_; }
  [[nodiscard]] const HermiteState& state() const { return integrator_->state(); }
  /// Pairs that this process formed and dissolved, if binaries are regularised.
  [[nodiscard]] std::uint64_t pairs_formed() const { return integrator_->pairs_formed(); }
  [[nodiscard]] std::uint64_t pairs_dissolved() const { return integrator_->pairs_dissolved(); }
  [[nodiscard]] const HermiteCounters& counters() const { return integrator_->counters(); }
  [[nodiscard]] const Provenance& provenance() const { return provenance_; }
  /// The source of the particles: `plummer 64, seed 1`, or the name of the snapshot. A restarted run has the source of
  /// the run that it continues.
  [[nodiscard]] const std::string& start() const { return start_; }
  /// Seed of the start model, which a restarted run keeps; none if no particles were drawn at random.
  [[nodiscard]] std::optional<std::uint64_t> seed() const { return seed_; }
  /// Time at which the run began: that of its snapshot, else 0.
  [[nodiscard]] double start_time() const { return time_offset_; }
  /// The differences in provenance that a forced restart ignored.
  [[nodiscard]] const std::vector<std::string>& forced() const { return forced_; }
  /// False if the host's own force loop computes the forces.
  [[nodiscard]] bool has_board() const { return device_.has_value(); }
  /// Throws gdr::Error if the run has no board.
  [[nodiscard]] Device& device();
  [[nodiscard]] const Device& device() const;

 private:
  NbodyRun(NbodySettings settings, std::optional<Device> device, Provenance provenance);
  void check_settings() const;
  void begin();
  void require_board() const;
  void require_room(std::size_t particles) const;
  void begin_new();
  RecordedLength begin_from_checkpoint();
  [[nodiscard]] std::optional<double> next_output() const;
  void output(double t);
  void begin_orbits(const std::vector<std::int64_t>& ids_there);
  void continue_orbits(std::vector<Orbit> kept);
  void extend_orbits(double t);
  void begin_energy(const Particles& particles);
  void apply_changes(HermiteState& state);
  [[nodiscard]] bool watches() const;
  [[nodiscard]] std::uint64_t watch_number() const;
  [[nodiscard]] bool in_trouble() const;
  [[nodiscard]] std::optional<double> pipe_occupancy() const;
  bool go_to_output(const std::function<bool(const NbodyRun&)>& go_on);
  void write_checkpoint();
  void write_checkpoint_before_output();
  [[nodiscard]] Checkpoint checkpoint(const RecordedLength& recorded) const;
  [[nodiscard]] std::string context(const RecordedLength& recorded) const;

  NbodySettings settings_;
  std::optional<Device> device_;
  Provenance provenance_;
  std::unique_ptr<ForceBackend> backend_;
  std::unique_ptr<HermiteIntegrator> integrator_;
  std::string start_;
  std::optional<Units> units_;
  std::optional<std::uint64_t> seed_;
  std::vector<std::string> forced_;
  double initial_energy_ = 0;  // without the motion of the centre of mass
  double initial_size_ = 0;    // T + |W| at the start, without that motion
  std::optional<Energy> first_energy_;
  Scales scales_;
  std::optional<EnergyWatch> last_watch_;
  std::vector<RunChange> changes_;
  bool began_ = false;  // to integrate
  /// The integrator's time at which the run's is `t`. Sums of times are rounded: one that names a block stands for that
  /// block's time, which subtraction may miss.
  [[nodiscard]] double own_time(double t) const;
  double time_offset_ = 0;        // time of the run at the integrator's time 0
  std::int64_t step_offset_ = 0;  // step number at the integrator's time 0
  double begin_time_ = 0;         // time of the run at which this process began
  std::uint64_t outputs_ = 0;     // written so far
  std::optional<double> last_output_;
  std::vector<Orbit> orbits_;
  std::unique_ptr<RunRecorder> recorder_;  // of what happens in files
  std::vector<std::string> notes_;
  NbodyEnd end_ = NbodyEnd::reached;
  std::unique_ptr<char[]> reserve_;  // given back when memory is exhausted, for the last checkpoint and the report
};

}  // namespace gdr::hostlib
