#include "body_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "integer_code.h"
#include "number_code.h"
#include "number_facts.h"
#include "simd/micro_op.h"

namespace gdr::emulator::jit {
namespace {

using simd::kShortBitsMask;
using simd::kShortShift;

constexpr std::uint64_t kLowPlane = 255;  // of a long word

class Generator {
 public:
  Generator(const BodyGraph& graph, const BodyFacts& facts, Rounding rounding, const CodeTarget& target)
      : graph_(graph),
        facts_(facts),
        target_(target),
        robust_(rounding == Rounding::robust),
        number_(target, robust_),
        uniform_(graph.uniform()) {
    find_staying();
  }

  /// The function of turns says what it takes from the one of what is equal in all PEs, which comes behind it.
  BodyCode run(bool leaves_all) {
    code_.text = make_writer(target_, 'd')->declarations();
    code_.target = target_;
    code_.carried = graph_.carried;
    code_.elements = graph_.elements;
    code_.stored = graph_.stored;
    code_.bm_steps = graph_.bm_steps;
    code_.scatters = graph_.scatters;
    code_.scatter_planes = graph_.lm_of_longs ? 3 : 2;
    code_.leaves_all = leaves_all;
    if (leaves_all) {
      code_.left = graph_.left;
      code_.left_flags = graph_.left_flags;
    }
    begin_part(leaves_all);
    find_shared();
    write_turns();
    write_uniform();
    std::sort(code_.rows.begin(), code_.rows.end());
    code_.rows.erase(std::unique(code_.rows.begin(), code_.rows.end()), code_.rows.end());
    return std::move(code_);
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.nodes[id]; }
  [[nodiscard]] const NumberFacts& facts(NodeId id) const { return facts_.of[id]; }
  [[nodiscard]] bool is_pair(NodeId id) const { return facts(id).form == NumberForm::pair && !approximate_[id]; }
  [[nodiscard]] bool is_short(NodeId id) const { return facts(id).form == NumberForm::short_number; }
  [[nodiscard]] bool checked(NodeId id) const { return facts(id).check_lowest || facts(id).check_highest; }

  // ---- what to write ------------------------------------------------------------------------------------------------

  /// Of the text at hand: a turn that leaves what no other one reads, or one that hands on words alone.
  void begin_part(bool leaves) {
    leaves_ = leaves;
    find_needed();
    find_shortcuts();
  }

  void find_needed() {
    needed_.assign(graph_.nodes.size(), false);
    for (const Carried& carried : graph_.carried) needed_[carried.before] = needed_[carried.after] = true;
    for (const Stored& stored : code_.stored) needed_[stored.value] = true;
    for_each_left([&](const Left& left) { needed_[left.value] = true; });
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      const Node& each = graph_.nodes[n];
      // Whatever becomes of it, its operation may have no event.
      if (each.type == NodeType::number && (checked(static_cast<NodeId>(n)) || each.op == NodeOp::number))
        needed_[n] = true;
      if (is_always_wanted(each.op)) needed_[n] = true;
      if (!needed_[n]) continue;
      for (const NodeId arg : each.args) {
        if (arg != kNoNode) needed_[arg] = true;
      }
    }
  }

  template <class Function>
  void for_each_left(Function function) const {
    if (!leaves_) return;
    std::ranges::for_each(code_.left, function);
    std::ranges::for_each(code_.left_flags, function);
  }

  /// What no turn changes.
  void find_staying() {
    stays_.resize(graph_.nodes.size());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<NodeId>(n);
      const NodeOp op = node(id).op;
      stays_[n] = op == NodeOp::row ? !is_carried(id) : !uniform_[n];
      if (op == NodeOp::gather || op == NodeOp::scatter) stays_[n] = false;
      for (const NodeId arg : node(id).args)
        stays_[n] = stays_[n] && (arg == kNoNode || stays_[arg] || is_literal(arg));
    }
  }

  /// True if the value stands in the code.
  [[nodiscard]] bool is_literal(NodeId id) const {
    const Node& each = node(id);
    return each.op == NodeOp::constant || (each.op == NodeOp::number && node(each.args[0]).op == NodeOp::constant);
  }

  void find_shortcuts() {
    const std::size_t count = graph_.nodes.size();
    const std::vector<bool> approximate_before = std::exchange(approximate_, std::vector<bool>(count));
    const std::vector<bool> fused_before = std::exchange(fused_, std::vector<bool>(count));
    if (target_.host_doubles) return;  // each operation rounds, as the interpreter's do
    std::vector<unsigned> uses(count);
    std::vector<NodeId> user(count, kNoNode);
    for (std::size_t n = 0; n < count; ++n) {
      if (!needed_[n]) continue;
      for (const NodeId arg : graph_.nodes[n].args) {
        if (arg == kNoNode) continue;
        ++uses[arg];
        user[arg] = static_cast<NodeId>(n);
      }
    }
    for (const Carried& carried : graph_.carried) uses[carried.after] += 2;
    for (const Stored& stored : code_.stored) uses[stored.value] += 2;
    for_each_left([&](const Left& left) { uses[left.value] += 2; });
    const auto only_in_sum = [&](NodeId id) {
      return uses[id] == 1 && node(user[id]).op == NodeOp::add && uniform_[id] == uniform_[user[id]] && !checked(id) &&
             !stays_[id];
    };
    // A sum of numbers that are not negative, wanted for such a sum alone that is rounded to a short number: a double
    // is near enough.
    for (std::size_t n = count; !robust_ && n-- > 0;) {
      const auto id = static_cast<NodeId>(n);
      if (!needed_[n] || node(id).op != NodeOp::add || facts(id).form != NumberForm::pair) continue;
      if (!facts(id).never_negative || !only_in_sum(id) || !facts(user[id]).never_negative) continue;
      approximate_[n] = is_short(user[id]) || approximate_[user[id]];
    }
    // Each of its sums is off by half a last place. The rest of a pair is as much as one, so none may be left out.
    std::vector<unsigned> depth(count);
    for (std::size_t n = 0; n < count; ++n) {
      if (!approximate_[n]) continue;
      for (const NodeId arg : {graph_.nodes[n].args[0], graph_.nodes[n].args[1]}) {
        depth[n] = std::max(depth[n], depth[arg] + 1);
        if (is_pair(arg)) approximate_[n] = false;
      }
      if (depth[n] > 3) approximate_[n] = false;
      if (!approximate_[n]) depth[n] = 0;
    }
    // A product that only a sum takes, whose own rounding is none.
    for (std::size_t n = 0; n < count; ++n) {
      const auto id = static_cast<NodeId>(n);
      if (!needed_[n] || node(id).op != NodeOp::multiply || node(id).width != Width::long_word) continue;
      if (facts(id).form != NumberForm::one_double || !only_in_sum(id)) continue;
      const Node& sum = node(user[id]);
      const NodeId other = sum.args[0] == id ? sum.args[1] : sum.args[0];
      if (fused_[other] || other == id) continue;
      const bool settles = !robust_ || target_.directed_rounding;  // it knows what a product and a sum are off by
      fused_[n] = approximate_[user[id]] || (is_short(user[id]) && !is_pair(other) && settles);
    }
    // What is equal in all PEs is worked out once, whatever the text at hand makes of it.
    for (std::size_t n = 0; n < approximate_before.size(); ++n) {
      if (!uniform_[n]) continue;
      approximate_[n] = approximate_before[n];
      fused_[n] = fused_before[n];
    }
  }

