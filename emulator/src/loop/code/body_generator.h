// Writes the functions of a loop body, for body_code.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "body_code.h"
#include "loop/plan/body_plan.h"
#include "node_code.h"

namespace gdr::emulator::jit {

class Generator {
 public:
  Generator(const BodyGraph& graph, const BodyFacts& facts, Rounding rounding, const CodeTarget& target,
            bool leaves_all)
      : graph_(graph),
        facts_(facts),
        target_(target),
        plan_(graph, facts, rounding, target, leaves_all),
        nodes_(graph, facts, plan_, target, rounding, code_),
        number_(nodes_.numbers()) {
    code_.leaves_all = leaves_all;
  }

  /// Writes the function of values that are equal in all PEs last, after those of iterations, which take these values
  /// over.
  BodyCode run() {
    code_.text = make_writer(target_, Part::declarations)->declarations();
    code_.target = target_;
    code_.carried = graph_.carried;
    code_.elements = graph_.elements;
    code_.stored = graph_.stored;
    code_.bm_steps = graph_.bm_steps;
    if (code_.leaves_all) {
      code_.left = graph_.left;
      code_.left_flags = graph_.left_flags;
    }
    if (target_.ways > 1) {
      write_split();
    } else {
      write_turns();
    }
    write_uniform();
    std::sort(code_.rows.begin(), code_.rows.end());
    code_.rows.erase(std::unique(code_.rows.begin(), code_.rows.end()), code_.rows.end());
    return std::move(code_);
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return graph_.nodes[id]; }
  [[nodiscard]] NodeId count() const { return static_cast<NodeId>(graph_.nodes.size()); }
  /// In this order arguments come before the nodes that use them.
  [[nodiscard]] auto all_nodes() const { return std::views::iota(NodeId{}, count()); }

  // ---- the functions of iterations ----------------------------------------------------------------------------------

