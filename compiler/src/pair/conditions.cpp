#include "conditions.h"

#include <algorithm>
#include <limits>

namespace gdr::compiler {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
// Conditions with more parts than this are joined without looking for what is implied: that takes the square of it.
constexpr std::size_t kMostParts = 64;

bool compares_integers(Act act) { return act == Act::int_less || act == Act::int_equal; }

}  // namespace

int Conditions::made(Act act, std::vector<int> operands, std::int64_t integer) {
  const auto [known, is_new] = known_.try_emplace({act, operands, integer}, -1);
  if (!is_new) return known->second;
  Node node;
  node.act = act;
  node.type = Type::truth;
  node.operands = std::move(operands);
  node.integer = integer;
  node.place = place_;
  function_.nodes.push_back(std::move(node));
  return known->second = static_cast<int>(function_.nodes.size()) - 1;
}

int Conditions::constant(bool value) { return made(Act::constant, {}, value ? 1 : 0); }

std::optional<bool> Conditions::known(int node) const {
  if (at(node).act != Act::constant) return std::nullopt;
  return at(node).integer != 0;
}

int Conditions::comparison(Act act, int a, int b) {
  const bool symmetric = act == Act::equal || act == Act::int_equal;
  if (symmetric && known_.contains({act, {b, a}, 0})) std::swap(a, b);
  return made(act, {a, b});
}

int Conditions::opposite(int a) {
  if (const std::optional<bool> value = known(a)) return constant(!*value);
  if (at(a).act == Act::opposite) return at(a).operands[0];
  return made(Act::opposite, {a});
}

std::vector<int> Conditions::parts(int node) const {
  std::vector<int> open{node};
  std::vector<int> all;
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    if (at(next).act != Act::both) {
      all.push_back(next);
      continue;
    }
    open.push_back(at(next).operands[1]);
    open.push_back(at(next).operands[0]);
  }
  return all;
}

std::optional<double> Conditions::number_of(int node) const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const Node& constant = at(node);
  if (constant.act == Act::widen) return number_of(constant.operands[0]);
  if (constant.act != Act::constant) return std::nullopt;
  if (is_float(constant.type)) return constant.number;
  if (constant.integer > kExact || constant.integer < -kExact) return std::nullopt;
  return static_cast<double>(constant.integer);
}

std::optional<Conditions::Range> Conditions::range_of(int node) const {
  const Node& comparison = at(node);
  if (comparison.act == Act::opposite) {
    const std::optional<Range> inside = range_of(comparison.operands[0]);
    return inside ? std::optional(outside(*inside)) : std::nullopt;
  }
  const bool equal = comparison.act == Act::equal || comparison.act == Act::int_equal;
  if (!equal && comparison.act != Act::less && comparison.act != Act::int_less) return std::nullopt;
  const bool whole = compares_integers(comparison.act);
  for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
    const std::optional<double> number = number_of(comparison.operands[side]);
    if (!number) continue;
    Range range{comparison.operands[1 - side], *number, *number, false, false, false};
    if (equal) return range;
    if (side == 1) {  // value < number
      range.low = -kFar;
      if (whole) range.high -= 1;
      range.open_high = !whole;
    } else {
      range.high = kFar;
      if (whole) range.low += 1;
      range.open_low = !whole;
    }
    return range;
  }
  return std::nullopt;
}

/// The opposite of a point or of a half line, which are the only ranges.
Conditions::Range Conditions::outside(const Range& range) {
  Range other = range;
  if (range.all_but || range.low == range.high) {
    other.all_but = !range.all_but;
  } else if (range.low == -kFar) {
    other = {range.value, range.high, kFar, !range.open_high, false, false};
  } else {
    other = {range.value, -kFar, range.low, false, !range.open_low, false};
  }
  return other;
}

bool Conditions::within(const Range& a, const Range& b) {
  if (a.value != b.value) return false;
  if (a.all_but) return b.all_but && a.low == b.low;
  if (b.all_but) {
    return a.low > b.low || a.high < b.low || (a.low == b.low && a.open_low) || (a.high == b.low && a.open_high);
  }
  const bool low = a.low > b.low || (a.low == b.low && (!b.open_low || a.open_low));
  const bool high = a.high < b.high || (a.high == b.high && (!b.open_high || a.open_high));
  return low && high;
}

bool Conditions::implies(int a, int b) const {
  if (a == b) return true;
  if (at(a).act == Act::both) {
    return std::ranges::any_of(at(a).operands, [&](int part) { return implies(part, b); });
  }
  const std::optional<Range> first = range_of(a);
  const std::optional<Range> second = range_of(b);
  return first && second && within(*first, *second);
}

/// True if `a` and `b` are never both true.
bool Conditions::excludes(int a, int b) const {
  if (at(a).act == Act::opposite && at(a).operands[0] == b) return true;
  if (at(b).act == Act::opposite && at(b).operands[0] == a) return true;
  const std::optional<Range> first = range_of(a);
  const std::optional<Range> second = range_of(b);
  return first && second && within(*first, outside(*second));
}

/// What is left of a condition where all of `given` hold.
int Conditions::reduced(int node, const std::vector<int>& given) {
  for (const int one : given) {
    if (implies(one, node)) return constant(true);
    if (excludes(one, node)) return constant(false);
  }
  if (at(node).act != Act::opposite || at(at(node).operands[0]).act != Act::both) return node;
  const int all_of = at(node).operands[0];
  std::vector<int> left;
  const std::vector<int> inner = parts(all_of);
  for (const int part : inner) {
    const bool never = std::ranges::any_of(given, [&](int one) { return excludes(one, part); });
    if (never) return constant(true);
    if (std::ranges::none_of(given, [&](int one) { return implies(one, part); })) left.push_back(part);
  }
  if (left.size() == inner.size()) return node;
  if (left.size() > 1) return opposite(all(left));
  return left.empty() ? constant(false) : opposite(left.front());
}

int Conditions::all(const std::vector<int>& conditions) {
  int made_of = -1;
  for (const int condition : conditions) made_of = made_of < 0 ? condition : made(Act::both, {made_of, condition});
  return made_of < 0 ? constant(true) : made_of;
}

int Conditions::both(int a, int b) {
  if (const std::optional<bool> value = known(a)) return *value ? b : a;
  if (const std::optional<bool> value = known(b)) return *value ? a : b;
  if (a == b) return a;
  std::vector<int> conditions = parts(a);
  for (const int next : parts(b)) {
    if (conditions.size() > kMostParts) {
      conditions.push_back(next);
      continue;
    }
    int one = reduced(next, conditions);
    if (const std::optional<bool> value = known(one)) {
      if (!*value) return one;
      continue;
    }
    for (int& earlier : conditions) earlier = reduced(earlier, {one});
    std::erase_if(conditions, [&](int earlier) { return known(earlier) == true; });
    const bool never = std::ranges::any_of(conditions, [&](int earlier) { return known(earlier) == false; });
    if (never) return constant(false);
    conditions.push_back(one);
  }
  return all(conditions);
}

int Conditions::either(int a, int b) { return opposite(both(opposite(a), opposite(b))); }

int Conditions::choice(int condition, int yes, int no) {
  if (const std::optional<bool> value = known(condition)) return *value ? yes : no;
  if (yes == no) return yes;
  if (known(no) == false) return both(condition, yes);
  if (known(yes) == false) return both(opposite(condition), no);
  if (known(yes) == true) return either(condition, no);
  if (known(no) == true) return either(opposite(condition), yes);
  return either(both(condition, yes), both(opposite(condition), no));
}

}  // namespace gdr::compiler
