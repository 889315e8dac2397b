// Shared by all subcommands: the options of boards, and what reports say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/commandline/command_line.h"
#include "gdr/commandline/progress.h"
#include "gdr/commandline/report_options.h"
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
using commandline::ReportOptions;
using commandline::require_known;
using commandline::require_memory;
using commandline::Stopwatch;
using commandline::UsageError;
using commandline::whole_in_range;
using commandline::write_text;

enum class DirectEngine : std::uint8_t { refused, taken };

/// Checks for the name of an engine, or of two in lockstep; with `direct` taken also for hostlib::kDirectEngine, which
/// has no board.
[[nodiscard]] Check known_engine(DirectEngine direct = DirectEngine::refused);

/// The options that several commands have.
[[nodiscard]] const std::vector<commandline::TabledOption>& option_table();

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

using hostlib::add_device_results;
using hostlib::add_digests;
using hostlib::counters_json;

/// A kernel that comes with gdr: kernels/NAME.vsm in the data directories. Throws gdr::Error if it is not found; the
/// message lists the places searched.
[[nodiscard]] isa::Program load_kernel(const std::string& name);

/// The program, as its command line and its manual pages name it.
extern const commandline::Program kProgram;

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
