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

/// Names of the given options that the C++ compiler does not take.
std::vector<std::string> given_of_assembly(const AssembleArguments& arguments) {
  std::vector<std::string> names;
  if (!arguments.warnings.empty()) names.emplace_back("-W");
  if (arguments.compat_il) names.emplace_back("--compat-il");
  if (!arguments.schedule.empty()) names.emplace_back("--schedule");
  if (arguments.pipeline) names.emplace_back("--pipeline");
  return names;
}

}  // namespace

void add_preprocessor_options(Command command, std::vector<std::string>& definitions,
                              std::vector<std::string>& include_directories) {
  // A compiler takes the word behind an empty one for its value.
  const auto named = [](const char* allowed) {
    return Check{[allowed](const std::string& text) {
      return text.empty() ? fmt::format("'' is refused: it must be {}", allowed) : std::string();
    }};
  };
  command.add_option("-D=NAME[=VALUE]", definitions, "define a name: NAME=VALUE, or NAME for 1 (repeatable)")
      .check(named("NAME=VALUE, or NAME for NAME=1"));
  command.add_option("-I=DIRECTORY", include_directories, "directory to look for included files in (repeatable)")
      .check(named("a directory"));
}

void CompileChoices::add_to(Command command, bool with_seed) {
  command.heading("Source");
  command.add_option(
      "-O", effort,
      "search effort of gdr's compiler: 1 compares 300 schedules, 2 up to 30,000 (under a second), 3 up to "
      "700,000 (some seconds)",
      whole_in_range(1, 3));
  if (with_seed) {
    command.add_option("--seed", seed);
  }
  command.add_flag(
      "--fast", fast,
      "shorter forms of division, roots, exponentials and logarithms, without IEEE 754's values at 0 and infinity");
  command.add_option("--function=NAME", function, "name of the pair function, if the file has several");
  command.heading(kUsualHeading);
}

void CompileChoices::refuse_for(const std::string& kernel) const {
  const CompileChoices none;
  const char* given = effort != none.effort ? "-O"
                      : seed != none.seed   ? "--seed"
                      : fast                ? "--fast"
                      : function.empty()    ? nullptr
                                            : "--function";
  if (given != nullptr)
    throw UsageError(
        fmt::format("{}: has no effect on {}, which is not compiled; it goes with C++ and LSUMP", given, kernel));
}

void AssembleArguments::add_with_compile_options(Command command) {
  add_to(command);
  compile.add_to(command);
}

void AssembleArguments::add_source_options(Command command) {
  command.heading("Source");
  add_preprocessor_options(command, definitions, include_directories);
  command.add_option(
      "-W=WARNING", warnings,
      "NAME turns a warning on, no-NAME turns it off, error=NAME makes it an error, no-error=NAME makes it "
      "a warning again; NAME may be all; error is the same as error=all (repeatable)");
  command.add_flag("--compat-il", compat_il, "il\"...\" sets only the lower half of the word");
  command.heading(kUsualHeading);
}

void AssembleArguments::add_to(Command command) {
  add_source_options(command);
  command.heading("Source");
  command.add_flag("--schedule", schedule, "list", {"list", "full"},
                   "pack lines without changing results: list moves operations to other lines, full also assigns "
                   "values to other registers and words of local memory");
  command.add_flag("--pipeline", pipeline,
                   "with --schedule=full: software pipelining, in which iterations of the loop overlap");
  command.heading(kUsualHeading);
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
  chosen.definitions = commandline::named_texts("-D", definitions, "1");
  return chosen;
}

void AssembleArguments::refuse_for_compiled(const std::string& source) const {
  const std::vector<std::string> names = given_of_assembly(*this);
  if (names.empty()) return;
  throw UsageError(
      fmt::format("{}: has no effect on {}, whose compiler writes and packs the lines", names.front(), source));
}

void AssembleArguments::refuse_for_object(const std::string& object) const {
  std::vector<std::string> names = given_of_assembly(*this);
  if (!include_directories.empty()) names.insert(names.begin(), "-I");
  if (!definitions.empty()) names.insert(names.begin(), "-D");
  if (names.empty()) return;
  throw UsageError(
      fmt::format("{}: has no effect on {}, which is assembled already; give the source", names.front(), object));
}

}  // namespace gdr::cli
