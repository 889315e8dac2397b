#include "body_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "body_plan.h"
#include "gdr/base/error.h"
#include "integer_code.h"
#include "lm_code.h"
#include "number_code.h"
#include "number_facts.h"
#include "simd/micro_op.h"

namespace gdr::emulator::jit {
namespace {

using simd::kShortBitsMask;
using simd::kShortShift;

class Generator {
 public:
  Generator(const BodyGraph& graph, const BodyFacts& facts, Rounding rounding, const CodeTarget& target,
            bool leaves_all)
      : graph_(graph),
        facts_(facts),
        target_(target),
        robust_(rounding == Rounding::robust),
        plan_(graph, facts, rounding, target, leaves_all),
        number_(target, robust_),
        memory_(graph, number_) {
    code_.leaves_all = leaves_all;
  }

  /// The function of turns says what it takes from the one of what is equal in all PEs, which comes last.
  BodyCode run() {
    code_.text = make_writer(target_, 'd')->declarations();
    code_.target = target_;
    code_.carried = graph_.carried;
    code_.elements = graph_.elements;
    code_.stored = graph_.stored;
    code_.bm_steps = graph_.bm_steps;
    code_.scatters = graph_.scatters;
    code_.scatter_planes = memory_.planes_of_scatter();
    if (code_.leaves_all) {
      code_.left = graph_.left;
      code_.left_flags = graph_.left_flags;
    }
    take_shared();
    write_turns();
    write_uniform();
    std::sort(code_.rows.begin(), code_.rows.end());
    code_.rows.erase(std::unique(code_.rows.begin(), code_.rows.end()), code_.rows.end());
    return std::move(code_);
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.nodes[id]; }
  [[nodiscard]] NodeId count() const { return static_cast<NodeId>(graph_.nodes.size()); }

  /// What one function leaves for the others, by node: two forms of a body that share the same have it in the same
  /// places.
  void take_shared() {
    code_.shared = plan_.shared();
    for (const NodeId id : code_.shared) {
      shared_.push_back({id, code_.shared_words});
      code_.shared_words += plan_.is_two_values(id) ? 2 : 1;
    }
  }

  // ---- the functions of turns ---------------------------------------------------------------------------------------

  void write_turns() {
    const bool several = target_.turns_at_once > 1;
    const bool leaves = !code_.left.empty() || !code_.left_flags.empty();
    const bool apart = several || (leaves && target_.last_turns_apart());
    // What no turn reads stays out of the loop: there it would take registers, and keep products from being fused.
    if (apart) plan_.begin_part(false);
    const auto prologue = make_writer(target_, kBeforePrefix);
    begin_function(*prologue, [&](NodeId id) { return node(id).op == NodeOp::row || plan_.stays(id); });
    const std::vector<Value> before_turns = values_;
    plan_.find_ahead();
    write_ahead();
    std::vector<Phi> crossing = phis_of_crossing();
    values_ = before_turns;
    std::vector<Phi> phis = carried_phis();
    const auto body = make_writer(target_, kLoopPrefix);
    if (several) {
      write_several(*body, phis);
    } else if (crossing.empty()) {
      write_turn(*body, phis, TurnPart::loop);
    } else {
      write_turn_ahead(*body, phis, crossing);
    }

    std::optional<Ending> ends;
    if (apart) {
      const auto ending = make_writer(target_, kEndingPrefix);
      write_to(*ending);
      take_over_checks(phis, TurnPart::behind);
      const std::string right = number_.all_right();
      ends = {ending->text, right};
    }
    const auto epilogue = make_writer(target_, kBehindPrefix);
    write_to(*epilogue);
    take_over_checks(phis, TurnPart::behind);
    give_carried(*epilogue, phis, TurnPart::behind);
    if (!apart) give_left(*epilogue);
    const std::string right = number_.all_right();
    code_.text +=
        epilogue->turns_function({prologue->text, phis, number_.chains.size(), std::move(crossing),
                                  target_.turns_at_once, body->text, std::move(ends), epilogue->text, right, layout()});
    if (apart) write_last_turns(std::move(phis));
  }

