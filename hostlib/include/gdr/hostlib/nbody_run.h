// An N-body run as users start it: where the particles come from, the board or the host's own loop that computes the
// forces, every output on the way, and a restart that continues all of it.
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

#include "gdr/base/file.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/diagnostics.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/particles.h"
#include "gdr/hostlib/run_files.h"
#include "gdr/hostlib/snapshot.h"
#include "gdr/hostlib/start_model.h"

namespace gdr::hostlib {

/// Engine of a run whose forces the host computes itself, by DirectForce: it has no board, no kernel and no emulated
/// time.
inline constexpr std::string_view kDirectEngine = "direct";

/// What decides the bits and the emulated time of a run beside its particles. A run without a board has the version and
/// the engine alone.
struct Provenance {
  std::string version;         // of gdr; told, not compared
  std::string kernel;          // name
  std::string kernel_sha256;   // kernel_digest()
  std::string machine;         // name
  std::string machine_sha256;  // machine_digest()
  double clock_mhz = 0;
  std::string transfer;  // `2009` or `ideal`
  unsigned boards = 1;
  std::string engine;
  bool exact = true;  // the engine's results are the machine's; exact engines may take over from each other

  [[nodiscard]] bool has_board() const { return engine != kDirectEngine; }
};
[[nodiscard]] Provenance provenance_of(const Device& device, const std::string& kernel, const isa::Program& program);
/// What keeps a run begun as `one` from going on as `other`, in words; empty if nothing does.
[[nodiscard]] std::vector<std::string> differences(const Provenance& one, const Provenance& other);

/// Who computes the forces of a run that its own device does not compute alone: processes that all do the same run.
class ForceSharing {
 public:
  virtual ~ForceSharing() = default;
  /// The engine of a run on `device`, into which it loads `program`. Called once; the device outlives the engine.
  [[nodiscard]] virtual std::unique_ptr<ForceBackend> share(Device& device, isa::Program program) = 0;
  /// As many boards in one process give the same bits.
  [[nodiscard]] virtual unsigned boards() const = 0;
  /// Processes.
  [[nodiscard]] virtual unsigned ranks() const = 0;
  /// j-particles that all of them hold, if one device holds `of_device`.
  [[nodiscard]] virtual std::size_t j_capacity(std::size_t of_device) const = 0;
  /// What a checkpoint keeps of the clocks of all, and what a restarted run goes on from, once its device has resumed;
  /// empty if the checkpoint is of a run that shared nothing. Throws gdr::Error or a JSON exception if it is damaged.
  [[nodiscard]] virtual std::string totals() const = 0;
  virtual void resume(const std::string& totals) = 0;

 protected:
  ForceSharing() = default;
  ForceSharing(const ForceSharing&) = default;
  ForceSharing& operator=(const ForceSharing&) = default;
};

struct NbodySettings {
  // The particles: from exactly one of these.
  std::optional<StartModel> start;
  std::optional<Particles> particles;
  std::filesystem::path in;
  std::filesystem::path restart;
  bool force_restart = false;  // even where provenance differs; the bits are then those of no uninterrupted run

  std::string kernel = "gravity_jerk";  // of a run on a board
  HermiteOptions hermite;               // of a new run; a checkpoint has its own
  double t_end = 0;                     // counts from the time of the snapshot, if it has one
  /// Relative; a run that is further off when an output is due ends there.
  double most_energy_error = std::numeric_limits<double>::infinity();

  double every = 0;  // between outputs; 0: at the end alone
  std::filesystem::path out;
  SnapshotFormat format = SnapshotFormat::phigrape;  // of text
  std::shared_ptr<const RunFiles> run_files;         // for `in` and `out` whose names are those of HDF5
  std::filesystem::path log;
  bool keep_samples = false;  // for samples(), without a log too
  std::filesystem::path checkpoint;
  double checkpoint_minutes = 10;  // of wall clock between checkpoints, beside those at outputs

  std::shared_ptr<ForceSharing> sharing;  // nothing: the run's own device computes the forces
};

/// Paths that a run will write to: snapshots, log, checkpoint.
[[nodiscard]] std::vector<std::filesystem::path> outputs_of(const NbodySettings& settings);

enum class NbodyEnd : std::uint8_t { reached, stopped, energy_error };

class NbodyRun {
 public:
  /// Loads `program` into `device`, opens every output, and computes the first forces. Throws gdr::Error, before
  /// anything is computed, for settings that contradict each other, a path that cannot be written to, one path for two
  /// outputs, a checkpoint of another kernel, machine or number of boards, a log that is not the checkpoint's.
  NbodyRun(NbodySettings settings, Device device, isa::Program program);
  /// The same with the host's own force loop in place of a board. Throws gdr::Error for settings that share forces,
  /// too.
  NbodyRun(NbodySettings settings, const DirectOptions& direct);
  ~NbodyRun();
  NbodyRun(const NbodyRun&) = delete;
  NbodyRun& operator=(const NbodyRun&) = delete;

