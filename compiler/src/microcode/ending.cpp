#include "ending.h"

#include <algorithm>
#include <optional>

namespace gdr::compiler {
namespace {

/// How a value depends on results. A value that is free of results in some cases, decided by what is free of them, is
/// of the kind that it has in the others: equal values of all blocks are reduced to this value.
struct Dependence {
  enum class Kind {
    free,       // not at all
    linear,     // a sum of multiples of sums
    growing,    // does not fall where the result `word` grows, which is a least or greatest value
    unchanged,  // is the result `word`
    other
  };
  Kind kind = Kind::free;
  std::size_t word = 0;
};

using Kind = Dependence::Kind;

class Ending {
 public:
  Ending(const PairFunction& finish, std::span<const Reduction> reductions) : finish_(finish), reductions_(reductions) {
    for (const Node& node : finish.nodes) values_.push_back(of(node));  // operands come before their operations
  }

  /// True if blocks may be reduced after the store instead of before it.
  [[nodiscard]] bool commutes(const Store& store) const {
    const Dependence& value = values_[static_cast<std::size_t>(store.value)];
    const isa::Op to = op_of(result_index(finish_, store.field, store.element));
    switch (value.kind) {
      case Kind::free:  // every block has it
        return is_idempotent(to) || is_zero(store.value);
      case Kind::linear:
        return is_sum(to);
      case Kind::growing:
        return is_extreme(to) && is_least(to) == is_least(op_of(value.word));
      case Kind::unchanged:
        return to == op_of(value.word);
      case Kind::other:
        return false;
    }
    return false;
  }

  /// True if an operation or a store of another result uses what a result has before the end.
  [[nodiscard]] bool is_read(std::size_t word) const {
    const auto is_old = [&](int number) {
      const Node& node = finish_.nodes[static_cast<std::size_t>(number)];
      return node.act == Act::input && node.record == Record::result &&
             result_index(finish_, node.field, node.element) == word;
    };
    return std::ranges::any_of(finish_.nodes,
                               [&](const Node& node) { return std::ranges::any_of(node.operands, is_old); }) ||
           std::ranges::any_of(finish_.stores, [&](const Store& store) { return is_old(store.value); });
  }

  /// Gives a result that the loop does not change, and no end reads, the reduction of the one that it is made of.
  void reduce(const Store& store, std::span<Reduction> reductions) const {
    const std::size_t to = result_index(finish_, store.field, store.element);
    if (reductions[to].used || is_read(to)) return;
    const bool floating = is_float(finish_.records[static_cast<std::size_t>(Record::result)][store.field].type);
    const Dependence& value = values_[static_cast<std::size_t>(store.value)];
    switch (value.kind) {
      case Kind::growing:
        reductions[to].op = is_least(op_of(value.word)) ? (floating ? isa::Op::FMIN : isa::Op::UMIN)
                                                        : (floating ? isa::Op::FMAX : isa::Op::UMAX);
        break;
      case Kind::unchanged:
        reductions[to].op = op_of(value.word);
        break;
      case Kind::free:  // equal in all blocks
        reductions[to].op = floating ? isa::Op::FMAX : isa::Op::UMAX;
        break;
      case Kind::linear:
      case Kind::other:
        break;
    }
  }

 private:
  [[nodiscard]] const Dependence& at(const Node& node, std::size_t n) const {
    return values_[static_cast<std::size_t>(node.operands[n])];
  }
  [[nodiscard]] isa::Op op_of(std::size_t word) const { return reductions_[word].op; }
  static bool is_sum(isa::Op op) { return op == isa::Op::FADD || op == isa::Op::UADD; }
  /// Reducing equal values gives this value.
  static bool is_idempotent(isa::Op op) { return !is_sum(op) && op != isa::Op::UXOR; }
  static bool is_least(isa::Op op) { return op == isa::Op::FMIN || op == isa::Op::UMIN; }
  static bool is_extreme(isa::Op op) { return is_least(op) || op == isa::Op::FMAX || op == isa::Op::UMAX; }

