// The proof for kernels of Type II: what the control processor moves beside the lines never meets their accesses to
// broadcast memory. A collect holds its words until the next one is issued, which waits for it; a transfer fills the
// half of the record window that no line of the turn may name.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <utility>

#include "code.h"

namespace gdr::assembler {
namespace {

using isa::MoveKind;
using isa::Section;

/// Short words of broadcast memory.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // one past
  [[nodiscard]] bool meets(const Range& other) const { return first < other.last && other.first < last; }
};

Range range_of(const Access& access, unsigned elements) {
  return {access.address, access.address + short_words(access.width) * (access.vector ? elements : 1)};
}

class MoveProver {
 public:
  MoveProver(const Encoded& code, const Declared& declared, Reporter& reporter)
      : code_(code), declared_(declared), reporter_(reporter) {}

  void run() {
    if (!check_kind()) return;
    if (code_.moves.empty()) return;
    check_places();
    check_record_window();
    for (const CodeMove& move : code_.moves) {
      if (move.move.kind != MoveKind::collect) continue;
      check_landed(move);
      check_held(move);
      check_written(move);
    }
  }

 private:
  [[nodiscard]] const std::vector<CodeLine>& lines(Section section) const {
    return code_.lines[static_cast<std::size_t>(section)];
  }
  [[nodiscard]] Range range_of_words(const CodeMove& move) const {
    const isa::Program& program = declared_.program;
    const std::uint32_t first = program.address_of(move.move);
    return {first, first + 2 * program.words_of(move.move)};
  }

