#include "gdr/commandline/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/own_files.h"
#include "mistakes.h"
#include "registry.h"
#include "shape.h"

namespace gdr::commandline {
namespace {

constexpr const char* kNumberValidator = "number";

/// The value's name in the help unless an option has its own.
template <class Value>
struct DefaultValueName {
  static constexpr const char* kText = std::is_floating_point_v<Value> ? "NUMBER" : "N";
};
template <>
struct DefaultValueName<std::string> {
  static constexpr const char* kText = "TEXT";
};
template <class Value>
struct DefaultValueName<std::optional<Value>> : DefaultValueName<Value> {};
template <class Value>
struct DefaultValueName<std::vector<Value>> : DefaultValueName<Value> {};

/// Numbers without a check of their own are taken in all forms, too.
template <class Value>
void check_number(CLI::Option& option) {
  Check check;
  if constexpr (std::is_floating_point_v<Value>) {
    check = in_range(std::numeric_limits<Value>::lowest(), std::numeric_limits<Value>::max());
  } else {
    check = whole_in_range(0, static_cast<std::uint64_t>(std::numeric_limits<Value>::max()));
  }
  option.transform(CLI::Validator(
      [check](std::string& text) {
        const std::string why = check.refusal(text);
        if (why.empty()) text = check.plain(text);
        return why;
      },
      "", kNumberValidator));
}

/// A check of its own has replaced the one of check_number().
void leave_to_others(CLI::Option& option) {
  try {
    option.get_validator(kNumberValidator)->active(false);
  } catch (const CLI::OptionNotFound&) {
    return;  // a text
  }
}

template <class Value>
struct ValueIn {
  using Type = Value;
};
template <class Value>
struct ValueIn<std::optional<Value>> : ValueIn<Value> {};
template <class Value>
struct ValueIn<std::vector<Value>> : ValueIn<Value> {};

}  // namespace

Option Option::required() const {
  option_->required()->default_str("");
  return *this;
}

Option Option::check(const Check& check) const {
  if (check.plain) leave_to_others(*option_);
  const std::string by_default = option_->get_default_str();
  const bool is_list = by_default.starts_with('[');
  if (check.plain && !by_default.empty() && !is_list && !check.refusal(by_default).empty()) option_->default_str("");
  // CLI11 lets only a transformation change the text.
  option_->transform(CLI::Validator(
      [check](std::string& text) {
        const std::string why = check.refusal(text);
        if (why.empty() && check.plain) text = check.plain(text);
        return why;
      },
      check.limits.empty() ? "" : " " + check.limits));
  if (!check.choices.empty()) option_->type_name(fmt::format("{}", fmt::join(check.choices, "|")));
  return *this;
}

Option Option::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}

Option Option::by_default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

Option Option::delimiter(char delimiter) const {
  option_->delimiter(delimiter);
  return *this;
}

Option Option::value_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

std::string Option::name() const { return option_->get_name(); }

bool Option::given() const { return option_->count() > 0; }

struct Command::Output {
  Option option;
  const std::string* file;
  bool or_stdout;             // if it is `-`
  std::string replaces = {};  // the name of an input that it may replace
};

/// What is checked before a command runs.
struct Command::Rules {
  std::vector<Output> outputs;
  std::vector<CLI::Option*> awaited;
  bool outputs_left_to_run = false;
  std::vector<std::function<void()>> refusals;  // each may throw UsageError
};

Command::Command(CLI::App* app, Registry* registry)
    : app_(app), registry_(registry), rules_(std::make_shared<Rules>()) {}

Command Command::add_group(const std::string& name, const std::string& what) const {
  CLI::App* group = app_->add_subcommand(name, what);
  group->require_subcommand(1);
  return {group, registry_};
}

Command Command::add_command(const std::string& name, const std::string& what, const std::string& example,
                             std::function<int()> run) const {
  CLI::App* command = app_->add_subcommand(name, what);
  command->footer(example);
  command->set_help_all_flag();  // it has no commands within it
  const Command added(command, registry_);
  // CLI11 passes an exit status on only as an exception.
  command->final_callback([run = std::move(run), added] {
    added.check_rules();
    if (const int status = run(); status != kSuccess) throw CLI::RuntimeError(status);
  });
  return added;
}

template <class Value>
Option Command::add_option(const std::string& name, Value& value, const std::string& what) const {
  require_untabled(name);
  return make_option(name, value, what);
}

