// A program's command line: subcommands and their options, parsed by CLI11. CLI11's headers take seconds to compile, so
// only sources of this component include them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/own_files.h"
#include "gdr/base/quantity.h"

namespace gdr::base {
struct Field;
struct ReportShape;
}  // namespace gdr::base

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gdr::commandline {

using base::ValueUnit;

struct Registry;

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;  // an error in a file, a program or the run
inline constexpr int kUsage = 2;    // an error on the command line

/// An error on the command line that is found only when the command runs, such as an unknown kernel name.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Returns what `make` makes from the values of `option`. If `make` throws gdr::Error, the values were wrong: throws
/// UsageError with the option's name, if there is one, instead.
template <class Make>
auto from_command_line(const std::string& option, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    throw UsageError(option.empty() ? error.what() : option + ": " + error.what());
  }
}

/// Throws UsageError if two of the values NAME=TEXT, or NAME, that were given to a repeatable option have one name: one
/// of them would have no effect.
void refuse_one_name_twice(std::string_view option, std::span<const std::string> values);

/// The values NAME=TEXT of a repeatable option by their names; NAME alone stands for NAME=`alone`. Throws UsageError as
/// refuse_one_name_twice(), and for an empty name.
[[nodiscard]] std::map<std::string, std::string> named_texts(std::string_view option,
                                                             std::span<const std::string> values,
                                                             std::string_view alone);
/// The values NAME=NUMBER in their order. Throws UsageError likewise, and for what is no number.
[[nodiscard]] std::vector<std::pair<std::string, double>> named_numbers(std::string_view option,
                                                                        std::span<const std::string> values);

/// Throws UsageError with the names in `known` unless `name_or_file` is one of them or names a .toml file. The contents
/// of a file are not checked.
void require_known(const std::string& name_or_file, const std::vector<std::string>& known, std::string_view argument);

/// Throws gdr::Error if `bytes` exceed the memory of this host: systems that overcommit memory kill programs that use
/// it.
void require_memory(double bytes, std::string_view what);

/// A condition on an option's value. `refusal` returns why a text is invalid, or an empty string if it is valid; the
/// help shows what is valid.
struct Check {
  std::function<std::string(const std::string& text)> refusal;
  std::string limits = {};                // "1 to 64", behind the description; may be empty
  std::vector<std::string> choices = {};  // all valid values, in place of the value's name; may be empty
  /// A valid text as the option's type reads it, such as 64000 for 64K; without it the text itself.
  std::function<std::string(const std::string& text)> plain = {};
};

/// The heading of options without another.
inline constexpr const char* kUsualHeading = "Options";

/// An upper limit that only keeps infinity out; the help does not show it.
inline constexpr double kNoLimit = 1e300;

/// Checks whose messages contain the value and what is allowed, and for a name the most similar one. Numbers are taken
/// in all forms of number_of() and whole_number_of(), and arrive in `unit`.
[[nodiscard]] Check in_range(double low, double high, ValueUnit unit = ValueUnit::none);
[[nodiscard]] Check whole_in_range(std::uint64_t low, std::uint64_t high, ValueUnit unit = ValueUnit::none);
[[nodiscard]] Check one_of(const std::vector<std::string>& allowed);

/// An option of a subcommand. A handle: copies are the same option.
class Option {
 public:
  Option required() const;
  Option check(const Check& check) const;
  /// As `=NAME` behind the option's name.
  Option value_name(const std::string& name) const;
  Option capture_default_str() const;
  /// What the help shows as the default instead of the variable's value: "that of the machine".
  Option by_default(const std::string& text) const;
  /// One argument may have several values with `delimiter` between them.
  Option delimiter(char delimiter) const;
  /// The option is rejected without the other one (needs), or together with it (excludes).
  Option needs(Option other) const;
  Option excludes(Option other) const;
  /// The name with its dashes; of several the longest.
  [[nodiscard]] std::string name() const;
  /// True if the option was on the command line; valid after that was parsed.
  [[nodiscard]] bool given() const;

 private:
  friend class Command;
  explicit Option(CLI::Option* option) : option_(option) {}
  CLI::Option* option_;
};

/// Arguments and options of a command with their help texts, for completion and manual pages.
struct CommandShape {
  struct Option {
    std::string name;                // of an argument; of an option one of `names`
    std::vector<std::string> names;  // with their dashes; empty for an argument
    std::string heading;             // of the group that the help shows it in; empty for the first
    bool takes_value = false;
    bool many = false;  // takes several values
    bool required = false;
    std::vector<std::string> choices;  // the allowed values, if they can be listed
    std::string value;  // of a flag the words that may follow it, else what the help calls the value: `N`, `on|off`
    std::string what;   // with limits and default: "particles (2 to 4194304; default: 1024)"
  };
  std::string name;
  std::string what;
  std::string heading;  // of the group that the help of the command around it shows it in
  std::string example;  // empty for a group
  std::vector<Option> options;
  std::vector<CommandShape> commands;
};

