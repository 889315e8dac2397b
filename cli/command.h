// What every subcommand shares: how it is registered, the common options, the report's JSON envelope, progress.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/device.h"

namespace gdr::cli {

// Keys keep the order in which they were set, so that a report reads as it was meant.
using Json = nlohmann::ordered_json;

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // a file, a program or the run
inline constexpr int kUsage = 2;    // the command line

/// A mistake on the command line that only the run can see, such as an unknown kernel name.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// `name` with an example in its help; `run` is called once the command line is parsed and returns the exit status.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& what, const std::string& example,
                      std::function<int()> run);

/// Options of every command that drives a board.
struct BoardOptions {
  std::string machine = "model1800";
  unsigned boards = 1;
  std::optional<double> clock_mhz;
  std::string transfer = "2009";
  std::string engine = "simd";
  unsigned threads = 0;

  void add_to(CLI::App& command);
  [[nodiscard]] DeviceOptions device_options() const;
  [[nodiscard]] bool exact() const;
  [[nodiscard]] bool timing() const { return engine == "timing"; }
  /// "bit exact", or what the engine is instead.
  [[nodiscard]] std::string exactness() const;
};

/// Throws UsageError with the names of `known` unless `name_or_file` is one of them or names a .toml file; what a file
/// holds is not looked at.
void require_known(const std::string& name_or_file, const std::vector<std::string>& known, std::string_view argument);

/// Options of every command with a report.
struct ReportOptions {
  std::string json;  // file, or - for standard output
  bool quiet = false;

  void add_to(CLI::App& command);
  /// True if people may be told things on standard output.
  [[nodiscard]] bool speaks() const { return json != "-"; }
  /// Writes the report where it was asked for, if at all. Throws gdr::Error.
  void write(const Json& report) const;
};

/// Range and choice checks that name option, value and what is allowed.
[[nodiscard]] CLI::Validator in_range(double low, double high);
[[nodiscard]] CLI::Validator whole_in_range(std::uint64_t low, std::uint64_t high);
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> allowed);

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
/// Fills emulated seconds, Gflops, clocks and counters from a device.
void add_device_results(Json& report, const Device& device);

/// A bar on standard error for work of more than a second; nothing if that is no terminal or in quiet mode.
class Progress {
 public:
  Progress(std::string what, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `done` from 0 to 1; `detail` stands behind the bar.
  void show(double done, const std::string& detail = {});

 private:
  std::string what_;
  bool visible_;
  bool drawn_ = false;
  Stopwatch watch_;
  double last_ = 0;
};

/// A program from a source (.vsm, assembled, diagnostics on standard error) or an object file (.gdro). Throws
/// gdr::Error.
[[nodiscard]] isa::Program load_program(const std::string& path);

/// A kernel of ours by its name: kernels/NAME.vsm in the data directories. Throws gdr::Error with where it looked.
[[nodiscard]] isa::Program load_kernel(const std::string& name);

// One function a subcommand; each adds itself to the program.
void add_as(CLI::App& program);
void add_objdump(CLI::App& program);
void add_run(CLI::App& program);
void add_nbody(CLI::App& program);
void add_force(CLI::App& program);
void add_dgemm(CLI::App& program);
void add_hpl(CLI::App& program);
void add_validate(CLI::App& program);
void add_fp(CLI::App& program);
void add_machine(CLI::App& program);
void add_net(CLI::App& program);
void add_profile(CLI::App& program);
void add_explain(CLI::App& program);

}  // namespace gdr::cli
