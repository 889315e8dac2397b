// Proof for Type II kernels: words that the control processor moves during the lines never conflict with the lines'
// accesses to broadcast memory. A collect holds its words until the next collect is issued, which waits for it. A
// transfer fills the half of the record window that no line of the current turn may use.
#include "prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <optional>
#include <utility>

namespace gdr::assembler {
namespace {

using isa::Section;

using isa::Storage;
using isa::WordRange;

/// A collect and its position.
struct PlacedCollect {
  const CodeCollect* collect = nullptr;
  Section section = Section::initialization;
  std::size_t at = 0;  // index of the step in its section
};

class MoveProver {
 public:
  MoveProver(const SectionCode& code, const Declared& declared, Reporter& reporter)
      : code_(code), declared_(declared), reporter_(reporter) {
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (std::size_t at = 0; at < code[section].size(); ++at) {
        const isa::Visitor note{[](const CodeLine&) {}, [&](const CodeTransfer&) { type2_ = true; },
                                [&](const CodeCollect& collect) {
                                  type2_ = true;
                                  collects_.push_back({&collect, static_cast<Section>(section), at});
                                }};
        std::visit(note, code[section][at]);
      }
    }
  }

  void run() {
    if (!check_kind() || !type2_) return;
    check_places();
    check_record_window();
    for (const PlacedCollect& collect : collects_) {
      check_landed(collect);
      check_held(collect);
      check_written(*collect.collect);
    }
    check_blocks();
  }

 private:
  [[nodiscard]] const std::vector<CodeStep>& steps(Section section) const {
    return code_[static_cast<std::size_t>(section)];
  }
  [[nodiscard]] WordRange range_of_words(const CodeCollect& collect) const {
    const std::uint32_t first = declared_.program.address_of(collect.step);
    return {first, first + 2 * collect.step.words()};
  }

