// Descriptions of machines and networks: TOML files whose every parameter has a value, a unit and an origin.
#pragma once

#include <filesystem>
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
  std::string origin;  // begins with R: on record, D: derived or O: ours
};

/// What a description of some kind must give.
struct ParameterRule {
  std::string key;
  std::string unit;
  double low = 0;
  double high = 0;
  bool whole = false;
};

/// What is described: a board, an optical hub, ...
struct DescriptionKind {
  std::string name;
  std::vector<ParameterRule> rules;
};

struct Description {
  std::string name;
  std::string title;
  std::string kind;
  std::vector<Parameter> parameters;  // all of them, in the order of the kind's rules

  /// Value of a parameter that the kind's rules name.
  [[nodiscard]] double value(std::string_view key) const;
};

/// Reads a description of one of `kinds`. Throws gdr::Error `NAME:LINE: ...` naming key, value and allowed range:
/// another kind, unknown, missing or repeated keys, values of the wrong type or out of range, wrong units, missing
/// origins, and what is no TOML at all.
[[nodiscard]] Description parse_description(std::string_view text, std::string_view name,
                                            std::span<const DescriptionKind> kinds);

/// `name_or_file` is a path if it ends in .toml, else the name of a description in a data directory. Throws gdr::Error
/// with the names known.
[[nodiscard]] Description load_description(std::string_view name_or_file, std::span<const DescriptionKind> kinds);

/// Throws gdr::Error `NAME:LINE: ...` if a line of a TOML file has more than 64 dots. A key of many parts makes tables
/// as deep as it is long, which the library that reads them walks by recursion; values it refuses beyond some depth
/// itself.
void refuse_deep_toml(std::string_view text, std::string_view name);

/// Names that load_description() finds for these kinds, sorted.
[[nodiscard]] std::vector<std::string> description_names(std::span<const DescriptionKind> kinds);

/// Where `machines/`, `kernels/` and `docs/` are looked for, in this order: $GDR_DATA_DIR; the installed tree around
/// the running program, or, for a program that is not in one, the install prefix and the source tree. data_file.h
/// searches.
[[nodiscard]] std::vector<std::filesystem::path> data_directories();

}  // namespace gdr::base
