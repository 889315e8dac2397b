// Proof for kernels of experiments: what an experiment becomes follows from its start and the parameters alone. So it
// does not depend on the place where it runs, on the experiment that had the place before, or on how its steps are
// divided into rounds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

#include "gdr/isa/experiment.h"
#include "prove.h"

namespace gdr::assembler {
namespace {

using isa::experiment_name_of;
using isa::Section;
using isa::Storage;

constexpr unsigned kPlaceElements = isa::kVectorElements;

/// Words of a place: of GPR and LM one bit for each short word, of T and of each flag one bit for each element.
struct PlaceWords {
  std::bitset<isa::kGprShortWords> gpr;
  std::bitset<isa::kLmShortWords> lm;
  std::bitset<kPlaceElements> t;
  std::array<std::bitset<kPlaceElements>, isa::kFlags + 1> flags;

  /// Calls `visit` with the bit of each word that the access reaches; not for broadcast memory.
  template <class Visit>
  void for_words(const CodeAccess& access, unsigned elements, Visit visit) {
    for (unsigned element = 0; element < elements; ++element) {
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
  }

  void add(const CodeAccess& access, unsigned elements) {
    for_words(access, elements, [](auto bit) { bit = true; });
  }

  [[nodiscard]] bool has(const Symbol& symbol) const {
    for (std::uint32_t word = symbol.address; word < symbol.address + symbol.length(); ++word) {
      if (symbol.memory == isa::Memory::gpr && word < gpr.size() && !gpr.test(word)) return false;
      if (symbol.memory == isa::Memory::lm && word < lm.size() && !lm.test(word)) return false;
    }
    return true;
  }

  void set(const Symbol& symbol, bool value) {
    for (std::uint32_t word = symbol.address; word < symbol.address + symbol.length(); ++word) {
      if (symbol.memory == isa::Memory::gpr && word < gpr.size()) gpr.set(word, value);
      if (symbol.memory == isa::Memory::lm && word < lm.size()) lm.set(word, value);
    }
  }

  /// T and flags are no state: a section begins without them.
  void forget_transient() {
    t.reset();
    for (auto& flag : flags) flag.reset();
  }

 private:
  template <std::size_t size, class Visit>
  static void for_range(std::bitset<size>& words, const isa::WordRange& range, Visit visit) {
    for (unsigned word = range.first; word < range.last && word < size; ++word) visit(words[word]);
  }
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

  // ---- nothing is left of the experiment before, or of the step before but the state
  // ----------------------------------

  /// Notes the words that an experiment writes. What it reads of them it must have written itself.
  void note_own_words() {
    for (std::size_t section = 1; section < isa::kSections; ++section) {
      for (const CodeLine* line : lines_[section]) {
        for (const CodeAccess& access : line->accesses) {
          if (access.write) own_.add(access, line->line.vlen);
        }
      }
    }
    own_.t.set();
    for (auto& flag : own_.flags) flag.set();
  }

  /// Words of the start, which have arrived when an experiment begins. The host sends them again before every round, so
  /// those that lines write are no state: later sections begin without them.
  void set_starts(PlaceWords& written, bool arrived) const {
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::hlt) written.set(symbol, arrived);
    }
  }

  void check_flow() {
    PlaceWords begun;
    set_starts(begun, true);
    walk(Section::loop_initialization, begun);
    set_starts(begun, false);
    begun.forget_transient();
    PlaceWords stepping = begun;
    walk(Section::loop_body, stepping);
    walk(Section::loop_termination, begun);  // an experiment has at least one step, but its writes may be conditional
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (!symbol.result_of_experiment || begun.has(symbol)) continue;
      refuse(symbol.where, fmt::format("result '{}' is not written as a whole by '{}' or '{}'", symbol.name,
                                       experiment_name_of(Section::loop_initialization),
                                       experiment_name_of(Section::loop_termination)));
    }
  }

  void walk(Section section, PlaceWords& written) {
    for (const CodeLine* line : lines_[static_cast<std::size_t>(section)]) {
      const unsigned elements = line->line.vlen;
      for (const CodeAccess& access : line->accesses) {
        if (!access.write && is_masked(*line)) check_read(section, access, elements, written);
      }
      const bool whole = is_masked(*line) || line->line.mask.flag == 0;
      for (const CodeAccess& access : line->accesses) {
        if (access.write && whole && access.predicate.flag == 0) written.add(access, elements);
      }
    }
  }

  void check_read(Section section, const CodeAccess& access, unsigned elements, PlaceWords& written) {
    const bool own_flag = access.storage == Storage::flag && access.address == isa::kExperimentFlag;
    if (access.defines || access.indirect || own_flag) return;
    std::vector<bool> known;
    written.for_words(access, elements, [&](auto bit) { known.push_back(bit); });
    std::size_t at = 0;
    bool foreign = false;
    own_.for_words(access, elements, [&](auto bit) {
      foreign = foreign || (bit && !known[at]);
      ++at;
    });
    if (!foreign) return;
    written.add(access, elements);  // told once
    const bool transient = access.storage == Storage::t || access.storage == Storage::flag;
    if (const Symbol* start = start_under(access, elements)) {
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

  // ---- how results leave
  // ---------------------------------------------------------------------------------------------

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
  PlaceWords own_;  // words that lines of experiments write
};

}  // namespace

void prove_experiment(const SectionCode& code, const Declared& declared, Reporter& reporter) {
  if (declared.experiment) ExperimentProver(code, declared, reporter).run();
}

}  // namespace gdr::assembler
