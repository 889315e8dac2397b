#include "roundings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "pair/acts.h"

namespace gdr::compiler {
namespace {

constexpr std::size_t kBody = 0;

const PairFunction& part_of(const Imported& imported, std::size_t part) {
  return part == kBody ? imported.body : imported.finish;
}
PairFunction& part_of(Imported& imported, std::size_t part) { return part == kBody ? imported.body : imported.finish; }

/// The name of an operation that rounds; nothing if it returns one of its operands, or a number without rounding.
std::optional<std::string> operation_name(Act act) {
  static constexpr ActTable<const char*> kNames(
      [](Act any) {
        const Family family = family_of(any);
        return family == Family::number || family == Family::narrow || family == Family::from_integer;
      },
      {{Act::add, "add"},
       {Act::sub, "sub"},
       {Act::mul, "mul"},
       {Act::div, "div"},
       {Act::sqrt, "sqrt"},
       {Act::rsqrt, "rsqrt"},
       {Act::reciprocal, "reciprocal"},
       {Act::exp2, "exp2"},
       {Act::exp, "exp"},
       {Act::log2, "log2"},
       {Act::log, "log"},
       {Act::sin, "sin"},
       {Act::cos, "cos"},
       {Act::power, "pow"},
       {Act::cube_root, "cbrt"},
       {Act::erf, "erf"},
       {Act::erfc, "erfc"},
       {Act::tan, "tan"},
       {Act::tanh, "tanh"},
       {Act::atan2, "atan2"},
       {Act::hypot, "hypot"},
       {Act::log10, "log10"},
       {Act::expm1, "expm1"},
       {Act::log1p, "log1p"},
       {Act::narrow, "narrow"},
       {Act::from_integer, "from_integer"},
       {Act::absolute, nullptr},
       {Act::copysign, nullptr},
       {Act::minimum, nullptr},
       {Act::maximum, nullptr},
       {Act::floor, nullptr},
       {Act::ceil, nullptr},
       {Act::trunc, nullptr},
       {Act::round, nullptr},
       {Act::nearest, nullptr},
       {Act::fraction, nullptr}});
  return kNames[act] == nullptr ? std::nullopt : std::optional<std::string>(kNames[act]);
}

/// True for functions whose short form rounds the argument to a short word. Each has a long form, too.
bool is_function(Act act) {
  static const std::set<Act> all{Act::div,   Act::sqrt,  Act::rsqrt, Act::reciprocal, Act::exp2,  Act::exp,
                                 Act::log2,  Act::log,   Act::sin,   Act::cos,        Act::power, Act::cube_root,
                                 Act::erf,   Act::erfc,  Act::tan,   Act::tanh,       Act::atan2, Act::hypot,
                                 Act::log10, Act::expm1, Act::log1p};
  return all.contains(act);
}

/// True for functions that are computed to one unit in the last of 24 bits (docs/kernels/compiler.md).
bool is_exact_to_24_bits(Act act) {
  return is_function(act) && act != Act::div && act != Act::sqrt && act != Act::rsqrt && act != Act::reciprocal;
}

/// True for an operation whose rounding is the same as that of a narrowing after it.
bool rounds_itself(Act act) { return act == Act::add || act == Act::sub || act == Act::mul; }

/// Nodes that the stores depend on.
std::vector<char> needed(const PairFunction& function) {
  std::vector<char> all(function.nodes.size(), 0);
  for (const Store& store : function.stores) all[static_cast<std::size_t>(store.value)] = 1;
  for (std::size_t n = all.size(); n-- > 0;) {
    if (all[n] == 0) continue;
    for (const int operand : function.nodes[n].operands) all[static_cast<std::size_t>(operand)] = 1;
  }
  return all;
}

/// For each node, true if it depends on an earlier value of a result.
std::vector<char> on_results(const PairFunction& function) {
  std::vector<char> all(function.nodes.size(), 0);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Node& node = function.nodes[n];
    all[n] = (node.act == Act::input && node.record == Record::result) ||
                     std::any_of(node.operands.begin(), node.operands.end(),
                                 [&](int operand) { return all[static_cast<std::size_t>(operand)] != 0; })
                 ? 1
                 : 0;
  }
  return all;
}

class RoundingFinder {
 public:
  explicit RoundingFinder(const Imported& imported) : imported_(imported) {}

  std::vector<Rounding> all() {
    for (std::size_t part = 0; part < 2; ++part) {
      sums_ = part == kBody ? on_results(imported_.body) : std::vector<char>(imported_.finish.nodes.size(), 0);
      operations(part);
      if (part == kBody) sums();
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Rounding& a, const Rounding& b) {
      return std::tie(a.place.file, a.place.line, a.place.column) <
             std::tie(b.place.file, b.place.line, b.place.column);
    });
    return std::move(found_);
  }

 private:
  /// Operations with equal place, name and, for inputs, member count as one.
  using Key = std::tuple<std::size_t, std::string, unsigned, unsigned, std::string, int, unsigned, bool>;

