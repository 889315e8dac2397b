#include "free_values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace gdr::assembler {
namespace {

using isa::Role;
using isa::Storage;
using isa::Unit;

constexpr int kEntry = -1;  // the value of a word when the section begins

bool in_place_of_values(const isa::Access& access) {
  return access.storage == Storage::t || access.storage == Storage::gpr || access.storage == Storage::lm;
}

/// A write. If it is to T, GPR or LM, it may be a free value; if it is to a flag, the flag may get another number.
struct Definition {
  const CodeAccess* access = nullptr;
  const CodeLine* line = nullptr;
  bool free = true;
  std::vector<const CodeLine*> reads;  // lines that read it, ascending
  std::vector<int> before;             // definitions of which it leaves a part
  int base = kEntry;                   // the definition that it overwrites completely where its condition holds
};

struct Read {
  const CodeAccess* access = nullptr;
  std::vector<int> definitions;
};

class Analyst {
 public:
  Analyst(const std::vector<CodeLine>& section, const Words& leaving, Conditions conditions)
      : conditions_(conditions), reaching_(kAllWords) {
    for (std::vector<int>& definitions : reaching_) definitions = {kEntry};
    for (const CodeLine& line : section) {
      for (const CodeAccess& access : line.accesses) {
        if (!access.write && !access.defines && is_followed(access)) read(line, access);
      }
      for (const CodeAccess& access : line.accesses) {
        if (access.write && is_followed(access)) write(line, access);
      }
    }
    for (unsigned word = 0; word < kAllWords; ++word) {
      if (!leaving.test(word)) continue;
      for (const int definition : reaching_[word]) {
        keep(definition);
        if (word < isa::kTShortWords) left_in_t_.push_back(definition);
      }
    }
    keep_split_merges();
    keep_dead_results();
    keep_split_merges();
  }

  [[nodiscard]] bool is_free(const CodeAccess& access) const {
    if (access.write) {
      const auto found = number_.find(&access);
      return found != number_.end() && definitions_[static_cast<std::size_t>(found->second)].free;
    }
    const auto found = reads_.find(&access);
    if (found == reads_.end()) return false;
    const std::vector<int>& from = found->second;
    return from.size() == 1 && from[0] != kEntry && definitions_[static_cast<std::size_t>(from[0])].free;
  }

  [[nodiscard]] const std::vector<Definition>& definitions() const { return definitions_; }
  /// The definition that a free write overwrites under its condition; -1: none.
  [[nodiscard]] int base_of(const CodeAccess& write) const {
    return definitions_[static_cast<std::size_t>(number_.at(&write))].base;
  }
  [[nodiscard]] const std::vector<int>& left_in_t() const { return left_in_t_; }
  /// Definitions that a read finds; for a write, those of which it leaves a part, and itself.
  [[nodiscard]] std::vector<int> found_by(const CodeAccess& access) const {
    if (!access.write) {
      const auto found = reads_.find(&access);
      return found == reads_.end() ? std::vector<int>() : found->second;
    }
    const int number = number_.at(&access);
    std::vector<int> all = definitions_[static_cast<std::size_t>(number)].before;
    all.push_back(number);
    return all;
  }

 private:
  [[nodiscard]] bool is_followed(const CodeAccess& access) const {
    return in_place_of_values(access) || (access.storage == Storage::flag && conditions_ == Conditions::free);
  }

  /// Visits the words that an access may touch: all of LM if its address is computed.
  template <class Visit>
  void for_reached(const CodeLine& line, const CodeAccess& access, Visit visit) {
    if (access.indirect) {
      for (unsigned word = kFirstLmWord; word < kFirstBmWord; ++word) visit(word);
    } else {
      for_words(access, line.line.vlen, [&](unsigned word, unsigned) { visit(word); });
    }
  }

  void keep(int definition) {
    if (definition != kEntry) definitions_[static_cast<std::size_t>(definition)].free = false;
  }

