// What remains of a run in files: snapshots, the log, the run file and checkpoints. The run tells a recorder what
// happened; the recorder alone knows paths and formats.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/nbody_run.h"

namespace gdr::hostlib {

/// How long the files were that a restart goes on with, when the checkpoint was written.
struct RecordedLength {
  std::uint64_t log_bytes = 0;
  std::string log_tail;             // last line of the log
  std::uint64_t run_file_rows = 0;  // samples in the run file
};

/// Opens the outputs of a run and writes them. Throws gdr::Error if one cannot be written.
class RunRecorder {
 public:
  /// Keeps a reference to `settings`.
  explicit RunRecorder(const NbodySettings& settings);

  /// The run begins at `t`, after `outputs` of the run that it continues, whose files were as long as `before`. Throws
  /// gdr::Error if a file is not the one that the run's checkpoint belongs to.
  void open(double t, std::uint64_t outputs, RecordedLength before);

  /// An output of the run at `t`: its snapshot and its sample. Returns the sample's energy, if one was taken.
  std::optional<Energy> output(const NbodyRun& run, double t, std::uint64_t number);
  /// The run has reached its end at `t`, with so many outputs.
  void end(const NbodyRun& run, double t);

  /// A checkpoint made by the run, if it has one: `checkpoint` gets what is to be said of the files.
  using MakeCheckpoint = std::function<Checkpoint(const RecordedLength&)>;
  void checkpoint(const MakeCheckpoint& make);
  /// The same with the files' lengths of the checkpoint before: an output that was begun since does not count.
  void checkpoint_before_output(const MakeCheckpoint& make);
  [[nodiscard]] bool checkpoint_is_due() const;

  [[nodiscard]] const std::vector<std::vector<double>>& samples() const { return samples_; }

 private:
  void open_log(double t);
  void open_run_file(std::uint64_t outputs);
  [[nodiscard]] SnapshotFormat snapshot_format() const {
    return settings_.format.value_or(snapshot_format_for(settings_.out));
  }
  [[nodiscard]] bool has_run_file() const {
    return is_hdf5(settings_.out) && settings_.format != SnapshotFormat::gadget;
  }
  void write_numbered_snapshot(const NbodyRun& run, double t, std::uint64_t number);
  void write_run_file(const NbodyRun& run, double t);
  void keep_own_snapshot(std::uint64_t number, std::uint64_t place);
  Energy take_sample(const NbodyRun& run, double t);

  const NbodySettings& settings_;
  std::vector<std::vector<double>> samples_;
  std::vector<SnapshotFile> snapshot_files_;  // snapshots that the run file names
  bool run_file_written_ = false;             // by this process
  std::optional<base::LineFile> log_;
  std::string log_tail_;   // last line of the log
  RecordedLength length_;  // when the last checkpoint was written
  double last_checkpoint_seconds_ = 0;
};

}  // namespace gdr::hostlib
