#include "nbody/run_recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/own_files.h"
#include "gdr/hostlib/run_files.h"

namespace gdr::hostlib {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Whether `log` has lines that a run from `time` on cannot have written; true also if the file is not a log. If false,
/// the log may come from a restarted run that was killed before its first checkpoint, and another restart may begin it
/// again.
bool holds_lines_before(const std::filesystem::path& log, double time) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(log, none)) return false;
  const std::string text = base::read_file(log);
  if (text.empty()) return false;
  const std::string_view whole_lines = std::string_view(text).substr(0, text.rfind('\n') + 1);
  try {
    return std::ranges::any_of(samples_from_csv(whole_lines, log.string()),
                               [&](const std::vector<double>& row) { return row.front() < time; });
  } catch (const Error&) {
    return true;
  }
}

/// What a run file says of its run.
std::vector<RunAttribute> attributes_of(const NbodyRun& run) {
  const Provenance& provenance = run.provenance();
  const HermiteOptions& options = run.state().options;
  std::vector<RunAttribute> all = {
      {"version", provenance.version}, {"start", run.start()}, {"eps", options.eps}, {"eta", options.eta}};
  const std::vector<RunAttribute> of_board = {{"kernel", provenance.kernel},
                                              {"kernel_sha256", provenance.kernel_sha256},
                                              {"machine", provenance.machine},
                                              {"machine_sha256", provenance.machine_sha256},
                                              {"clock_mhz", provenance.clock_mhz},
                                              {"transfer", provenance.transfer},
                                              {"boards", static_cast<std::int64_t>(provenance.boards)}};
  if (run.has_board()) all.insert(all.end(), of_board.begin(), of_board.end());
  if (options.regularise) all.push_back({"binaries", std::string("regularised")});
  all.push_back({"engine", provenance.engine});
  all.push_back({"exact", static_cast<std::int64_t>(provenance.exact)});
  if (!run.changes().empty()) {
    std::vector<std::string> texts;
    for (const RunChange& change : run.changes()) texts.push_back(fmt::format("t = {}: {}", change.t, change.what));
    all.push_back({"changes", fmt::format("{}", fmt::join(texts, "; "))});
  }
  return all;
}

}  // namespace

RunRecorder::RunRecorder(const NbodySettings& settings)
    : settings_(settings), last_checkpoint_seconds_(wall_seconds()) {
  for (const std::filesystem::path& path : {settings_.out, settings_.log, settings_.checkpoint}) {
    if (!path.empty()) base::require_writable(path);
  }
  if (!settings_.checkpoint.empty()) require_room_for_previous(settings_.checkpoint);
}

void RunRecorder::open(double t, std::uint64_t outputs, RecordedLength before) {
  length_ = std::move(before);
  log_tail_ = length_.log_tail;
  open_log(t);
  open_run_file(outputs);
}

void RunRecorder::open_log(double t) {
  if (settings_.log.empty()) return;
  const bool continues = length_.log_bytes > 0 && std::filesystem::exists(settings_.log);
  const auto refuse = [&] {
    throw Error(fmt::format("{}: is not the log that {} belongs to; name another file", settings_.log.string(),
                            settings_.restart.string()));
  };
  if (!continues) {
    if (!settings_.restart.empty() && holds_lines_before(settings_.log, t)) refuse();
    log_.emplace(settings_.log);
    log_tail_ = sample_csv_header();
    log_->append(log_tail_);
    length_.log_bytes = log_->size();
    length_.log_tail = log_tail_;
    return;
  }
  const std::string text = base::read_file(settings_.log);
  if (text.size() < length_.log_bytes || !std::string_view(text).substr(0, length_.log_bytes).ends_with(log_tail_))
    refuse();
  samples_ = samples_from_csv(std::string_view(text).substr(0, length_.log_bytes), settings_.log.string());
  log_.emplace(settings_.log, length_.log_bytes);
}

