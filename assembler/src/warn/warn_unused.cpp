// What a kernel declares, sends or computes and nothing uses. Deleting it changes no result; what it costs is said.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>

#include "warn.h"

namespace gdr::assembler {
namespace {

using isa::Section;
using isa::Storage;
using isa::Unit;

constexpr std::array kUnits{Unit::adder, Unit::multiplier, Unit::alu, Unit::bm};

class Unused {
 public:
  Unused(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter)
      : flow_(flow), declared_(declared), reporter_(reporter) {
    for (const auto& section : code) {
      for (const CodeStep& step : section) {
        if (const auto* line = std::get_if<CodeLine>(&step)) note(*line);
        if (const auto* collect = std::get_if<CodeCollect>(&step)) {
          set(read_, numbered_words(*collect, declared));
        }
      }
    }
  }

  void run() {
    for (const Symbol& symbol : declared_.symbols.all()) check(symbol);
    for (std::size_t line = 0; line < flow_.lines().size(); ++line) check_line(line);
  }

 private:
  using Words = std::bitset<kAllWords>;

  static void set(Words& words, const isa::WordRange& range) {
    for (unsigned word = range.first; word < range.last; ++word) words.set(word);
  }

  void note(const CodeLine& line) {
    for (const CodeAccess& access : line.accesses) {
      if (access.register_name != nullptr) named_.push_back(access.register_name);
      if (access.symbol != nullptr) named_.push_back(access.symbol);
      if (access.storage == Storage::record) {
        for (unsigned element = 0; element < line.line.vlen; ++element) {
          const isa::WordRange words = isa::words_of(access, element);
          for (unsigned word = words.first; word < std::min<unsigned>(words.last, isa::kBmShortWords); ++word) {
            record_.set(word);
          }
        }
        continue;
      }
      for_words(access, line.line.vlen, [&](unsigned word, unsigned) { (access.write ? written_ : read_).set(word); });
    }
  }

  [[nodiscard]] static bool any(const Words& words, const isa::WordRange& range) {
    for (unsigned word = range.first; word < range.last; ++word) {
      if (words.test(word)) return true;
    }
    return false;
  }

  void tell(const Symbol& symbol, const std::string& what, bool all_of_it = true) {
    if (!reporter_.warning(Code::unused, symbol.where, fmt::format("'{}' {}", symbol.title(), what))) return;
    const bool written = symbol.kind == SymbolKind::variable && any(written_, numbered_words(symbol));
    if (all_of_it && symbol.where.origin == 0 && !written)
      reporter_.fix_without("delete the declaration", symbol.where);
  }

  void check(const Symbol& symbol) {
    if (symbol.kind == SymbolKind::register_name || symbol.kind == SymbolKind::view) {
      if (std::find(named_.begin(), named_.end(), &symbol) == named_.end()) tell(symbol, "is never used");
      return;
    }
    if (symbol.transfer == isa::Transfer::elt) return check_record(symbol);
    const isa::WordRange words = numbered_words(symbol);
    if (any(read_, words)) return;
    if (symbol.kind == SymbolKind::parameter) {
      tell(symbol, "is a parameter that no line reads");
    } else if (symbol.transfer == isa::Transfer::hlt) {
      tell(symbol, fmt::format("is i-data that no line reads; each i-particle carries {} word{} for it", symbol.entries,
                               symbol.entries == 1 ? "" : "s"));
    } else if (symbol.transfer == isa::Transfer::none) {
      tell(symbol, any(written_, words) ? "is written, but never read" : "is never used");
    }
  }

