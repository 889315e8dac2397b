// A row of docs/validation.toml: a published number or statement, what of ours stands beside it, and how near it must
// be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/summa.h"

namespace gdr::validation {

/// How a row came to agree or not; docs/validation.toml says what each means.
enum class Role { calibration, consistency, identity, input, prediction, reading, target };

/// What decides whether ours is near enough; docs/validation.toml says what each kind means.
struct Bar {
  enum class Kind { none, holds, exact, printed, relative, at_least, at_most, within };
  Kind kind = Kind::none;
  double limit = 0;  // relative, at_least, at_most
  double low = 0;    // within
  double high = 0;
  int decimals = 0;  // printed
};

// What a row asks of its model: the spelling of each enumerator is that of docs/validation.toml.

/// Who factorises (Koike et al. 2009, table 2).
enum class HplSystem { board, host };
/// Of the factorisation; the last two are of the whole of it.
enum class HplStage { panel, update, swap, backsub, total, speed };
/// Communication of a program (Sanno and Kise, tables 2 to 4).
enum class MappingGraph { bruck, cg, sp };
/// How its tasks are laid out.
enum class MappingMethod { xyz, none, mincost, minlink };

/// Which kernel, network, algorithm, ... a model that answers for several is asked about.
struct Case {
  std::optional<std::string> kernel;   // of kernels/, by its name
  std::optional<std::string> network;  // of machines/, by its name
  std::optional<interconnect::SummaAlgorithm> algorithm;
  std::optional<interconnect::SummaLayout> layout;
  std::optional<HplSystem> system;
  std::optional<HplStage> stage;
  std::optional<MappingGraph> graph;
  std::optional<MappingMethod> method;
  std::optional<std::uint32_t> side;  // of a cube of nodes
  std::optional<double> limit;        // of a statement, in the unit that its model names
};
/// The members of a case.
enum class CaseField { kernel, network, algorithm, layout, system, stage, graph, method, side, limit };

/// "G5.ip.2048": a name in levels, which says where a row belongs and nothing of what it is.
class RowId {
 public:
  RowId() = default;
  explicit RowId(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The first level.
  [[nodiscard]] std::string whole() const { return text_.substr(0, text_.find('.')); }
  /// True if `name` is this id or that of a whole that it is part of.
  [[nodiscard]] bool belongs_to(std::string_view name) const;
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
  std::string statement;  // where the published thing is no number
  double n = 0;           // size at which a published fit is taken
  std::string unit;
  Role role = Role::target;
  Bar bar;
  std::string goal;
  std::string note;
  bool verified = true;
  bool misprint = false;  // the source contradicts itself; ours is its own arithmetic
  std::string model;      // of Models, by its name; empty: not built
  Case what;
};

// Spellings of docs/validation.toml.
[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::string_view name_of(Bar::Kind kind);
[[nodiscard]] std::string_view name_of(CaseField field);

/// True for the kinds that have a limit.
[[nodiscard]] bool has_limit(Bar::Kind kind);
/// "3 %", ">= 720".
[[nodiscard]] std::string text_of(const Bar& bar);
/// The fields that have a value.
[[nodiscard]] std::vector<CaseField> fields_of(const Case& what);

}  // namespace gdr::validation