  /// What one function leaves for the other, by node: two forms of a body that share the same have it in the same
  /// places.
  void find_shared() {
    std::vector<bool> wanted(graph_.nodes.size());
    const auto want = [&](NodeId id) {
      if (id != kNoNode && uniform_[id] && !is_literal(id)) wanted[id] = true;
    };
    for (NodeId id = 0; id < wanted.size(); ++id) {
      if (needed_[id] && !uniform_[id]) std::ranges::for_each(node(id).args, want);
    }
    for (const Carried& carried : graph_.carried) want(carried.after);
    for (const Stored& stored : code_.stored) want(stored.value);
    for_each_left([&](const Left& left) { want(left.value); });
    for (NodeId id = 0; id < wanted.size(); ++id) {
      if (!wanted[id]) continue;
      shared_.push_back({id, code_.shared_words});
      code_.shared.push_back(id);
      code_.shared_words += is_two_values(id) ? 2 : 1;
    }
  }

  [[nodiscard]] bool is_two_values(NodeId id) const {
    return (node(id).type == NodeType::number && is_pair(id)) || node(id).type == NodeType::long_bits;
  }

  // ---- the function of turns ----------------------------------------------------------------------------------------

  void write_turns() {
    in_uniform_ = false;
    values_.assign(graph_.nodes.size(), {});
    const auto prologue = make_writer(target_, kBeforePrefix);
    write_to(*prologue);
    number_.begin();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<NodeId>(n);
      if (needed_[n] && (node(id).op == NodeOp::row || stays_[n]) && !fused_[n]) emit(id);
    }
    const std::vector<Value> before_turns = values_;
    body_begun_ = true;

    // What no turn reads stays out of the loop: there it would take registers, and keep products from being fused.
    const bool leaves = !code_.left.empty() || !code_.left_flags.empty();
    const bool several = target_.turns_at_once > 1;
    const bool apart = !several && leaves && target_.last_turn_apart();
    if (apart || several) begin_part(false);
    find_ahead();
    write_ahead();
    std::vector<Phi> crossing = phis_of_crossing();
    values_ = before_turns;
    std::vector<Phi> phis = carried_phis();
    const auto body = make_writer(target_, kLoopPrefix);
    if (several) {
      write_several(*body, phis);
    } else if (crossing.empty()) {
      write_turn(*body, phis, TurnPart::loop, &Phi::next);
    } else {
      write_turn_ahead(*body, phis, crossing);
    }
    const auto last = make_writer(target_, kLastPrefix);
    if (apart || several) {
      begin_part(true);
      values_ = before_turns;
      write_turn(*last, phis, TurnPart::last, &Phi::last);
    }
    if (apart) give_left(*last);

