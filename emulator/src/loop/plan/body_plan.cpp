#include "body_plan.h"

#include <algorithm>
#include <utility>

namespace gdr::emulator::jit {

BodyPlan::BodyPlan(const BodyGraph& graph, const BodyFacts& facts, Rounding rounding, const CodeTarget& target,
                   bool leaves_all)
    : graph_(graph),
      facts_(facts),
      target_(target),
      robust_(rounding == Rounding::robust),
      split_(target.ways > 1 ? split_body(graph) : BodySplit{}),
      uniform_(graph.uniform()),
      ahead_(graph.nodes.size()) {
  find_staying();
  begin_part(leaves_all);
  find_written();
}

void BodyPlan::begin_part(bool leaves) {
  leaves_ = leaves;
  find_needed();
  find_shortcuts();
}

bool BodyPlan::is_two_values(NodeId id) const {
  return (node(id).type == NodeType::number && is_pair(id)) || node(id).type == NodeType::long_bits;
}

bool BodyPlan::is_literal(NodeId id) const {
  const Node& each = node(id);
  return each.op == NodeOp::constant || (each.op == NodeOp::number && node(each.args[0]).op == NodeOp::constant);
}

bool BodyPlan::is_number_alone(NodeId id) const {
  for (NodeId n = 0; n < count(); ++n) {
    const Node& user = node(n);
    if (needed_[n] && user.op != NodeOp::number && std::ranges::find(user.args, id) != user.args.end()) return false;
  }
  const auto same = [&](const auto& word) { return word.value == id; };
  return std::ranges::none_of(graph_.stored, same) && (!leaves_ || std::ranges::none_of(graph_.left, same)) &&
         std::ranges::none_of(graph_.carried, [&](const Carried& carried) { return carried.after == id; });
}

std::vector<NodeId> BodyPlan::shared() const {
  std::vector<bool> wanted(count());
  const auto want = [&](NodeId id) {
    if (id != kNoNode && uniform_[id] && !is_literal(id)) wanted[id] = true;
  };
  for (NodeId id = 0; id < count(); ++id) {
    if (!needed_[id] || uniform_[id]) continue;
    std::ranges::for_each(node(id).args, want);
    if (node(id).mask) want(node(id).mask->flag);
  }
  for (const Carried& carried : graph_.carried) want(carried.after);
  for (const Stored& stored : graph_.stored) want(stored.value);
  for_each_left([&](const Left& left) { want(left.value); });
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < count(); ++id) {
    if (wanted[id]) nodes.push_back(id);
  }
  return nodes;
}

// ---- what a text needs ----------------------------------------------------------------------------------------------

void BodyPlan::find_needed() {
  needed_.assign(count(), false);
  for (const Carried& carried : graph_.carried) needed_[carried.before] = needed_[carried.after] = true;
  for (const Stored& stored : graph_.stored) needed_[stored.value] = true;
  for_each_left([&](const Left& left) { needed_[left.value] = true; });
  for (NodeId id = count(); id-- > 0;) {
    const Node& each = node(id);
    // Needed even if its value is unused: a check has to show that the operation causes no event.
    if (each.type == NodeType::number && (checked(id) || each.op == NodeOp::number)) needed_[id] = true;
    if (is_always_wanted(each.op)) needed_[id] = true;
    if (!needed_[id]) continue;
    for (const NodeId arg : each.args) {
      if (arg != kNoNode) needed_[arg] = true;
    }
    if (each.mask) needed_[each.mask->flag] = true;  // checks of the node look at it
  }
}

std::optional<Gate> BodyPlan::mask(NodeId id) const {
  const bool by_itself = in_turn(id) && !ahead_[id] && target_.ways == 1;
  return by_itself ? node(id).mask : std::nullopt;
}

void BodyPlan::find_staying() {
  stays_.resize(count());
  for (NodeId id = 0; id < count(); ++id) {
    const NodeOp op = node(id).op;
    const bool is_carried = first_carried_with(id) < graph_.carried.size();
    stays_[id] = op == NodeOp::row ? !is_carried : !uniform_[id];
    if (op == NodeOp::gather || op == NodeOp::scatter) stays_[id] = false;
    for (const NodeId arg : node(id).args) {
      stays_[id] = stays_[id] && (arg == kNoNode || stays_[arg] || is_literal(arg));
    }
  }
}

