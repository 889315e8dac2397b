#include "assemble_arguments.h"

#include <fmt/format.h>

namespace gdr::cli {

namespace {

assembler::ScheduleLevel level_named(const std::string& name) {
  if (name.empty()) return assembler::ScheduleLevel::none;
  if (name == "list") return assembler::ScheduleLevel::list;
  if (name == "full") return assembler::ScheduleLevel::full;
  throw UsageError(fmt::format("--schedule: '{}' is refused: it must be list or full", name));
}

}  // namespace

void AssembleArguments::add_source_options(Command command) {
  command.add_option("-D", definitions, "define a name: NAME=VALUE, or NAME for 1 (repeatable)");
  command.add_option("-I", include_directories, "folder to look for included files in (repeatable)");
  command.add_option("-W", warnings,
                     "warnings: NAME, no-NAME, error, error=NAME, no-error=NAME, or all for NAME (repeatable)");
  command.add_flag("--compat-il", compat_il, "il\"...\" sets the lower half of the word alone");
}

void AssembleArguments::add_to(Command command) {
  add_source_options(command);
  command.add_flag("--schedule", schedule, "list",
                   "pack lines without changing results: list moves operations, full also gives values other places");
  command.add_flag("--pipeline", pipeline,
                   "with --schedule=full: a turn of the loop body may end what the turn before has begun");
}

assembler::AssembleOptions AssembleArguments::options() const {
  assembler::AssembleOptions chosen;
  chosen.compat_il = compat_il;
  chosen.schedule.level = level_named(schedule);
  chosen.schedule.pipeline = pipeline;
  if (pipeline && chosen.schedule.level != assembler::ScheduleLevel::full) {
    throw UsageError("--pipeline goes with --schedule=full");
  }
  chosen.include_directories.assign(include_directories.begin(), include_directories.end());
  for (const std::string& argument : warnings) {
    try {
      chosen.warnings.apply(argument);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }
  for (const std::string& definition : definitions) {
    const std::size_t equals = definition.find('=');
    if (definition.empty() || equals == 0) {
      throw UsageError(fmt::format("-D: '{}' is refused: it must be NAME=VALUE, or NAME for NAME=1", definition));
    }
    const std::string value = equals == std::string::npos ? "1" : definition.substr(equals + 1);
    chosen.definitions[definition.substr(0, equals)] = value;
  }
  return chosen;
}

}  // namespace gdr::cli
