// Reads docs/validation.toml.
#include "gdr/validation/data.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "gdr/base/data_file.h"
#include "gdr/base/description.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "names.h"

namespace gdr::validation {
namespace {

class Reader {
 public:
  Reader(std::string name, const Models& models) : name_(std::move(name)), models_(models) {}

  Data run(std::string_view file) {
    const toml::table root = parsed(file);
    refuse_unknown(root, {"roles", "sections", "sources", "row", "not_compared"});
    take_roles(root);
    data_.sections = texts(root, "sections");
    for (const auto& [key, node] : table(root, "sources")) {
      const toml::table* source = node.as_table();
      if (source == nullptr) fail(node, "a source is a table of short and full");
      data_.sources[std::string(key.str())] = {text(*source, "short", {}), text(*source, "full", {})};
    }
    const toml::array* rows = root["row"].as_array();
    if (rows == nullptr) fail(root, "there is no [[row]]");
    for (const toml::node& row : *rows) take(row, {});
    if (const toml::array* others = root["not_compared"].as_array()) {
      for (const toml::node& other : *others) take_not_compared(other);
    }
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(const toml::node& where, const std::string& why) const {
    throw Error(fmt::format("{}: {}", base::place_in(name_, where.source().begin.line), why));
  }

  toml::table parsed(std::string_view file) const {
    base::refuse_deep_toml(file, name_);
    try {
      return toml::parse(file, name_);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}:{}: {}", name_, error.source().begin.line, error.description()));
    }
  }

  void take_roles(const toml::table& root) {
    const toml::table& roles = table(root, "roles");
    for (const auto& [key, node] : roles) {
      const std::optional<Role> role = kRoles.find(key.str());
      if (!role) fail(node, fmt::format("unknown role '{}'", key.str()));
      data_.roles[*role] = node.value_or(std::string());
    }
    for (const std::string_view name : kRoles) {
      if (!data_.roles.contains(*kRoles.find(name))) fail(roles, fmt::format("role '{}' is not explained", name));
    }
  }

  const toml::table& table(const toml::table& parent, std::string_view key) const {
    const toml::table* found = parent[key].as_table();
    if (found == nullptr) fail(parent, fmt::format("table '{}' is missing", key));
    return *found;
  }

  std::map<std::string, std::string> texts(const toml::table& root, std::string_view key) const {
    std::map<std::string, std::string> all;
    for (const auto& [name, node] : table(root, key)) all[std::string(name.str())] = node.value_or(std::string());
    return all;
  }

  void refuse_unknown(const toml::table& table, const std::set<std::string_view>& known) const {
    for (const auto& [key, node] : table) {
      if (!known.contains(key.str())) fail(node, fmt::format("unknown key '{}'", key.str()));
    }
  }

  std::string text(const toml::table& row, std::string_view key, const std::string& inherited) const {
    const toml::node* node = row.get(key);
    if (node == nullptr) return inherited;
    if (!node->is_string()) fail(*node, fmt::format("'{}' must be a text", key));
    return node->value_or(std::string());
  }

  double number(const toml::node& node, std::string_view key) const {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value)) fail(node, fmt::format("'{}' must be a number", key));
    return *value;
  }

  double number(const toml::table& row, std::string_view key) const {
    const toml::node* node = row.get(key);
    if (node == nullptr) fail(row, fmt::format("'{}' is missing", key));
    return number(*node, key);
  }

  /// The enumerator that a name stands for; `inherited` if the key is missing.
  template <class Enum>
  std::optional<Enum> one_of(const toml::table& row, std::string_view key, const base::Names<Enum>& names,
                             std::optional<Enum> inherited) const {
    const toml::node* node = row.get(key);
    if (node == nullptr) return inherited;
    const std::string name = text(row, key, {});
    const std::optional<Enum> value = names.find(name);
    if (!value) fail(*node, fmt::format("unknown {} '{}': it must be one of {}", key, name, fmt::join(names, ", ")));
    return value;
  }

  std::optional<std::string> name(const toml::table& row, std::string_view key,
                                  const std::optional<std::string>& inherited) const {
    return row.contains(key) ? text(row, key, {}) : inherited;
  }