// ---- shorter forms of numbers ---------------------------------------------------------------------------------------

void BodyPlan::find_shortcuts() {
  const std::vector<bool> fused_before = std::exchange(fused_, std::vector<bool>(count()));
  if (target_.host_doubles) return;  // each operation rounds by itself, as in the interpreter
  std::vector<unsigned> uses(count());
  std::vector<NodeId> user(count(), kNoNode);
  for (NodeId id = 0; id < count(); ++id) {
    if (!needed_[id]) continue;
    for (const NodeId arg : node(id).args) {
      if (arg == kNoNode) continue;
      ++uses[arg];
      user[arg] = id;
    }
  }
  for (const Carried& carried : graph_.carried) uses[carried.after] += 2;
  for (const Stored& stored : graph_.stored) uses[stored.value] += 2;
  for_each_left([&](const Left& left) { uses[left.value] += 2; });
  find_fused(uses, user);
  // Values equal in all PEs are computed once for all texts, so their form must not depend on the current text.
  for (NodeId id = 0; id < fused_before.size(); ++id) {
    if (uniform_[id]) fused_[id] = fused_before[id];
  }
}

bool BodyPlan::only_in_sum(NodeId id, const std::vector<unsigned>& uses, const std::vector<NodeId>& user) const {
  return uses[id] == 1 && node(user[id]).op == NodeOp::add && uniform_[id] == uniform_[user[id]] && !checked(id) &&
         !stays_[id] && split_.in_chain(id) == split_.in_chain(user[id]);
}

/// Finds exact products that only one sum uses; the sum computes them in a fused multiply-add.
void BodyPlan::find_fused(const std::vector<unsigned>& uses, const std::vector<NodeId>& user) {
  for (NodeId id = 0; id < count(); ++id) {
    if (!needed_[id] || node(id).op != NodeOp::multiply || node(id).width != Width::long_word) continue;
    if (facts(id).form != NumberForm::one_double || !only_in_sum(id, uses, user)) continue;
    const Node& sum = node(user[id]);
    const NodeId other = sum.args[0] == id ? sum.args[1] : sum.args[0];
    if (fused_[other] || other == id) continue;
    const bool settles = !robust_ || target_.directed_rounding;  // the error of a product and sum is known
    fused_[id] = is_short(user[id]) && !is_pair(other) && settles;
  }
}

std::vector<NodeId> BodyPlan::operands_of(unsigned chain) const {
  std::vector<NodeId> operands;
  const auto take = [&](NodeId id) {
    if (in_turn(id) && !split_.in_chain(id) && std::ranges::find(operands, id) == operands.end())
      operands.push_back(id);
  };
  for (NodeId id = 0; id < count(); ++id) {
    if (needed_[id] && split_.chain_of[id] == chain) std::ranges::for_each(node(id).args, take);
  }
  for (const Carried& carried : graph_.carried) {
    if (split_.chain_of[carried.before] == chain) take(carried.after);
  }
  return operands;
}

// ---- carried words --------------------------------------------------------------------------------------------------

bool BodyPlan::carries_two_values(std::size_t carried) const {
  const NodeId number = facts_.number_of_phi[carried];
  return graph_.carried[carried].is_long && (number == kNoNode || is_pair(number));
}

NodeId BodyPlan::taken_as(std::size_t carried) const {
  const NodeId number = facts_.number_of_phi[carried];
  return number != kNoNode ? number : graph_.carried[carried].before;
}