  static void unite(std::vector<int>& set, const std::vector<int>& other) {
    for (const int definition : other) {
      if (std::find(set.begin(), set.end(), definition) == set.end()) set.push_back(definition);
    }
  }

  void read(const CodeLine& line, const CodeAccess& access) {
    std::vector<int> from;
    for_reached(line, access, [&](unsigned word) { unite(from, reaching_[word]); });
    if (is_exact(line, access, from)) {
      definitions_[static_cast<std::size_t>(from[0])].reads.push_back(&line);
    } else {
      for (const int definition : from) keep(definition);
    }
    reads_[&access] = std::move(from);
  }

  /// True if the read takes the whole of exactly one value as an operand.
  [[nodiscard]] bool is_exact(const CodeLine& line, const CodeAccess& read, const std::vector<int>& from) const {
    if (from.size() != 1 || from[0] == kEntry) return false;
    const Definition& definition = definitions_[static_cast<std::size_t>(from[0])];
    // The flag of a mask is its line's, not an operation's.
    if (read.storage == Storage::flag) return read.unit != Unit::none && line.line.vlen <= definition.line->line.vlen;
    if (read.indirect || read.purpose != isa::Purpose::value || (read.role != Role::a && read.role != Role::b)) {
      return false;
    }
    // The two lines of a long product have the same operands.
    const isa::Op op = read.unit == Unit::bm ? isa::Op::BM : isa::slot_of(line.line, read.unit).op;
    if (isa::info_of(op).half != isa::ProductHalf::none) return false;
    const CodeAccess& written = *definition.access;
    // A floating-point source may have any width.
    const bool width_fits = read.width == written.width || (read.storage == Storage::t && read.floating);
    return read.storage == written.storage && read.address == written.address && read.step == written.step &&
           width_fits && line.line.vlen <= definition.line->line.vlen;
  }

  void write(const CodeLine& line, const CodeAccess& access) {
    const int number = static_cast<int>(definitions_.size());
    number_[&access] = number;
    const bool partial = is_partial(line, access);
    const int base = partial ? merged_by(line, access) : kEntry;
    const bool is_flag = access.storage == Storage::flag;
    const bool free = (!partial || base != kEntry) && (access.step > 0 || is_flag);
    definitions_.push_back({&access, &line, free, {}, {}, base});
    if (base != kEntry) definitions_.back().before = {base};
    for_reached(line, access, [&](unsigned word) {
      if (!partial || base != kEntry) {
        reaching_[word] = {number};
        return;
      }
      for (const int before : reaching_[word]) keep(before);
      unite(definitions_.back().before, reaching_[word]);
      unite(reaching_[word], {number});
    });
  }

  /// The one definition that a write under a flag overwrites, word for word; kEntry: there is none.
  int merged_by(const CodeLine& line, const CodeAccess& write) {
    const bool by_flag = write.predicate.flag != 0 && !write.predicate.jvalid;
    if (conditions_ != Conditions::free || !by_flag || line.line.mask.flag != 0 || write.one_pe || write.indirect ||
        write.step == 0 || write.storage == Storage::flag) {
      return kEntry;
    }
    std::vector<int> from;
    for_reached(line, write, [&](unsigned word) { unite(from, reaching_[word]); });
    if (from.size() != 1 || from[0] == kEntry) return kEntry;
    const Definition& base = definitions_[static_cast<std::size_t>(from[0])];
    const CodeAccess& written = *base.access;
    const bool whole = written.storage == write.storage && written.address == write.address &&
                       written.width == write.width && written.step == write.step &&
                       base.line->line.vlen == line.line.vlen;
    return whole ? from[0] : kEntry;
  }