template <class Value>
Option Command::make_option(const std::string& name, Value& value, const std::string& what) const {
  const std::size_t equals = name.find('=');
  CLI::Option* const option = app_->add_option(name.substr(0, equals), value, what);
  option->type_name(equals == std::string::npos ? DefaultValueName<Value>::kText : name.substr(equals + 1));
  if (what.find("default:") == std::string::npos) option->capture_default_str();
  using Given = typename ValueIn<Value>::Type;
  if constexpr (std::is_arithmetic_v<Given>) check_number<Given>(*option);
  // A list grows by repetition or by its delimiter: what stands behind a value is an argument of the command.
  if constexpr (!std::is_same_v<Given, Value>) {
    if (name.starts_with('-')) option->allow_extra_args(false);
  }
  // An empty text is what is left of a variable of the shell that is not set: taken as no value, it would drop the
  // option without a word.
  if constexpr (std::is_same_v<Given, std::string>) {
    option->check(CLI::Validator(
        [](const std::string& text) { return std::string(text.empty() ? "'' is refused: a value is missing" : ""); },
        ""));
  }
  return Option(option);
}

template <class Value>
Option Command::add_option(const std::string& word, Value& value) const {
  const TabledOption& entry = tabled(word);
  if constexpr (requires { value.push_back({}); } && !std::is_same_v<Value, std::string>) {
    if (!entry.repeats) {
      const Option list = make_option(spelled(entry), value, entry.what + "; several with commas between them");
      return finish(entry, list.delimiter(','));
    }
  }
  return finish(entry, make_option(spelled(entry), value, entry.what));
}

// The types of values.
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint32_t>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint32_t>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint64_t>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::string&) const;
template Option Command::add_option(const std::string&, double&) const;
template Option Command::add_option(const std::string&, int&) const;
template Option Command::add_option(const std::string&, std::uint32_t&) const;
template Option Command::add_option(const std::string&, std::uint64_t&) const;
template Option Command::add_option(const std::string&, std::optional<double>&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint32_t>&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint32_t>&) const;
template Option Command::add_option(const std::string&, std::vector<std::uint64_t>&) const;

Option Command::make_output(const std::string& name, std::string& file, const std::string& what, bool or_stdout) const {
  const Option option = make_option(name + "=FILE", file, what);
  rules_->outputs.push_back({option, &file, or_stdout});
  return option;
}

Option Command::add_output(const std::string& name, std::string& file, const std::string& what) const {
  require_untabled(name);
  return make_output(name, file, what, false);
}

Option Command::add_output(const std::string& word, std::string& file) const {
  const TabledOption& entry = tabled(word);
  return finish(entry, make_output(spelled(entry), file, entry.what, false));
}

Option Command::add_output_or_stdout(const std::string& name, std::string& file, const std::string& what) const {
  require_untabled(name);
  return make_output(name, file, what, true);
}

void Command::may_replace(const Option& output, const Option& input) const {
  for (Output& each : rules_->outputs) {
    if (each.option.option_ == output.option_) each.replaces = input.name();
  }
}

void Command::awaits(const Option& file) const { rules_->awaited.push_back(file.option_); }

void Command::check_rules() const {
  refuse_repeated_values();
  for (const auto& refuse : rules_->refusals) refuse();
  if (!rules_->outputs_left_to_run) try_outputs();
}

/// Of a list, whose values are things to look at: a second look tells nothing new.
void Command::refuse_repeated_values() const {
  for (const CLI::Option* const option : app_->get_options()) {
    if (option->get_delimiter() == '\0') continue;
    std::vector<std::string> values = option->results();
    std::ranges::sort(values);
    if (const auto repeated = std::ranges::adjacent_find(values); repeated != values.end()) {
      throw UsageError(fmt::format("{}: {} is given twice", option->get_name(), *repeated));
    }
  }
}

std::vector<base::NamedFile> Command::possible_inputs() const {
  std::vector<base::NamedFile> inputs;
  for (const CLI::Option* const option : app_->get_options()) {
    const auto is_it = [&](const Output& output) { return output.option.option_ == option; };
    if (std::ranges::any_of(rules_->outputs, is_it)) continue;
    const bool awaited = std::ranges::find(rules_->awaited, option) != rules_->awaited.end();
    for (const std::string& text : option->results()) {
      if (!text.empty()) inputs.push_back({.by = option->get_name(), .path = text, .awaited = awaited});
    }
  }
  return inputs;
}

void Command::refuse_if(const std::vector<Option>& options, std::function<std::string()> because) const {
  rules_->refusals.emplace_back([options, because = std::move(because)] {
    const std::string why = because();
    if (why.empty()) return;
    for (const Option& option : options) {
      if (option.given()) throw UsageError(fmt::format("{} has no effect {}", option.name(), why));
    }
  });
}

