// Reads descriptions; errors name file and line.
#include "gdr/base/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "gdr/base/data_file.h"
#include "gdr/base/description_of_parts.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/nearest.h"

namespace gdr::base {
namespace {

constexpr std::string_view kExtension = ".toml";
constexpr std::size_t kMostDotsOfLine = 64;  // in numbers, texts and keys alike; lines of gdr's files have at most 9

template <class Range, class Text>
std::string listed(const Range& range, Text text_of) {
  std::vector<std::string> texts;
  for (const auto& element : range) texts.push_back(text_of(element));
  return fmt::format("{}", fmt::join(texts, ", "));
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, std::span<const DescriptionKind> kinds)
      : text_(text), name_(name), kinds_(kinds) {}

  Description run() const {
    const toml::table root = parsed();
    std::set<std::string_view> keys{"name", "title", "kind", "parameters"};
    const auto kind = std::ranges::find(kinds_, root["kind"].value_or(std::string()), &DescriptionKind::name);
    if (kind != kinds_.end()) {
      for (const ChoiceRule& choice : kind->choices) keys.insert(choice.key);
    }
    if (kind != kinds_.end()) refuse_choices_of_others(root, *kind);
    refuse_unknown(root, keys, "");
    return described(root);
  }

  DescriptionOfParts run_with_parts(const std::vector<std::string>& keys) const {
    const toml::table root = parsed();
    refuse_unknown(root, {"name", "title", "kind", "parameters", "parts"}, "");
    DescriptionOfParts result{described(root), {}};
    const toml::table* parts = root["parts"].as_table();
    if (parts == nullptr) fail(root.source(), "table 'parts' is missing");
    refuse_unknown(*parts, {keys.begin(), keys.end()}, "parts.");
    for (const std::string& key : keys) {
      if (parts->get(key) == nullptr) fail(parts->source(), fmt::format("'parts.{}' is missing", key));
      result.parts[key] = text_of(*parts, key, "parts.");
    }
    return result;
  }

 private:
  Description described(const toml::table& root) const {
    Description description{text_of(root, "name", ""), text_of(root, "title", ""), text_of(root, "kind", ""), {}};
    const auto kind = std::ranges::find(kinds_, description.kind, &DescriptionKind::name);
    if (kind == kinds_.end()) {
      fail(root["kind"].node()->source(), fmt::format("kind = '{}' is refused: it must be one of {}", description.kind,
                                                      listed(kinds_, [](const auto& known) { return known.name; })));
    }
    const toml::table* parameters = root["parameters"].as_table();
    if (parameters == nullptr) fail(root.source(), "table 'parameters' is missing");
    refuse_unknown_parameters(*parameters, *kind);
    for (const ParameterRule& rule : kind->rules) {
      const toml::node* node = parameters->get(rule.key);
      if (node == nullptr) fail(parameters->source(), fmt::format("parameter '{}' is missing", rule.key));
      description.parameters.push_back(parameter(rule, *node));
    }
    for (const ChoiceRule& rule : kind->choices) {
      const toml::node* node = root.get(rule.key);
      if (node == nullptr) continue;
      const auto* chosen = node->as_string();
      if (chosen == nullptr || std::ranges::find(rule.values, chosen->get()) == rule.values.end()) {
        fail(node->source(), fmt::format("{} = {} is refused: it must be one of {}", rule.key, written(*node),
                                         fmt::join(rule.values, ", ")));
      }
      description.choices[rule.key] = chosen->get();
    }
    return description;
  }

  /// A value for messages: a text in quotes, another value but a table as the file has it if it is on one line.
  std::string written(const toml::node& node) const {
    if (const auto* text = node.as_string()) return fmt::format("'{}'", text->get());
    if (node.is_table()) return "a table";
    const toml::source_region& where = node.source();
    if (where.begin.line == 0 || where.begin.line != where.end.line || where.begin.column >= where.end.column) {
      return "what the file gives";
    }
    std::string_view rest = text_;
    for (toml::source_index line = 1; line < where.begin.line; ++line) rest.remove_prefix(rest.find('\n') + 1);
    // Columns count characters, of which a key that is known and its value have few beyond ASCII.
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t begin = std::min<std::size_t>(where.begin.column - 1, rest.size());
    return std::string(rest.substr(begin, where.end.column - where.begin.column));
  }