/// An option that several commands have: help, unit and limits are the same in all of them.
struct TabledOption {
  /// As for add_option(), "-n,--n" or "--machine=NAME". If the word has several senses, there is one entry for each,
  /// with the sense behind a blank: "-n,--n particles".
  std::string name;
  std::string what;
  std::optional<Check> check = {};
  std::string old_name = {};  // what it was called before, with its dashes
  bool repeats = false;       // a list gets its values from several such options, instead of one with commas

  /// The long name, with the sense: "--n particles".
  [[nodiscard]] std::string word() const;
};

struct Answer;
struct Program;
struct Subcommand;

/// The program, or a subcommand of it. A handle: copies are the same command.
class Command {
 public:
  /// Adds a group of subcommands; the command line must contain one of them.
  Command add_group(const std::string& name, const std::string& what) const;
  /// Adds the command `name` with an example in its help. `run` is called after the command line is parsed and returns
  /// the exit status.
  Command add_command(const std::string& name, const std::string& what, const std::string& example,
                      std::function<int()> run) const;
  /// The same with options in a structure, which lives as long as the command.
  template <class Options>
  [[nodiscard]] std::pair<Command, std::shared_ptr<Options>> add_command(const std::string& name,
                                                                         const std::string& what,
                                                                         const std::string& example,
                                                                         int (*run)(const Options&)) const {
    auto options = std::make_shared<Options>();
    return {add_command(name, what, example, [options, run] { return run(*options); }), options};
  }
  /// Adds an argument (`name` without dashes) or an option. Its value may have a name for the help, `--output=FILE`; of
  /// others it is N (a whole number), NUMBER or TEXT. The value is stored in `value`, which must live until the command
  /// has run. Vectors accept several values. The help shows the variable's current value as the default, unless the
  /// option is required, `what` says `default:` by itself, or the check refuses a number that stands for none. Defined
  /// for the types that command_line.cpp lists.
  template <class Value>
  Option add_option(const std::string& name, Value& value, const std::string& what) const;
  template <class Value>
  Option add_option(const std::string& name, Value& value, const std::string& what, const Check& check) const {
    return add_option(name, value, what).check(check);
  }
  /// Adds an option of the program's table: all that is the same in other commands comes from there. `word` is as
  /// TabledOption::word() gives it. The others of add_option() refuse names that are in the table.
  template <class Value>
  Option add_option(const std::string& word, Value& value) const;
  Option add_flag(const std::string& name, bool& value, const std::string& what) const;
  Option add_flag(const std::string& word, bool& value) const;
  /// Adds a flag that may have one of `words`, as in `--name=WORD` or `--name WORD`. Without a word, `word` becomes
  /// `by_default`; without the flag, it keeps its value.
  Option add_flag(const std::string& name, std::string& word, const std::string& by_default,
                  const std::vector<std::string>& words, const std::string& what) const;
  Option add_flag(const std::string& tabled_word, std::string& word, const std::string& by_default,
                  const std::vector<std::string>& words) const;
  /// Adds a flag that gives `word` this value.
  Option add_flag_for(const std::string& name, std::string& word, const std::string& value,
                      const std::string& what) const;
  /// The help shows the options that are added from here on under this heading; kUsualHeading ends it.
  void heading(const std::string& text) const;
  /// The help of the command around this one shows it under this heading.
  void under(const std::string& heading) const;
  /// `old`, with its dashes, is what `option` was called before. It is still accepted, with a note.
  void keep_old_name(const std::string& old, const Option& option) const;
  /// `option` had this value before, for which there is `flag` now. It is still accepted, with a note.
  void keep_old_value(const Option& option, const std::string& value, const Option& flag) const;
  /// Adds an option whose value is the name_of() one of `values`. The help shows the variable's current value as the
  /// default.
  template <class Enum>
  Option add_choice(const std::string& name, Enum& value, std::initializer_list<Enum> values,
                    const std::string& what) const {
    std::vector<std::string> names;
    for (const Enum each : values) names.emplace_back(name_of(each));
    const auto set = [&value, all = std::vector<Enum>(values)](std::size_t chosen) { value = all[chosen]; };
    return add_named(name, names, std::string(name_of(value)), set, what);
  }
  template <class Enum>
  Option add_choice(const std::string& word, Enum& value, std::initializer_list<Enum> values) const {
    const TabledOption& entry = tabled(word);
    return finish(entry, add_choice(spelled(entry), value, values, entry.what));
  }
  /// Adds an option for the name of a file that the command writes. try_outputs() checks the given files before a
  /// command runs, so that no results are computed that could not be written.
  Option add_output(const std::string& name, std::string& file, const std::string& what) const;
  Option add_output(const std::string& word, std::string& file) const;
  /// The same, but `-` stands for standard output.
  Option add_output_or_stdout(const std::string& name, std::string& file, const std::string& what) const;
  /// `output` may replace the file that `input` names, as a run's checkpoint does the one that it continues from.
  void may_replace(const Option& output, const Option& input) const;
  /// `file` names a file that another program makes while the command runs, so that no output may have its name.
  void awaits(const Option& file) const;
  /// Before the command runs, refuses those of `options` that were given if `because` returns a text: "--seed has no
  /// effect with --timing-only".
  void refuse_if(const std::vector<Option>& options, std::function<std::string()> because) const;
  /// The arguments and options that have been added, without `one`.
  [[nodiscard]] std::vector<Option> options_but(const Option& one) const;
  /// Leaves that check to the run: under MPI only one rank writes the outputs.
  void leave_outputs_to_run() const;
  /// Throws gdr::Error for an output that cannot be written, and UsageError if two outputs are the same file or both
  /// are standard output, or if one is a file that another argument names: it would replace an input. `derived` are
  /// files that the command writes beside those that add_output() knows. A command whose options lead to such files
  /// calls this as soon as it can tell their names, and before it writes anything.
  void try_outputs(std::span<const base::NamedFile> derived = {}) const;
  /// The same for `files` that one option, with its dashes, leads to.
  void try_outputs(const std::string& option, const std::vector<std::string>& files) const;
  /// The arguments and options that were given, with their values as texts, in the order of the help. A flag has the
  /// value `true`. Outputs are left out. Valid after the command line was parsed.
  using Given = std::vector<std::pair<std::string, std::vector<std::string>>>;
  [[nodiscard]] Given given() const;
  /// Whether the option of this name, with its dashes, was given.
  [[nodiscard]] bool given(const std::string& name) const;
  /// The names of the command and of the groups around it, without the program's: "net map".
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const Program& program() const;
  /// Options of the command and of the subcommands that have been added to it.
  [[nodiscard]] CommandShape shape() const;