std::vector<Option> Command::options_but(const Option& one) const {
  std::vector<Option> others;
  for (const CLI::Option* const option : app_->get_options()) {
    if (option != one.option_ && option != app_->get_help_ptr()) {
      others.push_back(Option(const_cast<CLI::Option*>(option)));
    }
  }
  return others;
}

void Command::leave_outputs_to_run() const { rules_->outputs_left_to_run = true; }

void Command::try_outputs(std::span<const base::NamedFile> derived) const {
  std::vector<base::NamedFile> files(derived.begin(), derived.end());
  std::vector<std::string> to_standard_output;
  for (const auto& [option, file, or_stdout, replaces] : rules_->outputs) {
    if (file->empty()) continue;
    if (or_stdout && *file == "-") {
      to_standard_output.push_back(option.name());
      continue;
    }
    if (*file == "-") {
      throw UsageError(fmt::format("{} - is refused: it does not write to standard output; ./- is a file of this name",
                                   option.name()));
    }
    from_command_line(option.name(), [&] { base::refuse_compressed_name(*file); });
    base::require_writable(*file);
    files.push_back({option.name(), *file, replaces});
  }
  if (to_standard_output.size() > 1) {
    throw UsageError(fmt::format("{} and {} both go to standard output: give one of them a file", to_standard_output[0],
                                 to_standard_output[1]));
  }
  std::vector<std::filesystem::path> not_read;
  for (const base::NamedFile& file : files) {
    if (!file.numbered && file.replaces.empty()) not_read.push_back(file.path);
  }
  try {
    base::refuse_lost_files(files, possible_inputs());
    base::refuse_file_of_standard_output(files);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  // A run that goes on reads what it has written before, and says by itself what it replaces.
  if (!rules_->outputs_left_to_run) base::expect_outputs(not_read);
}

void Command::try_outputs(const std::string& option, const std::vector<std::string>& files) const {
  std::vector<base::NamedFile> derived;
  for (const std::string& file : files) derived.push_back({option, file});
  try_outputs(derived);
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& what) const {
  require_untabled(name);
  return Option(app_->add_flag(name, value, what));
}

Option Command::add_flag(const std::string& word, bool& value) const {
  const TabledOption& entry = tabled(word);
  return finish(entry, Option(app_->add_flag(spelled(entry), value, entry.what)));
}

Option Command::add_flag(const std::string& name, std::string& word, const std::string& by_default,
                         const std::vector<std::string>& words, const std::string& what) const {
  const Option flag(app_->add_flag(name + "{" + by_default + "}", word, what));
  return flag.check(one_of(words));
}

Option Command::add_flag(const std::string& tabled_word, std::string& word, const std::string& by_default,
                         const std::vector<std::string>& words) const {
  const TabledOption& entry = tabled(tabled_word);
  return finish(entry, add_flag(spelled(entry), word, by_default, words, entry.what));
}

Option Command::add_flag_for(const std::string& name, std::string& word, const std::string& value,
                             const std::string& what) const {
  return Option(app_->add_flag_callback(name, [&word, value] { word = value; }, what));
}

void Command::heading(const std::string& text) const { app_->option_defaults()->group(text); }

void Command::under(const std::string& heading) const { app_->group(heading); }

void Command::keep_old_name(const std::string& old, const Option& option) const {
  registry_->old_names[app_][old] = option.name();
}

void Command::keep_old_value(const Option& option, const std::string& value, const Option& flag) const {
  registry_->old_values[app_][{option.name(), value}] = flag.name();
}

Option Command::add_named(const std::string& name, const std::vector<std::string>& names, const std::string& by_default,
                          const std::function<void(std::size_t)>& set, const std::string& what) const {
  const auto take = [names, set](const std::string& text) {
    set(static_cast<std::size_t>(std::ranges::find(names, text) - names.begin()));
  };
  const Option option(app_->add_option_function<std::string>(name, take, what)->default_str(by_default));
  return option.check(one_of(names));
}

std::string Command::path() const {
  const std::string whole = path_of(*app_);
  return whole.substr(whole.find(' ') + 1);
}

Command::Given Command::given() const {
  Given given;
  for (const CLI::Option* const option : app_->get_options()) {
    const auto is_it = [&](const Output& output) { return output.option.option_ == option; };
    if (option->count() == 0 || std::ranges::any_of(rules_->outputs, is_it)) continue;
    given.emplace_back(Option(const_cast<CLI::Option*>(option)).name(), option->results());
  }
  return given;
}

bool Command::given(const std::string& name) const { return app_->count(name) > 0; }

const Program& Command::program() const { return registry_->program; }

CommandShape Command::shape() const { return shape_of(*app_); }

}  // namespace gdr::commandline
