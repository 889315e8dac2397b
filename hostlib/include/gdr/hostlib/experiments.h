// Many small independent problems on a board, one in each element of each PE of each block: a kernel of experiments
// (isa/experiment.h) runs in rounds of some steps. Between rounds the host takes the results of experiments that are
// done, and lets others begin in their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/table.h"

namespace gdr::hostlib {

/// Steps of a round if nobody chooses them. Starting a round takes 22 us and its i-data some 2 ms a board
/// (docs/kernels/experiments.md), as long as some hundred steps of a three-body problem; a place stands idle for half a
/// round when its experiment is done.
inline constexpr std::uint64_t kRoundSteps = 200;

/// Most steps of an experiment. Its status holds twice the number of steps, and parameters are doubles.
inline constexpr std::uint64_t kMostExperimentSteps = std::uint64_t{1} << 52;

struct ExperimentOptions {
  std::uint64_t most_steps = 0;   // of an experiment, 1 to 2^52
  std::uint64_t round_steps = 0;  // a divisor of most_steps up to Device::turn_capacity(); 0: next to kRoundSteps
  bool refill = true;             // false: places are filled again when all their experiments are done
};

struct ExperimentResults {
  std::vector<std::uint64_t> fields;   // shape: [experiment][result column], as gdr::Device has them
  std::vector<std::uint64_t> steps;    // [experiment]
  std::vector<std::uint8_t> finished;  // [experiment]; 0: it had most_steps and is not done
  std::uint64_t rounds = 0;
  std::uint64_t round_steps = 0;
  std::size_t places = 0;  // of all boards
  /// Steps of all experiments / steps for which the board's places had time: in all rounds, and in those in which every
  /// place had an experiment. NaN if there were no such rounds.
  double occupancy = 0;
  double occupancy_of_queue = 0;

  [[nodiscard]] std::size_t unfinished() const;
};

/// The columns of a start and of a result of a kernel of experiments.
[[nodiscard]] std::vector<ColumnType> start_columns(const isa::Program& program);
[[nodiscard]] std::vector<ColumnType> result_columns(const isa::Program& program);

/// The i-record by which the board begins an experiment: the fields of `start` and the ticket.
[[nodiscard]] std::vector<std::uint64_t> beginning_record(const isa::Program& program,
                                                          std::span<const std::uint64_t> start);

/// Steps of a round for `options`, of at most `most_of_round`, a device's turn_capacity(). Throws gdr::Error if
/// most_steps or round_steps is out of its range, or round_steps is no divisor.
[[nodiscard]] std::uint64_t round_steps_of(const ExperimentOptions& options, std::uint64_t most_of_round);

/// Runs an experiment for each start on the device's program; `starts` has the shape [experiment][start column].
/// Results are in the order of the starts. They and the events of their steps depend on starts, parameters and
/// most_steps, not on rounds, refilling, engine, threads or the number of chips. An experiment that is not done after
/// most_steps gives the result of its last state. `told` may be empty; it is called after each round with the number of
/// experiments whose results are there, and that of all; an exception from it ends the run.
///
/// With engine `timing` there are no results: time is added as if every experiment took most_steps. Rounds are alike
/// then, and only one is looked at.
///
/// Throws gdr::Error if the program is no kernel of experiments, for starts that are no whole records or have a value
/// that a conversion refuses, and as round_steps_of().
[[nodiscard]] ExperimentResults run_experiments(Device& device, std::span<const std::uint64_t> starts,
                                                const ExperimentOptions& options,
                                                const std::function<void(std::size_t, std::size_t)>& told = {});

/// The table of results, a row for each experiment: the result columns, `steps`, `finished`.
[[nodiscard]] Table experiment_table(const isa::Program& program, const ExperimentResults& results);

/// The field `experiments` of a report. A number that there is not is null.
[[nodiscard]] base::Json experiments_json(const ExperimentResults& results);
/// `100000 experiments in 61 rounds of 200 steps; ...`
[[nodiscard]] std::string experiments_text(std::size_t experiments, const ExperimentResults& results,
                                           std::uint64_t most_steps);

/// What an object file holds beside its lines, as comments: versions, records, experiments, variables, and the source
/// line of each line.
[[nodiscard]] std::string object_comment(const isa::Program& program, const std::string& file);

}  // namespace gdr::hostlib
