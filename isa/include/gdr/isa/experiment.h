// Kernels of experiments: many small independent problems, one in each element of each PE of each block. Such a kernel
// is one of Type II with control words under fixed names, and with results that stand in the PE until a run's end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::isa {

/// The i-data word by which the host says what happens in a place, a value of Ticket.
inline constexpr std::string_view kExperimentTicket = "experiment_ticket";
/// The parameter that holds the most steps of an experiment.
inline constexpr std::string_view kExperimentLimit = "experiment_limit";
/// The word of the PE that says after a run whether the place's experiment leaves: 0 if not; else twice the number of
/// its steps, plus 1 if it is done and has not just reached the limit.
inline constexpr std::string_view kExperimentStatus = "experiment_status";
/// What the names of all control words and of their macros begin with.
inline constexpr std::string_view kExperimentPrefix = "experiment_";
/// The flag that is set while an experiment goes on.
inline constexpr std::uint8_t kExperimentFlag = 1;

/// The columns that a table of results has after those of the results: the steps that an experiment took, and whether
/// it is done. No result has one of these names.
inline constexpr std::string_view kExperimentSteps = "steps";
inline constexpr std::string_view kExperimentFinished = "finished";

/// True if a result of experiments cannot have this name.
[[nodiscard]] constexpr bool is_experiment_column(std::string_view name) {
  return name == kExperimentSteps || name == kExperimentFinished;
}

/// What happens in a place in a run.
enum class Ticket : std::int64_t {
  none = 0,   // the place has no experiment; the one there is dropped
  stays = 1,  // the experiment there goes on
  begins = 2  // an experiment begins with the i-data of this run
};

/// The header of a section in the source of such a kernel: `experiment step` for the loop body.
[[nodiscard]] std::string_view experiment_name_of(Section section);

/// True if the program was assembled from a kernel of experiments.
[[nodiscard]] bool is_experiment(const Program& program);

/// The i-data of an experiment, without the ticket, in declaration order.
[[nodiscard]] std::vector<const Variable*> experiment_starts(const Program& program);

/// The results of an experiment: variables of the PE, in declaration order. They are not transferred themselves: the
/// `collect` lines bring out the status, then each element of each result, in this order.
[[nodiscard]] std::vector<const Variable*> experiment_results(const Program& program);

/// True if no line of the loop body can end an experiment, so that each takes as many steps as the limit says.
[[nodiscard]] bool counts_steps(const Program& program);

/// Throws gdr::Error unless the control words and the `collect` lines of a kernel of experiments are what these
/// functions promise. validate() calls it.
void validate_experiment(const Program& program);

}  // namespace gdr::isa
