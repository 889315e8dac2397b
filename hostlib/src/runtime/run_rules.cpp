#include "gdr/hostlib/run_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "gdr/base/error.h"
#include "gdr/base/nearest.h"
#include "gdr/hostlib/table.h"
#include "gdr/isa/experiment.h"

namespace gdr::hostlib {
namespace {

using isa::Variable;

bool holds_reals(const Variable& variable) {
  return variable.conversion && isa::info_of(*variable.conversion).floating;
}

std::string place_in(std::string_view what, std::string_view name) { return fmt::format("{}['{}']", what, name); }

/// "(n, 3)"
std::string wanted_shape(const Variable& variable) {
  std::string shape = "(n";
  for (const std::uint16_t extent : variable.dimensions) shape += fmt::format(", {}", extent);
  return shape + ")";
}

/// As Python writes a tuple.
std::string text_of_extents(std::span<const std::size_t> extents) {
  return fmt::format("({}{})", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
}

void require_plain(std::string_view what, const GivenArray& array) {
  const std::string place = place_in(what, array.name);
  if (!array.unit.empty()) {
    throw Error(
        fmt::format("{} has the unit {}, which kernels know nothing of: give its value in the unit that you mean",
                    place, array.unit));
  }
  if (!array.masked_at.empty()) {
    throw Error(fmt::format("{} is masked at {}: fill it, or leave out what is masked", place, array.masked_at));
  }
}

void require_one_length(std::string_view what, std::span<const GivenArray> arrays) {
  std::vector<std::string> told;
  bool alike = !arrays.empty();
  for (const GivenArray& array : arrays) {
    const bool is_number = array.shape.empty();
    told.push_back(fmt::format("{}: {}", array.name, is_number ? "a number" : fmt::format("{}", array.shape.front())));
    alike = alike && !is_number && !arrays.front().shape.empty() && array.shape.front() == arrays.front().shape.front();
  }
  if (alike) return;
  throw Error(fmt::format("{}: the arrays must have one length ({})", what,
                          told.empty() ? "there are none" : fmt::format("{}", fmt::join(told, ", "))));
}

void require_fit(std::string_view what, const Variable& variable, const GivenArray& array) {
  const std::span<const std::size_t> inner = std::span(array.shape).subspan(1);
  if (!std::ranges::equal(inner, variable.dimensions)) {
    throw Error(fmt::format("{} has shape {}: it must be {}", place_in(what, array.name), text_of_extents(array.shape),
                            wanted_shape(variable)));
  }
  const bool is_number = std::string_view("iufb").find(array.kind) != std::string_view::npos;
  if (is_number && (holds_reals(variable) || array.kind != 'f')) return;
  throw Error(fmt::format("{} has type {}: it must be {} or convert to it without loss of kind",
                          place_in(what, array.name), array.type, holds_reals(variable) ? "float64" : "int64"));
}

}  // namespace

RunKind run_kind(const isa::Program& program) {
  if (isa::is_experiment(program)) return RunKind::experiments;
  return program.is_type2() ? RunKind::turns : RunKind::pairs;
}

std::vector<const Variable*> run_variables(const isa::Program& program, isa::Transfer transfer) {
  if (!isa::is_experiment(program) || transfer == isa::Transfer::elt) return program.variables_by(transfer);
  return transfer == isa::Transfer::hlt ? isa::experiment_starts(program) : isa::experiment_results(program);
}

void require_arrays(const isa::Program& program, isa::Transfer transfer, std::string_view what,
                    std::span<const GivenArray> arrays) {
  const std::vector<const Variable*> variables = run_variables(program, transfer);
  std::vector<std::string> known;
  for (const Variable* variable : variables) known.push_back(variable->name);
  std::map<std::string_view, const GivenArray*> given;
  for (const GivenArray& array : arrays) {
    if (std::ranges::find(known, array.name) == known.end()) {
      throw Error(fmt::format("{}: kernel {} has no variable '{}' there (known: {}){}", what, program.kernel,
                              array.name, fmt::join(known, ", "), base::did_you_mean(array.name, known)));
    }
    require_plain(what, array);
    given.emplace(array.name, &array);
  }
  require_one_length(what, arrays);
  std::vector<std::string> missing;
  for (const Variable* variable : variables) {
    const auto found = given.find(variable->name);
    if (found == given.end()) {
      missing.push_back(variable->name);
    } else {
      require_fit(what, *variable, *found->second);
    }
  }
  if (missing.empty()) return;
  throw Error(fmt::format("{}: missing variable{} {} of kernel {}", what, missing.size() == 1 ? "" : "s",
                          fmt::join(missing, ", "), program.kernel));
}

void require_numbers(const isa::Program& program, isa::Transfer transfer, std::string_view what,
                     std::span<const std::uint64_t> fields) {
  require_numbers(run_variables(program, transfer), what, fields);
}

void require_numbers(std::span<const Variable* const> variables, std::string_view what,
                     std::span<const std::uint64_t> fields) {
  std::size_t record = 0;
  for (const Variable* variable : variables) record += variable->elements;
  if (record == 0) return;
  std::size_t first = 0;
  for (const Variable* variable : variables) {
    const bool reals = holds_reals(*variable);
    const WholeRange range = whole_range(*variable);
    const bool is_checked = reals || range != WholeRange{};
    for (std::size_t at = 0; is_checked && at + record <= fields.size(); at += record) {
      for (std::size_t element = 0; element < variable->elements; ++element) {
        const std::uint64_t field = fields[at + first + element];
        const auto whole = static_cast<std::int64_t>(field);
        const auto real = std::bit_cast<double>(field);
        const bool is_number = !reals || !std::isnan(real);
        if (is_number && (reals ? range.holds(real) : range.holds(whole))) continue;
        std::vector<std::size_t> place{at / record};
        std::size_t rest = variable->elements;
        for (const std::uint16_t extent : variable->dimensions) {
          rest /= extent;
          place.push_back(element / rest % extent);
        }
        throw Error(fmt::format("{} is {} at {}: it must be {}", place_in(what, variable->name),
                                !is_number ? "nan"
                                : reals    ? fmt::to_string(real)
                                           : fmt::to_string(whole),
                                text_of_extents(place),
                                range == WholeRange{} ? "a number, which may be infinite"
                                                      : fmt::format("{}from {} to {}", reals ? "a whole number " : "",
                                                                    range.least, range.most)));
      }
    }
    first += variable->elements;
  }
}

std::vector<std::string> missing_parameters(const isa::Program& program, std::span<const std::string> given) {
  std::vector<std::string> missing;
  for (const isa::Parameter& parameter : program.parameters) {
    const bool of_runs = isa::is_experiment(program) && parameter.name == isa::kExperimentLimit;
    if (!of_runs && std::ranges::find(given, parameter.name) == given.end()) missing.push_back(parameter.name);
  }
  return missing;
}

std::size_t turns_of(const isa::Program& program, unsigned chips, std::size_t j_records,
                     std::optional<std::size_t> asked, std::string_view j, std::string_view turns) {
  const std::size_t of_turn = std::size_t{emulator::kBlocks} * chips;
  if (j_records % of_turn != 0) {
    throw Error(fmt::format(
        "{}: {} j-records are refused: a kernel of Type II takes {} in each iteration, {} for each of {} chips", j,
        j_records, of_turn, emulator::kBlocks, chips));
  }
  const bool takes_j = program.record_fields(isa::Transfer::elt) != 0;
  if (!takes_j && !asked) {
    throw Error(fmt::format("{} is missing: kernel {} is of Type II and takes no j-data", turns, program.kernel));
  }
  const std::size_t there = j_records / of_turn;
  if (takes_j && asked.value_or(0) > there) {
    throw Error(fmt::format("{}: {} is refused: the j-data has records for {}", turns, *asked, there));
  }
  return asked.value_or(there);
}

std::uint64_t iterations_of_slowest_chip(const Device& device, std::size_t ni, std::size_t nj) {
  const auto parts = [](std::size_t whole, std::size_t part) { return (whole + part - 1) / part; };
  const std::size_t runs = device.fields(isa::Transfer::hlt) == 0 ? 1 : parts(ni, emulator::kParticlesPerRun);
  return runs * parts(parts(nj, device.chips()), emulator::kBlocks);
}

std::string timing_text(const Device& device) {
  const emulator::StageSeconds& stages = device.emulated().seconds();
  const std::string assumed = device.emulated().assumed();
  return fmt::format(
             "engine timing computes no results; emulated time {:.6f} s: i send {:.6f}, j send {:.6f}, compute and "
             "collect {:.6f}, add {:.6f}\n",
             stages.total(), stages.i_send, stages.j_send, stages.compute, stages.add) +
         (assumed.empty() ? "" : fmt::format("  assumed: {}\n", assumed));
}

}  // namespace gdr::hostlib