  /// A value that is overwritten under a condition shares its place with the value that overwrites it, so either both
  /// are free or none is. The same holds for all results of the two operations. All readers of the old value must read
  /// it before it is overwritten.
  void keep_split_merges() {
    for (bool changed = true; changed;) {
      changed = false;
      std::map<Writer, Writer> over;  // for each writer of a base, the one that overwrites it
      for (std::size_t number = 0; number < definitions_.size(); ++number) {
        const Definition& merge = definitions_[number];
        if (merge.base == kEntry) continue;
        Definition& base = definitions_[static_cast<std::size_t>(merge.base)];
        const bool both = merge.free && base.free && is_one_merge(merge) && is_read_before(base, *merge.line) &&
                          over.emplace(writer_of(base), writer_of(merge)).first->second == writer_of(merge);
        if (both || (!merge.free && !base.free)) continue;
        definitions_[number].free = base.free = false;
        changed = true;
      }
    }
  }

  using Writer = std::pair<const CodeLine*, Unit>;
  static Writer writer_of(const Definition& definition) { return {definition.line, definition.access->unit}; }

  template <class Visit>
  [[nodiscard]] bool all_results(const Definition& one, Visit visit) const {
    return std::ranges::all_of(definitions_, [&](const Definition& other) {
      return !other.free || other.access->storage == Storage::flag || writer_of(other) != writer_of(one) ||
             visit(other);
    });
  }

  /// True if all free results of its operation overwrite results of one other operation, under the same condition.
  [[nodiscard]] bool is_one_merge(const Definition& merge) const {
    return all_results(merge, [&](const Definition& other) {
      return other.base != kEntry && other.access->predicate == merge.access->predicate &&
             writer_of(definitions_[static_cast<std::size_t>(other.base)]) ==
                 writer_of(definitions_[static_cast<std::size_t>(merge.base)]);
    });
  }

  /// True if no result of its operation is read after the line; lines of a section follow one another.
  [[nodiscard]] bool is_read_before(const Definition& base, const CodeLine& line) const {
    return all_results(base, [&](const Definition& other) {
      return std::ranges::all_of(other.reads, [&](const CodeLine* reader) { return reader <= &line; });
    });
  }

  /// A result that nothing reads is dropped if the operation has another result that is certainly written, so that its
  /// events still count. Otherwise it stays.
  void keep_dead_results() {
    std::map<Writer, bool> has_value;
    const auto key = [](const Definition& definition) { return writer_of(definition); };
    for (const Definition& definition : definitions_) {
      if (!definition.free || definition.access->storage == Storage::flag) continue;
      if (!definition.reads.empty()) has_value[key(definition)] = true;
      if (definition.base != kEntry) has_value[key(definitions_[static_cast<std::size_t>(definition.base)])] = true;
    }
    for (Definition& definition : definitions_) {
      const bool dead = definition.free && definition.reads.empty();
      if (dead && (definition.access->storage == Storage::flag || !has_value[key(definition)])) definition.free = false;
    }
  }

  Conditions conditions_;
  std::vector<std::vector<int>> reaching_;  // definitions that reach each word
  std::vector<Definition> definitions_;
  std::map<const CodeAccess*, int> number_;
  std::map<const CodeAccess*, std::vector<int>> reads_;
  std::vector<int> left_in_t_;
};

/// Sets of definitions, and of the value of T at entry, that share T.
class Tenants {
 public:
  explicit Tenants(std::size_t definitions) : parent_(definitions + 1) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(int definition) {
    std::size_t at = static_cast<std::size_t>(definition + 1);  // kEntry is 0
    while (parent_[at] != at) at = parent_[at];
    return at;
  }
  void unite(const std::vector<int>& definitions) {
    for (const int definition : definitions) parent_[find(definition)] = find(definitions.front());
  }

 private:
  std::vector<std::size_t> parent_;
};

class Builder {
 public:
  Builder(FreeSection& section, const Analyst& analyst) : section_(section), analyst_(analyst) {}

  void run() {
    section_.operations.resize(section_.graph.operations.size());
    add_values();
    for (std::size_t number = 0; number < section_.operations.size(); ++number) add_operands(number);
    for (const FreeValue& value : section_.values) add_dependences(value);
    add_flag_dependences();
    add_tenancies();
  }

