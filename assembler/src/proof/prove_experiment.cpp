// Proof for kernels of experiments: what an experiment becomes follows from its start and the parameters alone. So it
// does not depend on the place where it runs, on the experiments in other elements of the PE, on the experiment that
// had the place before, or on how its steps are divided into rounds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <utility>
#include <vector>

#include "gdr/isa/experiment.h"
#include "prove.h"

namespace gdr::assembler {
namespace {

using isa::experiment_name_of;
using isa::Section;
using isa::Storage;

constexpr unsigned kPlaceElements = isa::kVectorElements;

/// Words of a PE: of GPR and LM one bit for each short word, of T and of each flag one bit for each element.
struct PeWords {
  std::bitset<isa::kGprShortWords> gpr;
  std::bitset<isa::kLmShortWords> lm;
  std::bitset<kPlaceElements> t;
  std::array<std::bitset<kPlaceElements>, isa::kFlags + 1> flags;

  /// Calls `visit` with the bit of each word that the access reaches in one element; not for broadcast memory.
  template <class Visit>
  void for_words(const CodeAccess& access, unsigned element, Visit visit) {
    switch (access.storage) {
      case Storage::t:
        visit(t[element]);
        break;
      case Storage::flag:
        visit(flags[access.address][element]);
        break;
      case Storage::gpr:
        for_range(gpr, isa::words_of(access, element), visit);
        break;
      case Storage::lm:
        for_range(lm, isa::words_of(access, element), visit);
        break;
      case Storage::bm:
      case Storage::record:
        break;
    }
  }

  void set(const CodeAccess& access, unsigned element, bool value) {
    for_words(access, element, [value](auto bit) { bit = value; });
  }

  /// Calls `visit` with the bit of each word of one element of a vector, or of a scalar.
  template <class Visit>
  void for_words(const Symbol& symbol, unsigned element, Visit visit) {
    const std::uint32_t size = symbol.vector ? symbol.stride() / kPlaceElements : symbol.stride();
    for (std::uint32_t entry = 0; entry < symbol.entries; ++entry) {
      const std::uint32_t first = symbol.address + entry * symbol.stride() + (symbol.vector ? element * size : 0);
      if (symbol.memory == isa::Memory::gpr) for_range(gpr, {first, first + size}, visit);
      if (symbol.memory == isa::Memory::lm) for_range(lm, {first, first + size}, visit);
    }
  }

  /// T and flags are no state: a section begins without them.
  void forget_transient() {
    t.reset();
    for (auto& flag : flags) flag.reset();
  }

  PeWords& operator&=(const PeWords& other) {
    gpr &= other.gpr;
    lm &= other.lm;
    t &= other.t;
    for (std::size_t flag = 0; flag < flags.size(); ++flag) flags[flag] &= other.flags[flag];
    return *this;
  }
  bool operator==(const PeWords&) const = default;

 private:
  template <std::size_t size, class Visit>
  static void for_range(std::bitset<size>& words, const isa::WordRange& range, Visit visit) {
    for (unsigned word = range.first; word < range.last && word < size; ++word) visit(words[word]);
  }
};

/// For each element, the words whose content follows from its experiment: it wrote them, and no other element since.
struct OwnWords {
  std::array<PeWords, kPlaceElements> of;

  /// Writes of an element hide what others had in these words; it knows them itself if it wrote all of them, `whole`.
  void write(const CodeAccess& access, unsigned elements, bool whole) {
    for (unsigned element = 0; element < elements; ++element) {
      for (unsigned other = 0; other < kPlaceElements; ++other) {
        if (other != element) of[other].set(access, element, false);
      }
      if (whole) of[element].set(access, element, true);
    }
  }

  void set(const Symbol& symbol, bool value) {
    for (unsigned element = 0; element < kPlaceElements; ++element) {
      of[element].for_words(symbol, element, [value](auto bit) { bit = value; });
    }
  }

  [[nodiscard]] bool has(const Symbol& symbol) {
    bool all = true;
    for (unsigned element = 0; element < kPlaceElements; ++element) {
      of[element].for_words(symbol, element, [&](bool bit) { all = all && bit; });
    }
    return all;
  }

  void forget_transient() {
    for (PeWords& words : of) words.forget_transient();
  }