  /// Refuses what only other kinds may choose.
  void refuse_choices_of_others(const toml::table& root, const DescriptionKind& kind) const {
    for (const auto& [key, node] : root) {
      const auto is_it = [wanted = key.str()](const ChoiceRule& choice) { return choice.key == wanted; };
      if (std::ranges::any_of(kind.choices, is_it)) continue;
      std::vector<std::string> others;
      for (const DescriptionKind& other : kinds_) {
        const auto found = std::ranges::find_if(other.choices, is_it);
        if (found == other.choices.end()) continue;
        others.push_back(fmt::format("{} ({})", other.name, fmt::join(found->values, ", ")));
      }
      if (others.empty()) continue;
      fail(node.source(), fmt::format("{} = {} is refused: kind '{}' has no such choice; these have: {}", key.str(),
                                      written(node), kind.name, fmt::join(others, ", ")));
    }
  }

  [[noreturn]] void fail(const toml::source_region& where, const std::string& why) const {
    throw Error(fmt::format("{}: {}", place_in(name_, where.begin.line), why));
  }

  toml::table parsed() const {
    refuse_deep_toml(text_, name_);
    try {
      return toml::parse(text_);  // with the name, it would end the process if memory runs out
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}:{}:{}: {}", name_, error.source().begin.line, error.source().begin.column,
                              error.description()));
    }
  }

  void refuse_unknown(const toml::table& table, const std::set<std::string_view>& allowed,
                      std::string_view inside) const {
    for (const auto& [key, node] : table) {
      if (!allowed.contains(key.str())) {
        fail(node.source(), fmt::format("unknown key '{}{}' (known: {})", inside, key.str(), fmt::join(allowed, ", ")));
      }
    }
  }

  void refuse_unknown_parameters(const toml::table& parameters, const DescriptionKind& kind) const {
    for (const auto& [key, node] : parameters) {
      if (std::ranges::find(kind.rules, key.str(), &ParameterRule::key) == kind.rules.end()) {
        fail(node.source(), fmt::format("unknown parameter '{}' (known: {})", key.str(),
                                        listed(kind.rules, [](const auto& rule) { return rule.key; })));
      }
    }
  }

  std::string text_of(const toml::table& table, std::string_view key, std::string_view inside) const {
    const auto* value = table[key].as_string();
    if (value == nullptr || value->get().empty()) {
      const toml::node* node = table.get(key);
      fail(node == nullptr ? table.source() : node->source(),
           fmt::format("'{}{}' must be a text that is not empty", inside, key));
    }
    return value->get();
  }

  Parameter parameter(const ParameterRule& rule, const toml::node& node) const {
    const std::string inside = rule.key + ".";
    const toml::table* entry = node.as_table();
    if (entry == nullptr) {
      fail(node.source(), fmt::format("parameter '{}' must be a table of value, unit and origin", rule.key));
    }
    refuse_unknown(*entry, {"value", "unit", "origin"}, inside);
    const auto value = (*entry)["value"].value<double>();
    if (!value) fail(node.source(), fmt::format("'{}value' must be a number", inside));
    const bool in_range = std::isfinite(*value) && *value >= rule.low && *value <= rule.high;
    if (!in_range || (rule.whole && *value != std::floor(*value))) {
      fail(node.source(), fmt::format("{} = {} is refused: it must be a {} from {} to {}", rule.key, *value,
                                      rule.whole ? "whole number" : "number", rule.low, rule.high));
    }
    const std::string unit = text_of(*entry, "unit", inside);
    if (unit != rule.unit) {
      fail(node.source(), fmt::format("'{}unit' = '{}' is refused: it must be '{}'", inside, unit, rule.unit));
    }
    const std::string origin = text_of(*entry, "origin", inside);
    if (origin.size() < 3 || std::string_view("RDO").find(origin[0]) == std::string_view::npos || origin[1] != ':') {
      fail(node.source(), fmt::format("'{}origin' must begin with R:, D: or O:", inside));
    }
    return {rule.key, *value, unit, origin};
  }

  std::string_view text_;
  std::string_view name_;
  std::span<const DescriptionKind> kinds_;
};