  void write_turns() {
    const bool several = target_.turns_at_once > 1;
    const bool leaves = !code_.left.empty() || !code_.left_flags.empty();
    const bool apart = several || (leaves && target_.last_turns_apart());
    // Words that no iteration reads stay out of the loop, where they would take registers and keep products from being
    // fused.
    if (apart) plan_.begin_part(false);
    const auto prologue = make_writer(target_, Part::before);
    begin_function(*prologue, [&](NodeId id) { return node(id).op == NodeOp::row || plan_.stays(id); });
    const std::vector<Value> before_turns = nodes_.values;
    plan_.find_ahead();
    write_ahead();
    std::vector<Phi> crossing = phis_of_crossing();
    nodes_.values = before_turns;
    std::vector<Phi> phis = carried_phis();
    const auto body = make_writer(target_, Part::loop);
    if (several) {
      write_several(*body, phis);
    } else if (crossing.empty()) {
      write_turn(*body, phis, TurnPart::loop);
    } else {
      write_turn_ahead(*body, phis, crossing);
    }

    std::optional<Ending> ends;
    if (apart) {
      const auto ending = make_writer(target_, Part::ending);
      write_to(*ending);
      take_over_checks(phis, TurnPart::behind);
      const std::string right = number_.all_right();
      ends = {ending->text, right};
    }
    const auto epilogue = make_writer(target_, Part::behind);
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

  /// Writes last_turns(): the last iteration of a run, with all that it leaves, and iterations left over where several
  /// stand side by side. `phis` are the loop's.
  void write_last_turns(std::vector<Phi> phis) {
    plan_.begin_part(code_.leaves_all);
    const auto prologue = make_writer(target_, Part::before_last);
    begin_function(*prologue, [&](NodeId id) { return plan_.stays(id); });
    hand_on_checks(phis, &Phi::initial);
    const auto turn = make_writer(target_, Part::last);
    write_turn(*turn, phis, TurnPart::last);
    const auto epilogue = make_writer(target_, Part::behind_last);
    write_to(*epilogue);
    give_carried(*epilogue, phis, TurnPart::last);
    give_left(*epilogue);
    const std::string right = number_.all_right();
    code_.text +=
        epilogue->last_turns_function({prologue->text, std::move(phis), number_.chains.size(),
                                       target_.turns_at_once > 1, turn->text, epilogue->text, right, layout()});
  }

  /// Begins a function and writes the nodes for which `stands` is true before its iterations.
  template <class Stands>
  void begin_function(Writer& prologue, Stands stands) {
    begin(prologue, false);
    for (const NodeId id : all_nodes()) {
      if (plan_.needed(id) && stands(id) && !plan_.fused(id)) (void)nodes_.own(id);
    }
    nodes_.begin_turns();
  }

  // ---- iterations of several work-items: own parts, and chains (split_code.cpp)

  void write_split();
  ChainText chain_text(unsigned chain, const std::vector<Phi>& checks, const std::vector<Value>& before,
                       const std::vector<Value>& of_own);

  /// Goes on in a text that adds to the results of checks by assigning to them.
  void begin_text(Writer& writer, const std::vector<Phi>& checks) {
    write_to(writer);
    take_over_checks(checks, TurnPart::loop);
  }
  void assign_checks(Writer& writer) const {
    for (const NumberCode::Chain& each : number_.chains) {
      if (each.value != each.name) writer.assign(each.name, each.value);
    }
  }

  /// Index of the word's first plane among those of carried words.
  [[nodiscard]] unsigned carried_plane(std::size_t n) const {
    unsigned plane = 0;
    for (std::size_t at = 0; at < n; ++at) plane += graph_.carried[at].is_long ? 2 : 1;
    return plane;
  }

  // ---- several iterations side by side

  /// Writes each operation for all of these iterations before the next one. Words that an iteration takes over are
  /// looked up in the iteration before.
  void write_several(Writer& body, std::vector<Phi>& phis) {
    GDR_ASSERT(stored_planes() == 0, "turns side by side store nothing");
    write_to(body);
    std::vector<std::size_t> carried_as(graph_.nodes.size(), NodeCode::kNotCarried);
    for_each_handed_on([&](std::size_t n, std::size_t, std::size_t) { carried_as[plan_.taken_as(n)] = n; });
    take_over(phis, TurnPart::loop);
    check_taken();
    nodes_.begin_several(carried_as, target_.turns_at_once);
    for (const NodeId id : all_nodes()) {
      if (!plan_.needed(id) || plan_.uniform(id) || plan_.fused(id)) continue;
      for (unsigned turn = 0; turn < target_.turns_at_once; ++turn) {
        nodes_.go_to_turn(turn);
        if (turn == 0 || carried_as[id] == NodeCode::kNotCarried) (void)nodes_.own(id);
      }
    }
    nodes_.go_to_turn(target_.turns_at_once - 1);
    hand_on(phis);
    nodes_.end_several();
  }

  // ---- the first part of an iteration, beside the rest of the iteration before

  /// Writes the first part of an iteration to the current text.
  void write_ahead() {
    for (const NodeId id : all_nodes()) {
      if (plan_.ahead(id)) (void)nodes_.own(id);
    }
  }

  /// Values that go from the first part of an iteration to its rest, beginning with those of the first iteration.
  [[nodiscard]] std::vector<Phi> phis_of_crossing() const {
    std::vector<Phi> phis;
    for (const NodeId id : plan_.crossing()) {
      const NodeType of = node(id).type;
      const CodeType type = of == NodeType::number ? CodeType::number
                            : of == NodeType::flag ? CodeType::flag
                                                   : CodeType::bits;
      phis.push_back({type, fmt::format("a{}a", id), nodes_.values[id].first, {}});
      if (!nodes_.values[id].second.empty())
        phis.push_back({type, fmt::format("a{}b", id), nodes_.values[id].second, {}});
    }
    return phis;
  }

  /// Writes the rest of an iteration and the first part of the next one, in a text that stores and leaves nothing.
  /// `crossing` tells which nodes have two values.
  void write_turn_ahead(Writer& body, std::vector<Phi>& phis, std::vector<Phi>& crossing) {
    const std::vector<Value> before_turns = nodes_.values;
    std::size_t at = 0;
    for (const NodeId id : plan_.crossing()) {
      nodes_.values[id].first = body.handed_on(crossing[at++].name, TurnPart::loop);
      const bool two = at < crossing.size() && crossing[at].name == fmt::format("a{}b", id);
      if (two) nodes_.values[id].second = body.handed_on(crossing[at++].name, TurnPart::loop);
    }
    const auto next = make_writer(target_, Part::ahead);
    std::vector<Value> values_ahead = before_turns;
    const auto write_next = [&](NodeId id) {
      std::swap(nodes_.values, values_ahead);
      write_to(*next);
      (void)nodes_.own(id);
      body.text += std::exchange(next->text, {});
      write_to(body);
      std::swap(nodes_.values, values_ahead);
    };
    write_to(body);
    take_over(phis, TurnPart::loop);
    check_taken();
    write_evenly([&](NodeId id) { return written_in_turn(id) && !plan_.ahead(id); },
                 [&](NodeId id) { (void)nodes_.own(id); }, [&](NodeId id) { return plan_.ahead(id); }, write_next);
    hand_on(phis);
    at = 0;
    for (const NodeId id : plan_.crossing()) {
      crossing[at++].next = values_ahead[id].first;
      if (!values_ahead[id].second.empty()) crossing[at++].next = values_ahead[id].second;
    }
  }

  /// Writes two sets of nodes, each in its own order, interleaved evenly by their cycles on the host.
  template <class InFirst, class WriteFirst, class InSecond, class WriteSecond>
  void write_evenly(InFirst in_first, WriteFirst write_first, InSecond in_second, WriteSecond write_second) {
    long all_first = 0;
    long all_second = 0;
    for (const NodeId id : all_nodes()) {
      if (in_first(id)) all_first += plan_.cycles(id);
      if (in_second(id)) all_second += plan_.cycles(id);
    }
    long done_first = 0;
    long done_second = 0;
    NodeId second = 0;
    const auto write_second_up_to = [&](long share) {
      for (; second < count() && done_second * all_first <= share; ++second) {
        if (!in_second(second)) continue;
        write_second(second);
        done_second += plan_.cycles(second);
      }
    };
    for (const NodeId id : all_nodes()) {
      if (!in_first(id)) continue;
      write_second_up_to(done_first * all_second);
      write_first(id);
      done_first += plan_.cycles(id);
    }
    write_second_up_to(all_first * all_second);
  }

  /// Values that go from iteration to iteration: carried words, then results of checks.
  std::vector<Phi> carried_phis() {
    std::vector<Phi> phis;
    first_phi_.clear();
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const Carried& carried = graph_.carried[n];
      if (const std::size_t same = plan_.first_carried_with(carried.before);
          same < n) {  // `after` is then the same, too
        first_phi_.push_back(first_phi_[same]);
        continue;
      }
      first_phi_.push_back(phis.size());
      const NodeId number = facts_.number_of_phi[n];
      const Value nothing{w_->literal(0.0), w_->literal(0.0)};
      const Value initial = plan_.written_behind(n) ? nothing : begun(n, nodes_.values[carried.before]);
      const CodeType type = number != kNoNode ? CodeType::number : CodeType::bits;
      phis.push_back({type, fmt::format("c{}a", n), initial.first, {}});
      if (plan_.carries_two_values(n)) phis.push_back({type, fmt::format("c{}b", n), initial.second, {}});
    }
    written_.clear();
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const std::optional<Gate>& gate = plan_.written_behind(n);
      if (!gate || written_of(*gate) != written_.end()) continue;
      written_.push_back({*gate, phis.size(), {}});
      phis.push_back({CodeType::bits, fmt::format("w{}", written_.size()), w_->literal(std::uint64_t{0}), {}});
    }
    word_phis_ = phis.size();
    for (const NumberCode::Chain& chain : number_.chains) phis.push_back({chain.type, chain.name, chain.value, {}});
    return phis;
  }

