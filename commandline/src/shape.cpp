#include "shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <utility>

#include "registry.h"

namespace gdr::commandline {
namespace {

// The group that CLI11 gives a command.
constexpr std::string_view kUsualCommands = "Subcommands";

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

/// The default value; of a list with blanks between its values: "4, 16".
std::string default_of(const CLI::Option& option) {
  const std::string text = option.get_default_str();
  if (!text.starts_with('[') || !text.ends_with(']')) return text;
  return fmt::format("{}", fmt::join(CLI::detail::split(text.substr(1, text.size() - 2), ','), ", "));
}

/// The description with limits, default and related options behind it: "particles (2 to 4194304; default: 1024)".
std::string description_of(const CLI::Option& option) {
  std::vector<std::string> details;
  if (const std::string limits = limits_of(option); !limits.empty()) details.push_back(limits);
  if (const std::string value = default_of(option); !value.empty()) details.push_back("default: " + value);
  if (option.get_required()) details.emplace_back("required");
  for (const CLI::Option* other : option.get_needs()) details.push_back("needs " + other->get_name());
  for (const CLI::Option* other : option.get_excludes()) details.push_back("not with " + other->get_name());
  if (details.empty()) return option.get_description();
  return fmt::format("{} ({})", option.get_description(), fmt::join(details, "; "));
}

}  // namespace

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape;
  shape.name = app.get_name();
  shape.what = app.get_description();
  shape.example = app.get_footer();
  if (app.get_group() != kUsualCommands) shape.heading = app.get_group();
  for (const CLI::Option* option : app.get_options()) {
    CommandShape::Option told;
    for (const std::string& name : option->get_lnames()) told.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) told.names.push_back("-" + name);
    told.name = option->get_name();
    if (option->get_group() != kUsualHeading) told.heading = option->get_group();
    told.takes_value = option->get_items_expected_max() > 0;
    told.many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    told.required = option->get_required();
    told.value = value_name_of(*option);
    told.what = description_of(*option);
    told.choices = choices_of(*option);
    shape.options.push_back(std::move(told));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    shape.commands.push_back(shape_of(*command));
  }
  return shape;
}

}  // namespace gdr::commandline