  void operations(std::size_t part) {
    const PairFunction& function = part_of(imported_, part);
    const std::vector<char> used = needed(function);
    const std::vector<char> narrowed = narrowed_only(function);
    for (std::size_t n = 0; n < function.nodes.size(); ++n) {
      const Node& node = function.nodes[n];
      if (used[n] == 0 || sums_[n] != 0 || narrowed[n] != 0 || !is_float(node.type)) continue;
      if (node.act == Act::input && node.record != Record::result) {
        input(part, static_cast<int>(n));
      } else if (const std::optional<std::string> name = operation_name(node.act)) {
        const Node& from = node.act == Act::narrow ? function.nodes[static_cast<std::size_t>(node.operands[0])] : node;
        const bool joined = node.act == Act::narrow && rounds_itself(from.act);
        const Place& place = joined ? from.place : node.place;
        const std::string operation = joined ? *operation_name(from.act) : *name;
        add({part, place.file, place.line, place.column, operation, -1, 0, is_long(node.type)}, place, part,
            static_cast<int>(n), node.name.empty() && joined ? from.name : node.name);
      }
    }
  }

  void input(std::size_t part, int n) {
    const Node& node = part_of(imported_, part).nodes[static_cast<std::size_t>(n)];
    const Field& field = part_of(imported_, part).records[static_cast<std::size_t>(node.record)][node.field];
    // Parameters are the same words in both parts.
    Rounding& rounding = add({kBody, "", 0, 0, "input", static_cast<int>(node.record), node.field, is_long(node.type)},
                             node.place, part, n, field.name);
    rounding.has_field = true;
    rounding.record = node.record;
    rounding.field = node.field;
  }

  /// Adds one for each member that is a sum, wherever values are added to it.
  void sums() {
    const PairFunction& function = imported_.body;
    for (const Store& store : function.stores) {
      const Field& field = function.records[static_cast<std::size_t>(Record::result)][store.field];
      if (!is_float(field.type)) continue;
      std::vector<int> open{store.value};
      std::set<int> seen;
      while (!open.empty()) {
        const int next = open.back();
        open.pop_back();
        const Node& node = function.nodes[static_cast<std::size_t>(next)];
        if (sums_[static_cast<std::size_t>(next)] == 0 || !seen.insert(next).second) continue;
        open.insert(open.end(), node.operands.begin(), node.operands.end());
        if (!is_float(node.type) || !operation_name(node.act)) continue;
        Rounding& rounding =
            add({kBody, "", 0, 0, "sum", static_cast<int>(Record::result), store.field, is_long(field.type)},
                store.place, kBody, next, field.name);
        rounding.has_field = true;
        rounding.record = Record::result;
        rounding.field = store.field;
      }
    }
  }

  Rounding& add(const Key& key, const Place& place, std::size_t part, int node, const std::string& name) {
    const auto [known, is_new] = known_.try_emplace(key, found_.size());
    if (is_new) found_.push_back({!std::get<bool>(key), std::get<4>(key), "", place, {}, false, Record::i, 0});
    Rounding& rounding = found_[known->second];
    rounding.nodes[part].push_back(node);
    if (!name.empty() && names_[known->second].insert(name).second)
      rounding.name += (rounding.name.empty() ? "" : ", ") + name;
    return rounding;
  }

  /// Sums, differences and products of which all readers make a short word: these round once.
  static std::vector<char> narrowed_only(const PairFunction& function) {
    std::vector<char> narrowed(function.nodes.size(), 0);
    std::vector<char> other(function.nodes.size(), 0);
    for (const Node& node : function.nodes) {
      for (const int operand : node.operands)
        (node.act == Act::narrow ? narrowed : other)[static_cast<std::size_t>(operand)] = 1;
    }
    for (const Store& store : function.stores) other[static_cast<std::size_t>(store.value)] = 1;
    for (std::size_t n = 0; n < narrowed.size(); ++n)
      narrowed[n] = narrowed[n] != 0 && other[n] == 0 && rounds_itself(function.nodes[n].act) ? 1 : 0;
    return narrowed;
  }

  const Imported& imported_;
  std::vector<char> sums_;  // nodes of the current part that are states of results
  std::vector<Rounding> found_;
  std::map<Key, std::size_t> known_;
  std::map<std::size_t, std::set<std::string>> names_;
};

/// Rewrites the nodes of one part; long functions may need several nodes.
class Rewriter {
 public:
  explicit Rewriter(PairFunction& function) : function_(function) {}

  void rewrite() {
    std::vector<int> number;
    for (const Node& old : function_.nodes) {
      Node node = old;
      for (int& operand : node.operands) operand = number[static_cast<std::size_t>(operand)];
      number.push_back(rewritten(std::move(node)));
    }
    for (Store& store : function_.stores) store.value = number[static_cast<std::size_t>(store.value)];
    function_.nodes = std::move(made_);
  }

