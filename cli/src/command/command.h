// Shared by all subcommands: common options and the JSON envelope of reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/base/report.h"
#include "gdr/commandline/command_line.h"
#include "gdr/commandline/progress.h"
#include "gdr/emulator/transfer_mode.h"
#include "gdr/hostlib/device_report.h"

namespace gdr::cli {

/// Default of --factors in all commands: a network's latency and bandwidth are those of its description. The factors
/// that a message library adds were measured on a network of its own (smpi-factors: Gigabit Ethernet).
inline constexpr const char* kNoFactors = "none";

using base::Json;
using base::ValueUnit;
using commandline::Check;
using commandline::Command;
using commandline::from_command_line;
using commandline::in_range;
using commandline::kFailure;
using commandline::kNoLimit;
using commandline::kSuccess;
using commandline::kUsage;
using commandline::kUsualHeading;
using commandline::one_of;
using commandline::Option;
using commandline::Progress;
using commandline::ProgressShown;
using commandline::UsageError;
using commandline::whole_in_range;

enum class DirectEngine : std::uint8_t { refused, taken };

/// Checks for the name of an engine, or of two in lockstep; with `direct` taken also for hostlib::kDirectEngine, which
/// has no board.
[[nodiscard]] Check known_engine(DirectEngine direct = DirectEngine::refused);

/// Adds --machine and --boards, and returns them.
std::vector<Option> add_boards(Command command, std::string& machine, unsigned& boards);

/// Options of every command that uses a board.
struct BoardOptions {
  std::string machine = "model1800";
  unsigned boards = 1;
  std::optional<double> clock_mhz;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  std::string engine = "simd";  // "timing": --timing-only; a string: programs may register engines of their own
  unsigned threads = 0;
  std::vector<Option> of_machine;    // the options that say which boards there are
  std::vector<Option> of_computing;  // the options that have no effect if nothing is computed

  /// Returns the options that have no effect without a board.
  std::vector<Option> add_to(Command command, DirectEngine direct = DirectEngine::refused);
  [[nodiscard]] DeviceOptions device_options() const;
  /// The same for a model, which may compute results beside: with --timing-only an engine that computes.
  [[nodiscard]] DeviceOptions options_of_model() const;
  /// The machine, with the clock that was given.
  [[nodiscard]] emulator::MachineDescription description() const;
  /// False if nothing is computed, too.
  [[nodiscard]] bool exact() const;
  [[nodiscard]] bool timing() const { return engine == "timing"; }
  [[nodiscard]] bool direct() const;
  /// For Command::refuse_if(): why options of_computing have no effect, if that is so.
  [[nodiscard]] std::string why_nothing_is_computed() const;
  /// "bit exact", or a description of the engine's results if they are not.
  [[nodiscard]] std::string exactness() const;
  /// For words of a text: the same, null if results are exact or nothing is computed.
  [[nodiscard]] Json inexactness() const;
};

/// Throws UsageError with the names in `known` unless `name_or_file` is one of them or names a .toml file. The contents
/// of a file are not checked.
void require_known(const std::string& name_or_file, const std::vector<std::string>& known, std::string_view argument);

/// Writes text to a file, or to standard output if `file` is "-". Throws gdr::Error if it cannot be written.
void write_text(const std::string& file, std::string_view text);

/// Throws gdr::Error if `bytes` exceed the memory of this host: systems that overcommit memory kill programs that use
/// it.
void require_memory(double bytes, std::string_view what);

/// Wall-clock time since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Options of every command with a report.
struct ReportOptions {
  std::string json;  // file, or - for standard output
  std::string csv;   // the same, for the rows of a report that has some
  bool quiet = false;
  bool progress = false;
  std::optional<Command> command;  // whose report it is
  std::vector<Option> of_rows;     // --csv, if the report has rows
  Stopwatch clock;                 // of the whole command

  void add_to(Command command);
  /// True if a summary for people goes to standard output.
  [[nodiscard]] bool speaks() const { return !quiet && json != "-" && csv != "-"; }
  /// Progress is shown on a terminal, unless --quiet or --progress changes that.
  [[nodiscard]] ProgressShown progress_shown() const;
  /// The fields with which every report begins; null are those that nothing computes.
  [[nodiscard]] Json begin(const Json& machine = nullptr, const Json& engine = nullptr,
                           const Json& exact = nullptr) const;
  /// Writes the report to its files, if there are any, with its schema (report_shapes.h), the host's time and
  /// the options that were given as the field `options`. Throws gdr::Error if it cannot be written.
  void write(Json report) const;
  /// Prints the report as its shape's text if it speaks, then writes it. `words` are those of base::text_of().
  void show(Json report, const Json& words = {}) const;

 private:
  [[nodiscard]] const base::ReportShape& shape() const;
  /// Sets the fields that are known at the end.
  void end(Json& report) const;
};

/// For words of a text: null if the text is empty.
[[nodiscard]] Json text_or_null(const std::string& text);

/// As ReportOptions::begin().
[[nodiscard]] Json envelope(const std::string& tool, const Json& machine, const Json& engine, const Json& exact);
using hostlib::add_device_results;
using hostlib::add_digests;
using hostlib::counters_json;

/// A kernel that comes with gdr: kernels/NAME.vsm in the data directories. Throws gdr::Error if it is not found; the
/// message lists the places searched.
[[nodiscard]] isa::Program load_kernel(const std::string& name);

// One function for each subcommand; it adds the subcommand to the program, under the name that main() gives it.
void add_analyse(Command program, const std::string& name);
void add_as(Command program, const std::string& name);
void add_cc(Command program, const std::string& name);
void add_objdump(Command program, const std::string& name);
void add_fmt(Command program, const std::string& name);
void add_run(Command program, const std::string& name);
void add_debug(Command program, const std::string& name);
void add_lsp(Command program, const std::string& name);
void add_nbody(Command program, const std::string& name);
void add_force(Command program, const std::string& name);
void add_dgemm(Command program, const std::string& name);
void add_hpl(Command program, const std::string& name);
void add_validate(Command program, const std::string& name);
void add_fp(Command program, const std::string& name);
void add_machine(Command program, const std::string& name);
void add_net(Command program, const std::string& name);
void add_cluster(Command program, const std::string& name);
void add_judge(Command program, const std::string& name);
void add_profile(Command program, const std::string& name);
void add_schema(Command program, const std::string& name);
void add_selftest(Command program, const std::string& name);
void add_explain(Command program, const std::string& name);
void add_completion(Command program, const std::string& name);
void add_manual(Command program, const std::string& name);
void add_doctor(Command program, const std::string& name);

}  // namespace gdr::cli
