#include "dataflow.h"

#include <algorithm>
#include <utility>

namespace gdr::assembler {

using isa::Section;
using isa::Storage;
using isa::Unit;

isa::WordRange numbered_words(const isa::Access& access, unsigned element) {
  if (access.storage == Storage::flag) {
    const unsigned word = kFirstFlagWord + access.address * isa::kVectorElements + element;
    return {word, word + 1};
  }
  const auto from = [&](unsigned first, unsigned size) -> isa::WordRange {
    const isa::WordRange words = isa::words_of(access, element);
    return {first + std::min(words.first, size), first + std::min(words.last, size)};
  };
  switch (access.storage) {
    case Storage::t:
      return from(0, isa::kTShortWords);
    case Storage::gpr:
      return from(kFirstGprWord, isa::kGprShortWords);
    case Storage::lm:
      return from(kFirstLmWord, isa::kLmShortWords);
    case Storage::bm:
      return from(kFirstBmWord, isa::kBmShortWords);
    case Storage::flag:
    case Storage::record:
      break;
  }
  return {};
}

isa::WordRange numbered_words(const Symbol& symbol) {
  if (symbol.record || symbol.kind == SymbolKind::register_name) return {};
  const unsigned first = symbol.memory == isa::Memory::gpr  ? kFirstGprWord
                         : symbol.memory == isa::Memory::lm ? kFirstLmWord
                                                            : kFirstBmWord;
  return {first + symbol.address, first + symbol.address + symbol.length()};
}

isa::WordRange numbered_words(const CodeCollect& collect, const Declared& declared) {
  const unsigned first = kFirstBmWord + declared.program.address_of(collect.step);
  return {first, first + 2 * collect.step.words()};
}

bool is_partial(const CodeLine& line, const CodeAccess& write) {
  // A PE without an i-particle stores nothing.
  return line.line.mask.flag != 0 || write.predicate.flag != 0 || write.predicate.jvalid || write.one_pe ||
         write.indirect;
}

Flow::Flow(const SectionCode& code, const Declared& declared) : code_(code), declared_(declared) {
  number_writes(code);
  follow();
  mark_live();
}

std::span<const Definition> Flow::reaching(const CodeAccess& read) const {
  const auto found = reads_.find(&read);
  return found == reads_.end() ? std::span<const Definition>() : std::span<const Definition>(sets_[found->second]);
}

std::span<const Definition> Flow::reaching(const CodeAccess& read, unsigned element) const {
  const auto found = uneven_reads_.find(&read);
  if (found == uneven_reads_.end()) return reaching(read);
  return sets_[found->second[element]];
}

std::span<const Definition> Flow::leaving(Section section, unsigned word) const {
  return sets_[out_[static_cast<std::size_t>(section)][word]];
}

void Flow::number_writes(const SectionCode& code) {
  writes_.resize(kFromHost + 1);
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    first_line_[section] = lines_.size();
    for (const CodeStep& step : code[section]) {
      const auto* line = std::get_if<CodeLine>(&step);
      if (line == nullptr) continue;
      const auto first = static_cast<Definition>(writes_.size());
      for (const CodeAccess& access : line->accesses) {
        if (!access.write) continue;
        definition_of_[&access] = static_cast<Definition>(writes_.size());
        writes_.push_back({lines_.size(), &access});
      }
      lines_.push_back({line, static_cast<Section>(section), first, static_cast<Definition>(writes_.size())});
    }
  }
  first_line_[isa::kSections] = lines_.size();
}

Flow::Set Flow::single(Definition definition) {
  std::vector<Definition> set{definition};
  const auto [found, fresh] = set_numbers_.emplace(set, static_cast<Set>(sets_.size()));
  if (fresh) sets_.push_back(std::move(set));
  return found->second;
}

Flow::Set Flow::joined(Set a, Set b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  const auto known = joins_.find({a, b});
  if (known != joins_.end()) return known->second;
  std::vector<Definition> both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(both));
  const auto [found, fresh] = set_numbers_.emplace(both, static_cast<Set>(sets_.size()));
  if (fresh) sets_.push_back(std::move(both));
  joins_[{a, b}] = found->second;
  return found->second;
}

void Flow::join(State& state, const State& other) {
  for (unsigned word = 0; word < kAllWords; ++word) state[word] = joined(state[word], other[word]);
}

/// The words that the host writes before every run.
void Flow::load_inputs(State& state) {
  const Set host = single(kFromHost);
  for (const Symbol& symbol : declared_.symbols.all()) {
    const bool from_host = symbol.kind == SymbolKind::parameter ||
                           (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::hlt);
    const isa::WordRange words = from_host ? numbered_words(symbol) : isa::WordRange();
    for (unsigned word = words.first; word < words.last; ++word) state[word] = host;
  }
}

