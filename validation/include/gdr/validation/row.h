// A row of docs/validation.toml: a published number or statement, the model that is compared with it, and how close the
// two must be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/summa.h"

namespace gdr::validation {

/// How independent gdr's value is of the published one; docs/validation.toml says what each role means.
enum class Role { calibration, consistency, identity, input, prediction, reading, target };

/// The limit for passing; docs/validation.toml says what each kind means.
struct Bar {
  enum class Kind { none, holds, exact, printed, relative, sigma, at_least, at_most, within };
  Kind kind = Kind::none;
  double limit = 0;  // relative, sigma, at_least, at_most
  double low = 0;    // within
  double high = 0;
  int decimals = 0;  // printed
};

// What a row can select in its model. The enumerators are spelled as in docs/validation.toml.

/// What factorises the matrix (Koike et al. 2009, table 2).
enum class HplSystem { board, host };
/// A stage of the factorisation; `total` and `speed` are those of the whole.
enum class HplStage { panel, update, swap, backsub, total, speed };
/// The communication pattern of a program (Sanno and Kise, tables 2 to 4).
enum class MappingGraph { bruck, cg, sp };
/// How the tasks of the program are placed on nodes.
enum class MappingMethod { xyz, none, mincost, minlink };

/// Selects the kernel, network, algorithm, ... in a model that handles several.
struct Case {
  std::optional<std::string> kernel;   // of kernels/, by its name
  std::optional<std::string> network;  // of machines/, by its name
  std::optional<interconnect::SummaAlgorithm> algorithm;
  std::optional<interconnect::SummaLayout> layout;
  std::optional<HplSystem> system;
  std::optional<HplStage> stage;
  std::optional<MappingGraph> graph;
  std::optional<MappingMethod> method;
  std::optional<std::uint32_t> side;  // nodes along each side of a cube
  std::optional<double> limit;        // for a statement, in the unit that its model names
  std::optional<double> bytes;        // of a message
};
/// The members of a case.
enum class CaseField { kernel, network, algorithm, layout, system, stage, graph, method, side, limit, bytes };

/// The name of a row, in levels: "G5.ip.2048". It says to which group a row belongs, not what the row contains.
class RowId {
 public:
  RowId() = default;
  explicit RowId(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The first level.
  [[nodiscard]] std::string whole() const { return text_.substr(0, text_.find('.')); }
  /// True if `name` is this id or that of a whole that it is part of.
  [[nodiscard]] bool belongs_to(std::string_view name) const;
  /// The id of a part of this row: this id with one more level.
  [[nodiscard]] RowId part(std::string_view name) const;
  bool operator==(const RowId&) const = default;

 private:
  std::string text_;
};

struct Row {
  RowId id;
  std::string section;  // key of Data::sections
  std::string quantity;
  std::string source;    // key of Data::sources
  std::string citation;  // as a reader cites it: "Koike et al. 2009, section 3.2"
  std::optional<double> published;
  std::optional<double> sigma;  // standard error of the published number, where the source gives one
  std::string statement;        // what is published, if it is not a number
  double n = 0;                 // size at which a published fit is evaluated
  std::string unit;
  Role role = Role::target;
  Bar bar;
  std::string goal;
  std::string note;
  bool verified = true;
  bool misprint = false;  // the source contradicts itself; our value follows its own arithmetic
  bool derived = false;   // the source does not print the published number: it follows from one that it prints
  std::string model;      // name of one of Models; empty: not built
  Case what;
};

// Spellings as in docs/validation.toml.
[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::string_view name_of(Bar::Kind kind);
[[nodiscard]] std::string_view name_of(CaseField field);

/// True for the kinds that have a limit.
[[nodiscard]] bool has_limit(Bar::Kind kind);
/// The bar as text: "3 %", ">= 720".
[[nodiscard]] std::string text_of(const Bar& bar);
/// The fields that have a value.
[[nodiscard]] std::vector<CaseField> fields_of(const Case& what);

}  // namespace gdr::validation