  /// Results are in the PE or in broadcast memory, depending on the type of the kernel.
  bool check_kind() {
    bool good = true;
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind != SymbolKind::variable || symbol.transfer != isa::Transfer::rrn) continue;
      const bool in_bm = symbol.memory == isa::Memory::bm;
      if (in_bm == type2_) continue;
      good = false;
      reporter_.error(Code::move, symbol.where,
                      in_bm
                          ? fmt::format("result '{}' stands in broadcast memory, but no line collects it", symbol.name)
                          : fmt::format("the kernel has lines that move data, so result '{}' stands in broadcast "
                                        "memory: declare it with 'bvar'",
                                        symbol.name));
    }
    return good;
  }

  void check_places() {
    std::array<unsigned, isa::kSections> transfers{};
    const bool has_record = declared_.program.record_words != 0;
    std::optional<Place> first;  // place of a transfer or collect
    for (std::size_t number = 0; number < isa::kSections; ++number) {
      const auto section = static_cast<Section>(number);
      const auto require = [&](std::string_view kind, const Place& where, Section other) {
        if (!first) first = where;
        if (section == Section::loop_body || section == other) return true;
        reporter_.error(Code::move, where, fmt::format("'{}' does not stand in '{}'", kind, isa::name_of(section)));
        return false;
      };
      const isa::Visitor check{[](const CodeLine&) {},
                               [&](const CodeTransfer& transfer) {
                                 if (require(isa::TransferStep::kName, transfer.where, Section::loop_initialization) &&
                                     ++transfers[number] > 1) {
                                   reporter_.error(
                                       Code::move, transfer.where,
                                       "a second 'transfer' in this section: an iteration has one j-record");
                                 }
                                 if (!has_record)
                                   reporter_.error(Code::move, transfer.where, "there is no j-data (elt) to transfer");
                               },
                               [&](const CodeCollect& collect) {
                                 require(isa::CollectStep::kName, collect.where, Section::loop_termination);
                               }};
      for (const CodeStep& step : code_[number]) std::visit(check, step);
    }
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind != SymbolKind::variable || symbol.transfer != isa::Transfer::rrn) continue;
      const bool leaves = std::any_of(collects_.begin(), collects_.end(),
                                      [&](const PlacedCollect& collect) { return collect.collect->symbol == &symbol; });
      if (!leaves)
        reporter_.error(Code::move, symbol.where, fmt::format("no 'collect' brings out result '{}'", symbol.name));
    }
    for (const Section section : {Section::loop_initialization, Section::loop_body}) {
      if (has_record && transfers[static_cast<std::size_t>(section)] == 0) {
        reporter_.error(
            Code::move, *first,
            fmt::format("'{}' needs a 'transfer': the kernel moves its data itself", isa::name_of(section)));
      }
    }
  }

  /// While records stream in, their window is addressed through the current record alone.
  void check_record_window() {
    const WordRange window{0, 4u * declared_.program.record_words};
    for (const Section section : {Section::loop_initialization, Section::loop_body}) {
      for (const CodeLine* line : lines_[static_cast<std::size_t>(section)]) {
        for (const CodeAccess& access : line->accesses) {
          if (access.storage != Storage::bm || !isa::extent_of(access, line->line.vlen).meets(window)) continue;
          reporter_.error(Code::move_overlap, access.where,
                          fmt::format("'{}' lies in the window that 'transfer' fills (short words 0..{}); name the "
                                      "current record",
                                      access.text, window.last - 1));
        }
      }
    }
  }

  /// The words of a result are either combined or kept apart by all its collects: otherwise chips of a ring would send
  /// the same result in two ways.
  void check_blocks() {
    for (const PlacedCollect& combined : collects_) {
      if (combined.collect->step.blocks.is_separate()) continue;
      const auto apart = std::ranges::find_if(collects_, [&](const PlacedCollect& other) {
        return other.collect->symbol == combined.collect->symbol && other.collect->step.blocks.is_separate();
      });
      if (apart == collects_.end()) continue;
      if (reporter_.error(Code::move, combined.collect->where,
                          fmt::format("'{}' is collected without 'block' here, but another 'collect' of it names "
                                      "blocks; let all of them name blocks",
                                      combined.collect->symbol->name))) {
        reporter_.note(apart->collect->where, "blocks are named here");
      }
    }
  }

  /// The line's store to one of the words, if it has one.
  [[nodiscard]] const CodeAccess* store_into(const CodeLine& line, const WordRange& words) const {
    for (const CodeAccess& access : line.accesses) {
      if (access.write && access.storage == Storage::bm && isa::extent_of(access, line.line.vlen).meets(words))
        return &access;
    }
    return nullptr;
  }

  /// Lines that may be issued just before a step of a section.
  [[nodiscard]] std::vector<const CodeLine*> before(Section section, std::size_t at) const {
    while (at-- > 0) {
      if (const auto* line = std::get_if<CodeLine>(&steps(section)[at])) return {line};
    }
    std::array<bool, isa::kSections> has_lines{};
    for (std::size_t n = 0; n < isa::kSections; ++n) has_lines[n] = !lines_[n].empty();
    std::vector<const CodeLine*> found;
    for (const Section earlier : isa::sections_before(section, has_lines)) {
      found.push_back(lines_[static_cast<std::size_t>(earlier)].back());
    }
    return found;
  }

  /// A word may be collected only after the write to broadcast memory has arrived.
  void check_landed(const PlacedCollect& from) {
    const CodeCollect& collect = *from.collect;
    for (const CodeLine* line : before(from.section, from.at)) {
      const CodeAccess* store = store_into(*line, range_of_words(collect));
      if (store == nullptr || store->latency < 2) continue;
      if (reporter_.error(Code::hazard, collect.where,
                          fmt::format("'{}' is collected 1 line after it is written, but it is there after {}: put 1 "
                                      "other line between",
                                      collect.symbol->name, store->latency))) {
        reporter_.note(store->where, fmt::format("'{}' is written here", store->text));
      }
    }
  }

  /// Follows every path from the collect to the next one.
  void check_held(const PlacedCollect& from) {
    std::array<bool, isa::kSections> seen{};
    walk(*from.collect, from.section, from.at + 1, false, seen);
  }

  void walk(const CodeCollect& from, Section section, std::size_t at, bool later_turn,
            std::array<bool, isa::kSections>& seen) {
    for (; at < steps(section).size(); ++at) {
      const isa::Visitor ends{[&](const CodeLine& line) { return written_while_held(from, line); },
                              [](const CodeTransfer&) { return false; },
                              [&](const CodeCollect& other) {  // if it is certain to be issued
                                return !other.step.not_first || later_turn || from.step.not_first;
                              }};
      if (std::visit(ends, steps(section)[at])) return;
    }
    if (section != Section::loop_body) return;
    for (const Section next : {Section::loop_body, Section::loop_termination}) {
      bool& done = seen[static_cast<std::size_t>(next)];
      if (!std::exchange(done, true)) walk(from, next, 0, true, seen);
    }
  }

  /// True if the line writes words that are being collected; the error is then reported.
  bool written_while_held(const CodeCollect& from, const CodeLine& line) {
    const CodeAccess* store = store_into(line, range_of_words(from));
    if (store == nullptr) return false;
    if (reporter_.error(
            Code::move_overlap, store->where,
            fmt::format("'{}' is written while it is being collected, which lasts until the next 'collect'; "
                        "write other words, or collect others before this line",
                        store->text))) {
      reporter_.note(from.where, "the collection begins here");
    }
    return true;
  }

  void check_written(const CodeCollect& collect) {
    std::bitset<isa::kBmShortWords> written;
    for (const auto& section : lines_) {
      for (const CodeLine* line : section) {
        if (line->unknown) return;
        for (const CodeAccess& access : line->accesses) {
          if (!access.write || access.storage != Storage::bm) continue;
          const WordRange range = isa::extent_of(access, line->line.vlen);
          for (std::uint32_t word = range.first; word < range.last; ++word) written.set(word);
        }
      }
    }
    const WordRange words = range_of_words(collect);
    for (std::uint32_t word = words.first; word < words.last; ++word) {
      if (written.test(word)) continue;
      reporter_.error(Code::uninitialised, collect.where,
                      fmt::format("'{}' is collected, but no line writes element {} of its entry {}",
                                  collect.symbol->name, (word - words.first) / 2 % isa::kVectorElements,
                                  collect.step.first + (word - words.first) / 2 / isa::kVectorElements));
      return;
    }
  }

  const SectionCode& code_;
  const Declared& declared_;
  Reporter& reporter_;
  SectionLines lines_ = lines_of(code_);
  std::vector<PlacedCollect> collects_;
  bool type2_ = false;  // the kernel moves its data itself
};

}  // namespace

void prove_moves(const SectionCode& code, const Declared& declared, Reporter& reporter) {
  MoveProver(code, declared, reporter).run();
}

}  // namespace gdr::assembler