void Flow::note_read(const CodeAccess& access, unsigned elements, const State& state) {
  std::optional<Set> found;
  std::array<std::optional<Set>, isa::kVectorElements> of_element;
  const auto add = [&](std::optional<Set>& set, Set one) { set = set ? joined(*set, one) : one; };
  for_words(access, elements, [&](unsigned word, unsigned element) {
    add(found, state[word]);
    add(of_element[element], state[word]);
  });
  if (!found) return;
  reads_[&access] = *found;
  const bool apart = !access.indirect && (access.step != 0 || access.storage == Storage::t);
  bool even = true;
  for (unsigned element = 1; element < elements; ++element) even = even && of_element[element] == of_element[0];
  if (!apart || even) {
    uneven_reads_.erase(&access);
    return;
  }
  std::array<Set, isa::kVectorElements>& sets = uneven_reads_[&access];
  for (unsigned element = 0; element < elements; ++element) sets[element] = of_element[element].value_or(*found);
}

void Flow::walk(Section section, State& state, bool note) {
  const isa::Visitor run{[&](const CodeLine& line) {
                           for (const CodeAccess& access : line.accesses) {
                             if (access.write || !note) continue;
                             note_read(access, line.line.vlen, state);
                           }
                           for (const CodeAccess& access : line.accesses) {
                             if (!access.write) continue;
                             const Set own = single(definition_of_[&access]);
                             const bool partial = is_partial(line, access);
                             for_words(access, line.line.vlen, [&](unsigned word, unsigned) {
                               state[word] = partial ? joined(state[word], own) : own;
                             });
                           }
                         },
                         [](const CodeTransfer&) {},
                         [&](const CodeCollect& collect) {
                           if (!note) return;
                           const isa::WordRange words = numbered_words(collect, declared_);
                           for (unsigned word = words.first; word < words.last; ++word)
                             collected_.push_back(state[word]);
                         }};
  for (const CodeStep& step : code_[static_cast<std::size_t>(section)]) std::visit(run, step);
}

void Flow::follow() {
  const auto out = [&](Section section) -> State& { return out_[static_cast<std::size_t>(section)]; };
  State begin(kAllWords, single(kUnwritten));
  walk(Section::initialization, begin, true);
  out(Section::initialization) = begin;
  State before_run = begin;
  for (bool changed = true; changed;) {
    State state = before_run;
    load_inputs(state);
    walk(Section::loop_initialization, state, true);
    out(Section::loop_initialization) = state;
    State entering = state;
    for (bool turning = true; turning;) {
      State turn = entering;
      walk(Section::loop_body, turn, true);
      State again = entering;
      join(again, turn);
      turning = again != entering;
      entering = std::move(again);
      out(Section::loop_body) = std::move(turn);
    }
    State leaving = out(Section::loop_initialization);
    join(leaving, out(Section::loop_body));
    walk(Section::loop_termination, leaving, true);
    out(Section::loop_termination) = leaving;
    join(leaving, before_run);
    changed = leaving != before_run;
    before_run = std::move(leaving);
  }
}

void Flow::mark_live() {
  live_.assign(writes_.size(), false);
  live_operations_.assign(lines_.size(), {});
  std::vector<Definition> open;
  const auto need = [&](std::span<const Definition> definitions) {
    for (const Definition definition : definitions) {
      if (definition <= kFromHost || live_[definition]) continue;
      live_[definition] = true;
      open.push_back(definition);
    }
  };
  for (const Symbol& symbol : declared_.symbols.all()) {
    if (symbol.kind != SymbolKind::variable || symbol.transfer != isa::Transfer::rrn) continue;
    const isa::WordRange words = numbered_words(symbol);
    for (unsigned word = words.first; word < words.last; ++word) need(leaving(Section::loop_termination, word));
  }
  for (const Set set : collected_) need(sets_[set]);
  // A store by address into the j-records may be read as part of a record.
  const isa::WordRange window{0, 2 * 2 * unsigned{declared_.program.record_words}};
  for (Definition definition = kFromHost + 1; definition < writes_.size(); ++definition) {
    const CodeAccess& access = *writes_[definition].access;
    const unsigned elements = lines_[writes_[definition].line].line->line.vlen;
    const bool stores = access.storage == Storage::bm && isa::extent_of(access, elements).meets(window);
    if (stores || access.storage == Storage::record) need(std::array{definition});
  }
  const auto need_operation = [&](std::size_t line, Unit unit) {
    if (std::exchange(live_operations_[line][index(unit)], true)) return;
    for (const CodeAccess& access : lines_[line].line->accesses) {
      const bool own = access.unit == unit || access.unit == Unit::none;
      if (!access.write && !access.defines && own) need(reaching(access));
    }
  };
  while (!open.empty()) {
    const Write& write = writes_[open.back()];
    open.pop_back();
    need_operation(write.line, write.access->unit);
    // The result also depends on the first line of a product of long words.
    const isa::Line& line = lines_[write.line].line->line;
    const bool product =
        write.access->unit == Unit::multiplier && isa::info_of(line.multiplier.op).half == isa::ProductHalf::second;
    if (product && write.line > 0) need_operation(write.line - 1, Unit::multiplier);
  }
}

}  // namespace gdr::assembler
