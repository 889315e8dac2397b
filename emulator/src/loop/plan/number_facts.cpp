#include "number_facts.h"

#include <algorithm>
#include <array>

#include "gdr/base/error.h"

namespace gdr::emulator::jit {
namespace {

constexpr int kBias = widths::kBias;

// Exponents within which every step of the code is a normal double or zero. Rests of sums reach 60 bits down, rests of
// products 113 bits down. Upwards, rounding to short words needs intermediate numbers 2^28 times as large.
constexpr int kLowestSum = -960;
constexpr int kLowestProduct = -900;
constexpr int kHighest = 960;

/// The part of a range that checks let through.
ExponentRange cut(ExponentRange range, const NumberFacts& facts, const CheckLimits& limits) {
  if (range.empty()) return range;
  if (facts.check_lowest) range.lowest = std::max(range.lowest, limits.lowest);
  if (facts.check_highest) range.highest = std::min(range.highest, limits.highest);
  return range;
}

ExponentRange joined(const ExponentRange& a, const ExponentRange& b) {
  const bool zero = a.zero || b.zero;
  if (a.empty()) return {zero, b.lowest, b.highest};
  if (b.empty()) return {zero, a.lowest, a.highest};
  return {zero, std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
}

/// Range of a sum, with room for the carries of the sum and of its rounding.
ExponentRange sum(const NumberFacts& a, const NumberFacts& b, bool cancels) {
  const ExponentRange& x = a.range;
  const ExponentRange& y = b.range;
  ExponentRange range = joined(x, y);
  range.zero = (x.zero && y.zero) || (cancels && !x.empty() && !y.empty());
  if (range.empty()) return range;
  if (!x.empty() && !y.empty()) {
    range.highest += 2;
    // Where operands cancel, their exponents are at most 2 apart, and what remains is at least their last place.
    const int left =
        cancels ? std::max(x.lowest, y.lowest) - 2 - std::max(a.bits, b.bits) : std::max(x.lowest, y.lowest);
    int lowest = left;
    if (x.zero) lowest = std::min(lowest, y.lowest);
    if (y.zero) lowest = std::min(lowest, x.lowest);
    range.lowest = lowest;
  }
  return range;
}

ExponentRange product(const ExponentRange& x, const ExponentRange& y) {
  if (x.empty() || y.empty()) return {};
  return {x.zero || y.zero, x.lowest + y.lowest, x.highest + y.highest + 2};
}

ExponentRange range_of_constant(isa::LongWord value) {
  const int field = static_cast<int>((value.high >> widths::kFraction) & widths::kInfinite);
  if (field == 0) return {};
  return {false, field - kBias, field - kBias};
}

constexpr NumberShape kShortNumber{NumberForm::short_number, widths::kShort};
constexpr NumberShape kOneDouble{NumberForm::one_double, widths::kDouble};
constexpr NumberShape kPair{NumberForm::pair, widths::kLong};

/// The shape of a result that is `of_long` if it is a long word.
NumberShape shape_of(const Node& node, const NumberShape& of_long) {
  return node.width == Width::short_word ? kShortNumber : of_long;
}

/// Which checks a body may have.
struct CheckChoice {
  CheckLimits in_turn = {};
  bool of_shared = false;  // uniform() checks what iterations take from it
};

/// From wide limits to narrow ones. The narrower they are, the fewer of its numbers an iteration has to check, but the
/// more data there are that it refuses. Even the narrowest let products of three small factors pass: at its own pair, a
/// particle's difference from itself is often noise of some 2^-60, and its square is multiplied by it once more.
constexpr std::array kOtherChoices = [] {
  constexpr CheckLimits kNarrowest{std::max(kLowestChecked, -3 * kInputExponent), kInputExponent + kInputExponent / 4};
  std::array<CheckChoice, 5> choices;
  const auto steps = static_cast<int>(choices.size()) - 1;
  for (int step = 0; step <= steps; ++step) {
    const auto between = [&](int from, int to) { return from + (to - from) * step / steps; };
    choices[static_cast<std::size_t>(step)] = {
        {between(kLowestChecked, kNarrowest.lowest), between(kHighestChecked, kNarrowest.highest)}, true};
  }
  return choices;
}();

class Analysis {
 public:
  Analysis(const BodyGraph& graph, unsigned turns, bool last)
      : graph_(graph), turns_(turns), last_(last), uniform_(graph.uniform()), shared_(graph.nodes.size()) {
    facts_.of.resize(graph.nodes.size());
    phi_range_.resize(graph.nodes.size());
    uses_.resize(graph.nodes.size());
    for (const Node& node : graph.nodes) {
      for (const NodeId arg : node.args) {
        if (arg != kNoNode) ++uses_[arg];
      }
    }
  }

  BodyFacts run(const CheckChoice& choice) {
    facts_.in_turn = choice.in_turn;
    if (choice.of_shared) check_shared();
    find_phis();
    // Ranges of carried words grow from iteration to iteration. Checks are only ever added and then hold in all
    // iterations.
    for (unsigned turn = 0; turn <= turns_ && facts_.refusal.empty(); ++turn) {
      for (std::size_t n = 0; n < graph_.nodes.size(); ++n) visit(static_cast<NodeId>(n));
      for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
        const NodeId phi = facts_.number_of_phi[n];
        if (phi == kNoNode) continue;
        phi_range_[phi] = joined(phi_range_[phi], of(graph_.carried[n].after).range);
      }
    }
    return std::move(facts_);
  }

  BodyFacts run_on_doubles() {
    find_phis();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.type != NodeType::number) continue;
      facts_.of[n].take(kOneDouble);
      if (node.op != NodeOp::number || graph_.nodes[node.args[0]].op != NodeOp::constant) continue;
      const isa::LongWord value = graph_.nodes[node.args[0]].value;
      if (node.width == Width::long_word && value.low != 0) facts_.refusal = "it has a constant that is no double";
      if (((value.high >> widths::kFraction) & widths::kInfinite) == widths::kInfinite)
        facts_.refusal = "it has an infinite constant";
    }
    return std::move(facts_);
  }

