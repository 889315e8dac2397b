// gdr completion: a script that lets the shell complete gdr, made from its commands and from what comes with it.
#include <fmt/format.h>

#include "command/command.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/base/description.h"
#include "gdr/cluster/cluster.h"
#include "gdr/commandline/pages.h"
#include "gdr/course/exercise.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/interconnect/network.h"
#include "gdr/validation/report.h"

namespace gdr::cli {
namespace {

using Names = std::vector<std::string>;

Names described(const std::vector<base::DescriptionKind>& kinds) { return base::description_names(kinds); }

/// Names of things that come with gdr, by the options and arguments that take them. A file may stand in place of most.
const commandline::KnownNames& known_names() {
  static const commandline::KnownNames names{
      {"--machine", [] { return described({emulator::board_kind()}); }},
      {"--host", [] { return described({host_kind()}); }},
      {"--cluster", [] { return cluster::cluster_names(); }},
      {"--network", [] { return described(interconnect::network_kinds()); }},
      {"--factors", [] { return described({interconnect::network_kind("flow-factors")}); }},
      {"--graph", [] { return Names{"bruck", "cg", "sp"}; }},
      {"--only", [] { return validation::wholes(validation::read_data(validation::Models())); }},
      {"kernel", hostlib::kernel_names},
      {"source", hostlib::kernel_names},
      {"exercise", [] { return course::exercise_names(); }},
      {"code", [] { return assembler::explained_names(); }},
      {"name", [] { return described(cluster::all_kinds()); }},  // of machine show, which describes all kinds
  };
  return names;
}

}  // namespace

void add_completion(Command program, const std::string& name) {
  auto shell = std::make_shared<std::string>();
  const Command command =
      program.add_command(name, "print a script that lets the shell complete commands, options and values of gdr",
                          "gdr completion bash > ~/.local/share/bash-completion/completions/gdr", [shell, program] {
                            fmt::print("{}", commandline::completion_script(*shell, program.shape(), known_names()));
                            return kSuccess;
                          });
  command.add_option("shell", *shell, "shell to write the script for", one_of({"bash", "zsh", "fish"})).required();
}

}  // namespace gdr::cli