  OwnWords& operator&=(const OwnWords& other) {
    for (unsigned element = 0; element < kPlaceElements; ++element) of[element] &= other.of[element];
    return *this;
  }
  bool operator==(const OwnWords&) const = default;
};

bool is_masked(const CodeLine& line) { return line.line.mask.flag == isa::kExperimentFlag && !line.line.mask.inverted; }

bool is_store(const CodeAccess& access) { return access.write && access.storage == Storage::bm; }

bool is_control(const Symbol& symbol) { return symbol.name.starts_with(isa::kExperimentPrefix); }

class ExperimentProver {
 public:
  ExperimentProver(const SectionCode& code, const Declared& declared, Reporter& reporter)
      : code_(code), lines_(lines_of(code)), declared_(declared), reporter_(reporter) {}

  void run() {
    if (!check_declarations()) return;
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (const CodeLine* line : lines_[section]) {
        if (line->unknown) return;
        check_line(static_cast<Section>(section), *line);
      }
    }
    if (reporter_.has_errors()) return;
    note_own_words();
    check_flow();
    check_exits();
  }

 private:
  void refuse(const Place& where, std::string why) { reporter_.error(Code::experiment, where, std::move(why)); }

  bool check_declarations() {
    bool has_ticket = false;
    bool has_start = false;
    bool has_result = false;
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind != SymbolKind::variable) continue;
      const bool ticket = symbol.name == isa::kExperimentTicket;
      has_ticket = has_ticket || ticket;
      has_start = has_start || (symbol.transfer == isa::Transfer::hlt && !ticket);
      has_result = has_result || symbol.result_of_experiment;
      if (symbol.transfer != isa::Transfer::elt) continue;
      refuse(
          symbol.where,
          fmt::format("'{}' is j-data, and experiments have none: let it be i-data (hlt) or a parameter", symbol.name));
      return false;
    }
    const Place& form = *declared_.experiment;
    if (!has_start) refuse(form, "experiments begin with i-data, but no variable is declared with 'hlt'");
    if (!has_result) refuse(form, "experiments end with results, but no variable of the PE is declared with 'rrn'");
    if (has_start && has_result && !has_ticket) {
      refuse(form, fmt::format("a kernel of experiments has the sections '{}', '{}' and '{}'",
                               experiment_name_of(Section::loop_initialization), experiment_name_of(Section::loop_body),
                               experiment_name_of(Section::loop_termination)));
    }
    return has_ticket && has_start && has_result;
  }

  // ---- line by line ------------------------------------------------------------------------------------------------

  void check_line(Section section, const CodeLine& line) {
    for (const isa::Unit unit : {isa::Unit::adder, isa::Unit::multiplier, isa::Unit::alu}) {
      const isa::Slot& slot = isa::slot_of(line.line, unit);
      for (const isa::Source source : {slot.a, slot.b}) {
        if (source != isa::Source::pe_id && source != isa::Source::bb_id) continue;
        return refuse(line.where,
                      fmt::format("'{}' says where an experiment runs, and its result may not depend on that",
                                  source == isa::Source::pe_id ? "$peid" : "$bbid"));
      }
    }
    for (const CodeAccess& access : line.accesses) {
      if (access.write && !check_write(section, line, access)) return;
    }
  }

  /// False if the write is refused; the error is then reported.
  bool check_write(Section section, const CodeLine& line, const CodeAccess& access) {
    const std::string_view name = experiment_name_of(section);
    if (is_store(access)) {
      if (section == Section::loop_termination && line.line.mask.flag == 0) return true;
      refuse(access.where, "experiments share no words, so none of their lines stores to broadcast memory");
      return false;
    }
    if (access.indirect) {
      refuse(access.where, fmt::format("'{}' may be any word of local memory, also one of another part of the state; "
                                       "write words by their names",
                                       access.text));
      return false;
    }
    if (const Symbol* start = start_under(access, line.line.vlen);
        start != nullptr && start->name == isa::kExperimentTicket) {
      refuse(access.where,
             fmt::format("'{}' is what the host says of a place; none of the lines writes it", start->name));
      return false;
    }
    if (section == Section::initialization) return true;
    if (is_masked(line) && line.line.vlen < isa::kVectorElements) {
      refuse(line.where,
             fmt::format("this line works on {} of the {} elements of a PE, each of which has an experiment: "
                         "an experiment may not depend on its element, so leave 'vlen {}' out",
                         line.line.vlen, isa::kVectorElements, line.line.vlen));
      return false;
    }
    const bool own_flag = access.storage == Storage::flag && access.address == isa::kExperimentFlag;
    if (is_masked(line)) {
      if (!own_flag || section == Section::loop_body) return true;
      refuse(access.where,
             fmt::format("flag {} says in '{}' in which places an experiment goes on; here use another flag",
                         unsigned{isa::kExperimentFlag}, experiment_name_of(Section::loop_body)));
      return false;
    }
    const bool transient = access.storage == Storage::t || access.storage == Storage::flag;
    if (is_of_control(access, line.line.vlen)) return true;
    if (section == Section::loop_body ? own_flag && reads_control_alone(line) : transient) return true;
    refuse(access.where, fmt::format("'{}' is written where no experiment is at work: the lines of '{}' stand under "
                                     "'mask {}'; write single words under a condition, as in 'y/2'",
                                     access.text, name, unsigned{isa::kExperimentFlag}));
    return false;
  }

  [[nodiscard]] static isa::WordRange words_in_memory(const Symbol& symbol) {
    return {symbol.address, symbol.address + symbol.length()};
  }

  [[nodiscard]] static bool lies_in(const CodeAccess& access, const Symbol& symbol) {
    return (access.storage == Storage::lm && symbol.memory == isa::Memory::lm) ||
           (access.storage == Storage::gpr && symbol.memory == isa::Memory::gpr);
  }

  [[nodiscard]] const Symbol* start_under(const CodeAccess& access, unsigned elements) const {
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::hlt && lies_in(access, symbol) &&
          isa::extent_of(access, elements).meets(words_in_memory(symbol))) {
        return &symbol;
      }
    }
    return nullptr;
  }

  /// True for words of the form, by their names or by numbers.
  [[nodiscard]] bool is_of_control(const CodeAccess& access, unsigned elements) const {
    const isa::WordRange words = isa::extent_of(access, elements);
    return std::ranges::any_of(declared_.symbols.all(), [&](const Symbol& symbol) {
      const isa::WordRange own = words_in_memory(symbol);
      return symbol.kind == SymbolKind::variable && is_control(symbol) && lies_in(access, symbol) &&
             own.first <= words.first && words.last <= own.last;
    });
  }

  /// True if what the line computes follows from words of the form.
  [[nodiscard]] bool reads_control_alone(const CodeLine& line) const {
    return std::ranges::all_of(line.accesses, [&](const CodeAccess& access) {
      return access.write || (access.symbol != nullptr && is_control(*access.symbol)) ||
             (!access.indirect && is_of_control(access, line.line.vlen));
    });
  }

  // ---- nothing is left of the experiment before, of another element, or of the step before but the state ------------

  /// Notes the words that an experiment writes. What it reads of them it must have written itself.
  void note_own_words() {
    set_starts(starts_, true);
    for (std::size_t section = 1; section < isa::kSections; ++section) {
      for (const CodeLine* line : lines_[section]) {
        for (const CodeAccess& access : line->accesses) {
          for (unsigned element = 0; access.write && element < line->line.vlen; ++element) {
            written_.of[element].set(access, element, true);
          }
        }
      }
    }
    for (unsigned element = 0; element < kPlaceElements; ++element) {
      written_.of[element].t.set(element);
      for (auto& flag : written_.of[element].flags) flag.set(element);
    }
  }

  /// Words of the start, which have arrived when an experiment begins. The host sends them again before every round, so
  /// those that lines write are no state: later sections begin without them.
  void set_starts(OwnWords& known, bool arrived) const {
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::hlt) known.set(symbol, arrived);
    }
  }

  void check_flow() {
    check_constants();
    OwnWords begun;
    set_starts(begun, true);
    walk(Section::loop_initialization, begun, true);
    set_starts(begun, false);
    begun.forget_transient();
    // What one step hides from an element is hidden from the next step, too.
    while (true) {
      OwnWords stepped = begun;
      walk(Section::loop_body, stepped, false);
      stepped &= begun;  // writes may be conditional
      if (stepped == begun) break;
      begun = stepped;
    }
    OwnWords stepping = begun;
    walk(Section::loop_body, stepping, true);
    walk(Section::loop_termination, begun, true);
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (!symbol.result_of_experiment || begun.has(symbol)) continue;
      refuse(symbol.where, fmt::format("result '{}' is not written as a whole by '{}' or '{}'", symbol.name,
                                       experiment_name_of(Section::loop_initialization),
                                       experiment_name_of(Section::loop_termination)));
    }
  }

  void walk(Section section, OwnWords& known, bool tells) {
    for (const CodeLine* line : lines_[static_cast<std::size_t>(section)]) {
      const unsigned elements = line->line.vlen;
      for (const CodeAccess& access : line->accesses) {
        if (tells && !access.write && is_masked(*line)) check_read(section, access, elements, known);
      }
      const bool whole = is_masked(*line) || line->line.mask.flag == 0;
      for (const CodeAccess& access : line->accesses) {
        if (access.write) known.write(access, elements, whole && access.predicate.flag == 0);
      }
    }
  }

  /// What `experiment initialization` makes is the same for all elements: they read one word, or words that one line
  /// wrote in all elements, from words for which the same holds.
  void check_constants() {
    std::map<std::pair<Storage, std::uint32_t>, const CodeLine*> writers;
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (const CodeLine* line : lines_[section]) {
        for (const CodeAccess& access : line->accesses) {
          if (!access.write) check_constant(access, line->line.vlen, writers);
        }
        if (section != 0) continue;
        for (const CodeAccess& access : line->accesses) {
          if (access.write) for_memory(access, line->line.vlen, [&](auto word, unsigned) { writers[word] = line; });
        }
      }
    }
  }

  template <class Visit>
  static void for_memory(const CodeAccess& access, unsigned elements, Visit visit) {
    if ((access.storage != Storage::gpr && access.storage != Storage::lm) || access.indirect) return;
    for (unsigned element = 0; element < elements; ++element) {
      const isa::WordRange words = isa::words_of(access, element);
      for (std::uint32_t word = words.first; word < words.last; ++word) {
        visit(std::pair(access.storage, word), word - words.first);
      }
    }
  }

  void check_constant(const CodeAccess& access, unsigned elements,
                      const std::map<std::pair<Storage, std::uint32_t>, const CodeLine*>& writers) {
    std::array<const CodeLine*, 2> first{};  // that wrote each short word of the first element
    unsigned seen = 0;
    bool differ = false;
    for_memory(access, elements, [&](auto word, unsigned half) {
      const auto writer = writers.find(word);
      const CodeLine* line = writer == writers.end() ? nullptr : writer->second;
      if (seen++ <= half) first.at(half) = line;
      differ = differ || first.at(half) != line;
    });
    if (!differ) return;
    refuse(access.where,
           fmt::format("the elements of '{}' are words that different lines of '{}' write, so an experiment would "
                       "depend on its element: write them by one line",
                       access.text, experiment_name_of(Section::initialization)));
  }

  static std::vector<bool> bits_of(PeWords& words, const CodeAccess& access, unsigned element) {
    std::vector<bool> bits;
    words.for_words(access, element, [&](bool bit) { bits.push_back(bit); });
    return bits;
  }

  void check_read(Section section, const CodeAccess& access, unsigned elements, OwnWords& known) {
    if (const Symbol* start = start_under(access, elements);
        start != nullptr && start->name == isa::kExperimentTicket) {
      return refuse(access.where, fmt::format("'{}' is what the host says of a place in this round, and no result may "
                                              "depend on that",
                                              start->name));
    }
    const bool own_flag = access.storage == Storage::flag && access.address == isa::kExperimentFlag;
    if (access.defines || access.indirect || own_flag) return;
    bool foreign = false;
    bool of_other_element = false;
    for (unsigned element = 0; element < elements; ++element) {
      const std::vector<bool> own = bits_of(written_.of[element], access, element);
      const std::vector<bool> is_known = bits_of(known.of[element], access, element);
      const std::vector<bool> started = bits_of(starts_.of[element], access, element);
      std::vector<bool> by_others(own.size());
      std::vector<bool> of_others(own.size());
      for (unsigned other = 0; other < kPlaceElements; ++other) {
        if (other == element) continue;
        const std::vector<bool> written = bits_of(written_.of[other], access, element);
        const std::vector<bool> start = bits_of(starts_.of[other], access, element);
        for (std::size_t word = 0; word < own.size(); ++word) {
          by_others[word] = by_others[word] || written[word];
          of_others[word] = of_others[word] || start[word];
        }
      }
      for (std::size_t word = 0; word < own.size(); ++word) {
        const bool is_written = own[word] || by_others[word];
        const bool hidden = is_written ? !is_known[word] : of_others[word] && !started[word];
        foreign = foreign || hidden;
        of_other_element = of_other_element || (hidden && (by_others[word] || !is_written));
      }
    }
    if (!foreign) return;
    known.write(access, elements, true);  // told once
    const bool transient = access.storage == Storage::t || access.storage == Storage::flag;
    if (of_other_element) {
      refuse(access.where, fmt::format("'{}' belongs to another element, which has a separate experiment: let every "
                                       "element write and read its own words, as vectors do",
                                       access.text));
    } else if (const Symbol* start = start_under(access, elements)) {
      refuse(
          access.where,
          fmt::format("'{}' is i-data, which the host sends again before every round, and '{}' is written by another "
                      "line: copy it to a word of the state in '{}', or write it before this line",
                      access.text, start->name, experiment_name_of(Section::loop_initialization)));
    } else if (transient) {
      refuse(access.where, fmt::format("'{}' is not written before this line of '{}'; T and flags are not kept from "
                                       "section to section, nor from step to step",
                                       access.text, experiment_name_of(section)));
    } else {
      refuse(access.where,
             fmt::format("'{}' may be left of the experiment that had this place before: write all of it, "
                         "without a condition, in '{}' or before this line",
                         access.text, experiment_name_of(Section::loop_initialization)));
    }
  }

  // ---- how results leave -------------------------------------------------------------------------------------------

  /// Collect k brings out word k of each place: PE p stored its own word in entry p.
  void check_exits() {
    struct Leaving {
      const Symbol* symbol;
      std::uint32_t address;
    };
    std::vector<Leaving> words;
    const auto add = [&](const Symbol& symbol) {
      for (std::uint32_t entry = 0; entry < symbol.entries; ++entry) {
        words.push_back({&symbol, symbol.address + entry * symbol.stride()});
      }
    };
    if (const Symbol* status = declared_.symbols.find(isa::kExperimentStatus)) add(*status);
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.result_of_experiment) add(symbol);
    }
    std::vector<const CodeLine*> stores;
    std::size_t collects = 0;
    const isa::Visitor visit{[&](const CodeLine& line) { stores.push_back(&line); }, [](const CodeTransfer&) {},
                             [&](const CodeCollect& collect) {
                               if (collects < words.size()) {
                                 check_exit(collect, *words[collects].symbol, words[collects].address, stores);
                               }
                               ++collects;
                             }};
    for (const CodeStep& step : code_[static_cast<std::size_t>(Section::loop_termination)]) std::visit(visit, step);
    if (collects != words.size()) {
      refuse(*declared_.experiment,
             fmt::format("{} 'collect' lines bring out {} words of an experiment: its status and "
                         "each element of its results",
                         collects, words.size()));
    }
  }

  void check_exit(const CodeCollect& collect, const Symbol& symbol, std::uint32_t address,
                  const std::vector<const CodeLine*>& stores) {
    const std::uint32_t first = declared_.program.address_of(collect.step);
    constexpr unsigned kEntryWords = 2 * isa::kVectorElements;  // short words
    for (unsigned pe = 0; pe < isa::kPesPerBlock; ++pe) {
      const isa::WordRange entry{first + pe * kEntryWords, first + (pe + 1) * kEntryWords};
      const auto last = std::find_if(stores.rbegin(), stores.rend(), [&](const CodeLine* line) {
        return std::ranges::any_of(line->accesses, [&](const CodeAccess& access) {
          return is_store(access) && isa::extent_of(access, line->line.vlen).meets(entry);
        });
      });
      if (last == stores.rend() || !brings((**last), pe, entry, symbol, address)) {
        return refuse(collect.where,
                      fmt::format("entry {} of what is collected here is not '{}' of PE {}", pe, symbol.name, pe));
      }
    }
  }

  static bool brings(const CodeLine& line, unsigned pe, const isa::WordRange& entry, const Symbol& symbol,
                     std::uint32_t address) {
    const bool from = std::ranges::any_of(line.accesses, [&](const CodeAccess& access) {
      return !access.write && access.unit == isa::Unit::bm && lies_in(access, symbol) && access.address == address &&
             access.width == isa::Width::long_word && access.step == 2 && !access.indirect;
    });
    const bool to = std::ranges::any_of(line.accesses, [&](const CodeAccess& access) {
      return is_store(access) && isa::extent_of(access, line.line.vlen) == entry;
    });
    return from && to && line.line.bm.pe == pe;
  }

  const SectionCode& code_;
  SectionLines lines_;
  const Declared& declared_;
  Reporter& reporter_;
  OwnWords written_;  // words that lines of experiments write, by the element that writes them
  OwnWords starts_;   // words of the start, of each element
};

}  // namespace

void prove_experiment(const SectionCode& code, const Declared& declared, Reporter& reporter) {
  if (declared.experiment) ExperimentProver(code, declared, reporter).run();
}

}  // namespace gdr::assembler
