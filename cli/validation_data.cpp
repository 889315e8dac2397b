// Reading docs/validation.toml, and judging by its bars.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/emulator/machine.h"
#include "validation.h"

namespace gdr::cli {
namespace {

constexpr std::array<std::pair<Bar::Kind, std::string_view>, 8> kBarKinds{{{Bar::Kind::none, "none"},
                                                                           {Bar::Kind::holds, "holds"},
                                                                           {Bar::Kind::exact, "exact"},
                                                                           {Bar::Kind::printed, "printed"},
                                                                           {Bar::Kind::relative, "relative"},
                                                                           {Bar::Kind::at_least, "at_least"},
                                                                           {Bar::Kind::at_most, "at_most"},
                                                                           {Bar::Kind::within, "within"}}};

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  ValidationData run() {
    const toml::table root = parsed();
    refuse_unknown(root, {"roles", "titles", "sources", "row"});
    data_.roles = texts(root, "roles");
    data_.titles = texts(root, "titles");
    for (const auto& [key, node] : table(root, "sources")) {
      const toml::table* source = node.as_table();
      if (source == nullptr) fail(node, "a source is a table of short and full");
      data_.sources[std::string(key.str())] = {text(*source, "short", {}), text(*source, "full", {})};
    }
    const toml::array* rows = root["row"].as_array();
    if (rows == nullptr) fail(root, "there is no [[row]]");
    for (const toml::node& row : *rows) take(row, {});
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(const toml::node& where, const std::string& why) const {
    throw Error(fmt::format("{}:{}: {}", name_, where.source().begin.line, why));
  }

  toml::table parsed() const {
    const std::string text = base::read_file(name_);
    base::refuse_deep_toml(text, name_);
    try {
      return toml::parse(text, name_);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}:{}: {}", name_, error.source().begin.line, error.description()));
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

  Bar bar(const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "'bar' must be a table");
    const std::string name = text(*table, "kind", {});
    const auto* const known = std::ranges::find(kBarKinds, name, &std::pair<Bar::Kind, std::string_view>::second);
    if (known == kBarKinds.end()) fail(node, fmt::format("unknown kind of bar '{}'", name));
    Bar bar{.kind = known->first};
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

  /// The fit at n, as published.
  double fitted(const toml::array& coefficients, double n) const {
    double value = 0;
    for (std::size_t power = coefficients.size(); power-- > 0;) value = value * n + number(coefficients[power], "fit");
    return value;
  }

  /// A row, or a part of one that starts from what `inherited` has.
  struct Inherited {
    ValidationRow row;
    bool has_bar = false;
    const toml::array* fit = nullptr;
    std::string place;
  };

  void take(const toml::node& node, Inherited from) {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "a row must be a table");
    refuse_unknown(*table, {"id", "quantity", "source", "place", "published", "fit", "n", "statement", "unit", "role",
                            "bar", "goal", "note", "verified", "misprint", "parts"});
    ValidationRow& row = from.row;
    const std::string id = text(*table, "id", {});
    row.id = row.id.empty() ? id : fmt::format("{}.{}", row.id, id);
    row.quantity = text(*table, "quantity", row.quantity);
    row.source = text(*table, "source", row.source);
    row.statement = text(*table, "statement", row.statement);
    row.unit = text(*table, "unit", row.unit);
    row.role = text(*table, "role", row.role);
    row.note = text(*table, "note", row.note);
    row.verified = (*table)["verified"].value_or(row.verified);
    row.misprint = (*table)["misprint"].value_or(row.misprint);
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
    if (const toml::node* n = table->get("n")) row.n = number(*n, "n");
    if (const toml::array* parts = (*table)["parts"].as_array()) {
      for (const toml::node& part : *parts) take(part, from);
      return;
    }
    finish(*table, from);
  }

  void finish(const toml::table& table, Inherited& from) {
    ValidationRow& row = from.row;
    if (from.fit != nullptr) {
      row.published = fitted(*from.fit, row.n);
      row.quantity += fmt::format(", N = {}", row.n);
    }
    const auto source = data_.sources.find(row.source);
    if (source == data_.sources.end()) fail(table, fmt::format("row {}: unknown source '{}'", row.id, row.source));
    if (!data_.roles.contains(row.role)) fail(table, fmt::format("row {}: unknown role '{}'", row.id, row.role));
    if (!from.has_bar || row.quantity.empty()) fail(table, fmt::format("row {}: no bar or quantity", row.id));
    const bool compares =
        row.bar.kind == Bar::Kind::exact || row.bar.kind == Bar::Kind::relative || row.bar.kind == Bar::Kind::printed;
    if (compares && !row.published) fail(table, fmt::format("row {}: nothing published to compare with", row.id));
    const bool may_lack_bar = row.role == "input" || row.role == "target" || !row.note.empty();
    if (row.bar.kind == Bar::Kind::none && !may_lack_bar)
      fail(table, fmt::format("row {}: without a bar there must be a note that says why", row.id));
    row.citation = source->second.name;
    if (!from.place.empty()) row.citation.append(", ").append(from.place);
    for (const ValidationRow& other : data_.rows) {
      if (other.id == row.id) fail(table, fmt::format("row {} is there twice", row.id));
    }
    data_.rows.push_back(std::move(row));
  }

  std::string name_;
  ValidationData data_;
};

bool near_enough(const ValidationRow& row, double ours) {
  const Bar& bar = row.bar;
  switch (bar.kind) {
    case Bar::Kind::at_least:
      return ours >= bar.limit;
    case Bar::Kind::at_most:
      return ours <= bar.limit;
    case Bar::Kind::within:
      return ours >= bar.low && ours <= bar.high;
    case Bar::Kind::exact:
      return ours == *row.published;
    case Bar::Kind::printed:
      return fmt::format("{:.{}f}", ours, bar.decimals) == fmt::format("{:.{}f}", *row.published, bar.decimals);
    case Bar::Kind::relative:
      return std::abs(ours / *row.published - 1) <= bar.limit;
    case Bar::Kind::none:
    case Bar::Kind::holds:
      break;
  }
  GDR_ASSERT(false, "a number is judged by a bar for numbers");
  return false;
}

}  // namespace

ValidationData read_validation() { return Reader(base::data_file("docs/validation.toml").string()).run(); }

Verdict judge(const ValidationRow& row, const Ours& ours) {
  Verdict verdict;
  const double* number = std::get_if<double>(&ours);
  const bool* holds = std::get_if<bool>(&ours);
  if (number != nullptr && row.published) verdict.error = *number / *row.published - 1;
  if (!row.verified || row.misprint || row.bar.kind == Bar::Kind::none) return verdict;
  if (number != nullptr) verdict.pass = near_enough(row, *number);
  if (holds != nullptr) verdict.pass = *holds;
  return verdict;
}

std::string_view name_of(Bar::Kind kind) {
  return std::ranges::find(kBarKinds, kind, &std::pair<Bar::Kind, std::string_view>::first)->second;
}

bool has_limit(Bar::Kind kind) {
  return kind == Bar::Kind::relative || kind == Bar::Kind::at_least || kind == Bar::Kind::at_most;
}

std::string text_of(const Bar& bar) {
  switch (bar.kind) {
    case Bar::Kind::relative:
      return fmt::format("{:g} %", 100 * bar.limit);
    case Bar::Kind::at_least:
      return fmt::format(">= {:g}", bar.limit);
    case Bar::Kind::at_most:
      return fmt::format("<= {:g}", bar.limit);
    case Bar::Kind::within:
      return fmt::format("{:g} to {:g}", bar.low, bar.high);
    case Bar::Kind::printed:
      return "all digits";
    default:
      return std::string(name_of(bar.kind));
  }
}

}  // namespace gdr::cli