  /// A constant's value, of either type.
  [[nodiscard]] std::optional<double> constant(int number) const {
    const Node& node = finish_.nodes[static_cast<std::size_t>(number)];
    if (node.act != Act::constant) return std::nullopt;
    return is_float(node.type) ? node.number : static_cast<double>(node.integer);
  }
  [[nodiscard]] bool is_zero(int number) const { return constant(number) == 0.0; }
  [[nodiscard]] bool is_above_zero(int number) const { return constant(number).value_or(-1) > 0; }

  [[nodiscard]] Dependence of_input(const Node& node) const {
    if (node.record != Record::result) return {};
    const std::size_t word = result_index(finish_, node.field, node.element);
    if (is_sum(op_of(word))) return {Kind::linear, word};
    return {is_extreme(op_of(word)) ? Kind::growing : Kind::unchanged, word};
  }

  /// a + b, or a - b.
  [[nodiscard]] Dependence of_sum(const Node& node, bool negates) const {
    const Dependence& a = at(node, 0);
    const Dependence& b = at(node, 1);
    const auto none = [&](std::size_t n) { return at(node, n).kind == Kind::free && is_zero(node.operands[n]); };
    if (none(1)) return a;
    if (none(0) && (!negates || b.kind == Kind::linear)) return b;
    if (a.kind == Kind::linear && b.kind == Kind::linear) return a;
    // A block without a j has an infinity, which stays one; integers have none and would overflow.
    if (!is_float(node.type)) return {Kind::other, 0};
    if (a.kind == Kind::growing && b.kind == Kind::free) return a;
    if (b.kind == Kind::growing && a.kind == Kind::free && !negates) return b;
    return a.kind == Kind::growing && !negates ? alike(a, b) : Dependence{Kind::other, 0};
  }

  [[nodiscard]] Dependence of_product(const Node& node) const {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
      const Dependence& value = at(node, n);
      if (at(node, 1 - n).kind != Kind::free) continue;
      if (value.kind == Kind::linear) return value;
      if (value.kind == Kind::growing && is_float(node.type) && is_above_zero(node.operands[1 - n])) return value;
    }
    return {Kind::other, 0};
  }

  [[nodiscard]] Dependence of_quotient(const Node& node) const {
    const Dependence& value = at(node, 0);
    if (at(node, 1).kind != Kind::free) return {Kind::other, 0};
    if (value.kind == Kind::linear) return value;
    if (value.kind == Kind::growing && is_above_zero(node.operands[1])) return value;
    return {Kind::other, 0};
  }

  /// A least or greatest value, or a choice: all candidates must depend alike.
  [[nodiscard]] Dependence alike(const Dependence& a, const Dependence& b) const {
    const bool same = a.kind == b.kind && (a.word == b.word || a.kind == Kind::linear);
    return same ? a : Dependence{Kind::other, 0};
  }