 private:
  int rewritten(Node node) {
    const bool reads_long = std::any_of(node.operands.begin(), node.operands.end(),
                                        [&](int operand) { return at(operand).type == Type::float_long; });
    if (node.act == Act::narrow && node.type == Type::float_long) node.act = Act::widen;
    if (!is_function(node.act) || (node.type == Type::float_short && !reads_long)) return push(std::move(node));
    if (node.type == Type::float_long) return long_form(std::move(node));
    const Node short_form = node;
    node.type = Type::float_long;
    return narrow(long_form(std::move(node)), short_form);
  }

  /// gdr::rsqrt() and gdr::reciprocal() have no long form: it is 1 / sqrt(x) or 1 / x, and 0 for 0.
  int long_form(Node node) {
    if (node.act != Act::rsqrt && node.act != Act::reciprocal) return push(std::move(node));
    const int x = node.operands[0];
    const int zero = constant(0, node);
    const int is_zero = derived(Act::equal, Type::truth, {x, zero}, node);
    const int divisor = node.act == Act::rsqrt ? derived(Act::sqrt, Type::float_long, {x}, node) : x;
    const int inverse = derived(Act::div, Type::float_long, {constant(1, node), divisor}, node);
    return derived(Act::select, Type::float_long, {is_zero, zero, inverse}, node);
  }

  int narrow(int value, const Node& like) { return derived(Act::narrow, Type::float_short, {value}, like); }

  int constant(double number, const Node& like) {
    const int made = derived(Act::constant, Type::float_long, {}, like);
    made_.back().number = number;
    return made;
  }

  int derived(Act act, Type type, std::vector<int> operands, const Node& like) {
    Node node;
    node.act = act;
    node.type = type;
    node.operands = std::move(operands);
    node.name = like.name;
    node.place = like.place;
    return push(std::move(node));
  }

  int push(Node node) {
    made_.push_back(std::move(node));
    return static_cast<int>(made_.size()) - 1;
  }
  [[nodiscard]] const Node& at(int number) const { return made_[static_cast<std::size_t>(number)]; }

  PairFunction& function_;
  std::vector<Node> made_;
};

/// Widens operations that do not round to the width of their operands, and members to the width of their values.
/// Returns true if it changed anything.
bool spread(Imported& imported) {
  bool more = false;
  const auto make_long = [&](Type& type) {
    if (type != Type::float_short) return;
    type = Type::float_long;
    more = true;
  };
  for (std::size_t part = 0; part < 2; ++part) {
    PairFunction& function = part_of(imported, part);
    for (Node& node : function.nodes) {
      const bool reads_long = std::any_of(node.operands.begin(), node.operands.end(), [&](int operand) {
        return function.nodes[static_cast<std::size_t>(operand)].type == Type::float_long;
      });
      const bool wide_field =
          node.act == Act::input &&
          function.records[static_cast<std::size_t>(node.record)][node.field].type == Type::float_long;
      const bool gives_operand = node.act == Act::negate || node.act == Act::absolute || node.act == Act::copysign ||
                                 node.act == Act::minimum || node.act == Act::maximum || node.act == Act::select ||
                                 node.act == Act::floor || node.act == Act::ceil || node.act == Act::trunc ||
                                 node.act == Act::round || node.act == Act::nearest || node.act == Act::fraction;
      if (wide_field || (reads_long && gives_operand)) make_long(node.type);
    }
  }
  for (const Store& store : imported.body.stores) {
    constexpr auto kResult = static_cast<std::size_t>(Record::result);
    if (imported.body.nodes[static_cast<std::size_t>(store.value)].type != Type::float_long) continue;
    make_long(imported.body.records[kResult][store.field].type);
    if (!imported.finish.records[kResult].empty())
      imported.finish.records[kResult][store.field].type = imported.body.records[kResult][store.field].type;
  }
  return more;
}

}  // namespace

unsigned significant_bits(const Node& node) {
  constexpr unsigned kOfShortWord = 25;  // 24 fraction bits and a hidden bit, see gdr/isa/word.h
  return is_exact_to_24_bits(node.act) ? kOfShortWord - 1 : kOfShortWord;
}

std::vector<Rounding> roundings_of(const Imported& imported) { return RoundingFinder(imported).all(); }

Imported with_long_roundings(const Imported& imported, const std::vector<const Rounding*>& wide) {
  Imported widened = imported;
  for (const Rounding* rounding : wide) {
    for (std::size_t part = 0; part < 2; ++part) {
      PairFunction& function = part_of(widened, part);
      auto& fields = function.records[static_cast<std::size_t>(rounding->record)];
      if (rounding->has_field && rounding->field < fields.size()) fields[rounding->field].type = Type::float_long;
      for (const int node : rounding->nodes[part])
        function.nodes[static_cast<std::size_t>(node)].type = Type::float_long;
    }
  }
  while (spread(widened)) {
  }
  for (std::size_t part = 0; part < 2; ++part) Rewriter(part_of(widened, part)).rewrite();
  return widened;
}

}  // namespace gdr::compiler
