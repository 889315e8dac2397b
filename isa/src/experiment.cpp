#include "gdr/isa/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gdr/base/error.h"
#include "gdr/isa/effects.h"

namespace gdr::isa {
namespace {

[[noreturn]] void refuse_experiment(const Program& program, const std::string& why) {
  throw Error(fmt::format("kernel {} is no kernel of experiments: {}", program.kernel, why));
}

/// Results stand in the PE and are not transferred, but have a conversion; no other variable is like this.
bool is_result(const Variable& variable) {
  return variable.transfer == Transfer::none && variable.conversion && variable.memory != Memory::bm;
}

bool is_ticket(const Variable& variable) {
  return variable.transfer == Transfer::hlt && variable.name == kExperimentTicket;
}

constexpr std::array<std::string_view, kSections> kExperimentNames{"experiment initialization", "experiment begin",
                                                                   "experiment step", "experiment end"};

}  // namespace

std::string_view experiment_name_of(Section section) { return kExperimentNames[static_cast<std::size_t>(section)]; }

bool is_experiment(const Program& program) {
  return std::ranges::any_of(program.variables, is_ticket) && std::ranges::any_of(program.variables, is_result);
}

std::vector<const Variable*> experiment_starts(const Program& program) {
  std::vector<const Variable*> starts = program.variables_by(Transfer::hlt);
  std::erase_if(starts, [](const Variable* variable) { return is_ticket(*variable); });
  return starts;
}

std::vector<const Variable*> experiment_results(const Program& program) {
  std::vector<const Variable*> results;
  for (const Variable& variable : program.variables) {
    if (is_result(variable)) results.push_back(&variable);
  }
  return results;
}

bool counts_steps(const Program& program) {
  return std::ranges::none_of(program.lines(Section::loop_body), [](const ProgramLine& coded) {
    const Line line = decoded(coded.word);
    if (line.mask.flag != kExperimentFlag || line.mask.inverted) return false;  // a line of the form
    const Effects effects = isa::effects(line);
    return std::ranges::any_of(effects.writes(), [](const Access& access) {
      return access.storage == Storage::flag && access.address == kExperimentFlag;
    });
  });
}

void validate_experiment(const Program& program) {
  if (!program.variables_by(Transfer::elt).empty()) refuse_experiment(program, "it has j-data");
  const auto ticket = std::ranges::find_if(program.variables, is_ticket);
  if (ticket->elements != 1 || ticket->conversion != Conversion::FIX64TO72) {
    refuse_experiment(program, fmt::format("'{}' is no single word with conversion '{}'", kExperimentTicket,
                                           info_of(Conversion::FIX64TO72).name));
  }
  const bool limited = std::ranges::any_of(program.parameters, [](const Parameter& parameter) {
    return parameter.name == kExperimentLimit && parameter.conversion == Conversion::FIX64TO72;
  });
  if (!limited) refuse_experiment(program, fmt::format("it has no whole parameter '{}'", kExperimentLimit));
  std::vector<Conversion> expected{Conversion::FIX72TO64};  // of the status
  for (const Variable* result : experiment_results(program)) {
    const ConversionInfo& info = info_of(*result->conversion);
    const bool leaves = info.conversion == Conversion::NONE || (info.to_host && info.width == Width::long_word);
    if (!result->vector || result->width != Width::long_word || !leaves) {
      refuse_experiment(program, fmt::format("result '{}' is no long vector", result->name));
    }
    if (is_experiment_column(result->name)) {
      refuse_experiment(program,
                        fmt::format("'{}' is a column of every experiment, and no name of a result", result->name));
    }
    expected.insert(expected.end(), result->elements, *result->conversion);
  }
  std::vector<Conversion> collected;
  for (std::size_t section = 0; section < kSections; ++section) {
    for (const Step& step : program.sections[section]) {
      const auto* const collect = std::get_if<CollectStep>(&step);
      if (collect == nullptr) continue;
      const Variable& exit = program.variables[collect->variable];
      if (static_cast<Section>(section) != Section::loop_termination || collect->entries != kPesPerBlock ||
          collect->blocks.kind != BlockChoice::Kind::each) {
        refuse_experiment(program, fmt::format("words of '{}' are not collected as {} entries of each block in '{}'",
                                               exit.name, unsigned{kPesPerBlock}, name_of(Section::loop_termination)));
      }
      collected.push_back(*exit.conversion);
    }
  }
  if (collected != expected) {
    refuse_experiment(program, fmt::format("it has {} collects; {} were expected, of the status and of each element of "
                                           "the results, with their conversions",
                                           collected.size(), expected.size()));
  }
}

}  // namespace gdr::isa