/// The kind that a file states; nothing if it states none or cannot be read.
std::optional<std::string> kind_of(const std::filesystem::path& file) {
  try {
    const std::string text = read_file(file);
    refuse_deep_toml(text, file.string());
    return toml::parse(text)["kind"].value<std::string>();
  } catch (const toml::parse_error&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void refuse_deep_toml(std::string_view text, std::string_view name) {
  std::size_t line = 1;
  std::size_t dots = 0;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '.' && ++dots > kMostDotsOfLine) {
      throw Error(fmt::format("{}:{}: the line has more than {} dots", name, line, kMostDotsOfLine));
    }
  }
}

double Description::value(std::string_view key) const {
  const auto parameter = std::ranges::find(parameters, key, &Parameter::key);
  GDR_ASSERT(parameter != parameters.end(), "a parameter is asked for by a key of its kind");
  return parameter->value;
}

std::string Description::choice(std::string_view key) const {
  const auto chosen = choices.find(key);
  return chosen == choices.end() ? std::string() : chosen->second;
}

Description parse_description(std::string_view text, std::string_view name, std::span<const DescriptionKind> kinds) {
  return Reader(text, name, kinds).run();
}

namespace {

/// The names that would have been known, or where none was found.
std::string known_names(std::span<const DescriptionKind> kinds) {
  const std::vector<std::string> known = description_names(kinds);
  if (!known.empty()) return fmt::format("known: {}", fmt::join(known, ", "));
  std::vector<std::string> looked;
  for (const std::filesystem::path& directory : data_directories()) looked.push_back((directory / "machines").string());
  return fmt::format("no machines are found in {}; GDR_DATA_DIR names the folder with gdr's data",
                     fmt::join(looked, ", "));
}

}  // namespace

Description load_description(std::string_view name_or_file, std::span<const DescriptionKind> kinds) {
  if (name_or_file.ends_with(kExtension)) return parse_description(read_file(name_or_file), name_or_file, kinds);
  if (const auto file = find_data_file(fmt::format("machines/{}{}", name_or_file, kExtension))) {
    return parse_description(read_file(*file), file->string(), kinds);
  }
  const std::vector<std::string> known = description_names(kinds);
  throw Error(fmt::format("no machine is called '{}'{} ({}; or name a file that ends in .toml)", name_or_file,
                          did_you_mean(name_or_file, known), known_names(kinds)));
}

bool is_of_kind(std::string_view file, std::string_view kind) { return kind_of(file) == kind; }

DescriptionOfParts parse_description_of_parts(std::string_view text, std::string_view name, const KindOfParts& kind) {
  return Reader(text, name, {&kind.kind, 1}).run_with_parts(kind.parts);
}

DescriptionOfParts load_description_of_parts(std::string_view name_or_file, const KindOfParts& kind) {
  if (!name_or_file.ends_with(kExtension)) {
    const auto file = find_data_file(fmt::format("machines/{}{}", name_or_file, kExtension));
    if (!file) {
      throw Error(fmt::format("no {} is called '{}' ({}; or name a file that ends in .toml)", kind.kind.name,
                              name_or_file, known_names({&kind.kind, 1})));
    }
    return parse_description_of_parts(read_file(*file), file->string(), kind);
  }
  DescriptionOfParts description = parse_description_of_parts(read_file(name_or_file), name_or_file, kind);
  for (auto& [key, part] : description.parts) {
    if (!part.ends_with(kExtension)) continue;
    part = (std::filesystem::path(name_or_file).parent_path() / part).string();
  }
  return description;
}

std::vector<std::string> description_names(std::span<const DescriptionKind> kinds) {
  std::set<std::string> names;
  for (const std::filesystem::path& directory : data_directories()) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(directory / "machines", none)) {
      if (entry.path().extension() != kExtension) continue;
      const auto kind = kind_of(entry.path());
      if (kind && std::ranges::find(kinds, *kind, &DescriptionKind::name) != kinds.end()) {
        names.insert(entry.path().stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace gdr::base