  /// The last turn of a run that ends, with what it leaves, and turns that several at once leave. `phis` are the
  /// loop's.
  void write_last_turns(std::vector<Phi> phis) {
    plan_.begin_part(code_.leaves_all);
    const auto prologue = make_writer(target_, kBeforeLastPrefix);
    begin_function(*prologue, [&](NodeId id) { return plan_.stays(id); });
    hand_on_checks(phis, &Phi::initial);
    const auto turn = make_writer(target_, kLastPrefix);
    write_turn(*turn, phis, TurnPart::last);
    const auto epilogue = make_writer(target_, kBehindLastPrefix);
    write_to(*epilogue);
    give_carried(*epilogue, phis, TurnPart::last);
    give_left(*epilogue);
    const std::string right = number_.all_right();
    code_.text +=
        epilogue->last_turns_function({prologue->text, std::move(phis), number_.chains.size(),
                                       target_.turns_at_once > 1, turn->text, epilogue->text, right, layout()});
  }

  /// With what `stands` before its turns.
  template <class Stands>
  void begin_function(Writer& prologue, Stands stands) {
    in_turns_ = false;
    values_.assign(graph_.nodes.size(), {});
    write_to(prologue);
    number_.begin();
    for (NodeId id = 0; id < count(); ++id) {
      if (plan_.needed(id) && stands(id) && !plan_.fused(id)) emit(id);
    }
    in_turns_ = true;
  }

  // ---- several turns side by side

  /// Operation by operation; what a turn hands on the next one has when it wants it.
  void write_several(Writer& body, std::vector<Phi>& phis) {
    GDR_ASSERT(stored_planes() == 0, "turns side by side store nothing");
    write_to(body);
    carried_as_.assign(graph_.nodes.size(), kNotCarried);
    std::vector<Value> later = values_;
    for_each_handed_on([&](std::size_t n, std::size_t, std::size_t) {
      carried_as_[plan_.taken_as(n)] = n;
      later[plan_.taken_as(n)] = {};
    });
    take_over(phis, TurnPart::loop);
    check_phis();
    other_turns_.assign(target_.turns_at_once, later);
    for (NodeId id = 0; id < count(); ++id) {
      if (!plan_.needed(id) || plan_.uniform(id) || plan_.fused(id)) continue;
      for (unsigned turn = 0; turn < target_.turns_at_once; ++turn) {
        go_to_turn(turn);
        if (turn == 0 || carried_as_[id] == kNotCarried) (void)own(id);
      }
    }
    go_to_turn(target_.turns_at_once - 1);
    hand_on(phis);
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

  /// Into the text at hand, which is a turn's own or stands before the first.
  void write_ahead() {
    for (NodeId id = 0; id < count(); ++id) {
      if (plan_.ahead(id)) (void)own(id);
    }
  }

  /// What goes from there to its turn; of the first one, whose first part has been written.
  [[nodiscard]] std::vector<Phi> phis_of_crossing() const {
    std::vector<Phi> phis;
    for (NodeId id = 0; id < count(); ++id) {
      if (!plan_.crosses(id)) continue;
      const NodeType of = node(id).type;
      const CodeType type = of == NodeType::number ? CodeType::number
                            : of == NodeType::flag ? CodeType::flag
                                                   : CodeType::bits;
      phis.push_back({type, fmt::format("a{}a", id), values_[id].first, {}});
      if (!values_[id].second.empty()) phis.push_back({type, fmt::format("a{}b", id), values_[id].second, {}});
    }
    return phis;
  }

  /// The rest of a turn, and the first part of the next one, in one text. `crossing` tells which of them are two
  /// values.
  void write_turn_ahead(Writer& body, std::vector<Phi>& phis, std::vector<Phi>& crossing) {
    const std::vector<Value> before_turns = values_;
    std::size_t at = 0;
    for (NodeId id = 0; id < count(); ++id) {
      if (!plan_.crosses(id)) continue;
      values_[id].first = body.handed_on(crossing[at++].name, TurnPart::loop);
      const bool two = at < crossing.size() && crossing[at].name == fmt::format("a{}b", id);
      if (two) values_[id].second = body.handed_on(crossing[at++].name, TurnPart::loop);
    }
    number_.use_half(0);
    write_turn(body, phis, TurnPart::loop, true);

    const auto next = make_writer(target_, kAheadPrefix);
    write_to(*next);
    values_ = before_turns;
    number_.use_half(1);
    write_ahead();
    number_.use_all();
    at = 0;
    for (NodeId id = 0; id < count(); ++id) {
      if (!plan_.crosses(id)) continue;
      crossing[at++].next = values_[id].first;
      if (!values_[id].second.empty()) crossing[at++].next = values_[id].second;
    }
    hand_on_checks(phis, &Phi::next);
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
      if (const std::size_t same = plan_.first_carried_with(carried.before);
          same < n) {  // and the same behind the turn
        first_phi_.push_back(first_phi_[same]);
        continue;
      }
      first_phi_.push_back(phis.size());
      const NodeId number = facts_.number_of_phi[n];
      const Value planes = values_[carried.before];
      Value initial = planes;
      if (number != kNoNode) {
        initial = carried.is_long && plan_.is_pair(number) ? number_.from_planes(planes)
                                                           : Value{w_->numbers(planes.first), {}};
        check_word(planes);
      }
      const CodeType type = number != kNoNode ? CodeType::number : CodeType::bits;
      phis.push_back({type, fmt::format("c{}a", n), initial.first, {}});
      if (plan_.carries_two_values(n)) phis.push_back({type, fmt::format("c{}b", n), initial.second, {}});
    }
    word_phis_ = phis.size();
    for (const NumberCode::Chain& chain : number_.chains) phis.push_back({chain.type, chain.name, chain.value, {}});
    return phis;
  }

