// The part of `gdr run` that is for kernels of experiments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/command.h"
#include "gdr/hostlib/experiments.h"
#include "run_input.h"

namespace gdr::cli {

/// Options of `gdr run` for kernels of experiments.
struct ExperimentArguments {
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> round;
  bool no_refill = false;

  void add_to(Command command);
  /// Throws UsageError for options that do not fit the kernel.
  void check(const isa::Program& program, const RunInput& input) const;
  [[nodiscard]] hostlib::ExperimentOptions options() const;
};

/// Options of `gdr debug` for a kernel of experiments, one of which it steps through.
struct OneExperiment {
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> number;  // from 0 on; none: the first

  void add_to(Command command);
  /// Throws UsageError for options that do not fit the kernel. Of a kernel of experiments, adds the parameter that
  /// limits the steps.
  void check(const isa::Program& program, const RunInput& input,
             std::vector<std::pair<std::string, double>>& parameters) const;
  /// The experiment in the first place of the board, in one round.
  [[nodiscard]] RunData read(const isa::Program& program, const RunInput& input) const;
};

/// Starts from the file of --i, as records for run_experiments(). Throws UsageError if there is no such file, and
/// gdr::Error for errors in its contents.
[[nodiscard]] std::vector<std::uint64_t> read_starts(const isa::Program& program, const RunInput& input);

}  // namespace gdr::cli