void BodyPlan::find_written() {
  written_behind_.resize(graph_.carried.size());
  const bool possible = target_.language == CodeLanguage::llvm_ir && target_.ways == 1 && target_.turns_at_once == 1;
  if (!possible) return;
  std::vector<unsigned> uses(count());
  const auto use = [&](NodeId id) { ++uses[id]; };
  for (NodeId id = 0; id < count(); ++id) {
    for (const NodeId arg : node(id).args) {
      if (arg != kNoNode && needed_[id]) use(arg);
    }
  }
  for (const Stored& stored : graph_.stored) use(stored.value);
  for (const Carried& carried : graph_.carried) use(carried.after);
  for_each_left([&](const Left& left) { use(left.value); });
  for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
    const NodeId number = facts_.number_of_phi[n];
    const Node& after = node(graph_.carried[n].after);
    // The choice is handed on and used for nothing else, and what it keeps is used for nothing but the choice.
    if (number == kNoNode || after.op != NodeOp::select || uniform_[after.args[0]]) continue;
    if (uses[graph_.carried[n].after] != 1 || uses[number] != 1 || uses[graph_.carried[n].before] != 1) continue;
    if (after.args[2] == number) written_behind_[n] = Gate{after.args[0], false};
    if (after.args[1] == number) written_behind_[n] = Gate{after.args[0], true};
  }
}

std::size_t BodyPlan::first_carried_with(NodeId before) const {
  const auto same = std::ranges::find(graph_.carried, before, &Carried::before);
  return static_cast<std::size_t>(same - graph_.carried.begin());
}

// ---- the first part of an iteration beside the rest of the iteration before -----------------------------------------

bool BodyPlan::is_first(NodeId id) const {
  return std::ranges::none_of(node(id).args, [&](NodeId arg) { return in_turn(arg); });
}

void BodyPlan::find_ahead() {
  // Part of the longest chain's cycles. For gravity_jerk, whose seed and Newton iterations end there, other values from
  // 0.3 to 0.9 are slower.
  constexpr double kAhead = 0.75;
  constexpr int kNearly = 12;  // cycles less than the longest; 6 to 40 differ by 2 % on AVX2, not at all for doubles
  ahead_.assign(count(), false);
  crossing_.clear();
  if (!target_.works_ahead() || robust_ || !graph_.stored.empty() || graph_.scatters != 0) return;
  std::vector<bool> possible(count());  // needs no word from the iteration before
  std::vector<int> from_begin(count());
  std::vector<int> to_end(count());
  int longest = 0;
  for (NodeId id = 0; id < count(); ++id) {
    if (!in_turn(id)) continue;
    const NodeOp op = node(id).op;
    possible[id] = op != NodeOp::row && op != NodeOp::row_to_gather && op != NodeOp::gather;
    for (const NodeId arg : node(id).args) {
      if (!in_turn(arg)) continue;
      possible[id] = possible[id] && possible[arg];
      from_begin[id] = std::max(from_begin[id], from_begin[arg]);
    }
    from_begin[id] += cycles(id);
    longest = std::max(longest, from_begin[id]);
  }
  for (NodeId id = count(); id-- > 0;) {
    if (!in_turn(id)) continue;
    const bool in_longest = from_begin[id] + to_end[id] >= longest - kNearly && from_begin[id] <= kAhead * longest;
    if (possible[id] && in_longest) ahead_[id] = true;
    for (const NodeId arg : node(id).args) {
      if (!in_turn(arg)) continue;
      to_end[arg] = std::max(to_end[arg], to_end[id] + cycles(id));
      if (ahead_[id]) ahead_[arg] = true;
    }
  }
  find_crossing();
}

void BodyPlan::find_crossing() {
  std::vector<bool> crosses(count());
  const auto cross = [&](NodeId id) {
    if (id != kNoNode && ahead_[id] && !is_first(id)) crosses[id] = true;
  };
  for (NodeId id = 0; id < count(); ++id) {
    if (!in_turn(id) || ahead_[id]) continue;
    std::ranges::for_each(node(id).args, cross);
    if (node(id).mask) cross(node(id).mask->flag);
  }
  for (const Carried& carried : graph_.carried) cross(carried.after);
  for (NodeId id = 0; id < count(); ++id) {
    if (crosses[id]) crossing_.push_back(id);
  }
  // If only single operations could be done ahead, none would be kept, so nothing is done ahead.
  if (crossing_.empty()) ahead_.assign(count(), false);
}

}  // namespace gdr::emulator::jit
