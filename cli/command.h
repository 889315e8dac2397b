// What every subcommand shares: the common options, the report's JSON envelope.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "gdr/base/json.h"
#include "gdr/emulator/transfer_mode.h"
#include "gdr/hostlib/device.h"
#include "progress.h"

namespace gdr::cli {

using base::Json;

enum class DirectEngine : std::uint8_t { refused, taken };

/// An engine's name, or two of them in lockstep; where it is taken also hostlib::kDirectEngine, which has no board.
[[nodiscard]] Check known_engine(DirectEngine direct = DirectEngine::refused);

/// Options of every command that drives a board.
struct BoardOptions {
  std::string machine = "model1800";
  unsigned boards = 1;
  std::optional<double> clock_mhz;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  std::string engine = "simd";  // a name: programs may register engines of their own
  unsigned threads = 0;

  /// Returns those that have no effect without a board.
  std::vector<Option> add_to(Command command, DirectEngine direct = DirectEngine::refused);
  [[nodiscard]] DeviceOptions device_options() const;
  [[nodiscard]] bool exact() const;
  [[nodiscard]] bool timing() const { return engine == "timing"; }
  [[nodiscard]] bool direct() const;
  /// "bit exact", or what the engine is instead.
  [[nodiscard]] std::string exactness() const;
};

/// Throws UsageError with the names of `known` unless `name_or_file` is one of them or names a .toml file; what a file
/// holds is not looked at.
void require_known(const std::string& name_or_file, const std::vector<std::string>& known, std::string_view argument);

/// To a file, or to standard output if `file` is "-". Throws gdr::Error.
void write_text(const std::string& file, std::string_view text);

/// Throws gdr::Error if `bytes` are more than this host has: a system that promises more ends programs that take it.
void require_memory(double bytes, std::string_view what);

/// Options of every command with a report.
struct ReportOptions {
  std::string json;  // file, or - for standard output
  bool quiet = false;
  bool progress = false;

  void add_to(Command command);
  /// True if human-readable output goes to standard output.
  [[nodiscard]] bool speaks() const { return json != "-"; }
  /// On a terminal, unless --quiet or --progress say otherwise.
  [[nodiscard]] ProgressShown progress_shown() const;
  /// Writes the report where it was asked for, if at all. Throws gdr::Error.
  void write(const Json& report) const;
};

/// Wall clock of the whole command.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The fields every result carries. Fields that an engine does not compute are null.
[[nodiscard]] Json envelope(const std::string& tool, const std::string& machine, const std::string& engine, bool exact);
/// The field `counters`; events are null for an engine that computes nothing.
[[nodiscard]] Json counters_json(const emulator::Counters& counters, bool computes);
/// The fields `kernel_sha256` and `machine_sha256`, which tell files of one name apart.
void add_digests(Json& report, const isa::Program& program, const emulator::MachineDescription& machine);
/// Fills digests, emulated seconds, Gflops, clocks and counters from a device.
void add_device_results(Json& report, const Device& device);

/// A kernel of ours by its name: kernels/NAME.vsm in the data directories. Throws gdr::Error with where it looked.
[[nodiscard]] isa::Program load_kernel(const std::string& name);

// One function a subcommand; each adds itself to the program.
void add_analyse(Command program);
void add_as(Command program);
void add_cc(Command program);
void add_objdump(Command program);
void add_run(Command program);
void add_debug(Command program);
void add_lsp(Command program);
void add_nbody(Command program);
void add_force(Command program);
void add_dgemm(Command program);
void add_hpl(Command program);
void add_validate(Command program);
void add_fp(Command program);
void add_machine(Command program);
void add_net(Command program);
void add_cluster(Command program);
void add_profile(Command program);
void add_selftest(Command program);
void add_explain(Command program);
void add_completion(Command program);
void add_manual(Command program);

}  // namespace gdr::cli
