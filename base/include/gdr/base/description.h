// Descriptions of machines and networks: TOML files whose every parameter has a value, a unit and an origin.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::base {

/// A parameter as its file gives it.
struct Parameter {
  std::string key;
  double value = 0;
  std::string unit;
  std::string origin;  // begins with R: (on record), D: (derived) or O: (our own)
};

/// A parameter that every description of a kind must give, with its unit and range.
struct ParameterRule {
  std::string key;
  std::string unit;
  double low = 0;
  double high = 0;
  bool whole = false;
};

/// A text beside the parameters that a description may give: `key = "value"`, one of `values`.
struct ChoiceRule {
  std::string key;
  std::vector<std::string> values;
};

/// A kind of thing that is described: a board, an optical hub, ...
struct DescriptionKind {
  std::string name;
  std::vector<ParameterRule> rules;
  std::vector<ChoiceRule> choices = {};
};

struct Description {
  std::string name;
  std::string title;
  std::string kind;
  std::vector<Parameter> parameters;                             // all of them, in the order of the kind's rules
  std::map<std::string, std::string, std::less<>> choices = {};  // those that the file gives

  /// Value of a parameter; `key` must be in the kind's rules.
  [[nodiscard]] double value(std::string_view key) const;
  /// What the file chooses; empty if it says nothing about `key`.
  [[nodiscard]] std::string choice(std::string_view key) const;
};

/// Reads a description of one of `kinds` from TOML text; `name` is used in messages. Throws gdr::Error `NAME:LINE: ...`
/// with key, value and allowed range for another kind, for unknown, missing or repeated keys, for values of the wrong
/// type or out of range, for wrong units and missing origins, and for text that is not TOML.
[[nodiscard]] Description parse_description(std::string_view text, std::string_view name,
                                            std::span<const DescriptionKind> kinds);

/// `name_or_file` is a path if it ends in .toml, else the name of a description in a data directory. Throws gdr::Error
/// with the known names for any other, and as parse_description().
[[nodiscard]] Description load_description(std::string_view name_or_file, std::span<const DescriptionKind> kinds);

/// Throws gdr::Error `NAME:LINE: ...` if a line of a TOML file has more than 64 dots. A dotted key makes one nested
/// table for each of its parts, and the TOML library walks nested tables by recursion. For nested values the library
/// itself limits the depth.
void refuse_deep_toml(std::string_view text, std::string_view name);

/// Names that load_description() finds for these kinds, sorted.
[[nodiscard]] std::vector<std::string> description_names(std::span<const DescriptionKind> kinds);

/// Directories in which `machines/`, `kernels/` and `docs/` are searched for, in this order: $GDR_DATA_DIR; then the
/// installed tree around the program or library with this code or, if it is not in one, the install prefix and the
/// source tree. data_file.h has the search.
[[nodiscard]] std::vector<std::filesystem::path> data_directories();

}  // namespace gdr::base