  /// Of a condition that is free of results: all blocks choose the same.
  [[nodiscard]] Dependence of_choice(const Node& node) const {
    if (at(node, 0).kind != Kind::free) return {Kind::other, 0};
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}}) {
      const Dependence& value = at(node, n);
      const std::size_t other = 3 - n;
      if (at(node, other).kind != Kind::free) continue;
      if (value.kind == Kind::growing) return value;
      if (value.kind == Kind::linear && is_zero(node.operands[other])) return value;
      if (value.kind == Kind::unchanged && (is_idempotent(op_of(value.word)) || is_zero(node.operands[other])))
        return value;
    }
    return alike(at(node, 1), at(node, 2));
  }

  [[nodiscard]] Dependence of_bound(const Node& node) const {
    const Dependence& a = at(node, 0);
    const Dependence& b = at(node, 1);
    if (a.kind == Kind::growing && b.kind == Kind::free) return a;
    if (b.kind == Kind::growing && a.kind == Kind::free) return b;
    return a.kind == Kind::growing ? alike(a, b) : Dependence{Kind::other, 0};
  }

  /// A function that is not defined everywhere: the least of a block is not below the least of all, but its greatest
  /// may be below the greatest of all, and outside.
  [[nodiscard]] Dependence growing_from_above(const Node& node) const {
    const Dependence& value = at(node, 0);
    return value.kind == Kind::growing && op_of(value.word) == isa::Op::FMIN ? value : Dependence{Kind::other, 0};
  }
  [[nodiscard]] Dependence growing_only(const Node& node) const {
    return at(node, 0).kind == Kind::growing ? at(node, 0) : Dependence{Kind::other, 0};
  }
  [[nodiscard]] Dependence linear_only(const Node& node) const {
    const bool free_rest = std::all_of(node.operands.begin() + 1, node.operands.end(), [&](int operand) {
      return values_[static_cast<std::size_t>(operand)].kind == Kind::free;
    });
    return at(node, 0).kind == Kind::linear && free_rest ? at(node, 0) : Dependence{Kind::other, 0};
  }

  [[nodiscard]] Dependence of(const Node& node) const {
    if (node.act == Act::input) return of_input(node);
    const bool free = std::ranges::all_of(
        node.operands, [&](int operand) { return values_[static_cast<std::size_t>(operand)].kind == Kind::free; });
    if (free) return {};
    switch (node.act) {
      case Act::constant:
      case Act::input:
        break;  // above
      case Act::add:
      case Act::iadd:
        return of_sum(node, false);
      case Act::sub:
      case Act::isub:
        return of_sum(node, true);
      case Act::mul:
      case Act::imul:
        return of_product(node);
      case Act::div:
        return of_quotient(node);
      case Act::negate:
      case Act::shift_left:
        return linear_only(node);
      case Act::to_integer:  // an infinity has no integer
        return {Kind::other, 0};
      case Act::widen:
      case Act::narrow:
      case Act::from_integer:
        return at(node, 0).kind == Kind::unchanged ? Dependence{Kind::other, 0} : at(node, 0);
      case Act::select:
        return of_choice(node);
      case Act::minimum:
      case Act::maximum:
      case Act::imin:
      case Act::imax:
        return of_bound(node);
      case Act::sqrt:
      case Act::log2:
      case Act::log:
      case Act::log10:
      case Act::log1p:
        return growing_from_above(node);
      case Act::exp2:
      case Act::exp:
      case Act::expm1:
      case Act::cube_root:
      case Act::erf:
      case Act::tanh:
      case Act::floor:
      case Act::ceil:
      case Act::trunc:
      case Act::round:
      case Act::nearest:
        return growing_only(node);
      case Act::absolute:
      case Act::copysign:
      case Act::fraction:
      case Act::exponent:
      case Act::rsqrt:
      case Act::reciprocal:
      case Act::sin:
      case Act::cos:
      case Act::power:
      case Act::erfc:
      case Act::tan:
      case Act::atan2:
      case Act::hypot:
      case Act::iand:
      case Act::ior:
      case Act::ixor:
      case Act::shift_right:
      case Act::shift_right_unsigned:
      case Act::idiv:
      case Act::iremainder:
      case Act::sign_extend:
      case Act::zero_extend:
      case Act::leading_zeros:
      case Act::less:
      case Act::equal:
      case Act::int_less:
      case Act::int_less_unsigned:
      case Act::int_equal:
      case Act::both:
      case Act::either:
      case Act::opposite:
        return {Kind::other, 0};
    }
    return {Kind::other, 0};
  }

  const PairFunction& finish_;
  std::span<const Reduction> reductions_;
  std::vector<Dependence> values_;  // of the nodes
};

}  // namespace

void check_ending(const PairFunction& finish, std::span<Reduction> reductions, std::vector<Message>& errors) {
  const Ending first(finish, reductions);
  for (const Store& store : finish.stores) first.reduce(store, reductions);
  const Ending ending(finish, reductions);
  for (const Store& store : finish.stores) {
    if (ending.commutes(store)) continue;
    errors.push_back({store.place,
                      "the function for the end runs in each block, before blocks are added: a sum can be multiplied "
                      "by what is free of results, a minimum or maximum replaced by what grows with it; compute "
                      "everything else on the host, from the results"});
  }
}

}  // namespace gdr::compiler