 private:
  /// Checks the results of uniform() that iterations take like words of memory.
  void check_shared() {
    facts_.in_uniform = {-kInputExponent, kInputExponent};
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (uniform_[n]) continue;
      for (const NodeId arg : graph_.nodes[n].args) {
        if (arg != kNoNode && uniform_[arg] && graph_.nodes[arg].op != NodeOp::number) shared_[arg] = true;
      }
    }
  }

  NumberFacts& of(NodeId id) { return facts_.of[id]; }
  [[nodiscard]] const CheckLimits& limits_of(NodeId id) const {
    return uniform_[id] ? facts_.in_uniform : facts_.in_turn;
  }

  /// Nodes that become code, whichever checks the code has.
  [[nodiscard]] std::vector<bool> wanted_nodes() const {
    std::vector<bool> wanted(graph_.nodes.size());
    for (const Carried& carried : graph_.carried) wanted[carried.after] = true;
    for (const Stored& stored : graph_.stored) wanted[stored.value] = true;
    for (std::size_t n = 0; last_ && n < graph_.left.size(); ++n) wanted[graph_.left[n].value] = true;
    for (std::size_t n = 0; last_ && n < graph_.left_flags.size(); ++n) wanted[graph_.left_flags[n].value] = true;
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      // Every number may have to be checked.
      wanted[n] = wanted[n] || graph_.nodes[n].type == NodeType::number || is_always_wanted(graph_.nodes[n].op);
      if (!wanted[n]) continue;
      for (const NodeId arg : graph_.nodes[n].args) {
        if (arg != kNoNode) wanted[arg] = true;
      }
      if (graph_.nodes[n].mask) wanted[graph_.nodes[n].mask->flag] = true;
    }
    return wanted;
  }

  void find_phis() {
    const std::vector<bool> wanted = wanted_nodes();
    for (const Carried& carried : graph_.carried) {
      NodeId number = kNoNode;
      bool as_bits = graph_.nodes[carried.after].type != NodeType::number;
      for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
        const Node& node = graph_.nodes[n];
        if (!wanted[n]) continue;
        if (std::find(node.args.begin(), node.args.end(), carried.before) == node.args.end()) continue;
        if (node.op == NodeOp::number) {
          number = static_cast<NodeId>(n);
        } else {
          as_bits = true;
        }
      }
      // The word is needed as bits, too, if it is handed on unchanged in another register, or stored.
      for (const Stored& stored : graph_.stored) as_bits = as_bits || stored.value == carried.before;
      for (const Carried& other : graph_.carried) as_bits = as_bits || other.after == carried.before;
      if (as_bits || number == kNoNode) {
        facts_.number_of_phi.push_back(kNoNode);
        if (graph_.nodes[carried.after].type == NodeType::number && number != kNoNode) {
          facts_.refusal = "it takes a word for a number and for bits";
        }
        continue;
      }
      facts_.number_of_phi.push_back(number);
      of(number).phi = true;
      phi_range_[number] = {true, -kInputExponent, kInputExponent};
    }
  }

  void visit(NodeId id) {
    const Node& node = graph_.nodes[id];
    NumberFacts& facts = of(id);
    if (node.type != NodeType::number) return;
    switch (node.op) {
      case NodeOp::number:
        visit_number(id);
        break;
      case NodeOp::add:
        visit_sum(node, facts);
        break;
      case NodeOp::multiply:
        visit_product(node, facts);
        break;
      case NodeOp::port:
        visit_port(node, facts);
        break;
      case NodeOp::cut:
      case NodeOp::upper:
        visit_cut(node, facts);
        break;
      case NodeOp::select:
        visit_choice(node, facts);
        break;
      case NodeOp::row:
      case NodeOp::kept:
      case NodeOp::record:
      case NodeOp::parameter:
      case NodeOp::constant:
      case NodeOp::bits:
      case NodeOp::lower:
      case NodeOp::row_to_gather:
      case NodeOp::row_to_scatter:
      case NodeOp::gather:
      case NodeOp::scatter:
      case NodeOp::integer_add:
      case NodeOp::integer_subtract:
      case NodeOp::bit_and:
      case NodeOp::bit_or:
      case NodeOp::bit_xor:
      case NodeOp::bit_not:
      case NodeOp::shift_left:
      case NodeOp::shift_right:
      case NodeOp::shift_right_signed:
      case NodeOp::larger:
      case NodeOp::smaller:
      case NodeOp::flag:
      case NodeOp::is_zero:
      case NodeOp::is_negative:
      case NodeOp::is_below:
        GDR_ASSERT(false, "words and flags have another type");
    }
    if (shared_[id] && !facts.range.empty()) {
      facts.check_lowest |= facts.range.lowest < limits_of(id).lowest;
      facts.check_highest |= facts.range.highest > limits_of(id).highest;
    }
    facts.range = cut(facts.range, facts, limits_of(id));
  }

  /// A word that is taken for a number: a constant, or a word whose exponent the code checks.
  void visit_number(NodeId id) {
    const Node& node = graph_.nodes[id];
    NumberFacts& facts = of(id);
    const Node& word = graph_.nodes[node.args[0]];
    if (word.op == NodeOp::constant) {
      facts.range = range_of_constant(word.value);
      facts.never_negative = (word.value.high >> (widths::kHigh - 1)) == 0;
      if (((word.value.high >> widths::kFraction) & widths::kInfinite) == widths::kInfinite)
        facts_.refusal = "it has an infinite constant";
      refuse_outside(facts.range, kLowestSum);  // its rest and its short form must be normal doubles, too
      facts.take(shape_of(node, word.value.low == 0 ? kOneDouble : kPair));
    } else {
      facts.range = facts.phi ? phi_range_[id] : ExponentRange{true, -kInputExponent, kInputExponent};
      facts.take(shape_of(node, facts.phi ? kPair : kOneDouble));
    }
  }

  void visit_sum(const Node& node, NumberFacts& facts) {
    const NodeId a = node.args[0];
    const NodeId b = node.args[1];
    const bool both_positive = of(a).never_negative && of(b).never_negative && node.negated == 0;
    const auto range = [&] { return sum(of(a), of(b), !both_positive); };
    limit(a, b, range, kLowestSum);
    facts.range = range();
    facts.never_negative = both_positive;
    facts.take(shape_of(node, kPair));
  }

  void visit_product(const Node& node, NumberFacts& facts) {
    const NodeId a = node.args[0];
    const NodeId b = node.args[1];
    const auto range = [&] { return product(of(a).range, of(b).range); };
    limit(a, b, range, kLowestProduct);
    facts.range = range();
    facts.never_negative = (a == b && (node.negated == 0 || node.negated == 3)) ||
                           (of(a).never_negative && of(b).never_negative && node.negated == 0);
    const bool exact = of(a).form == NumberForm::short_number && of(b).form == NumberForm::short_number;
    facts.take(shape_of(node, exact ? NumberShape{NumberForm::one_double, 2 * widths::kShort} : kPair));
  }

  /// An operand as the multiplier's port lets it through.
  void visit_port(const Node& node, NumberFacts& facts) {
    const NumberFacts& a = of(node.args[0]);
    facts.range = a.range;
    facts.never_negative = a.never_negative;
    const bool is_whole = a.form != NumberForm::pair && a.bits <= kPortBits;
    facts.take(is_whole ? a.shape() : NumberShape{NumberForm::one_double, kPortBits});
  }

  /// A number rounded to a width, or the upper half of one.
  void visit_cut(const Node& node, NumberFacts& facts) {
    const NumberFacts& a = of(node.args[0]);
    facts.range = a.range;
    if (!facts.range.empty()) ++facts.range.highest;
    facts.never_negative = a.never_negative && node.negated == 0;
    facts.take(shape_of(node, a.shape()));
  }

  void visit_choice(const Node& node, NumberFacts& facts) {
    const NumberFacts& a = of(node.args[1]);
    const NumberFacts& b = of(node.args[2]);
    facts.range = joined(a.range, b.range);
    facts.never_negative = a.never_negative && b.never_negative;
    facts.take({std::max(a.form, b.form), std::max(a.bits, b.bits)});
  }

  /// Adds checks of operands until the range of the result is inside the limits.
  template <class RangeOfResult>
  void limit(NodeId a, NodeId b, RangeOfResult range_of_result, int lowest) {
    const auto check = [&](NodeId id, bool NumberFacts::* side) {
      of(id).*side = true;
      of(id).range = cut(of(id).range, of(id), limits_of(id));
    };
    for (int tries = 0; tries < 4; ++tries) {
      const ExponentRange range = range_of_result();
      if (range.empty() || (range.lowest >= lowest && range.highest <= kHighest)) return;
      if (range.highest > kHighest) {
        check(of(a).range.highest >= of(b).range.highest ? a : b, &NumberFacts::check_highest);
      } else {
        // If checking either operand is enough, the one used more often is checked, since its check may serve several
        // results.
        const auto enough = [&](NodeId checked, NodeId other) {
          const int left = limits_of(checked).lowest;
          return of(checked).range.lowest < left && of(other).range.lowest + left >= lowest;
        };
        const bool either = enough(a, b) && enough(b, a);
        const bool first = either ? uses_[a] >= uses_[b] : of(a).range.lowest <= of(b).range.lowest;
        check(first ? a : b, &NumberFacts::check_lowest);
      }
    }
    refuse_outside(range_of_result(), lowest);
  }

  void refuse_outside(const ExponentRange& range, int lowest) {
    if (range.empty() || !facts_.refusal.empty()) return;
    if (range.lowest < lowest || range.highest > kHighest) facts_.refusal = "its constants are too large or too small";
  }

  const BodyGraph& graph_;
  unsigned turns_;
  bool last_;
  BodyFacts facts_;
  std::vector<bool> uniform_;  // by node
  std::vector<bool> shared_;   // by node: always inside the limits of uniform()
  std::vector<unsigned> uses_;
  std::vector<ExponentRange> phi_range_;
};

}  // namespace

BodyFacts make_number_facts(const BodyGraph& graph, unsigned turns, bool last) {
  const std::vector<bool> uniform = graph.uniform();
  // Instructions of the checks of an iteration. Those of uniform() count little, once for all PEs.
  const auto cost = [&](const BodyFacts& facts) {
    unsigned instructions = 0;
    for (std::size_t n = 0; n < uniform.size(); ++n) {
      if (uniform[n]) continue;
      instructions += (facts.of[n].check_lowest ? 3U : 0U) + (facts.of[n].check_highest ? 2U : 0U);
    }
    return instructions;
  };
  BodyFacts best = Analysis(graph, turns, last).run({});
  for (const CheckChoice& choice : kOtherChoices) {
    BodyFacts facts = Analysis(graph, turns, last).run(choice);
    if (facts.refusal.empty() && (!best.refusal.empty() || cost(facts) < cost(best))) best = std::move(facts);
  }
  return best;
}

BodyFacts make_double_facts(const BodyGraph& graph, bool last) { return Analysis(graph, 0, last).run_on_doubles(); }

}  // namespace gdr::emulator::jit