/// Reads back a run file of which the checkpoint knows, up to the number of outputs in the checkpoint. The file may
/// have more, if it was written again before the process ended.
void RunRecorder::open_run_file(std::uint64_t outputs) {
  if (!has_run_file() || length_.run_file_rows == 0 || !std::filesystem::exists(settings_.out)) return;
  RunFile file = read_run_file(settings_.out);
  if (file.samples.size() < length_.run_file_rows) {
    throw Error(fmt::format("{}: is not the file that {} belongs to: it holds {} outputs of {}; name another file",
                            settings_.out.string(), settings_.restart.string(), file.samples.size(),
                            length_.run_file_rows));
  }
  file.samples.resize(length_.run_file_rows);
  samples_ = std::move(file.samples);
  for (SnapshotFile& other : file.others) {
    const std::optional<std::uint64_t> number = base::number_in_path(other.name);
    if (!number || *number < outputs) snapshot_files_.push_back(std::move(other));
  }
  if (settings_.every > 0 && file.own_place) keep_own_snapshot(outputs - 1, *file.own_place);
}

/// The snapshot that is in the run file itself would be lost when the file is written again.
void RunRecorder::keep_own_snapshot(std::uint64_t number, std::uint64_t place) {
  const std::filesystem::path path = base::numbered_path(settings_.out, number);
  const std::string content = base::read_file(settings_.out);
  // It is there if the run that moved it was killed before it wrote its run file.
  if (std::filesystem::exists(path) && base::read_file(path) != content) {
    throw Error(fmt::format("{}: the snapshot in {} would be moved there, but there is a file; name another file",
                            path.string(), settings_.out.string()));
  }
  base::write_file(path, content);
  snapshot_files_.push_back({path.filename().string(), place});
}

std::optional<Energy> RunRecorder::output(const NbodyRun& run, double t, std::uint64_t number) {
  if (!settings_.out.empty() && settings_.every > 0) write_numbered_snapshot(run, t, number);
  std::optional<Energy> energy;
  if (log_ || has_run_file() || settings_.keep_samples) energy = take_sample(run, t);
  if (has_run_file()) write_run_file(run, t);
  return energy;
}

void RunRecorder::end(const NbodyRun& run, double t) {
  if (has_run_file()) {
    if (!run_file_written_) write_run_file(run, t);
  } else if (!settings_.out.empty()) {
    write_snapshot(settings_.out, run.snapshot(t), snapshot_format());
  }
}

Energy RunRecorder::take_sample(const NbodyRun& run, double t) {
  const Sample taken = run.sample(t);
  samples_.push_back(sample_values(taken));
  if (!log_) return taken.energy;
  log_tail_ = sample_csv_line(samples_.back());
  log_->append(log_tail_);
  return taken.energy;
}

void RunRecorder::write_numbered_snapshot(const NbodyRun& run, double t, std::uint64_t number) {
  const std::filesystem::path path = base::numbered_path(settings_.out, number);
  if (!has_run_file()) {
    write_snapshot(path, run.snapshot(t), snapshot_format());
    return;
  }
  RunFile file;
  file.attributes = attributes_of(run);
  file.units = run.units();
  file.snapshot = run.snapshot(t);
  hostlib::write_run_file(path, file);
  snapshot_files_.push_back({path.filename().string()});
}

/// Writes the run file after an output at `t`. The file names the numbered snapshots; if there are to be none, it holds
/// the last snapshot itself.
void RunRecorder::write_run_file(const NbodyRun& run, double t) {
  RunFile file{attributes_of(run), samples_, snapshot_files_, std::nullopt, std::nullopt, run.units()};
  if (settings_.every == 0) file.snapshot = run.snapshot(t);
  hostlib::write_run_file(settings_.out, file);
  run_file_written_ = true;
}

bool RunRecorder::checkpoint_is_due() const {
  return !settings_.checkpoint.empty() &&
         wall_seconds() - last_checkpoint_seconds_ >= 60 * settings_.checkpoint_minutes;
}

void RunRecorder::checkpoint(const MakeCheckpoint& make) {
  if (settings_.checkpoint.empty()) return;
  // Everything that the checkpoint says of the log must be on the disk.
  if (log_) log_->flush();
  length_ = {log_ ? log_->size() : 0, log_tail_, has_run_file() ? samples_.size() : 0};
  checkpoint_before_output(make);
}

void RunRecorder::checkpoint_before_output(const MakeCheckpoint& make) {
  if (settings_.checkpoint.empty()) return;
  RecordedLength recorded = length_;
  if (!log_) recorded.log_tail.clear();
  write_checkpoint(settings_.checkpoint, make(recorded));
  last_checkpoint_seconds_ = wall_seconds();
}

}  // namespace gdr::hostlib
