// The function of iterations for work-items that compute the own parts of several of them at once.
#include "body_generator.h"

namespace gdr::emulator::jit {

void Generator::write_split() {
  word_phis_ = 0;
  SplitText text;
  text.ways = target_.ways;
  const auto prologue = make_writer(target_, Part::before);
  begin_function(*prologue, [&](NodeId id) { return plan_.stays(id); });
  const std::vector<Value> before = nodes_.values;
  for (const NumberCode::Chain& each : number_.chains) text.checks.push_back({each.type, each.name, each.value, {}});
  text.before = prologue->text;

  const auto own = make_writer(target_, Part::loop);
  begin_text(*own, text.checks);
  for (const NodeId id : all_nodes()) {
    if (written_in_turn(id) && !plan_.split().in_chain(id)) (void)nodes_.own(id);
  }
  assign_checks(*own);
  const auto leaving = make_writer(target_, Part::ending);
  begin_text(*leaving, text.checks);
  give_left(*leaving, BodySplit::kOwn);
  assign_checks(*leaving);
  text.own = own->text;
  text.leaving = leaving->text;
  const std::vector<Value> of_own = nodes_.values;
  for (unsigned chain = 0; chain < plan_.split().chains; ++chain) {
    text.chains.push_back(chain_text(chain, text.checks, before, of_own));
  }
  const auto epilogue = make_writer(target_, Part::behind);
  begin_text(*epilogue, text.checks);
  text.right = number_.all_right();
  text.behind = epilogue->text;
  code_.text += epilogue->split_function(std::move(text), code_.operand_words);
}

ChainText Generator::chain_text(unsigned chain, const std::vector<Phi>& checks, const std::vector<Value>& before,
                                const std::vector<Value>& of_own) {
  ChainText text;
  const auto in_chain = [&](NodeId id) { return plan_.split().chain_of[id] == chain; };
  std::vector<std::size_t> carried;  // in this chain, without words that are alike
  for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
    const NodeId word = graph_.carried[n].before;
    if (in_chain(word) && plan_.first_carried_with(word) == n) carried.push_back(n);
  }
  const auto begin = make_writer(target_, Part::begin);
  begin_text(*begin, checks);
  std::vector<Value> names;
  for (const std::size_t n : carried) {
    const Value initial = begun(n, begin->carried(carried_plane(n), graph_.carried[n].is_long));
    const CodeType type = facts_.number_of_phi[n] != kNoNode ? CodeType::number : CodeType::bits;
    Value& name = names.emplace_back(Value{fmt::format("w{}a", names.size()), {}});
    text.words.push_back({type, name.first, initial.first, {}});
    if (!plan_.carries_two_values(n)) continue;
    name.second = fmt::format("w{}b", names.size() - 1);
    text.words.push_back({type, name.second, initial.second, {}});
  }
  assign_checks(*begin);
  text.begin = begin->text;

  nodes_.values = before;
  for (const NodeId id : plan_.operands_of(chain)) {
    const Value& value = of_own[id];
    Value& name = nodes_.values[id];
    const CodeType type = node(id).type == NodeType::number ? CodeType::number : CodeType::bits;
    const auto take = [&](const std::string& from, std::string& as) {
      as = fmt::format("x{}", text.operands.size());
      text.operands.push_back(from);
      text.operand_names.push_back(as);
      text.operand_types.push_back(type);
    };
    take(value.first, name.first);
    if (!value.second.empty()) take(value.second, name.second);
  }
  for (std::size_t at = 0; at < carried.size(); ++at) nodes_.values[plan_.taken_as(carried[at])] = names[at];
  const auto step = make_writer(target_, Part::step);
  begin_text(*step, checks);
  for (const NodeId id : all_nodes()) {
    if (in_chain(id) && node(id).type == NodeType::number && plan_.facts(id).phi) nodes_.check_taken(id);
  }
  for (const NodeId id : all_nodes()) {
    if (in_chain(id) && written_in_turn(id)) (void)nodes_.own(id);
  }
  auto word = text.words.begin();
  for (std::size_t at = 0; at < carried.size(); ++at) {
    const Value next = nodes_.next_of(carried[at]);
    (word++)->next = next.first;
    if (!names[at].second.empty()) (word++)->next = next.second;
  }
  assign_checks(*step);
  text.step = step->text;
  const auto leaving = make_writer(target_, Part::ending);
  begin_text(*leaving, checks);
  give_left(*leaving, chain);
  assign_checks(*leaving);
  text.leaving = leaving->text;

  const auto give = make_writer(target_, Part::give);
  begin_text(*give, checks);
  for (std::size_t n = 0; n < graph_.carried.size(); ++n) {
    if (!in_chain(graph_.carried[n].before)) continue;
    const std::size_t same = plan_.first_carried_with(graph_.carried[n].before);
    const auto at = static_cast<std::size_t>(std::ranges::find(carried, same) - carried.begin());
    const Value last = ended(n, names[at]);
    give->keep(last.first, carried_plane(n));
    if (graph_.carried[n].is_long) give->keep(last.second, carried_plane(n) + 1);
  }
  assign_checks(*give);
  text.give = give->text;
  return text;
}

}  // namespace gdr::emulator::jit