    const auto epilogue = make_writer(target_, 'e');
    write_to(*epilogue);
    give_carried(*epilogue, phis);
    if (!apart) give_left(*epilogue);
    const std::string right = number_.all_right();
    code_.text += epilogue->turns_function({prologue->text, std::move(phis), std::move(crossing), target_.turns_at_once,
                                            body->text, last->text, epilogue->text, right, planes_of_turns(),
                                            stored_planes(), code_.shared_words, code_.scatters > 0});
  }

  // ---- several turns side by side

  /// Operation by operation; what a turn hands on the next one has when it wants it.
  void write_several(Writer& body, std::vector<Phi>& phis) {
    GDR_ASSERT(stored_planes() == 0, "turns side by side store nothing");
    write_to(body);
    carried_as_.assign(graph_.nodes.size(), kNotCarried);
    std::vector<Value> later = values_;
    for_each_handed_on([&](std::size_t n, std::size_t, std::size_t) {
      carried_as_[taken_as(n)] = n;
      later[taken_as(n)] = {};
    });
    take_over(phis, TurnPart::loop);
    check_phis();
    other_turns_.assign(target_.turns_at_once, later);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!needed_[id] || uniform_[id] || fused_[id]) continue;
      for (unsigned turn = 0; turn < target_.turns_at_once; ++turn) {
        go_to_turn(turn);
        if (turn == 0 || carried_as_[id] == kNotCarried) (void)own(id);
      }
    }
    go_to_turn(target_.turns_at_once - 1);
    hand_on(phis, &Phi::next);
    turn_ = 0;
    other_turns_.clear();
  }

  /// The values at hand become those of another one of these turns.
  void go_to_turn(unsigned turn) {
    w_->turn_at_hand = fmt::format("{}", turn);
    if (turn == turn_) return;
    std::swap(values_, other_turns_[turn_]);
    std::swap(values_, other_turns_[turn]);
    turn_ = turn;
  }

  // ---- the first part of a turn beside the rest of the turn before

  /// What varies from turn to turn and PE to PE.
  [[nodiscard]] bool in_turn(NodeId id) const {
    return id != kNoNode && needed_[id] && !uniform_[id] && !stays_[id] && !is_literal(id);
  }
  /// True if the node takes nothing that is worked out in the turn: it costs less to do it again than to keep it.
  [[nodiscard]] bool is_first(NodeId id) const {
    return std::ranges::none_of(node(id).args, [&](NodeId arg) { return in_turn(arg); });
  }
  /// Roughly, that the host takes for it.
  [[nodiscard]] int cycles(NodeId id) const {
    const NodeOp op = node(id).op;
    return op == NodeOp::add || op == NodeOp::multiply ? 3 : 1;
  }

  /// Marks the first part of the longest chains: what they take in the turn, down to words of records.
  void find_ahead() {
    // Of the longest chain's cycles. Of gravity_jerk, whose seed and rounds of Newton end there, 0.3 to 0.9 are slower.
    constexpr double kAhead = 0.75;
    constexpr int kNearly = 6;  // cycles less than the longest
    const std::size_t count = graph_.nodes.size();
    ahead_.assign(count, false);
    crosses_.assign(count, false);
    if (!target_.works_ahead() || !graph_.stored.empty() || graph_.scatters != 0) return;
    std::vector<bool> possible(count);  // without what the turn before hands on
    std::vector<int> from_begin(count);
    std::vector<int> to_end(count);
    int longest = 0;
    for (NodeId id = 0; id < count; ++id) {
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
    for (NodeId id = static_cast<NodeId>(count); id-- > 0;) {
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

  void find_crossing() {
    const auto cross = [&](NodeId id) {
      if (id != kNoNode && ahead_[id] && !is_first(id)) crosses_[id] = true;
    };
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (in_turn(id) && !ahead_[id]) std::ranges::for_each(node(id).args, cross);
    }
    for (const Carried& carried : graph_.carried) cross(carried.after);
  }

  /// Into the text at hand, which is a turn's own or stands before the first.
  void write_ahead() {
    for (NodeId id = 0; id < ahead_.size(); ++id) {
      if (ahead_[id]) (void)own(id);
    }
  }

  /// What goes from there to its turn; of the first one, whose first part has been written.
  [[nodiscard]] std::vector<Phi> phis_of_crossing() const {
    std::vector<Phi> phis;
    for (NodeId id = 0; id < crosses_.size(); ++id) {
      if (!crosses_[id]) continue;
      const NodeType of = node(id).type;
      const CodeType type = of == NodeType::number ? CodeType::number
                            : of == NodeType::flag ? CodeType::flag
                                                   : CodeType::bits;
      phis.push_back({type, fmt::format("a{}a", id), values_[id].first, {}, {}});
      if (!values_[id].second.empty()) phis.push_back({type, fmt::format("a{}b", id), values_[id].second, {}, {}});
    }
    return phis;
  }

  /// The rest of a turn, and the first part of the next one, in one text. `crossing` tells which of them are two
  /// values.
  void write_turn_ahead(Writer& body, std::vector<Phi>& phis, std::vector<Phi>& crossing) {
    const std::vector<Value> before_turns = values_;
    const std::vector<bool> needed = needed_;
    std::size_t at = 0;
    for (NodeId id = 0; id < crosses_.size(); ++id) {
      if (ahead_[id]) needed_[id] = false;  // but where it is asked for
      if (!crosses_[id]) continue;
      values_[id].first = body.handed_on(crossing[at++].name, TurnPart::loop);
      const bool two = at < crossing.size() && crossing[at].name == fmt::format("a{}b", id);
      if (two) values_[id].second = body.handed_on(crossing[at++].name, TurnPart::loop);
    }
    number_.use_half(0);
    write_turn(body, phis, TurnPart::loop, &Phi::next);
    needed_ = needed;

    const auto next = make_writer(target_, kAheadPrefix);
    write_to(*next);
    values_ = before_turns;
    number_.use_half(1);
    write_ahead();
    number_.use_all();
    at = 0;
    for (NodeId id = 0; id < crosses_.size(); ++id) {
      if (!crosses_[id]) continue;
      crossing[at++].next = values_[id].first;
      if (!values_[id].second.empty()) crossing[at++].next = values_[id].second;
    }
    std::size_t chain = phis.size() - number_.chains.size();
    for (const NumberCode::Chain& each : number_.chains) phis[chain++].next = each.value;
    body.text = merged(body.text, next->text);
  }

  /// Lines of both, spread evenly.
  static std::string merged(const std::string& a, const std::string& b) {
    const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    const auto all_a = lines(a);
    const auto all_b = lines(b);
    std::string text;
    std::size_t at_a = 0;
    std::size_t at_b = 0;
    std::ptrdiff_t done_a = 0;
    std::ptrdiff_t done_b = 0;
    while (done_a < all_a || done_b < all_b) {
      const bool from_b = done_a == all_a || (done_b < all_b && done_b * all_a <= done_a * all_b);
      const std::string& from = from_b ? b : a;
      std::size_t& at = from_b ? at_b : at_a;
      const std::size_t end = from.find('\n', at) + 1;
      text.append(from, at, end - at);
      at = end;
      ++(from_b ? done_b : done_a);
    }
    return text;
  }

  /// What goes from turn to turn.
  std::vector<Phi> carried_phis() {
    std::vector<Phi> phis;
    first_phi_.clear();
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const Carried& carried = graph_.carried[n];
      if (const std::size_t same = first_with(carried.before); same < n) {  // and the same behind the turn
        first_phi_.push_back(first_phi_[same]);
        continue;
      }
      first_phi_.push_back(phis.size());
      const NodeId number = facts_.number_of_phi[n];
      const Value planes = values_[carried.before];
      Value initial = planes;
      if (number != kNoNode) {
        initial =
            carried.is_long && is_pair(number) ? number_.from_planes(planes) : Value{w_->numbers(planes.first), {}};
        check_word(planes);
      }
      const CodeType type = number != kNoNode ? CodeType::number : CodeType::bits;
      phis.push_back({type, fmt::format("c{}a", n), initial.first, {}, {}});
      if (two_values(n)) phis.push_back({type, fmt::format("c{}b", n), initial.second, {}, {}});
    }
    for (const NumberCode::Chain& chain : number_.chains) phis.push_back({chain.type, chain.name, chain.value, {}, {}});
    return phis;
  }

  /// Calls function(carried word, index of its phi, of the second one if it is two values, else of the first), once
  /// for words that are alike.
  template <class Function>
  void for_each_handed_on(Function function) {
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      if (first_with(graph_.carried[n].before) == n) function(n, first_phi_[n], last_phi(n));
    }
  }
  [[nodiscard]] std::size_t last_phi(std::size_t carried) const {
    return first_phi_[carried] + (two_values(carried) ? 1 : 0);
  }

  /// Index of the first word carried that this node is taken over for.
  [[nodiscard]] std::size_t first_with(NodeId before) const {
    const auto same = std::ranges::find(graph_.carried, before, &Carried::before);
    return static_cast<std::size_t>(same - graph_.carried.begin());
  }

  /// The node that a word carried is inside a turn.
  [[nodiscard]] NodeId taken_as(std::size_t carried) const {
    const NodeId number = facts_.number_of_phi[carried];
    return number != kNoNode ? number : graph_.carried[carried].before;
  }

  /// Values of a turn become those that it takes over.
  void take_over(const std::vector<Phi>& phis, TurnPart part) {
    const auto name = [&](std::size_t at) { return w_->handed_on(phis[at].name, part); };
    for_each_handed_on([&](std::size_t n, std::size_t first, std::size_t second) {
      values_[taken_as(n)] = {name(first), second != first ? name(second) : std::string()};
    });
    std::size_t at = phis.size() - number_.chains.size();
    for (NumberCode::Chain& chain : number_.chains) chain.value = name(at++);
  }

  void check_phis() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<NodeId>(n);
      if (node(id).type == NodeType::number && facts(id).phi) check_phi(id);
    }
  }
  void check_phi(NodeId id) {
    if (checked(id)) number_.check_range(values_[id].first, facts(id).check_lowest, facts(id).check_highest);
  }

  void write_turn(Writer& writer, std::vector<Phi>& phis, TurnPart part, std::string Phi::* next) {
    write_to(writer);
    take_over(phis, part);
    check_phis();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<NodeId>(n);
      if (needed_[n] && !uniform_[n] && values_[n].first.empty() && !fused_[n]) emit(id);
    }
    write_stores(writer);
    for_each_left([&](const Left& left) { (void)of(left.value); });
    hand_on(phis, next);
  }

  /// Of a word carried, as the next turn takes it.
  Value next_of(std::size_t n) {
    const Carried& carried = graph_.carried[n];
    if (facts_.number_of_phi[n] == kNoNode) return planes_of(carried.after, carried.is_long);
    Value value = number_of(carried.after);
    if (two_values(n) && value.second.empty()) value.second = w_->literal(0.0);
    return value;
  }

  void hand_on(std::vector<Phi>& phis, std::string Phi::* next) {
    for_each_handed_on([&](std::size_t n, std::size_t first, std::size_t second) {
      const Value value = next_of(n);
      phis[first].*next = value.first;
      if (second != first) phis[second].*next = value.second;
    });
    std::size_t at = phis.size() - number_.chains.size();
    for (const NumberCode::Chain& chain : number_.chains) phis[at++].*next = chain.value;
  }

  /// Behind the last turn.
  void give_carried(Writer& epilogue, const std::vector<Phi>& phis) {
    const auto value = [&](std::size_t at) {
      return target_.last_turn_apart() ? w_->handed_on(phis[at].name, TurnPart::behind) : phis[at].next;
    };
    std::size_t at = phis.size() - number_.chains.size();
    for (NumberCode::Chain& chain : number_.chains) chain.value = value(at++);
    unsigned plane = 0;
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const Carried& carried = graph_.carried[n];
      Value last{value(first_phi_[n]), two_values(n) ? value(last_phi(n)) : std::string()};
      if (facts_.number_of_phi[n] != kNoNode) {
        if (target_.host_doubles) number_.check_ordered(last.first);
        last = carried.is_long ? number_.to_planes(last) : Value{w_->bits(w_->canonical(last.first)), {}};
      }
      epilogue.give(last.first, plane++);
      if (carried.is_long) epilogue.give(last.second, plane++);
    }
  }

  /// What the last turn leaves.
  void give_left(Writer& writer) {
    unsigned plane = 0;
    for (const Carried& carried : code_.carried) plane += carried.is_long ? 2 : 1;
    for (const Left& left : code_.left) {
      const Value planes = planes_left(left);
      writer.give(planes.first, plane++);
      if (left.is_long) writer.give(planes.second, plane++);
    }
    for (const Left& left : code_.left_flags) {
      writer.give_flag(flag_of(left.value), plane++);
    }
  }

  /// True if a word carried is more than one value inside the loop.
  [[nodiscard]] bool two_values(std::size_t carried) const {
    const NodeId number = facts_.number_of_phi[carried];
    return graph_.carried[carried].is_long && (number == kNoNode || is_pair(number));
  }

  /// Of a turn.
  [[nodiscard]] unsigned word_planes() const {
    unsigned planes = 0;
    for (const Stored& stored : code_.stored) planes += stored.is_long ? 2 : 1;
    return planes;
  }
  [[nodiscard]] unsigned stored_planes() const { return word_planes() + code_.scatters * code_.scatter_planes; }
  /// Before those of the words stored.
  [[nodiscard]] unsigned planes_of_turns() const {
    std::size_t planes = code_.left_flags.size();
    for (const Carried& carried : code_.carried) planes += carried.is_long ? 2 : 1;
    for (const Left& left : code_.left) planes += left.is_long ? 2 : 1;
    return static_cast<unsigned>(planes);
  }

  void write_stores(Writer& body) {
    std::uint64_t plane = 0;
    for (const Stored& stored : code_.stored) {
      const Value planes = planes_of(stored.value, stored.is_long);
      body.store(planes.first, plane++);
      if (stored.is_long) body.store(planes.second, plane++);
    }
  }

  // ---- the function of what is equal in all PEs ---------------------------------------------------------------------

  void write_uniform() {
    in_uniform_ = true;
    values_.assign(graph_.nodes.size(), {});
    const auto writer = make_writer(target_, kUniformPrefix);
    write_to(*writer);
    number_.begin();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (needed_[n] && uniform_[n] && !fused_[n]) emit(static_cast<NodeId>(n));
    }
    for (const Shared& each : shared_) {
      const Value value = own(each.node);
      const NodeType type = node(each.node).type;
      if (type == NodeType::flag) {
        writer->share(CodeType::bits, writer->spread_flag(value.first), each.first);
        continue;
      }
      const CodeType as = type == NodeType::number ? CodeType::number : CodeType::bits;
      writer->share(as, value.first, each.first);
      if (!value.second.empty()) writer->share(as, value.second, each.first + 1);
    }
    const std::string right = number_.all_right();
    code_.uniform = writer->uniform_function(right);
    code_.text += code_.uniform;
  }

  // ---- nodes --------------------------------------------------------------------------------------------------------

  struct Shared {
    NodeId node;
    unsigned first;
  };

  [[nodiscard]] bool is_carried(NodeId id) const {
    return std::any_of(graph_.carried.begin(), graph_.carried.end(),
                       [&](const Carried& each) { return each.before == id; });
  }

  void write_to(Writer& writer) {
    w_ = &writer;
    number_.write_to(writer);
  }

  /// As it is in this function.
  const Value& own(NodeId id) {
    if (!values_[id].first.empty()) return values_[id];
    if (turn_ == 0 || carried_as_[id] == kNotCarried) {
      emit(id);
      return values_[id];
    }
    const unsigned turn = turn_;
    go_to_turn(turn - 1);
    const Value taken = next_of(carried_as_[id]);
    go_to_turn(turn);
    values_[id] = taken;
    if (facts_.number_of_phi[carried_as_[id]] != kNoNode) check_phi(id);
    return values_[id];
  }

  Value of(NodeId id) {
    const Node& each = node(id);
    if (is_literal(id)) return each.op == NodeOp::constant ? constant(each) : constant_number(id);
    if (in_uniform_ || !uniform_[id]) return own(id);
    return shared(id);
  }
  Value number_of(NodeId id) { return of(id); }
  std::string flag_of(NodeId id) { return of(id).first; }

  [[nodiscard]] Value constant(const Node& each) const {
    if (each.type == NodeType::short_bits) return {w_->literal(each.value.high), {}};
    return {w_->literal(each.value.high), w_->literal(std::uint64_t{each.value.low})};
  }

  Value constant_number(NodeId id) {
    const isa::LongWord value = node(node(id).args[0]).value;
    const bool zero = ((value.high >> 52) & 2047) == 0;
    if (zero) return {w_->literal(0.0), is_pair(id) ? w_->literal(0.0) : std::string()};
    if (!is_pair(id)) return {w_->number_literal(value.high), {}};
    const std::uint64_t unit = (value.high & (kSign | kExponentMask)) - (std::uint64_t{8} << 52);
    const double rest = std::bit_cast<double>(unit | value.low) - std::bit_cast<double>(unit);
    return {w_->number_literal(value.high), w_->literal(rest)};
  }

  /// What the other function left for this turn.
  Value shared(NodeId id) {
    GDR_ASSERT(body_begun_, "values of a turn are wanted inside it alone");
    Value& value = values_[id];
    if (!value.first.empty()) return value;
    const auto known = std::ranges::find(shared_, id, &Shared::node);
    GDR_ASSERT(known != shared_.end(), "find_shared() finds all that is wanted");
    const NodeType type = node(id).type;
    const CodeType as = type == NodeType::number ? CodeType::number : CodeType::bits;
    value.first = w_->shared(as, known->first);
    if (type == NodeType::flag) value.first = w_->compare("ne", value.first, w_->literal(std::uint64_t{0}));
    if (is_two_values(id)) value.second = w_->shared(as, known->first + 1);
    return value;
  }

  void emit(NodeId id) {
    const std::optional<std::uint32_t> before = std::exchange(line_, node(id).line);
    w_->at_line(line_);
    emit_node(id);
    line_ = before;
    w_->at_line(line_);
  }

  void emit_node(NodeId id) {
    const Node& each = node(id);
    Value& value = values_[id];
    switch (each.op) {
      case NodeOp::row: {
        const unsigned words = isa::short_words(each.width);
        for (unsigned element = 0; element < isa::kVectorElements; element += graph_.elements) {
          for (unsigned n = 0; n < words; ++n) code_.rows.push_back(each.place + element * words + n);
        }
        value = w_->row(each.place, words == 2);
        return;
      }
      case NodeOp::kept:
        value = w_->kept(each.place, each.width == Width::long_word);
        return;
      case NodeOp::record: {
        const bool is_long = each.width == Width::long_word;
        std::uint64_t plane = 0;
        bool known = false;
        for (const RecordWord& word : code_.record_words) {
          known = word.address == each.place && word.is_long == is_long;
          if (known) break;
          plane += word.planes();
        }
        const bool is_double = is_long && is_number_alone(id);
        if (!known) code_.record_words.push_back({each.place, is_long, is_double});
        value = w_->record(plane, is_long && !is_double);
        return;
      }
      case NodeOp::parameter:
        value = w_->parameter(each.place, each.width == Width::long_word);
        return;
      case NodeOp::constant:
        value = constant(each);
        return;
      case NodeOp::number:
        value = number(id);
        break;
      case NodeOp::bits:
        if (each.type == NodeType::long_bits) {
          value = number_.to_planes(of(each.args[0]));
          return;
        }
        value.first = w_->bits(w_->canonical(of(each.args[0]).first));
        if (target_.host_doubles && node(each.args[0]).op == NodeOp::upper)
          value.first = w_->integer("and", value.first, w_->literal(kShortBitsMask));
        return;
      case NodeOp::upper: {
        const Value whole = of(each.args[0]);
        if (each.type == NodeType::number && target_.host_doubles) {
          value = whole;
          break;
        }
        if (each.type == NodeType::number) {
          const std::string head = whole.second.empty() ? whole.first : number_.toward_zero(whole);
          value.first = w_->masked(head, ~kBelowShort);
          break;
        }
        value.first = w_->integer("and", whole.first, w_->literal(kShortBitsMask));
        return;
      }
      case NodeOp::lower: {
        const Value whole = of(each.args[0]);
        const std::string upper = w_->integer("shl", whole.first, w_->literal(std::uint64_t{isa::kShortBits}));
        const std::string lower = w_->integer("shl", whole.second, w_->literal(std::uint64_t{kShortShift}));
        value.first = w_->integer("or", upper, lower);
        return;
      }
      case NodeOp::row_to_gather:
      case NodeOp::row_to_scatter:
        value.first = computed_row(each);
        return;
      case NodeOp::gather:
        value = gathered(each);
        return;
      case NodeOp::scatter:
        scatter(each);
        value.first = of(each.args[0]).first;
        return;
      case NodeOp::port:
        value.first = port(each.args[0]);
        break;
      case NodeOp::add:
        value = sum(id);
        break;
      case NodeOp::multiply:
        value = product(id);
        break;
      case NodeOp::cut:
        value = cut(id);
        break;
      case NodeOp::select:
        value = select(id);
        break;
      case NodeOp::flag:
        code_.reads_flags = true;
        value.first = w_->flag(each.place);
        return;
      case NodeOp::is_zero:
      case NodeOp::is_negative:
        value.first = each.op == NodeOp::is_zero ? is_zero(each.args[0]) : is_negative(each.args[0]);
        return;
      case NodeOp::is_below:
        value.first = is_below(*w_, "ult", of(each.args[0]), of(each.args[1]));
        return;
      default:
        value = integer_result(*w_, each, of(each.args[0]), each.args[1] == kNoNode ? Value{} : of(each.args[1]));
        return;
    }
    if (checked(id)) number_.check_range(value.first, facts(id).check_lowest, facts(id).check_highest);
  }

  std::string is_zero(NodeId id) {
    const Node& each = node(id);
    if (each.op == NodeOp::integer_subtract && each.type == NodeType::short_bits)
      return w_->compare("eq", of(each.args[0]).first, of(each.args[1]).first);
    const Value value = of(id);
    if (each.type == NodeType::number) return w_->compare_numbers("oeq", value.first, w_->literal(0.0));
    const std::string all = value.second.empty() ? value.first : w_->integer("or", value.first, value.second);
    return w_->compare("eq", all, w_->literal(std::uint64_t{0}));
  }
  std::string is_negative(NodeId id) {
    const Value value = of(id);
    if (node(id).type == NodeType::number) return w_->compare_numbers("olt", value.first, w_->literal(0.0));
    return w_->compare("slt", value.first, w_->literal(std::uint64_t{0}));
  }

  /// What an operation has made, or one of two such words.
  [[nodiscard]] bool is_worked_out(NodeId id) const {
    const Node& each = node(id);
    if (each.op == NodeOp::select) return is_worked_out(each.args[1]) && is_worked_out(each.args[2]);
    return each.op == NodeOp::bits || (each.op >= NodeOp::integer_add && each.op <= NodeOp::smaller);
  }

  void check_word(const Value& planes) {
    target_.host_doubles ? number_.check_double(planes) : number_.check_input(planes);
  }

  /// True if nobody wants the word as anything else, and the caller looks at low planes.
  [[nodiscard]] bool is_number_alone(NodeId id) const {
    if (target_.language != CodeLanguage::llvm_ir) return false;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& user = graph_.nodes[n];
      if (needed_[n] && user.op != NodeOp::number && std::ranges::find(user.args, id) != user.args.end()) return false;
    }
    const auto same = [&](const auto& word) { return word.value == id; };
    return std::ranges::none_of(code_.stored, same) && std::ranges::none_of(code_.left, same) &&
           std::ranges::none_of(graph_.carried, [&](const Carried& carried) { return carried.after == id; });
  }

  /// A word of memory, or an integer's bits, taken as a number.
  Value number(NodeId id) {
    const NodeId word = node(id).args[0];
    if (node(word).op == NodeOp::constant) return constant_number(id);
    const bool whole = target_.host_doubles && node(word).op == NodeOp::upper;
    const Value planes = whole ? Value{of(node(word).args[0]).first, {}} : of(word);
    // An operation takes what an integer is as a double in every case; a NaN is found where it leaves.
    if (target_.host_doubles && is_worked_out(word)) return {w_->numbers(planes.first), {}};
    check_word(planes);
    if (!planes.second.empty()) number_.demand(w_->compare("eq", planes.second, w_->literal(std::uint64_t{0})));
    return {w_->numbers(planes.first), {}};
  }

  Value select(NodeId id) {
    const Node& each = node(id);
    const std::string flag = flag_of(each.args[0]);
    Value a = of(each.args[1]);
    Value b = of(each.args[2]);
    if (each.type == NodeType::flag) return {w_->select(flag, CodeType::flag, a.first, b.first), {}};
    const bool is_number = each.type == NodeType::number;
    const CodeType type = is_number ? CodeType::number : CodeType::bits;
    Value value{w_->select(flag, type, a.first, b.first), {}};
    if (a.second.empty() && b.second.empty()) return value;
    const std::string nothing = is_number ? w_->literal(0.0) : w_->literal(std::uint64_t{0});
    if (a.second.empty()) a.second = nothing;
    if (b.second.empty()) b.second = nothing;
    value.second = w_->select(flag, type, a.second, b.second);
    return value;
  }

  // ---- local memory at addresses of T -------------------------------------------------------------------------------

  /// All ones where the element is not selected. A row that is a fault, or whose word may be in a register here, is
  /// wrong.
  std::string computed_row(const Node& each) {
    const Value t = of(each.args[0]);
    const bool is_long = each.width == Width::long_word;
    std::string offset;
    std::string right;
    const auto demanded = [&](const std::string& flag) { right = right.empty() ? flag : w_->both(right, flag); };
    if (is_long) {
      offset = w_->integer("shl", t.first, w_->literal(std::uint64_t{8}));
      if (!t.second.empty()) offset = w_->integer("or", offset, t.second);
      demanded(w_->compare("ult", t.first, w_->literal(std::uint64_t{isa::kLmShortWords >> 8})));
    } else {
      offset = w_->integer("lshr", t.first, w_->literal(std::uint64_t{kShortShift}));
    }
    const std::string row = w_->integer("add", offset, w_->literal(std::uint64_t{each.place}));
    demanded(w_->compare("ult", row, w_->literal(std::uint64_t{isa::kLmShortWords})));
    if (is_long) demanded(w_->compare("eq", odd_bit(row), w_->literal(std::uint64_t{0})));
    for (const simd::RowRange& rows : each.op == NodeOp::row_to_gather ? graph_.lm_written : graph_.lm_used) {
      const std::string from_first = w_->integer("sub", row, w_->literal(std::uint64_t{rows.first}));
      demanded(w_->compare("ugt", from_first, w_->literal(std::uint64_t{rows.count - 1})));
    }
    if (each.args[1] != kNoNode) {
      const std::string selected = flag_of(each.args[1]);
      number_.demand(w_->select(selected, CodeType::flag, right, w_->all_set()));
      right = w_->both(right, selected);
    } else {
      number_.demand(right);
    }
    return w_->select(right, CodeType::bits, row, w_->literal(~std::uint64_t{0}));
  }

  std::string odd_bit(const std::string& row) { return w_->integer("and", row, w_->literal(std::uint64_t{1})); }
  std::string is_odd(const std::string& row) { return w_->compare("ne", odd_bit(row), w_->literal(std::uint64_t{0})); }
  /// Its first row; all ones become even, but stay negative.
  std::string pair_of(const std::string& row) { return w_->integer("and", row, w_->literal(~std::uint64_t{1})); }
  std::string shifted(const char* how, const std::string& word, unsigned count) {
    return w_->integer(how, word, w_->literal(std::uint64_t{count}));
  }
  std::string lower_of(const Value& pair) {
    return w_->integer("or", shifted("shl", pair.first, isa::kShortBits), shifted("shl", pair.second, kShortShift));
  }
  std::string upper_of(const Value& pair) { return w_->integer("and", pair.first, w_->literal(kShortBitsMask)); }

  Value gathered(const Node& each) {
    const std::string row = of(each.args[0]).first;
    if (!graph_.lm_of_longs) return {w_->gather(row, 0), {}};
    const std::string at = pair_of(row);
    const Value pair{w_->gather(at, 0), w_->gather(at, 1)};
    if (each.width == Width::long_word) return pair;
    return {w_->select(is_odd(row), CodeType::bits, lower_of(pair), upper_of(pair)), {}};
  }

  void scatter(const Node& each) {
    const std::string row = of(each.args[0]).first;
    const bool is_long = each.width == Width::long_word;
    const Value word = planes_of(each.args[1], is_long);
    std::uint64_t plane = word_planes() + each.place * code_.scatter_planes;
    if (!graph_.lm_of_longs) {
      w_->store(row, plane++);
      w_->store(w_->gather(row, 0), plane);
      w_->scatter(word.first, row, 0);
      return;
    }
    const std::string at = pair_of(row);
    const Value before{w_->gather(at, 0), w_->gather(at, 1)};
    w_->store(at, plane++);
    w_->store(before.first, plane++);
    w_->store(before.second, plane);
    const Value after = is_long ? word : with_half(before, is_odd(row), word.first);
    w_->scatter(after.first, at, 0);
    w_->scatter(after.second, at, 1);
  }

  /// The pair with another word in its upper half, or in its lower one.
  Value with_half(const Value& pair, const std::string& in_lower, const std::string& half) {
    const std::string up = w_->select(in_lower, CodeType::bits, upper_of(pair), half);
    const std::string down = w_->select(in_lower, CodeType::bits, half, lower_of(pair));
    const std::string high =
        w_->integer("or", w_->integer("and", up, w_->literal(kShortBitsMask)), shifted("lshr", down, isa::kShortBits));
    const std::string low = shifted("lshr", down, kShortShift);
    return {high, w_->integer("and", low, w_->literal(kLowPlane))};
  }

  // ---- words --------------------------------------------------------------------------------------------------------

  Value planes_of(NodeId id, bool is_long) {
    Value value = of(id);
    if (node(id).type == NodeType::number) {
      if (target_.host_doubles) number_.check_ordered(value.first);
      if (is_long) return number_.to_planes(value);
      return {w_->bits(w_->canonical(value.first)), {}};
    }
    if (is_long && value.second.empty()) return {value.first, w_->literal(std::uint64_t{0})};
    return value;
  }

  /// Of a word that the last turn leaves. A word that it took over as a number has the planes of that number.
  Value planes_left(const Left& left) {
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const NodeId number = facts_.number_of_phi[n];
      if (graph_.carried[n].before != left.value || number == kNoNode) continue;
      const Value value = values_[number];
      return left.is_long ? number_.to_planes(value) : Value{w_->bits(w_->canonical(value.first)), {}};
    }
    return planes_of(left.value, left.is_long);
  }

  // ---- operations ---------------------------------------------------------------------------------------------------

  Value with_sign(Value value, bool negate) {
    if (!negate) return value;
    value.first = w_->negated(value.first);
    if (!value.second.empty()) value.second = w_->negated(value.second);
    return value;
  }

  Value sum(NodeId id) {
    const Node& each = node(id);
    NodeId x = each.args[0];
    NodeId y = each.args[1];
    bool negate_x = (each.negated & 1) != 0;
    bool negate_y = (each.negated & 2) != 0;
    if (fused_[y] && !fused_[x]) {
      std::swap(x, y);
      std::swap(negate_x, negate_y);
    }
    if (fused_[x]) return sum_with_product(id, x, negate_x, y, negate_y);
    if (is_pair(y) && !is_pair(x)) {
      std::swap(x, y);
      std::swap(negate_x, negate_y);
    }
    const Value a = with_sign(of(x), negate_x);
    const Value b = with_sign(of(y), negate_y);
    if (target_.host_doubles) return {w_->exact_add(a.first, b.first), {}};
    if (approximate_[id]) return {w_->add(a.first, b.first), {}};
    if (each.width == Width::short_word) return {short_sum(x, y, a, b), {}};
    std::string rest;
    const std::string head = number_.two_sum(a.first, b.first, rest);
    return number_.rounded_sum(head, number_.with_rests(rest, a, b));
  }

  std::string short_sum(NodeId x, NodeId y, const Value& a, const Value& b) {
    // Of two short numbers the sum is exact, or so far from a tie that rounding it twice does no harm.
    if (is_short(x) && is_short(y)) return number_.short_of_exact(w_->add(a.first, b.first));
    if (robust_ && is_pair(x)) {
      std::string rest;
      const std::string head = number_.two_sum(a.first, b.first, rest);
      return number_.short_of_sum(head, number_.with_rests(rest, a, b));
    }
    if (is_pair(x) || is_pair(y)) {
      std::string rests = a.second;
      if (!b.second.empty()) rests = w_->add(a.second, b.second);
      return number_.short_of_near(w_->add(w_->add(a.first, b.first), rests), 4);
    }
    if (approximate_[x] || approximate_[y]) return number_.short_of_near(w_->add(a.first, b.first), 4);
    return number_.short_of_sum(a.first, b.first);
  }

  Value sum_with_product(NodeId id, NodeId product, bool negate_product, NodeId other, bool negate_other) {
    const Node& of_product = node(product);
    const bool negate = negate_product != (of_product.negated == 1 || of_product.negated == 2);
    const std::string a = with_sign(of(of_product.args[0]), negate).first;
    const std::string b = of(of_product.args[1]).first;
    const std::string c = with_sign(of(other), negate_other).first;
    if (approximate_[id]) return {w_->multiply_add(a, b, c), {}};
    if (robust_) return {number_.short_of_product_and_sum(a, b, c), {}};
    return {number_.short_of_near(w_->multiply_add(a, b, c), approximate_[other] ? 4 : 0), {}};
  }

  /// What the multiplier takes of a number: its top 50 bits.
  std::string port(NodeId id) {
    const Value value = of(id);
    if (target_.host_doubles || (!is_pair(id) && facts(id).bits <= kPortBits)) return value.first;
    if (value.second.empty()) return w_->masked(value.first, ~kBelowPort);
    return w_->masked(number_.toward_zero(value), ~kBelowPort);
  }

  Value product(NodeId id) {
    const Node& each = node(id);
    const NodeId x = each.args[0];
    const NodeId y = each.args[1];
    const bool negate = (each.negated == 1) || (each.negated == 2);
    std::string a = of(x).first;
    const std::string b = of(y).first;
    if (negate) a = w_->negated(a);
    if (target_.host_doubles) return {w_->exact_multiply(a, b), {}};
    if (is_short(x) && is_short(y)) {
      const std::string exact = w_->exact_multiply(a, b);
      return {each.width == Width::short_word ? number_.short_of_product(exact) : exact, {}};
    }
    if (each.width == Width::short_word) return {number_.short_of_long_product(a, b), {}};
    return number_.rounded_product(a, b);
  }

  Value cut(NodeId id) {
    const Node& each = node(id);
    Value a = with_sign(of(each.args[0]), (each.negated & 1) != 0);
    if (target_.host_doubles || each.width == Width::long_word || is_short(each.args[0])) return a;
    if (a.second.empty()) return {robust_ ? number_.short_of_exact(a.first) : number_.short_of_near(a.first, 0), {}};
    return {number_.short_of_sum(a.first, a.second), {}};
  }

  const BodyGraph& graph_;
  const BodyFacts& facts_;
  CodeTarget target_;
  bool robust_;
  NumberCode number_;
  std::vector<bool> uniform_;
  bool leaves_ = false;       // the text at hand: begin_part()
  std::vector<bool> needed_;  // in it
  std::vector<bool> stays_;
  std::vector<bool> ahead_;        // worked out in the turn before
  std::vector<bool> crosses_;      // of these, what goes from there to its turn
  std::vector<bool> approximate_;  // sums that a double is near enough for
  std::vector<bool> fused_;        // products that their sum forms
  BodyCode code_;
  std::vector<Shared> shared_;
  std::vector<std::size_t> first_phi_;  // of each word carried
  static constexpr std::size_t kNotCarried = ~std::size_t{0};
  std::vector<std::size_t> carried_as_;          // by node inside a turn: the word carried
  std::vector<std::vector<Value>> other_turns_;  // of those that are written at once: their values, by node
  unsigned turn_ = 0;                            // of these, the one at hand
  std::vector<Value> values_;                    // of the function at hand, by node
  Writer* w_ = nullptr;
  std::optional<std::uint32_t> line_;  // that is at hand
  bool in_uniform_ = false;
  bool body_begun_ = false;
};

}  // namespace

BodyCode make_body_code(const BodyGraph& graph, Rounding rounding, const CodeTarget& target) {
  BodyCode code;
  code.refusal = graph.refusal;
  if (!code.refusal.empty()) return code;
  const auto facts_of = [&](bool last) {
    return target.host_doubles ? make_double_facts(graph, last) : make_number_facts(graph, target.turns(), last);
  };
  if (graph.last_refusal.empty()) {
    const BodyFacts facts = facts_of(true);
    if (facts.refusal.empty()) return Generator(graph, facts, rounding, target).run(true);
  }
  const BodyFacts facts = facts_of(false);
  code.refusal = facts.refusal;
  if (!code.refusal.empty()) return code;
  return Generator(graph, facts, rounding, target).run(false);
}

}  // namespace gdr::emulator::jit
