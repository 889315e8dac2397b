#include "help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/commandline/terminal.h"

namespace gdr::commandline {
namespace {

constexpr std::size_t kLeastColumns = 40;
constexpr std::size_t kMostColumns = 120;  // longer lines are hard to read
constexpr std::size_t kNames = 26;         // columns of the names, with the blanks before and behind them
constexpr std::size_t kIndent = 2;

/// Breaks `text` into lines of at most `columns` characters at blanks. A longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= columns) {
      line += fmt::format(" {}", word);
    } else {
      lines.emplace_back(word);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Names on the left, the description wrapped on the right; long names have lines of their own.
std::string entry(const std::vector<std::string>& names, std::string_view what, const HelpLook& look) {
  std::string text;
  std::size_t used = 0;
  for (const std::string& line : names) {
    if (used > 0) text += "\n";
    text += std::string(kIndent, ' ') + in_colour(Colour::cyan, line, look.coloured);
    used = kIndent + line.size();
  }
  for (const std::string& line : wrapped(what, look.columns - kNames)) {
    if (used + 2 > kNames) {
      text += "\n";
      used = 0;
    }
    text += std::string(kNames - used, ' ') + line;
    used = kNames;  // a following line begins anew
  }
  return text + "\n";
}

/// `-o, --output FILE`. Values that are a long list are broken at their bars.
std::vector<std::string> names_of(const CommandShape::Option& option, std::size_t columns) {
  if (option.names.empty())
    return {option.name + (option.value.empty() ? "" : " " + option.value) + (option.many ? "..." : "")};
  std::vector<std::string> names = option.names;
  std::ranges::stable_sort(names, {}, [](const std::string& name) { return name.starts_with("--"); });
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty())
    text += fmt::format("{}{}{}", option.takes_value ? " " : "[=", option.value, option.takes_value ? "" : "]");
  if (option.many) text += "...";
  std::vector<std::string> lines;
  while (text.size() + kIndent > columns && text.find('|') != std::string::npos) {
    std::size_t bar = text.rfind('|', columns - kIndent - 1);
    if (bar == std::string::npos) bar = text.find('|');
    lines.push_back(text.substr(0, bar + 1));
    text = std::string(lines.size() == 1 ? kIndent : 0, ' ') + text.substr(bar + 1);
    if (lines.size() > 1) text = std::string(kIndent, ' ') + text;
  }
  lines.push_back(text);
  return lines;
}

/// The different headings of `all`, each at the place of its first; those without one come first under `usual`.
template <class Shape>
std::vector<std::pair<std::string, std::vector<const Shape*>>> by_heading(const std::vector<Shape>& all,
                                                                          const std::string& usual) {
  std::vector<std::pair<std::string, std::vector<const Shape*>>> groups;
  for (const Shape& each : all) {
    const std::string& heading = each.heading.empty() ? usual : each.heading;
    const auto found = std::ranges::find(groups, heading, [](const auto& group) { return group.first; });
    if (found != groups.end()) {
      found->second.push_back(&each);
    } else {
      groups.push_back({heading, {&each}});
    }
  }
  return groups;
}

std::string heading(const std::string& text, const HelpLook& look) {
  return "\n" + in_colour(Colour::bold, text + ":", look.coloured) + "\n";
}

std::string usage(const CommandShape& command, const std::string& path) {
  std::string text = path;
  if (std::ranges::any_of(command.options, [](const auto& option) { return !option.names.empty(); }))
    text += " [OPTIONS]";
  for (const CommandShape::Option& option : command.options) {
    if (!option.names.empty()) continue;
    const std::string name = option.name + (option.many ? "..." : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return command.commands.empty() ? text : text + " COMMAND";
}

HelpLook limited(HelpLook look) {
  look.columns = std::clamp(look.columns, kLeastColumns, kMostColumns);
  return look;
}

std::string lines_of(std::string_view text, std::size_t columns) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const std::string& line : wrapped(text.substr(0, end), columns)) all += line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}  // namespace

std::string help_text(const CommandShape& command, const std::string& path, const HelpLook& asked) {
  const HelpLook look = limited(asked);
  std::string text = lines_of(command.what, look.columns);
  text += in_colour(Colour::bold, "Usage:", look.coloured) + " " + usage(command, path) + "\n";
  std::vector<CommandShape::Option> arguments;
  std::vector<CommandShape::Option> options;
  for (const CommandShape::Option& option : command.options) {
    (option.names.empty() ? arguments : options).push_back(option);
  }
  for (const auto& [title, group] : by_heading(command.commands, "Commands")) {
    text += heading(title, look);
    for (const CommandShape* each : group) {
      text += entry({each->name}, each->what.substr(0, each->what.find('\n')), look);
    }
  }
  if (!arguments.empty()) text += heading("Arguments", look);
  for (const CommandShape::Option& option : arguments) text += entry(names_of(option, look.columns), option.what, look);
  for (const auto& [title, group] : by_heading(options, kUsualHeading)) {
    text += heading(title, look);
    for (const CommandShape::Option* option : group) text += entry(names_of(*option, look.columns), option->what, look);
  }
  if (!command.example.empty()) text += heading("Example", look) + "  " + command.example + "\n";
  return text;
}

std::string help_text_of_all(const CommandShape& command, const std::string& path, const HelpLook& look) {
  std::string text = help_text(command, path, look);
  for (const CommandShape& each : command.commands) text += "\n" + help_text(each, path + " " + each.name, look);
  return text;
}

}  // namespace gdr::commandline