  /// Integrates to the end, writing outputs and checkpoints. `go_on` is called after every block; once it returns false
  /// the run writes its checkpoint and ends. Throws gdr::Error if an output cannot be written or a force is not finite;
  /// the last checkpoint stays.
  NbodyEnd integrate(const std::function<bool(const NbodyRun&)>& go_on);
  /// The same as far as the next output. True if that is not the last one. integrate() and this may take turns.
  bool integrate_to_output(const std::function<bool(const NbodyRun&)>& go_on);
  /// How the last of these calls ended.
  [[nodiscard]] NbodyEnd end() const { return end_; }
  /// Time of the last output; none before the first.
  [[nodiscard]] std::optional<double> last_output() const { return last_output_; }

  /// Of the snapshot, if it had one, and the run.
  [[nodiscard]] double time() const;
  [[nodiscard]] double begin_time() const { return begin_time_; }
  [[nodiscard]] double end_time() const { return settings_.t_end; }
  /// The time at which results are told: the end, or where the run was stopped.
  [[nodiscard]] double result_time() const { return end_ == NbodyEnd::reached ? settings_.t_end : time(); }

  [[nodiscard]] Particles particles() const;  // at result_time()
  /// At `t` from time() to the next block's. Throws gdr::Error for other times.
  [[nodiscard]] Particles particles_at(double t) const;
  [[nodiscard]] std::size_t predicted() const;
  [[nodiscard]] Energy energy() const;  // throws gdr::Error if it is not finite
  /// (E - E0) / |E0|; none for a system without energy.
  [[nodiscard]] std::optional<double> energy_error(const Energy& now) const;
  /// All that an output tells, at `t` from time() to the next block's. O(N^2).
  [[nodiscard]] Sample sample(double t) const;
  /// Values of the outputs so far, in the order of sample_columns(), if there is a log or keep_samples is set; with a
  /// log also those from before a restart.
  [[nodiscard]] const std::vector<std::vector<double>>& samples() const { return samples_; }
  [[nodiscard]] const HermiteState& state() const { return integrator_->state(); }
  [[nodiscard]] const HermiteCounters& counters() const { return integrator_->counters(); }
  [[nodiscard]] const Provenance& provenance() const { return provenance_; }
  /// `plummer 64, seed 1`, or the name of the snapshot; of a restarted run that of the run it continues.
  [[nodiscard]] const std::string& start() const { return start_; }
  /// Of the start model, of a restarted run too; none if nothing was drawn.
  [[nodiscard]] std::optional<std::uint64_t> seed() const { return seed_; }
  /// At which the run began: of its snapshot, else 0.
  [[nodiscard]] double start_time() const { return time_offset_; }
  /// What was found when a restart was forced.
  [[nodiscard]] const std::vector<std::string>& forced() const { return forced_; }
  /// False for a run by the host's own force loop.
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
  void begin_from_checkpoint();
  void open_log();
  void open_run_file();
  [[nodiscard]] std::optional<double> next_output() const;
  void output(double t);
  void take_sample(double t);
  [[nodiscard]] std::optional<double> pipe_occupancy() const;
  [[nodiscard]] Snapshot snapshot(double t) const;
  void write_numbered_snapshot(double t);
  [[nodiscard]] std::vector<RunAttribute> attributes() const;
  [[nodiscard]] bool has_run_file() const { return is_hdf5(settings_.out); }
  void write_run_file(double t, std::uint64_t number);
  void write_checkpoint();
  [[nodiscard]] bool checkpoint_is_due() const;
  [[nodiscard]] std::string context() const;

  NbodySettings settings_;
  std::optional<Device> device_;
  Provenance provenance_;
  std::unique_ptr<ForceBackend> backend_;
  std::unique_ptr<HermiteIntegrator> integrator_;
  std::string start_;
  std::optional<std::uint64_t> seed_;
  std::vector<std::string> forced_;
  double initial_energy_ = 0;
  double time_offset_ = 0;        // of the integrator's time 0
  std::int64_t step_offset_ = 0;  // of its step number
  double begin_time_ = 0;         // of this process
  std::uint64_t outputs_ = 0;     // written so far
  std::optional<double> last_output_;
  std::vector<std::vector<double>> samples_;
  std::vector<SnapshotFile> snapshot_files_;  // that the run file names
  std::uint64_t run_file_rows_ = 0;           // samples in it when the checkpoint was written
  bool run_file_written_ = false;             // by this process
  std::optional<base::LineFile> log_;
  std::uint64_t log_bytes_ = 0;  // of the log when the checkpoint was written
  std::string log_tail_;         // its last line
  double last_checkpoint_seconds_ = 0;
  NbodyEnd end_ = NbodyEnd::reached;
};

}  // namespace gdr::hostlib