  /// Calls function(carried word, index of its phi, of the second one if it is two values, else of the first), once
  /// for words that are alike.
  template <class Function>
  void for_each_handed_on(Function function) {
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      if (plan_.first_carried_with(graph_.carried[n].before) == n) function(n, first_phi_[n], last_phi(n));
    }
  }
  [[nodiscard]] std::size_t last_phi(std::size_t carried) const {
    return first_phi_[carried] + (plan_.carries_two_values(carried) ? 1 : 0);
  }

  /// Values of a turn become those that it takes over.
  void take_over(const std::vector<Phi>& phis, TurnPart part) {
    const auto name = [&](std::size_t at) { return w_->handed_on(phis[at].name, part); };
    for_each_handed_on([&](std::size_t n, std::size_t first, std::size_t second) {
      values_[plan_.taken_as(n)] = {name(first), second != first ? name(second) : std::string()};
    });
    take_over_checks(phis, part);
  }
  void take_over_checks(const std::vector<Phi>& phis, TurnPart part) {
    for (std::size_t at = word_phis_; at < phis.size(); ++at) {
      number_.chains[at - word_phis_].value = handed_on(phis[at], part);
    }
  }
  /// OpenCL's loop ends where the values that it would hand on are known.
  [[nodiscard]] std::string handed_on(const Phi& phi, TurnPart part) const {
    const bool is_next = part == TurnPart::behind && !target_.last_turns_apart();
    return is_next ? phi.next : w_->handed_on(phi.name, part);
  }

