// The command line: subcommands and their options, which CLI11 reads. Its headers take seconds to compile, so they are
// seen in command_line.cpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "gdr/base/error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gdr::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // a file, a program or the run
inline constexpr int kUsage = 2;    // the command line

/// A mistake on the command line that only the run can see, such as an unknown kernel name.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// What `make` makes of the values of `option`. What a library refuses of them is a mistake on the command line: throws
/// UsageError naming the option in place of gdr::Error.
template <class Make>
auto from_command_line(const std::string& option, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    throw UsageError(option + ": " + error.what());
  }
}

/// What a value must be: `refusal` says of its text why it is not, and nothing if it is; `allowed` stands in the help.
struct Check {
  std::function<std::string(const std::string& text)> refusal;
  std::string allowed;
};

/// Checks that name value and what is allowed.
[[nodiscard]] Check in_range(double low, double high);
[[nodiscard]] Check whole_in_range(std::uint64_t low, std::uint64_t high);
[[nodiscard]] Check one_of(std::vector<std::string> allowed);

/// An option of a subcommand. A handle: copies are the same option.
class Option {
 public:
  Option required() const;
  Option check(const Check& check) const;
  /// What the help calls the value, such as NAME, in place of its type; outputs are called FILE.
  Option value_name(const std::string& name) const;
  /// The help shows the value that the variable has now.
  Option capture_default_str() const;
  /// Values may stand in one argument with `delimiter` between them.
  Option delimiter(char delimiter) const;
  /// It is refused without, or beside, the other.
  Option needs(Option other) const;
  Option excludes(Option other) const;
  /// With its dashes.
  [[nodiscard]] std::string name() const;
  /// Once the command line is parsed: whether it was there.
  [[nodiscard]] bool given() const;

 private:
  friend class Command;
  explicit Option(CLI::Option* option) : option_(option) {}
  CLI::Option* option_;
};

/// What may be written after a command, and what its help says of it: for completion and manual pages.
struct CommandShape {
  struct Option {
    std::vector<std::string> names;  // with their dashes; none for an argument
    bool takes_value = false;
    bool required = false;
    std::vector<std::string> choices;  // the values that are allowed, if they can be listed
    std::string value;  // of an argument its name, of a flag the word that may follow it, else what the help calls the
                        // value: `UINT:[1 - 64]`
    std::string by_default;
    std::string what;
  };
  std::string name;
  std::string what;
  std::string example;  // none of a group
  std::vector<Option> options;
  std::vector<CommandShape> commands;
};

/// The program or a subcommand of it. A handle: copies are the same command.
class Command {
 public:
  /// A group of subcommands, one of which must follow.
  Command add_group(const std::string& name, const std::string& what) const;
  /// `name` with an example in its help; `run` is called once the command line is parsed and returns the exit status.
  Command add_command(const std::string& name, const std::string& what, const std::string& example,
                      std::function<int()> run) const;
  /// An argument (`name` without dashes) or an option, whose value goes to `value`; that must live until the command
  /// has run. Vectors take it several times. Defined for the types that command_line.cpp lists.
  template <class Value>
  Option add_option(const std::string& name, Value& value, const std::string& what) const;
  Option add_flag(const std::string& name, bool& value, const std::string& what) const;
  /// A flag that may say more, as in `--name=WORD`: `word` is `by_default` if it says nothing, and stays as it is
  /// without the flag.
  Option add_flag(const std::string& name, std::string& word, const std::string& by_default,
                  const std::string& what) const;
  /// An option that is one of `values`, by its name_of(). The help shows the value that the variable has now.
  template <class Enum>
  Option add_choice(const std::string& name, Enum& value, std::initializer_list<Enum> values,
                    const std::string& what) const {
    std::vector<std::string> names;
    for (const Enum each : values) names.emplace_back(name_of(each));
    const auto set = [&value, all = std::vector<Enum>(values)](std::size_t chosen) { value = all[chosen]; };
    return add_named(name, names, std::string(name_of(value)), set, what);
  }
  /// An option whose value names a file that the command writes. Before a command runs, those that are given are tried
  /// by try_outputs(), so that nothing is computed in vain.
  Option add_output(const std::string& name, std::string& file, const std::string& what) const;
  /// The same where `-` is standard output.
  Option add_output_or_stdout(const std::string& name, std::string& file, const std::string& what) const;
  /// The run tries its outputs itself: under MPI one rank alone has them.
  void leave_outputs_to_run() const;
  /// Throws gdr::Error for an output that cannot be written, UsageError if two of them lead to one file or both to
  /// standard output.
  void try_outputs() const;
  /// What it and its subcommands take; of all commands only once all have been added.
  [[nodiscard]] CommandShape shape() const;

 private:
  friend int run_program(int, char**, const std::vector<void (*)(Command)>&);
  Option add_named(const std::string& name, const std::vector<std::string>& names, const std::string& by_default,
                   const std::function<void(std::size_t)>& set, const std::string& what) const;
  struct Outputs;
  explicit Command(CLI::App* app);
  CLI::App* app_;
  std::shared_ptr<Outputs> outputs_;
};

/// Reads the command line of gdr with the subcommands that `adders` add, and runs the one asked for. Help and mistakes
/// are printed. Returns the exit status; what a subcommand throws passes through.
[[nodiscard]] int run_program(int argc, char** argv, const std::vector<void (*)(Command)>& adders);

}  // namespace gdr::cli
