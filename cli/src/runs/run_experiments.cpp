#include "run_experiments.h"

#include <fmt/format.h>

#include "gdr/base/counted.h"
#include "gdr/isa/experiment.h"

namespace gdr::cli {

namespace {

/// Of any machine, whose external memory has at most 2^32 words; the device refuses rounds that are too long for it.
constexpr std::uint64_t kMostRoundSteps = std::uint64_t{1} << 28;

/// Throws UsageError for options of experiments that are given for another kernel, and the other way round. `given`:
/// names of options, and whether they are there.
void check_experiment(const isa::Program& program, const RunInput& input, const std::optional<std::uint64_t>& steps,
                      const std::vector<std::pair<std::string_view, bool>>& given) {
  const auto refuse = [&](std::string_view option, std::string_view why) {
    throw UsageError(fmt::format("{}: kernel {} {}", option, program.kernel, why));
  };
  if (!isa::is_experiment(program)) {
    for (const auto& [option, there] : given) {
      if (there) refuse(option, "has no experiments");
    }
    return;
  }
  if (input.turns) refuse("--turns", "is one of experiments, whose steps --steps limits");
  if (!input.j_file.empty()) refuse("--j", "is one of experiments, which have no j-data");
  for (const auto& [name, value] : input.parameter_values()) {
    if (name == isa::kExperimentLimit) refuse(fmt::format("--param {}", name), "is given this number by --steps");
  }
  if (!steps) {
    throw UsageError(fmt::format(
        "--steps is missing: kernel {} is one of experiments, which take at most so many steps", program.kernel));
  }
}

}  // namespace

void ExperimentArguments::add_to(Command command) {
  command.heading("Experiments");
  command.add_option("--steps experiment", steps);
  command.add_option("--round=N", round,
                     "steps of a round, after which finished experiments leave; divides --steps, and is at most a 16th "
                     "of the words of external memory: 2097152; default: about 200",
                     whole_in_range(1, kMostRoundSteps));
  command.add_flag("--no-refill", no_refill, "let the next experiments begin only when all places are free");
  command.heading(kUsualHeading);
}

void ExperimentArguments::check(const isa::Program& program, const RunInput& input) const {
  check_experiment(program, input, steps,
                   {{"--steps", steps.has_value()}, {"--round", round.has_value()}, {"--no-refill", no_refill}});
}

hostlib::ExperimentOptions ExperimentArguments::options() const {
  return {steps.value_or(0), round.value_or(0), !no_refill};
}

void OneExperiment::add_to(Command command) {
  command.heading("Experiments");
  command.add_option("--steps experiment", steps);
  command.add_option("--experiment=N", number, "the experiment, from 0 on, in the order of --i; default: the first",
                     whole_in_range(0, hostlib::kMostExperimentSteps));
  command.heading(kUsualHeading);
}

void OneExperiment::check(const isa::Program& program, const RunInput& input,
                          std::vector<std::pair<std::string, double>>& parameters) const {
  check_experiment(program, input, steps, {{"--steps", steps.has_value()}, {"--experiment", number.has_value()}});
  if (isa::is_experiment(program)) parameters.emplace_back(isa::kExperimentLimit, static_cast<double>(*steps));
}

RunData OneExperiment::read(const isa::Program& program, const RunInput& input) const {
  check_experiment(program, input, steps, {});
  const std::vector<std::uint64_t> starts = read_starts(program, input);
  const std::size_t fields = hostlib::start_columns(program).size();
  const std::uint64_t chosen = number.value_or(0);
  const std::size_t all = starts.size() / fields;
  if (chosen >= all) {
    throw UsageError(fmt::format("--experiment: {} is refused: --i has {}, counted from 0", chosen,
                                 base::counted(all, "experiment")));
  }
  RunData data;
  data.i_fields = hostlib::beginning_record(program, std::span(starts).subspan(chosen * fields, fields));
  data.ni = 1;
  data.records = *steps;
  return data;
}

std::vector<std::uint64_t> read_starts(const isa::Program& program, const RunInput& input) {
  if (input.i_file.empty()) {
    throw UsageError(
        fmt::format("--i is missing: kernel {} takes a file with the starts of its experiments", program.kernel));
  }
  hostlib::TableReadOptions reading;
  reading.ignore_extra = input.ignore_extra;
  const std::string& file = input.i_file;
  return hostlib::fields_of(
      hostlib::read_table(file == "-" ? "/dev/stdin" : file, hostlib::start_columns(program), reading));
}

}  // namespace gdr::cli