  /// Results live in the PE or in broadcast memory by the kind of the kernel.
  bool check_kind() {
    bool good = true;
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind != SymbolKind::variable || symbol.transfer != isa::Transfer::rrn) continue;
      const bool in_bm = symbol.memory == isa::Memory::bm;
      if (in_bm == !code_.moves.empty()) continue;
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
    for (const CodeMove& move : code_.moves) {
      const bool is_transfer = move.move.kind == MoveKind::transfer;
      const Section section = move.move.section;
      const bool allowed = section == Section::loop_body ||
                           section == (is_transfer ? Section::loop_initialization : Section::loop_termination);
      if (!allowed) {
        reporter_.error(
            Code::move, move.where,
            fmt::format("'{}' does not stand in '{}'", isa::name_of(move.move.kind), isa::name_of(section)));
      } else if (is_transfer && ++transfers[static_cast<std::size_t>(section)] > 1) {
        reporter_.error(Code::move, move.where, "a second 'transfer' in this section: a turn has one j-record");
      }
    }
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind != SymbolKind::variable || symbol.transfer != isa::Transfer::rrn) continue;
      const bool leaves = std::any_of(code_.moves.begin(), code_.moves.end(),
                                      [&](const CodeMove& move) { return move.symbol == &symbol; });
      if (!leaves)
        reporter_.error(Code::move, symbol.where, fmt::format("no 'collect' brings out result '{}'", symbol.name));
    }
    if (declared_.program.record_words == 0) {
      for (const CodeMove& move : code_.moves) {
        if (move.move.kind == MoveKind::transfer) {
          reporter_.error(Code::move, move.where, "there is no j-data (elt) to transfer");
        }
      }
      return;
    }
    for (const Section section : {Section::loop_initialization, Section::loop_body}) {
      if (transfers[static_cast<std::size_t>(section)] == 0) {
        reporter_.error(
            Code::move, code_.moves.front().where,
            fmt::format("'{}' needs a 'transfer': the kernel moves its data itself", isa::name_of(section)));
      }
    }
  }

  /// While records stream in, their window is addressed through the current record alone.
  void check_record_window() {
    const Range window{0, 4u * declared_.program.record_words};
    for (const Section section : {Section::loop_initialization, Section::loop_body}) {
      for (const CodeLine& line : lines(section)) {
        for (const Access& access : line.accesses) {
          if (access.kind != OperandKind::bm || !range_of(access, line.line.vlen).meets(window)) continue;
          reporter_.error(Code::move_overlap, access.where,
                          fmt::format("'{}' lies in the window that 'transfer' fills (short words 0..{}); name the "
                                      "current record",
                                      access.text, window.last - 1));
        }
      }
    }
  }

  /// The line's store into the words, if it has one.
  [[nodiscard]] const Access* store_into(const CodeLine& line, const Range& words) const {
    for (const Access& access : line.accesses) {
      if (access.write && access.kind == OperandKind::bm && range_of(access, line.line.vlen).meets(words))
        return &access;
    }
    return nullptr;
  }

  /// Lines that may be issued right before line `at` of a section.
  [[nodiscard]] std::vector<const CodeLine*> before(Section section, std::size_t at) const {
    if (at > 0) return {&lines(section)[at - 1]};
    std::vector<const CodeLine*> found;
    if (section == Section::initialization || section == Section::loop_initialization) return found;
    for (const Section earlier : {Section::loop_initialization, Section::loop_body}) {
      if (!lines(earlier).empty()) found.push_back(&lines(earlier).back());
    }
    return found;
  }

  /// A word that is on its way to broadcast memory is not collected yet.
  void check_landed(const CodeMove& move) {
    for (const CodeLine* line : before(move.move.section, move.move.line)) {
      const Access* store = store_into(*line, range_of_words(move));
      if (store == nullptr || isa::info_of(store->unit).register_latency < 2) continue;
      if (reporter_.error(Code::hazard, move.where,
                          fmt::format("'{}' is collected 1 line after it is written, but it is there after {}: put 1 "
                                      "other line between",
                                      move.symbol->name, isa::info_of(store->unit).register_latency))) {
        reporter_.note(store->where, fmt::format("'{}' is written here", store->text));
      }
    }
  }

  /// Follows every way from the collect to the one after it.
  void check_held(const CodeMove& move) {
    std::array<bool, isa::kSections> seen{};
    walk(move, move.move.section, move.move.line, false, seen);
  }

  void walk(const CodeMove& move, Section section, std::size_t at, bool later_turn,
            std::array<bool, isa::kSections>& seen) {
    for (; at <= lines(section).size(); ++at) {
      if (ends_at(move, section, at, later_turn)) return;
      if (at == lines(section).size()) break;
      const CodeLine& line = lines(section)[at];
      const Access* store = store_into(line, range_of_words(move));
      if (store == nullptr) continue;
      if (reporter_.error(Code::move_overlap, store->where,
                          fmt::format("'{}' is written while it is being collected; a 'collect' of other words before "
                                      "this line waits until it is done",
                                      store->text))) {
        reporter_.note(move.where, "the collection begins here");
      }
      return;
    }
    if (section != Section::loop_body) return;
    for (const Section next : {Section::loop_body, Section::loop_termination}) {
      bool& done = seen[static_cast<std::size_t>(next)];
      if (!std::exchange(done, true)) walk(move, next, 0, true, seen);
    }
  }

  /// True if another collect is certain to be issued before this line.
  [[nodiscard]] bool ends_at(const CodeMove& from, Section section, std::size_t at, bool later_turn) const {
    for (const CodeMove& other : code_.moves) {
      const bool here = other.move.kind == MoveKind::collect && other.move.section == section && other.move.line == at;
      const bool again = &other == &from && !later_turn;
      const bool certain = !other.move.not_first || later_turn || from.move.not_first;
      const bool after = section != from.move.section || later_turn || &other > &from;
      if (here && !again && certain && after) return true;
    }
    return false;
  }

  void check_written(const CodeMove& move) {
    std::bitset<isa::kBmShortWords> written;
    for (const auto& section : code_.lines) {
      for (const CodeLine& line : section) {
        if (line.unknown) return;
        for (const Access& access : line.accesses) {
          if (!access.write || access.kind != OperandKind::bm) continue;
          const Range range = range_of(access, line.line.vlen);
          for (std::uint32_t word = range.first; word < range.last; ++word) written.set(word);
        }
      }
    }
    const Range words = range_of_words(move);
    for (std::uint32_t word = words.first; word < words.last; ++word) {
      if (written.test(word)) continue;
      reporter_.error(Code::uninitialised, move.where,
                      fmt::format("'{}' is collected, but no line writes element {} of its entry {}", move.symbol->name,
                                  (word - words.first) / 2 % isa::kVectorElements,
                                  move.move.first + (word - words.first) / 2 / isa::kVectorElements));
      return;
    }
  }

  const Encoded& code_;
  const Declared& declared_;
  Reporter& reporter_;
};

}  // namespace

void prove_moves(const Encoded& code, const Declared& declared, Reporter& reporter) {
  MoveProver(code, declared, reporter).run();
}

}  // namespace gdr::assembler
