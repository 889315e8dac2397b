#include "experiment.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace gdr::compiler {
namespace {

using StateWord = std::pair<unsigned, unsigned>;  // field and element

std::vector<Field>& fields_in(PairFunction& function, Record record) {
  return function.records[static_cast<std::size_t>(record)];
}

std::string word_name(const Field& field, unsigned element) {
  return field.array ? field.name + "[" + std::to_string(element) + "]" : field.name;
}

/// Nodes from which stored values or the condition are made.
std::vector<bool> nodes_of_use(const PairFunction& function) {
  std::vector<bool> found(function.nodes.size(), false);
  std::vector<int> open;
  for (const Store& store : function.stores) open.push_back(store.value);
  if (function.done >= 0) open.push_back(function.done);
  while (!open.empty()) {
    const auto next = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (found[next]) continue;
    found[next] = true;
    const std::vector<int>& operands = function.nodes[next].operands;
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return found;
}

std::set<StateWord> written(const PairFunction& function, Record record) {
  std::set<StateWord> words;
  for (const Store& store : function.stores) {
    if (store.record == record) words.insert({store.field, store.element});
  }
  return words;
}

/// The field of the state of which a result is a copy, word for word.
std::optional<unsigned> copied(const PairFunction& end, unsigned field) {
  const Field& result = end.records[static_cast<std::size_t>(Record::result)][field];
  std::optional<unsigned> from;
  unsigned words = 0;
  for (const Store& store : end.stores) {
    if (store.field != field) continue;
    const Node& value = end.nodes[static_cast<std::size_t>(store.value)];
    if (value.act != Act::input || value.record != Record::state || value.element != store.element) return std::nullopt;
    if (from && *from != value.field) return std::nullopt;
    from = value.field;
    ++words;
  }
  if (!from || words != result.count) return std::nullopt;
  const Field& state = end.records[static_cast<std::size_t>(Record::state)][*from];
  return is_long(result.type) && state.type == result.type && state.count == result.count ? from : std::nullopt;
}

}  // namespace

void check_words(Imported& experiment) {
  const std::set<StateWord> given = written(experiment.begin, Record::state);
  std::set<StateWord> told;
  for (PairFunction* function : {&experiment.begin, &experiment.body, &experiment.finish}) {
    const std::vector<bool> of_use = nodes_of_use(*function);
    for (std::size_t n = 0; n < function->nodes.size(); ++n) {
      const Node& node = function->nodes[n];
      const StateWord word{node.field, node.element};
      if (!of_use[n] || node.act != Act::input || node.record != Record::state) continue;
      const bool there = function != &experiment.begin && given.contains(word);
      if (there || !told.insert(word).second) continue;
      const Field& field = fields_in(*function, Record::state)[node.field];
      experiment.errors.push_back(
          {node.place, "'" + word_name(field, node.element) + "' of the state is read, but 'begin' gives it no value"});
    }
  }
  const std::set<StateWord> results = written(experiment.finish, Record::result);
  const std::vector<Field>& fields = fields_in(experiment.finish, Record::result);
  for (unsigned n = 0; n < fields.size(); ++n) {
    for (unsigned element = 0; element < fields[n].count; ++element) {
      if (results.contains({n, element})) continue;
      experiment.errors.push_back(
          {experiment.finish.place, "'end' gives result '" + word_name(fields[n], element) + "' no value"});
    }
  }
  if (fields.empty()) experiment.errors.push_back({experiment.finish.place, "the record of results has no members"});
  if (fields_in(experiment.begin, Record::i).empty())
    experiment.errors.push_back({experiment.begin.place, "the record of starts has no members"});
}

void share_words(Imported& experiment) {
  PairFunction& end = experiment.finish;
  // For each field of the state, the record and the field that hold it from now on.
  std::vector<std::pair<Record, unsigned>> home;
  const std::size_t states = fields_in(end, Record::state).size();
  std::vector<std::optional<unsigned>> result_of(states);
  for (unsigned result = 0; result < fields_in(end, Record::result).size(); ++result) {
    const std::optional<unsigned> state = copied(end, result);
    if (state && !result_of[*state]) result_of[*state] = result;
  }
  unsigned kept = 0;
  for (std::size_t state = 0; state < states; ++state) {
    const bool shared = result_of[state].has_value();
    home.emplace_back(shared ? Record::result : Record::state, shared ? *result_of[state] : kept);
    kept += shared ? 0 : 1;
  }
  std::erase_if(end.stores, [&](const Store& store) {
    return std::ranges::find(result_of, std::optional<unsigned>(store.field)) != result_of.end();
  });
  for (PairFunction* function : {&experiment.begin, &experiment.body, &experiment.finish}) {
    for (Node& node : function->nodes) {
      if (node.act == Act::input && node.record == Record::state) std::tie(node.record, node.field) = home[node.field];
    }
    for (Store& store : function->stores) {
      if (store.record == Record::state) std::tie(store.record, store.field) = home[store.field];
    }
    std::vector<Field>& fields = fields_in(*function, Record::state);
    std::size_t number = 0;
    std::erase_if(fields, [&](const Field&) { return result_of[number++].has_value(); });
  }
}

}  // namespace gdr::compiler