  /// Whether an iteration of this call has written words behind a gate.
  struct Written {
    Gate gate;
    std::size_t phi = 0;  // all ones where one has
    std::string so_far;   // at the beginning of the current iteration
  };
  [[nodiscard]] std::vector<Written>::iterator written_of(const Gate& gate) {
    return std::ranges::find(written_, gate, &Written::gate);
  }

  /// A carried word's planes in the form in which iterations take it over.
  Value begun(std::size_t n, const Value& planes) {
    const NodeId number = facts_.number_of_phi[n];
    if (number == kNoNode) return planes;
    const Value initial = graph_.carried[n].is_long && plan_.is_pair(number) ? number_.from_planes(planes)
                                                                             : Value{w_->numbers(planes.first), {}};
    nodes_.check_word(planes);
    return initial;
  }
  /// The planes of a carried word that an iteration hands on as `last`.
  Value ended(std::size_t n, const Value& last) {
    if (facts_.number_of_phi[n] == kNoNode) return last;
    if (target_.host_doubles) number_.check_ordered(last.first);
    return graph_.carried[n].is_long ? number_.to_planes(last) : Value{w_->bits(w_->canonical(last.first)), {}};
  }

  /// Calls function(carried word, its first phi, its last phi) with indices, once for carried words that are alike. The
  /// two phis are the same for a word in one value.
  template <class Function>
  void for_each_handed_on(Function function) {
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      if (plan_.first_carried_with(graph_.carried[n].before) == n) function(n, first_phi_[n], last_phi(n));
    }
  }
  [[nodiscard]] std::size_t last_phi(std::size_t carried) const {
    return first_phi_[carried] + (plan_.carries_two_values(carried) ? 1 : 0);
  }

  /// Makes carried words and checks what the iteration takes over.
  void take_over(const std::vector<Phi>& phis, TurnPart part) {
    const auto name = [&](std::size_t at) { return handed_on(phis[at], part); };
    for_each_handed_on([&](std::size_t n, std::size_t first, std::size_t second) {
      nodes_.values[plan_.taken_as(n)] = {name(first), second != first ? name(second) : std::string()};
    });
    for (Written& each : written_) each.so_far = name(each.phi);
    take_over_checks(phis, part);
  }
  void take_over_checks(const std::vector<Phi>& phis, TurnPart part) {
    for (std::size_t at = word_phis_; at < phis.size(); ++at) {
      number_.chains[at - word_phis_].value = handed_on(phis[at], part);
    }
  }
  /// In OpenCL, code that follows the last iteration is inside the loop, where the values to be handed on are known.
  [[nodiscard]] std::string handed_on(const Phi& phi, TurnPart part) const {
    const bool is_next = part == TurnPart::behind && !target_.last_turns_apart();
    return is_next ? phi.next : w_->handed_on(phi.name, part);
  }

  void check_taken() {
    for (const NodeId id : all_nodes()) {
      if (node(id).type == NodeType::number && plan_.facts(id).phi) nodes_.check_taken(id);
    }
  }

  /// True if the node is written by itself. A product that only a sum uses is written with the sum.
  [[nodiscard]] bool written_in_turn(NodeId id) const {
    return plan_.needed(id) && !plan_.uniform(id) && !plan_.fused(id) && node(id).op != NodeOp::row;
  }

  void write_turn(Writer& writer, std::vector<Phi>& phis, TurnPart part) {
    write_to(writer);
    take_over(phis, part);
    check_taken();
    for (const NodeId id : all_nodes()) {
      if (written_in_turn(id)) (void)nodes_.own(id);
    }
    write_stores(writer);
    plan_.for_each_left([&](const Left& left) { (void)nodes_.of(left.value); });
    hand_on(phis);
  }

  void hand_on(std::vector<Phi>& phis) {
    for_each_handed_on([&](std::size_t n, std::size_t first, std::size_t second) {
      const Value value = nodes_.next_of(n);
      phis[first].next = value.first;
      if (second != first) phis[second].next = value.second;
    });
    for (const Written& each : written_) {
      const std::string flag = nodes_.flag_of(each.gate.flag);
      const std::string ones = w_->literal(~std::uint64_t{0});
      phis[each.phi].next = each.gate.inverted ? w_->select(flag, CodeType::bits, each.so_far, ones)
                                               : w_->select(flag, CodeType::bits, ones, each.so_far);
    }
    number_.fold_lanes();
    hand_on_checks(phis, &Phi::next);
  }
  /// Stores the results of checks in the phis, as initial values or as values that an iteration hands on.
  void hand_on_checks(std::vector<Phi>& phis, std::string Phi::* as) const {
    for (std::size_t at = word_phis_; at < phis.size(); ++at) phis[at].*as = number_.chains[at - word_phis_].value;
  }

  /// Writes the carried words to the results, after the loop's last iteration or after that of last_turns().
  void give_carried(Writer& epilogue, const std::vector<Phi>& phis, TurnPart part) {
    const auto value = [&](std::size_t at) {
      return part == TurnPart::last ? phis[at].next : handed_on(phis[at], part);
    };
    unsigned plane = 0;
    for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
      const Carried& carried = graph_.carried[n];
      Value last = ended(n, {value(first_phi_[n]), plan_.carries_two_values(n) ? value(last_phi(n)) : std::string()});
      if (const std::optional<Gate>& gate = plan_.written_behind(n)) {
        last = written_or_before(carried, last, value(written_of(*gate)->phi));
      }
      epilogue.give(last.first, plane++);
      if (carried.is_long) epilogue.give(last.second, plane++);
    }
  }

  /// The planes where an iteration has written the word, elsewhere those in its row.
  Value written_or_before(const Carried& carried, const Value& planes, const std::string& written) {
    const Value before = w_->row(node(carried.before).place, carried.is_long);
    const std::string is_written = w_->compare("ne", written, w_->literal(std::uint64_t{0}));
    Value chosen{w_->select(is_written, CodeType::bits, planes.first, before.first), {}};
    if (carried.is_long) chosen.second = w_->select(is_written, CodeType::bits, planes.second, before.second);
    return chosen;
  }

  /// Writes the words that the last iteration leaves to the results; with `chain`, only those that this one computes.
  void give_left(Writer& writer, std::optional<unsigned> chain = {}) {
    const auto is_here = [&](const Left& left) { return !chain || plan_.split().chain_of[left.value] == *chain; };
    unsigned plane = 0;
    for (const Carried& carried : code_.carried) plane += carried.is_long ? 2 : 1;
    for (const Left& left : code_.left) {
      const unsigned first = plane;
      plane += left.is_long ? 2 : 1;
      if (!is_here(left)) continue;
      const Value planes = nodes_.planes_left(left);
      writer.give(planes.first, first);
      if (left.is_long) writer.give(planes.second, first + 1);
    }
    for (const Left& left : code_.left_flags) {
      if (is_here(left)) writer.give_flag(nodes_.flag_of(left.value), plane);
      ++plane;
    }
  }

  /// Planes that an iteration stores.
  [[nodiscard]] unsigned stored_planes() const { return nodes_.word_planes() + code_.scatters * code_.scatter_planes; }
  [[nodiscard]] TurnsLayout layout() const {
    std::size_t planes = code_.left_flags.size();
    for (const Carried& carried : code_.carried) planes += carried.is_long ? 2 : 1;
    for (const Left& left : code_.left) planes += left.is_long ? 2 : 1;
    return {planes, stored_planes(), code_.shared_words, code_.scatters > 0};
  }

  void write_stores(Writer& body) {
    std::uint64_t plane = 0;
    for (const Stored& stored : code_.stored) {
      const Value planes = nodes_.planes_of(stored.value, stored.is_long);
      body.store(planes.first, plane++);
      if (stored.is_long) body.store(planes.second, plane++);
    }
  }

  // ---- the function of values that are equal in all PEs -------------------------------------------------------------

  void write_uniform() {
    const auto writer = make_writer(target_, Part::uniform);
    begin(*writer, true);
    for (const NodeId id : all_nodes()) {
      if (plan_.needed(id) && plan_.uniform(id) && !plan_.fused(id)) (void)nodes_.own(id);
    }
    for (const SharedValue& each : code_.shared) {
      const Value value = nodes_.own(each.node);
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

  void begin(Writer& writer, bool uniform) {
    w_ = &writer;
    nodes_.begin(writer, uniform);
  }
  void write_to(Writer& writer) {
    w_ = &writer;
    nodes_.write_to(writer);
  }

  const BodyGraph& graph_;
  const BodyFacts& facts_;
  CodeTarget target_;
  BodyPlan plan_;
  BodyCode code_;
  NodeCode nodes_;
  NumberCode& number_;
  std::vector<std::size_t> first_phi_;  // index, for each carried word
  std::vector<Written> written_;
  std::size_t word_phis_ = 0;  // number of phis of words; phis of checks follow
  Writer* w_ = nullptr;
};

}  // namespace gdr::emulator::jit