 private:
  friend int run_program(int, char**, const Program&, const std::vector<Subcommand>&);
  friend Answer read_command_line(int, char**, const Program&, const std::function<void(Command)>&);
  Option add_named(const std::string& name, const std::vector<std::string>& names, const std::string& by_default,
                   const std::function<void(std::size_t)>& set, const std::string& what) const;
  [[nodiscard]] const TabledOption& tabled(const std::string& word) const;
  /// The name without the sense.
  [[nodiscard]] static std::string spelled(const TabledOption& entry);
  /// Adds what the table has beside name and text.
  Option finish(const TabledOption& entry, Option option) const;
  template <class Value>
  Option make_option(const std::string& name, Value& value, const std::string& what) const;
  Option make_output(const std::string& name, std::string& file, const std::string& what, bool or_stdout) const;
  void require_untabled(const std::string& name) const;
  struct Rules;
  struct Output;
  /// Whatever was given beside the outputs may be an input: what names no file is none.
  [[nodiscard]] std::vector<base::NamedFile> possible_inputs() const;
  void refuse_repeated_values() const;
  void check_rules() const;
  Command(CLI::App* app, Registry* registry);
  CLI::App* app_;
  Registry* registry_;  // of the program
  std::shared_ptr<Rules> rules_;
};

/// A subcommand of the program.
struct Subcommand {
  const char* name;
  const char* heading;  // in the program's help
  void (*add)(Command program, const std::string& name);
  bool tells_of_all = false;  // it calls shape() of the program
};

/// The program that a command line is for.
struct Program {
  using Words = std::pair<std::string_view, std::string_view>;
  const char* name;
  const char* what;                         // for its help
  const char* version;                      // "1.0.0"
  std::span<const Words> other_words = {};  // what other programs call a command, and its name here
  /// Renames, in these words, a command that was called otherwise before. Returns a note on it, or an empty text.
  std::string (*rename)(std::vector<std::string>& words) = nullptr;
  /// The shape of the report of a command such as "net bcast"; null if it has none.
  const base::ReportShape* (*shape_of)(std::string_view command) = nullptr;
  /// The options that several commands have.
  const std::vector<TabledOption>& (*options)() = nullptr;
  /// The fields of all reports, beside those of their shapes. A program with reports has some.
  const std::vector<base::Field>& (*common_fields)() = nullptr;
};

/// Parses the command line of a program, and runs the subcommand that was requested. If the first word names one that
/// does not tell of all, only this one is added: to add all takes longer than many commands run. `help` and `version`
/// are commands, too; without any word the help is printed. Prints help and errors of the command line. Returns the
/// exit status; exceptions of a subcommand pass through.
[[nodiscard]] int run_program(int argc, char** argv, const Program& program,
                              const std::vector<Subcommand>& subcommands);

/// What a program without subcommands says to its command line.
struct Answer {
  std::optional<int> status = {};  // to end with; none: the program may run
  std::string output = {};         // help or version
  std::string message = {};        // for standard error: what is wrong, or notes on old names
};

/// Parses the command line of a program without subcommands, whose arguments and options `add` adds. Prints nothing:
/// of several processes under mpirun, which read the same command line, one does.
[[nodiscard]] Answer read_command_line(int argc, char** argv, const Program& program,
                                       const std::function<void(Command)>& add);

}  // namespace gdr::commandline