  /// A field of the j-record comes through the input port for every block in every turn.
  void check_record(const Symbol& symbol) {
    std::vector<std::uint32_t> unread;
    for (std::uint32_t entry = 0; entry < symbol.entries; ++entry) {
      const std::uint32_t first = symbol.address + entry * symbol.stride();
      bool read = false;
      for (std::uint32_t word = first; word < first + isa::short_words(symbol.width); ++word) {
        read = read || record_.test(word);
      }
      if (!read) unread.push_back(entry);
    }
    if (unread.empty()) return;
    const std::size_t words = symbol.packed ? (unread.size() + 1) / 2 : unread.size();
    const std::string price =
        fmt::format("{} clocks of the input port in every iteration", words * isa::kBlocks * isa::kIdpClocksPerWord);
    if (unread.size() == symbol.entries) {
      tell(symbol, fmt::format("is a field of the j-record that no line reads; it takes {}", price));
      return;
    }
    tell(symbol,
         fmt::format("has {} of {} entries that no line reads, the first is {}; {} {}", unread.size(), symbol.entries,
                     unread.front(), unread.size() == 1 ? "it takes" : "they take", price),
         false);
  }

  /// True if the declaration was told of: none of its writes is.
  [[nodiscard]] bool told(const CodeAccess& write) const {
    return write.symbol != nullptr && write.symbol->kind == SymbolKind::variable &&
           write.symbol->transfer == isa::Transfer::none && !any(read_, numbered_words(*write.symbol));
  }

  void check_line(std::size_t number) {
    const FlowLine& at = flow_.lines()[number];
    const isa::Effects effects = isa::effects(at.line->line);
    const bool line_lives =
        std::any_of(kUnits.begin(), kUnits.end(), [&](Unit unit) { return flow_.lives(number, unit); });
    bool first = true;
    for (const Unit unit : kUnits) {
      if (!effects.works(unit)) continue;
      if (flow_.lives(number, unit)) {
        check_destinations(number, unit);
      } else if (unit == Unit::multiplier && effects.product() == isa::ProductHalf::first) {
        continue;  // told of at fmull
      } else if (const CodeAccess* write = untold_write(*at.line, unit)) {
        const std::string price =
            line_lives || !first
                ? ""
                : fmt::format("; its line takes {} clocks {}", isa::kClocksPerLine,
                              at.section == Section::loop_body ? "of every iteration" : "of every run");
        const bool told =
            reporter_.warning(Code::unused, write->where,
                              fmt::format("no result depends on '{}', which is computed here{}", write->text, price));
        // Another line in its place: those around it keep their distance.
        if (told && !line_lives && first)
          reporter_.fix("put 'nop' in its place", at.line->where, text_of(*at.line), "nop");
        first = false;
      }
    }
  }

  static std::string_view text_of(const CodeLine& line) {
    const std::string_view text = line.text;
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  }

  const CodeAccess* untold_write(const CodeLine& line, Unit unit) const {
    for (const CodeAccess& access : line.accesses) {
      if (access.write && access.unit == unit && !told(access)) return &access;
    }
    return nullptr;
  }

  void check_destinations(std::size_t number, Unit unit) {
    const FlowLine& at = flow_.lines()[number];
    for (Definition definition = at.first; definition < at.last; ++definition) {
      const Flow::Write& write = flow_.write(definition);
      if (write.access->unit != unit || flow_.lives(definition) || told(*write.access)) continue;
      if (reporter_.warning(Code::unused, write.access->where,
                            fmt::format("'{}' is written here, but no result depends on it", write.access->text))) {
        reporter_.fix("leave this destination out", write.access->where, write.access->text, "");
      }
    }
  }

  const Flow& flow_;
  const Declared& declared_;
  Reporter& reporter_;
  Words read_;
  Words written_;
  std::bitset<isa::kBmShortWords> record_;
  std::vector<const Symbol*> named_;
};

}  // namespace

void warn_of_unused(const Flow& flow, const SectionCode& code, const Declared& declared, Reporter& reporter) {
  // A kernel without results is looked at by a test or a debugger, where every word counts.
  const auto& variables = declared.program.variables;
  const bool has_results = std::any_of(variables.begin(), variables.end(), [](const isa::Variable& variable) {
    return variable.transfer == isa::Transfer::rrn;
  });
  if (has_results) Unused(flow, code, declared, reporter).run();
}

}  // namespace gdr::assembler
