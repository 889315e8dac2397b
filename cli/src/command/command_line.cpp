#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gdr/base/file.h"
#include "gdr/base/own_files.h"

namespace gdr::cli {
namespace {

constexpr std::string_view kExample = "Example:\n  ";

/// The smallest number of letters to insert, delete or replace to turn `a` into `b`.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

/// Error message for the command line of `command`. If a word is in the place of a subcommand, the message names it.
std::string message_of(const CLI::ParseError& error, const CLI::App& command) {
  const auto known = command.get_subcommands([](const CLI::App*) { return true; });
  const std::vector<std::string> rest = command.remaining();
  if (known.empty() || rest.empty() || rest.front().starts_with('-')) return error.what();
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const CLI::App* a, const CLI::App* b) {
    return edit_distance(rest.front(), a->get_name()) < edit_distance(rest.front(), b->get_name());
  });
  return fmt::format("unknown subcommand '{}'; the nearest is '{}'", rest.front(), (*nearest)->get_name());
}

// CLI11 writes the descriptions of an option's checks behind the value's name, with a colon before each. The space
// tells this colon from one that belongs to a name, as in FILE:LINE.
constexpr std::string_view kBeforeLimits = ": ";

/// The value's name, such as N or FILE, or the allowed values: `on|off`.
std::string value_name_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(kBeforeLimits));
}

/// What the value's check allows: "1 to 64". Empty if there is nothing to say.
std::string limits_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t limits = type.find(kBeforeLimits);
  return limits == std::string::npos ? "" : type.substr(limits + kBeforeLimits.size());
}

/// The allowed values of `option` if there is a list of them, as from one_of().
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string values = value_name_of(option);
  if (values.find('|') == std::string::npos) return {};
  return CLI::detail::split(values, '|');
}

/// The description with limits, default and related options behind it: "particles (2 to 4194304; default: 1024)".
std::string description_of(const CLI::Option& option) {
  std::vector<std::string> details;
  if (const std::string limits = limits_of(option); !limits.empty()) details.push_back(limits);
  if (const std::string value = option.get_default_str(); !value.empty()) details.push_back("default: " + value);
  if (option.get_required()) details.emplace_back("required");
  for (const CLI::Option* other : option.get_needs()) details.push_back("needs " + other->get_name());
  for (const CLI::Option* other : option.get_excludes()) details.push_back("not with " + other->get_name());
  if (details.empty()) return option.get_description();
  return fmt::format("{} ({})", option.get_description(), fmt::join(details, "; "));
}

class HelpFormatter final : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return " " + value_name_of(*option) + (many ? "..." : "");
  }
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    return description_of(*option);
  }
};

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

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape;
  shape.name = app.get_name();
  shape.what = app.get_description();
  const std::string footer = app.get_footer();
  if (footer.starts_with(kExample)) shape.example = footer.substr(kExample.size());
  for (const CLI::Option* option : app.get_options()) {
    CommandShape::Option told;
    for (const std::string& name : option->get_lnames()) told.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) told.names.push_back("-" + name);
    told.takes_value = option->get_items_expected_max() > 0;
    told.required = option->get_required();
    told.value = told.names.empty() ? option->get_name() : value_name_of(*option);
    if (!told.takes_value && !told.names.empty()) {
      // A flag is true unless it has a word.
      const std::string word = option->get_flag_value(option->get_single_name(), "");
      told.value = word == "true" ? "" : word;
    }
    told.what = description_of(*option);
    told.choices = choices_of(*option);
    shape.options.push_back(std::move(told));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    shape.commands.push_back(shape_of(*command));
  }
  return shape;
}

/// Returns `status`, or kFailure if standard output could not be written completely.
int after_output(int status) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return status;
  std::fputs("gdr: standard output cannot be written\n", stderr);
  return kFailure;
}

}  // namespace

Check in_range(double low, double high) {
  return {[low, high](const std::string& text) {
            double value = 0;
            const bool number = CLI::detail::lexical_cast(text, value);
            if (number && value >= low && value <= high) return std::string();
            return fmt::format("{} is refused: it must be a number from {} to {}", text, low, high);
          },
          high == kNoLimit ? fmt::format("at least {}", low) : fmt::format("{} to {}", low, high)};
}

Check whole_in_range(std::uint64_t low, std::uint64_t high) {
  std::string limits = low == 0 ? "" : fmt::format("at least {}", low);
  if (high != std::numeric_limits<std::uint64_t>::max()) limits = fmt::format("{} to {}", low, high);
  return {[low, high](const std::string& text) {
            // The option's own conversion also accepts octal and hexadecimal numbers and clips silently, so both must
            // agree.
            std::uint64_t value = 0;
            std::uint64_t converted = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            const bool number = error == std::errc() && stop == end && CLI::detail::lexical_cast(text, converted);
            if (number && value == converted && value >= low && value <= high) return std::string();
            return fmt::format("{} is refused: it must be a whole number from {} to {}", text, low, high);
          },
          limits};
}

Check one_of(const std::vector<std::string>& allowed) {
  return {[allowed](const std::string& text) {
            if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return std::string();
            return fmt::format("{} is refused: it must be one of {}", text, fmt::join(allowed, ", "));
          },
          "", allowed};
}

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::check(const Check& check) const {
  option_->check(CLI::Validator([refusal = check.refusal](std::string& text) { return refusal(text); },
                                check.limits.empty() ? "" : " " + check.limits));
  if (!check.choices.empty()) option_->type_name(fmt::format("{}", fmt::join(check.choices, "|")));
  return *this;
}