  Case what(const toml::node& node, Case inherited) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "'case' must be a table");
    std::set<std::string_view> known;
    known.insert(kCaseFields.begin(), kCaseFields.end());
    refuse_unknown(*table, known);
    Case what = std::move(inherited);
    what.kernel = name(*table, "kernel", what.kernel);
    what.network = name(*table, "network", what.network);
    what.algorithm = one_of(*table, "algorithm", kAlgorithms, what.algorithm);
    what.layout = one_of(*table, "layout", kLayouts, what.layout);
    what.system = one_of(*table, "system", kSystems, what.system);
    what.stage = one_of(*table, "stage", kStages, what.stage);
    what.graph = one_of(*table, "graph", kGraphs, what.graph);
    what.method = one_of(*table, "method", kMethods, what.method);
    if (table->contains("side")) what.side = side(*table);
    if (table->contains("limit")) what.limit = number(*table, "limit");
    if (table->contains("bytes")) what.bytes = number(*table, "bytes");
    return what;
  }

  std::uint32_t side(const toml::table& row) const {
    constexpr double kMost = 64;
    const double value = number(row, "side");
    if (value != std::floor(value) || value < 1 || value > kMost) {
      fail(row, fmt::format("'side' must be a whole number from 1 to {}", kMost));
    }
    return static_cast<std::uint32_t>(value);
  }

  Bar bar(const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "'bar' must be a table");
    Bar bar{.kind = one_of(*table, "kind", kBarKinds, std::optional<Bar::Kind>()).value_or(Bar::Kind::none)};
    if (has_limit(bar.kind)) {
      refuse_unknown(*table, {"kind", "limit"});
      bar.limit = number(*table, "limit");
    } else if (bar.kind == Bar::Kind::within) {
      refuse_unknown(*table, {"kind", "low", "high"});
      bar.low = number(*table, "low");
      bar.high = number(*table, "high");
    } else if (bar.kind == Bar::Kind::printed) {
      refuse_unknown(*table, {"kind", "decimals"});
      bar.decimals = static_cast<int>(number(*table, "decimals"));
    } else {
      refuse_unknown(*table, {"kind"});
    }
    return bar;
  }

  /// The published fit at n: a polynomial with the lowest power first.
  double fitted(const toml::array& coefficients, double n) const {
    double value = 0;
    for (std::size_t power = coefficients.size(); power-- > 0;) value = value * n + number(coefficients[power], "fit");
    return value;
  }

  void take_not_compared(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "an entry of not_compared must be a table");
    refuse_unknown(*table, {"source", "place", "printed", "because"});
    NotCompared entry{.source = text(*table, "source", {}),
                      .citation = {},
                      .printed = text(*table, "printed", {}),
                      .because = text(*table, "because", {})};
    const auto source = data_.sources.find(entry.source);
    if (source == data_.sources.end()) fail(*table, fmt::format("not_compared: unknown source '{}'", entry.source));
    if (entry.printed.empty()) fail(*table, "not_compared: 'printed' must name the numbers");
    if (entry.because.empty()) fail(*table, fmt::format("not_compared: {}: no reason", entry.printed));
    entry.citation = source->second.name;
    const std::string place = text(*table, "place", {});
    if (!place.empty()) entry.citation.append(", ").append(place);
    data_.not_compared.push_back(std::move(entry));
  }

  /// What a part of a row takes over from the row; empty for a row itself.
  struct Inherited {
    Row row;
    bool has_bar = false;
    bool has_role = false;
    const toml::array* fit = nullptr;
    const toml::array* fit_sigma = nullptr;
    std::string place;
  };

  /// Standard error of the published fit at n from those of its coefficients, as if these were independent: the source
  /// gives no covariances.
  double fit_error(const toml::table& table, const Inherited& from, double n) const {
    if (from.fit_sigma->size() != from.fit->size()) {
      fail(table, fmt::format("row {}: 'fit_sigma' has {} numbers and 'fit' {}", from.row.id.text(),
                              from.fit_sigma->size(), from.fit->size()));
    }
    double squares = 0;
    double power = 1;
    for (const toml::node& error : *from.fit_sigma) {
      const double part = number(error, "fit_sigma") * power;
      squares += part * part;
      power *= n;
    }
    return std::sqrt(squares);
  }

  void take(const toml::node& node, Inherited from) {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "a row must be a table");
    refuse_unknown(*table, {"id",        "section", "model",    "case",      "quantity", "source",    "place",
                            "published", "fit",     "n",        "statement", "unit",     "role",      "bar",
                            "goal",      "note",    "verified", "misprint",  "derived",  "fit_sigma", "parts"});
    Row& row = from.row;
    row.id = row.id.part(text(*table, "id", {}));
    row.section = text(*table, "section", row.section);
    row.model = text(*table, "model", row.model);
    if (const toml::node* chosen = table->get("case")) row.what = what(*chosen, row.what);
    row.quantity = text(*table, "quantity", row.quantity);
    row.source = text(*table, "source", row.source);
    row.statement = text(*table, "statement", row.statement);
    row.unit = text(*table, "unit", row.unit);
    if (const auto role = one_of(*table, "role", kRoles, std::optional<Role>())) {
      row.role = *role;
      from.has_role = true;
    }
    row.note = text(*table, "note", row.note);
    row.verified = (*table)["verified"].value_or(row.verified);
    row.misprint = (*table)["misprint"].value_or(row.misprint);
    row.derived = (*table)["derived"].value_or(row.derived);
    from.place = text(*table, "place", from.place);
    if (const toml::node* goal = table->get("goal")) {
      row.goal = goal->is_string() ? goal->value_or(std::string()) : fmt::format("{}", number(*goal, "goal"));
    }
    if (const toml::node* published = table->get("published")) row.published = number(*published, "published");
    if (const toml::node* chosen = table->get("bar")) {
      row.bar = bar(*chosen);
      from.has_bar = true;
    }
    if (const toml::array* fit = (*table)["fit"].as_array()) from.fit = fit;
    if (const toml::array* errors = (*table)["fit_sigma"].as_array()) from.fit_sigma = errors;
    if (const toml::node* n = table->get("n")) row.n = number(*n, "n");
    if (const toml::array* parts = (*table)["parts"].as_array()) {
      for (const toml::node& part : *parts) take(part, from);
      return;
    }
    finish(*table, from);
  }

  void finish(const toml::table& table, Inherited& from) {
    Row& row = from.row;
    if (from.fit != nullptr) {
      row.published = fitted(*from.fit, row.n);
      if (from.fit_sigma != nullptr) row.sigma = fit_error(table, from, row.n);
      row.quantity += fmt::format(", N = {}", row.n);
    }
    const std::string& id = row.id.text();
    const auto source = data_.sources.find(row.source);
    if (source == data_.sources.end()) fail(table, fmt::format("row {}: unknown source '{}'", id, row.source));
    if (!data_.sections.contains(row.section)) {
      fail(table, fmt::format("row {}: unknown section '{}'", id, row.section));
    }
    if (!from.has_role) fail(table, fmt::format("row {}: no role", id));
    check_model(table, row);
    if (!from.has_bar || row.quantity.empty()) fail(table, fmt::format("row {}: no bar or quantity", id));
    const bool compares =
        row.bar.kind == Bar::Kind::exact || row.bar.kind == Bar::Kind::relative || row.bar.kind == Bar::Kind::printed;
    if (compares && !row.published) fail(table, fmt::format("row {}: nothing published to compare with", id));
    if (row.bar.kind == Bar::Kind::sigma && !row.sigma) {
      fail(table, fmt::format("row {}: a bar in sigma needs 'fit' and 'fit_sigma'", id));
    }
    if (row.derived && row.note.empty()) {
      fail(table, fmt::format("row {}: a derived number needs a note that says from what", id));
    }
    const bool may_lack_bar = row.role == Role::input || row.role == Role::target || !row.note.empty();
    if (row.bar.kind == Bar::Kind::none && !may_lack_bar)
      fail(table, fmt::format("row {}: without a bar there must be a note that says why", id));
    row.citation = source->second.name;
    if (!from.place.empty()) row.citation.append(", ").append(from.place);
    if (std::ranges::find(data_.rows, row.id, &Row::id) != data_.rows.end()) {
      fail(table, fmt::format("row {} is there twice", id));
    }
    data_.rows.push_back(std::move(row));
  }

  /// Refuses an unknown model, and a case with fewer or more fields than the model takes.
  void check_model(const toml::table& table, const Row& row) const {
    const Model* model = row.model.empty() ? nullptr : models_.find(row.model);
    if (!row.model.empty() && model == nullptr) {
      fail(table, fmt::format("row {}: unknown model '{}'", row.id.text(), row.model));
    }
    const std::vector<CaseField> takes = model == nullptr ? std::vector<CaseField>() : model->takes;
    const std::vector<CaseField> given = fields_of(row.what);
    for (const CaseField field : takes) {
      if (std::ranges::find(given, field) == given.end()) {
        fail(table, fmt::format("row {}: model '{}' needs '{}' in 'case'", row.id.text(), row.model, name_of(field)));
      }
    }
    for (const CaseField field : given) {
      if (std::ranges::find(takes, field) == takes.end()) {
        fail(table, fmt::format("row {}: model '{}' takes no '{}'", row.id.text(), row.model, name_of(field)));
      }
    }
  }

  std::string name_;
  const Models& models_;
  Data data_;
};

}  // namespace

Data parse_data(std::string_view text, const std::string& name, const Models& models) {
  return Reader(name, models).run(text);
}

Data read_data(const Models& models) {
  const std::string name = base::data_file("docs/validation.toml").string();
  return parse_data(base::read_file(name), name, models);
}

}  // namespace gdr::validation