  void check_phis() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<NodeId>(n);
      if (node(id).type == NodeType::number && plan_.facts(id).phi) check_phi(id);
    }
  }
  void check_phi(NodeId id) {
    if (plan_.checked(id))
      number_.check_range(values_[id].first, plan_.facts(id).check_lowest, plan_.facts(id).check_highest);
  }

  /// `begun`: what is worked out ahead is there, and only its rest is written.
  void write_turn(Writer& writer, std::vector<Phi>& phis, TurnPart part, bool begun = false) {
    write_to(writer);
    take_over(phis, part);
    check_phis();
    for (NodeId id = 0; id < count(); ++id) {
      if (!plan_.needed(id) || plan_.uniform(id) || plan_.fused(id) || (begun && plan_.ahead(id))) continue;
      if (node(id).op != NodeOp::row) (void)own(id);
    }
    write_stores(writer);
    plan_.for_each_left([&](const Left& left) { (void)of(left.value); });
    hand_on(phis);
  }

  /// Of a word carried, as the next turn takes it.
  Value next_of(std::size_t n) {
    const Carried& carried = graph_.carried[n];
    if (facts_.number_of_phi[n] == kNoNode) return planes_of(carried.after, carried.is_long);
    Value value = number_of(carried.after);
    if (plan_.carries_two_values(n) && value.second.empty()) value.second = w_->literal(0.0);
    return value;
  }

  void hand_on(std::vector<Phi>& phis) {
    for_each_handed_on([&](std::size_t n, std::size_t first, std::size_t second) {
      const Value value = next_of(n);
      phis[first].next = value.first;
      if (second != first) phis[second].next = value.second;
    });
    hand_on_checks(phis, &Phi::next);
  }
  /// As what they begin with, or what a turn makes of them.
  void hand_on_checks(std::vector<Phi>& phis, std::string Phi::* as) const {
    for (std::size_t at = word_phis_; at < phis.size(); ++at) phis[at].*as = number_.chains[at - word_phis_].value;
  }

  /// Behind a turn: the loop's last one, or the one that is apart.
  void give_carried(Writer& epilogue, const std::vector<Phi>& phis, TurnPart part) {
    const auto value = [&](std::size_t at) {
      return part == TurnPart::last ? phis[at].next : handed_on(phis[at], part);
    };
    unsigned plane = 0;
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const Carried& carried = graph_.carried[n];
      Value last{value(first_phi_[n]), plan_.carries_two_values(n) ? value(last_phi(n)) : std::string()};
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

  /// Of a turn.
  [[nodiscard]] unsigned word_planes() const {
    unsigned planes = 0;
    for (const Stored& stored : code_.stored) planes += stored.is_long ? 2 : 1;
    return planes;
  }
  [[nodiscard]] unsigned stored_planes() const { return word_planes() + code_.scatters * code_.scatter_planes; }
  [[nodiscard]] TurnsLayout layout() const {
    std::size_t planes = code_.left_flags.size();
    for (const Carried& carried : code_.carried) planes += carried.is_long ? 2 : 1;
    for (const Left& left : code_.left) planes += left.is_long ? 2 : 1;
    return {planes, stored_planes(), code_.shared_words, code_.scatters > 0};
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
    for (NodeId id = 0; id < count(); ++id) {
      if (plan_.needed(id) && plan_.uniform(id) && !plan_.fused(id)) emit(id);
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

  void write_to(Writer& writer) {
    w_ = &writer;
    number_.write_to(writer);
    memory_.write_to(writer);
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
    if (plan_.is_literal(id)) return each.op == NodeOp::constant ? constant(each) : constant_number(id);
    if (in_uniform_ || !plan_.uniform(id)) return own(id);
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
    if (zero) return {w_->literal(0.0), plan_.is_pair(id) ? w_->literal(0.0) : std::string()};
    if (!plan_.is_pair(id)) return {w_->number_literal(value.high), {}};
    const std::uint64_t unit = (value.high & (kSign | kExponentMask)) - (std::uint64_t{8} << 52);
    const double rest = std::bit_cast<double>(unit | value.low) - std::bit_cast<double>(unit);
    return {w_->number_literal(value.high), w_->literal(rest)};
  }

  /// What the other function left for this turn.
  Value shared(NodeId id) {
    GDR_ASSERT(in_turns_, "values of a turn are wanted inside it alone");
    Value& value = values_[id];
    if (!value.first.empty()) return value;
    const auto known = std::ranges::find(shared_, id, &Shared::node);
    GDR_ASSERT(known != shared_.end(), "the plan knows all that is wanted");
    const NodeType type = node(id).type;
    const CodeType as = type == NodeType::number ? CodeType::number : CodeType::bits;
    value.first = w_->shared(as, known->first);
    if (type == NodeType::flag) value.first = w_->compare("ne", value.first, w_->literal(std::uint64_t{0}));
    if (plan_.is_two_values(id)) value.second = w_->shared(as, known->first + 1);
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
        // Whoever calls compiled code looks at low planes.
        const bool is_double = is_long && target_.language == CodeLanguage::llvm_ir && plan_.is_number_alone(id);
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
        value.first = memory_.row(each, of(each.args[0]), selection(each));
        return;
      case NodeOp::gather:
        value = memory_.gathered(each.width, of(each.args[0]).first);
        return;
      case NodeOp::scatter:
        value.first = of(each.args[0]).first;
        memory_.scatter(each.width, value.first, planes_of(each.args[1], each.width == Width::long_word),
                        word_planes() + each.place * code_.scatter_planes);
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
    if (plan_.checked(id))
      number_.check_range(value.first, plan_.facts(id).check_lowest, plan_.facts(id).check_highest);
  }

  /// Of a row of local memory: the flag of the elements.
  std::optional<std::string> selection(const Node& row) {
    if (row.args[1] == kNoNode) return std::nullopt;
    return flag_of(row.args[1]);
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
    if (plan_.fused(y) && !plan_.fused(x)) {
      std::swap(x, y);
      std::swap(negate_x, negate_y);
    }
    if (plan_.fused(x)) return sum_with_product(id, x, negate_x, y, negate_y);
    if (plan_.is_pair(y) && !plan_.is_pair(x)) {
      std::swap(x, y);
      std::swap(negate_x, negate_y);
    }
    const Value a = with_sign(of(x), negate_x);
    const Value b = with_sign(of(y), negate_y);
    if (target_.host_doubles) return {w_->exact_add(a.first, b.first), {}};
    if (plan_.approximate(id)) return {w_->add(a.first, b.first), {}};
    if (each.width == Width::short_word) return {short_sum(x, y, a, b), {}};
    std::string rest;
    const std::string head = number_.two_sum(a.first, b.first, rest);
    return number_.rounded_sum(head, number_.with_rests(rest, a, b));
  }

  std::string short_sum(NodeId x, NodeId y, const Value& a, const Value& b) {
    // Of two short numbers the sum is exact, or so far from a tie that rounding it twice does no harm.
    if (plan_.is_short(x) && plan_.is_short(y)) return number_.short_of_exact(w_->add(a.first, b.first));
    if (robust_ && plan_.is_pair(x)) {
      std::string rest;
      const std::string head = number_.two_sum(a.first, b.first, rest);
      return number_.short_of_sum(head, number_.with_rests(rest, a, b));
    }
    if (plan_.is_pair(x) || plan_.is_pair(y)) {
      std::string rests = a.second;
      if (!b.second.empty()) rests = w_->add(a.second, b.second);
      return number_.short_of_near(w_->add(w_->add(a.first, b.first), rests), 4);
    }
    if (plan_.approximate(x) || plan_.approximate(y)) return number_.short_of_near(w_->add(a.first, b.first), 4);
    return number_.short_of_sum(a.first, b.first);
  }

  Value sum_with_product(NodeId id, NodeId product, bool negate_product, NodeId other, bool negate_other) {
    const Node& of_product = node(product);
    const bool negate = negate_product != (of_product.negated == 1 || of_product.negated == 2);
    const std::string a = with_sign(of(of_product.args[0]), negate).first;
    const std::string b = of(of_product.args[1]).first;
    const std::string c = with_sign(of(other), negate_other).first;
    if (plan_.approximate(id)) return {w_->multiply_add(a, b, c), {}};
    if (robust_) return {number_.short_of_product_and_sum(a, b, c), {}};
    return {number_.short_of_near(w_->multiply_add(a, b, c), plan_.approximate(other) ? 4 : 0), {}};
  }

  /// What the multiplier takes of a number: its top 50 bits.
  std::string port(NodeId id) {
    const Value value = of(id);
    if (target_.host_doubles || (!plan_.is_pair(id) && plan_.facts(id).bits <= kPortBits)) return value.first;
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
    if (plan_.is_short(x) && plan_.is_short(y)) {
      const std::string exact = w_->exact_multiply(a, b);
      return {each.width == Width::short_word ? number_.short_of_product(exact) : exact, {}};
    }
    if (each.width == Width::short_word) return {number_.short_of_long_product(a, b), {}};
    return number_.rounded_product(a, b);
  }

  Value cut(NodeId id) {
    const Node& each = node(id);
    Value a = with_sign(of(each.args[0]), (each.negated & 1) != 0);
    if (target_.host_doubles || each.width == Width::long_word || plan_.is_short(each.args[0])) return a;
    if (a.second.empty()) return {robust_ ? number_.short_of_exact(a.first) : number_.short_of_near(a.first, 0), {}};
    return {number_.short_of_sum(a.first, a.second), {}};
  }

  const BodyGraph& graph_;
  const BodyFacts& facts_;
  CodeTarget target_;
  bool robust_;
  BodyPlan plan_;
  NumberCode number_;
  LmCode memory_;
  BodyCode code_;
  std::vector<Shared> shared_;
  std::vector<std::size_t> first_phi_;  // of each word carried
  std::size_t word_phis_ = 0;           // those of words; checks' come behind them
  static constexpr std::size_t kNotCarried = ~std::size_t{0};
  std::vector<std::size_t> carried_as_;          // by node inside a turn: the word carried
  std::vector<std::vector<Value>> other_turns_;  // of those that are written at once: their values, by node
  unsigned turn_ = 0;                            // of these, the one at hand
  std::vector<Value> values_;                    // of the function at hand, by node
  Writer* w_ = nullptr;
  std::optional<std::uint32_t> line_;  // that is at hand
  bool in_uniform_ = false;
  bool in_turns_ = false;
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
    if (facts.refusal.empty()) return Generator(graph, facts, rounding, target, true).run();
  }
  const BodyFacts facts = facts_of(false);
  code.refusal = facts.refusal;
  if (!code.refusal.empty()) return code;
  return Generator(graph, facts, rounding, target, false).run();
}

}  // namespace gdr::emulator::jit