 private:
  template <class Visit>
  void for_accesses(std::size_t number, Visit visit) {
    const UnitOperation& operation = section_.graph.operations[number];
    for (const CodeAccess& access : operation.from->accesses) {
      if (access.unit == operation.unit) visit(access);
    }
  }

  void add_flag_dependences() {
    std::map<int, std::size_t> setters;
    for (std::size_t number = 0; number < section_.operations.size(); ++number) {
      const FreeOperation& operation = section_.operations[number];
      for (const int flag : operation.flags_read) {
        if (flag < 0) continue;
        const std::size_t setter = setters.at(flag);
        const isa::UnitInfo& unit = isa::info_of(section_.graph.operations[setter].unit);
        section_.graph.dependences.push_back({setter, number, unit.register_latency});
      }
      if (operation.flag_set >= 0) setters[operation.flag_set] = number;
    }
  }

  void add_dependences(const FreeValue& value) {
    const auto depend = [&](std::size_t before, std::size_t after, unsigned lines) {
      if (before != after) section_.graph.dependences.push_back({before, after, lines});
    };
    for (const std::size_t reader : value.readers) depend(value.operation, reader, 1);
    if (value.base < 0) return;
    const FreeValue& base = section_.values[static_cast<std::size_t>(value.base)];
    depend(base.operation, value.operation, 1);
    for (const std::size_t reader : base.readers) depend(reader, value.operation, 0);
  }

  void add_values() {
    for (std::size_t number = 0; number < section_.operations.size(); ++number) {
      FreeOperation& operation = section_.operations[number];
      for_accesses(number, [&](const CodeAccess& access) {
        if (!access.write) return;
        if (access.storage == Storage::flag) {
          if (analyst_.is_free(access)) add_flag(number, access);
          return;
        }
        if (!analyst_.is_free(access)) {
          operation.writes_t = operation.writes_t || access.role == Role::t_write;
          operation.writes_gpr = operation.writes_gpr || access.role == Role::gpr_write;
          operation.writes_lm = operation.writes_lm || access.role == Role::lm_write;
          return;
        }
        if (operation.result < 0) {
          operation.result = static_cast<int>(section_.values.size());
          const std::uint8_t elements = section_.graph.operations[number].from->line.vlen;
          section_.values.push_back({number, access.width, elements, {}, -1, access.predicate});
          const int base = analyst_.base_of(access);
          if (base != kEntry) section_.values.back().base = value_of_.at(base);
        }
        value_of_[analyst_.found_by(access).back()] = operation.result;
      });
    }
  }

  void add_flag(std::size_t number, const CodeAccess& access) {
    section_.operations[number].flag_set = static_cast<int>(section_.flags++);
    flag_of_[analyst_.found_by(access).back()] = section_.operations[number].flag_set;
  }

  void add_operands(std::size_t number) {
    for_accesses(number, [&](const CodeAccess& access) {
      if (access.write || !analyst_.is_free(access)) return;
      if (access.storage == Storage::flag) {
        const int flag = flag_of_.at(analyst_.found_by(access).front());
        section_.operations[number].flags_read[static_cast<std::size_t>(access.role)] = flag;
        return;
      }
      const int value = value_of_.at(analyst_.found_by(access).front());
      section_.operations[number].operands[access.role == Role::a ? 0 : 1] = value;
      std::vector<std::size_t>& readers = section_.values[static_cast<std::size_t>(value)].readers;
      if (readers.empty() || readers.back() != number) readers.push_back(number);
    });
  }