Option Option::capture_default_str() const {
  option_->capture_default_str();
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
  bool or_stdout;  // if it is `-`
};

struct Command::Outputs {
  std::vector<Output> options;
  std::vector<std::pair<const CLI::Option*, const CLI::Option*>> replacing;  // an output, and an input it may replace
  bool left_to_run = false;
};

Command::Command(CLI::App* app) : app_(app), outputs_(std::make_shared<Outputs>()) {}

Command Command::add_group(const std::string& name, const std::string& what) const {
  CLI::App* group = app_->add_subcommand(name, what);
  group->require_subcommand(1);
  return Command(group);
}

Command Command::add_command(const std::string& name, const std::string& what, const std::string& example,
                             std::function<int()> run) const {
  CLI::App* command = app_->add_subcommand(name, what);
  command->footer(std::string(kExample) + example);
  const Command added(command);
  // CLI11 passes an exit status on only as an exception.
  command->final_callback([run = std::move(run), added] {
    if (!added.outputs_->left_to_run) added.try_outputs();
    if (const int status = run(); status != kSuccess) throw CLI::RuntimeError(status);
  });
  return added;
}

template <class Value>
Option Command::add_option(const std::string& name, Value& value, const std::string& what) const {
  return Option(app_->add_option(name, value, what)->type_name(DefaultValueName<Value>::kText));
}

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

Option Command::add_output(const std::string& name, std::string& file, const std::string& what) const {
  const Option option = add_option(name, file, what).value_name("FILE");
  outputs_->options.push_back({option, &file, false});
  return option;
}

Option Command::add_output_or_stdout(const std::string& name, std::string& file, const std::string& what) const {
  const Option option = add_option(name, file, what).value_name("FILE");
  outputs_->options.push_back({option, &file, true});
  return option;
}

void Command::may_replace(const Option& output, const Option& input) const {
  outputs_->replacing.emplace_back(output.option_, input.option_);
}

/// Whatever is given beside the outputs may be an input: what names no file is none.
void Command::refuse_to_overwrite_inputs(const Output& output) const {
  if (output.file->empty() || (output.or_stdout && *output.file == "-")) return;
  std::vector<std::filesystem::path> inputs;
  for (const CLI::Option* const option : app_->get_options()) {
    const auto is_it = [&](const Output& other) { return other.option.option_ == option; };
    const std::pair<const CLI::Option*, const CLI::Option*> pair(output.option.option_, option);
    if (std::ranges::any_of(outputs_->options, is_it) || std::ranges::count(outputs_->replacing, pair) > 0) continue;
    for (const std::string& text : option->results()) {
      if (!text.empty()) inputs.emplace_back(text);
    }
  }
  const std::filesystem::path file = *output.file;
  base::refuse_to_overwrite(std::span(&file, 1), inputs);
}

void Command::leave_outputs_to_run() const { outputs_->left_to_run = true; }

void Command::try_outputs() const {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> to_standard_output;
  for (const auto& [option, file, or_stdout] : outputs_->options) {
    if (file->empty()) continue;
    if (or_stdout && *file == "-") {
      to_standard_output.push_back(option.name());
      continue;
    }
    base::require_writable(*file);
    files.emplace_back(*file);
  }
  if (to_standard_output.size() > 1) {
    throw UsageError(fmt::format("{} and {} both go to standard output: give one of them a file", to_standard_output[0],
                                 to_standard_output[1]));
  }
  try {
    base::refuse_twice_named(files);
    for (const Output& output : outputs_->options) refuse_to_overwrite_inputs(output);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& what) const {
  return Option(app_->add_flag(name, value, what));
}

Option Command::add_flag(const std::string& name, std::string& word, const std::string& by_default,
                         const std::string& what) const {
  return Option(app_->add_flag(name + "{" + by_default + "}", word, what));
}

Option Command::add_named(const std::string& name, const std::vector<std::string>& names, const std::string& by_default,
                          const std::function<void(std::size_t)>& set, const std::string& what) const {
  const auto take = [names, set](const std::string& text) {
    set(static_cast<std::size_t>(std::ranges::find(names, text) - names.begin()));
  };
  const Option option(app_->add_option_function<std::string>(name, take, what)->default_str(by_default));
  return option.check(one_of(names));
}

CommandShape Command::shape() const { return shape_of(*app_); }

int run_program(int argc, char** argv, const std::vector<Subcommand>& subcommands) {
  CLI::App program("the GRAPE-DR accelerator, emulated bit by bit", "gdr");
  program.set_version_flag("--version", "gdr " GDR_VERSION);
  program.formatter(std::make_shared<HelpFormatter>());
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "help of all subcommands");
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto requested = std::ranges::find(subcommands, first, &Subcommand::name);
  if (requested != subcommands.end() && !requested->tells_of_all) {
    requested->add(Command(&program), requested->name);
  } else {
    for (const Subcommand& each : subcommands) each.add(Command(&program), each.name);
  }
  try {
    program.parse(argc, argv);
    return after_output(kSuccess);
  } catch (const CLI::RuntimeError& status) {
    return status.get_exit_code();
  } catch (const CLI::Success& asked_for_help) {
    return after_output(program.exit(asked_for_help));
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    std::string name = command->get_name();
    for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent()) {
      name = parent->get_name() + " " + name;
    }
    std::fprintf(stderr, "gdr: %s\nTry '%s --help'.\n", message_of(error, *command).c_str(), name.c_str());
    return kUsage;
  }
}

}  // namespace gdr::cli