  void add_tenancies() {
    Tenants tenants(analyst_.definitions().size());
    const auto for_kept = [&](auto visit) {
      for (std::size_t number = 0; number < section_.operations.size(); ++number) {
        for (const bool writes : {false, true}) {
          for_accesses(number, [&](const CodeAccess& access) {
            const bool kept =
                access.storage == Storage::t && access.write == writes && !access.defines && !analyst_.is_free(access);
            if (kept) visit(number, access);
          });
        }
      }
    };
    for_kept([&](std::size_t, const CodeAccess& access) { tenants.unite(analyst_.found_by(access)); });
    if (!analyst_.left_in_t().empty()) tenants.unite(analyst_.left_in_t());
    std::map<std::size_t, int> numbers;
    const auto number_of = [&](int definition) {
      const auto [found, fresh] = numbers.emplace(tenants.find(definition), static_cast<int>(numbers.size()));
      if (fresh) section_.tenancies.emplace_back();
      return found->second;
    };
    for_kept([&](std::size_t number, const CodeAccess& access) {
      const int tenancy = number_of(analyst_.found_by(access).front());
      int& mine = access.write ? section_.operations[number].tenancy_written : section_.operations[number].tenancy_read;
      if (mine < 0) ++section_.tenancies[static_cast<std::size_t>(tenancy)].accesses;
      mine = tenancy;
    });
    // If T keeps its value throughout the section, nothing else may use T.
    if (std::ranges::count(analyst_.left_in_t(), kEntry) > 0) number_of(kEntry);
    const auto at_end = [&](int definition, bool Tenancy::* flag) {
      const auto found = numbers.find(tenants.find(definition));
      if (found != numbers.end()) section_.tenancies[static_cast<std::size_t>(found->second)].*flag = true;
    };
    at_end(kEntry, &Tenancy::from_entry);
    for (const int definition : analyst_.left_in_t()) at_end(definition, &Tenancy::to_end);
  }

  FreeSection& section_;
  const Analyst& analyst_;
  std::map<int, int> value_of_;  // value of each free definition
  std::map<int, int> flag_of_;
};

bool is_unknown(const CodeLine& line) { return line.unknown; }

/// True if there are at least as many numbers for the section's flags as it uses now.
bool has_flags_enough(const std::vector<CodeLine>& section, const FreeSection& free, const Analyst& analyst) {
  std::array<bool, isa::kFlags + 1> named{};
  for (const CodeLine& line : section) {
    for (const CodeAccess& access : line.accesses) {
      if (access.write && access.storage == Storage::flag && analyst.is_free(access)) named.at(access.address) = true;
    }
  }
  return flag_numbers(free).size() >= static_cast<std::size_t>(std::ranges::count(named, true));
}

}  // namespace

std::vector<unsigned> flag_numbers(const FreeSection& section) {
  std::vector<unsigned> numbers;
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    bool taken = false;
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      taken = taken || section.taken.test(kFirstFlagWord + flag * isa::kVectorElements + element);
    }
    if (!taken) numbers.push_back(flag);
  }
  return numbers;
}

std::optional<FreeSection> free_section(const std::vector<CodeLine>& section, const std::vector<Tail>& tails,
                                        unsigned record_words, const Words& entering, const Words& leaving,
                                        Conditions conditions) {
  if (std::ranges::any_of(section, is_unknown)) return std::nullopt;
  const Analyst analyst(section, leaving, conditions);
  auto graph =
      graph_of(section, tails, record_words, [&](const CodeAccess& access) { return analyst.is_free(access); });
  if (!graph) return std::nullopt;
  FreeSection result{*std::move(graph), {}, {}, {}, 0, entering | leaving, {}, true};
  for (const CodeLine& line : section) {
    for (const CodeAccess& access : line.accesses) {
      if (access.indirect) result.local_memory_free = false;
      Words& words = analyst.is_free(access) ? result.left : result.taken;
      for_words(access, line.line.vlen, [&](unsigned word, unsigned) { words.set(word); });
    }
  }
  if (!has_flags_enough(section, result, analyst)) {
    return free_section(section, tails, record_words, entering, leaving, Conditions::kept);
  }
  Builder(result, analyst).run();
  return result;
}

}  // namespace gdr::assembler
