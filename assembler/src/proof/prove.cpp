// The proof of legality. Control flow is static, so every path is known: initialization, loop initialization, the loop
// body any number of times (none for nj = 0), loop termination.
#include "prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <functional>
#include <set>
#include <utility>

namespace gdr::assembler {
namespace {

using isa::kSections;
using isa::Section;
using isa::Storage;
using isa::Unit;

constexpr unsigned kElements = isa::kVectorElements;

/// A line, by its section and index.
struct LineId {
  std::size_t section = 0;
  std::size_t index = 0;
};

/// The words that are written on every path to a point.
struct Written {
  std::bitset<isa::kGprShortWords> gpr;
  std::bitset<isa::kLmShortWords> lm;
  std::bitset<isa::kBmShortWords> bm;
  std::array<bool, kElements> t{};
  std::array<const CodeAccess*, kElements> t_long{};  // a write of a long word that may be the last write to T
  std::array<std::bitset<kElements>, isa::kFlags + 1> flags;

  void set_all() {
    gpr.set();
    lm.set();
    bm.set();
    t.fill(true);
    t_long.fill(nullptr);
    for (auto& flag : flags) flag.set();
  }

  /// Keeps what is written on both paths.
  void meet(const Written& other) {
    gpr &= other.gpr;
    lm &= other.lm;
    bm &= other.bm;
    for (unsigned element = 0; element < kElements; ++element) {
      t[element] = t[element] && other.t[element];
      if (t_long[element] == nullptr) t_long[element] = other.t_long[element];
    }
    for (std::size_t flag = 0; flag < flags.size(); ++flag) flags[flag] &= other.flags[flag];
  }

  template <class Visit>
  void for_words(const CodeAccess& access, unsigned elements, Visit visit) {
    const bool one_range = access.step == 0 || access.indirect;
    for (unsigned element = 0; element < (one_range ? 1 : elements); ++element) {
      const isa::WordRange words = isa::words_of(access, element);
      for (unsigned word = words.first; word < words.last; ++word) {
        if (access.storage == Storage::gpr && word < gpr.size()) visit(gpr[word]);
        if (access.storage == Storage::lm && word < lm.size()) visit(lm[word]);
        if (access.storage == Storage::bm && word < bm.size()) visit(bm[word]);
      }
    }
  }

  void define(const CodeAccess& access, unsigned elements) {
    if (access.storage == Storage::t) {
      for (unsigned element = 0; element < elements; ++element) t[element] = true;
    } else if (access.storage == Storage::flag) {
      for (unsigned element = 0; element < elements; ++element) flags[access.address].set(element);
    } else {
      for_words(access, elements, [](auto word) { word = true; });
    }
  }

  void write(const CodeAccess& access, unsigned elements) {
    define(access, elements);
    if (access.storage != Storage::t) return;
    for (unsigned element = 0; element < elements; ++element) {
      t_long[element] = access.width == isa::Width::long_word ? &access : nullptr;
    }
  }

  [[nodiscard]] bool defined(const CodeAccess& access, unsigned elements) {
    if (access.storage == Storage::t) return std::all_of(t.begin(), t.begin() + elements, std::identity());
    if (access.storage == Storage::flag) {
      for (unsigned element = 0; element < elements; ++element) {
        if (!flags[access.address].test(element)) return false;
      }
      return true;
    }
    if (access.storage == Storage::record) return true;  // records are streamed in before the body runs
    std::size_t known = 0;
    std::size_t all = 0;
    for_words(access, elements, [&](const auto& word) {
      ++all;
      known += word ? 1 : 0;
    });
    // The address of an indirect access is unknown: it is rejected only if no word that it may reach is written.
    return access.indirect ? known > 0 : known == all;
  }

  void define(const Symbol& symbol) {
    for (std::uint32_t word = symbol.address; word < symbol.address + symbol.length(); ++word) {
      if (symbol.memory == isa::Memory::gpr && word < gpr.size()) gpr.set(word);
      if (symbol.memory == isa::Memory::lm && word < lm.size()) lm.set(word);
      if (symbol.memory == isa::Memory::bm && word < bm.size()) bm.set(word);
    }
  }

  [[nodiscard]] bool defined(const Symbol& symbol) const {
    for (std::uint32_t word = symbol.address; word < symbol.address + symbol.length(); ++word) {
      if (symbol.memory == isa::Memory::gpr && word < gpr.size() && !gpr.test(word)) return false;
      if (symbol.memory == isa::Memory::lm && word < lm.size() && !lm.test(word)) return false;
    }
    return true;
  }
};

class Prover {
 public:
  Prover(const SectionLines& lines, const Declared& declared, Reporter& reporter)
      : lines_(lines), declared_(declared), reporter_(reporter) {}

  void run() {
    for (std::size_t section = 0; section < kSections; ++section) {
      for (std::size_t index = 0; index < lines_[section].size(); ++index) {
        if (lines_[section][index]->unknown) continue;
        check_hazards({section, index});
        check_forwarding({section, index});
        check_long_product({section, index});
      }
    }
    check_flow();
  }

 private:
  [[nodiscard]] const CodeLine& at(const LineId& id) const { return *lines_[id.section][id.index]; }

  /// Lines that may be executed just before this one.
  [[nodiscard]] std::vector<LineId> before(const LineId& id) const {
    if (id.index > 0) return {{id.section, id.index - 1}};
    std::array<bool, kSections> has_lines{};
    for (std::size_t n = 0; n < kSections; ++n) has_lines[n] = !lines_[n].empty();
    std::vector<LineId> lines;
    for (const Section earlier : isa::sections_before(static_cast<Section>(id.section), has_lines)) {
      const auto number = static_cast<std::size_t>(earlier);
      lines.push_back({number, lines_[number].size() - 1});
    }
    return lines;
  }

  // ---- results that are not there yet ------------------------------------------------------------------------------

  void check_hazards(const LineId& id) {
    unsigned deepest = 1;
    for (const isa::UnitInfo& unit : isa::units()) deepest = std::max(deepest, unit.register_latency);
    std::vector<LineId> front{id};
    for (unsigned distance = 1; distance < deepest; ++distance) {
      std::vector<LineId> further;
      for (const LineId& line : front) {
        for (const LineId& earlier : before(line)) further.push_back(earlier);
      }
      for (const LineId& writer : further) check_pair(id, writer, distance);
      front = std::move(further);
    }
  }

  void check_pair(const LineId& reader, const LineId& writer, unsigned distance) {
    if (at(writer).unknown) return;
    for (const CodeAccess& written : at(writer).accesses) {
      if (!written.write || written.storage == Storage::t || written.latency <= distance) continue;
      for (const CodeAccess& read : at(reader).accesses) {
        if (read.write || read.defines || !isa::overlap(read, at(reader).line.vlen, written, at(writer).line.vlen))
          continue;
        report_hazard(reader, read, writer, written, distance);
        break;  // further reads of the same word have the same cause
      }
    }
  }

  void report_hazard(const LineId& reader, const CodeAccess& read, const LineId& writer, const CodeAccess& written,
                     unsigned distance) {
    const unsigned missing = written.latency - distance;
    const bool is_flag = read.storage == Storage::flag;
    const std::string_view fix = is_flag ? "" : ", or read the result through T";
    const bool crosses = reader.section != writer.section || reader.index <= writer.index;
    const std::string path =
        crosses ? fmt::format(" on the way from '{}' to '{}'", isa::name_of(static_cast<Section>(writer.section)),
                              isa::name_of(static_cast<Section>(reader.section)))
                : "";
    if (reporter_.error(
            Code::hazard, read.where,
            fmt::format("'{}' is read {} line after it is written{}, but it is there after {}: put {} other "
                        "line between{}",
                        read.text, distance, path, written.latency, missing, fix))) {
      reporter_.note(written.where, fmt::format("'{}' is written here", written.text));
      // In a macro or a repeat, inserting the same line would affect other places, too.
      const Place& line = at(reader).where;
      if (!crosses && line.range.line != 0 && (line.origin == 0 || line.origin == at(writer).where.origin)) {
        reporter_.fix_before(fmt::format("put {} before this line", missing == 1 ? "a 'nop'" : "'nop's"), line, "nop",
                             missing);
      }
    }
  }

  // ---- T -----------------------------------------------------------------------------------------------------------

  void check_forwarding(const LineId& id) {
    for (const CodeAccess& read : at(id).accesses) {
      if (!read.asserted) continue;
      const std::vector<LineId> lines = before(id);
      if (lines.empty()) {
        told_.insert(&read);
        reporter_.error(Code::not_forwarded, read.where,
                        fmt::format("'{}' says that the line before wrote T, but there is none", read.text));
      }
      for (const LineId& line : lines) {
        if (at(line).unknown) continue;
        if (at(line).line.t_write.source != Unit::none) {
          check_forwarded_elements(id, read, at(line));
          continue;
        }
        told_.insert(&read);
        if (reporter_.error(Code::not_forwarded, read.where,
                            fmt::format("'{}' says that the line before wrote T, but it did not", read.text))) {
          reporter_.note(at(line).where, "this is the line before");
        }
      }
    }
  }

  /// T's elements beyond the vector length of the line before hold what an earlier line wrote.
  void check_forwarded_elements(const LineId& id, const CodeAccess& read, const CodeLine& before) {
    const unsigned read_elements = at(id).line.vlen;
    const unsigned written = before.line.vlen;
    if (written >= read_elements) return;
    told_.insert(&read);
    if (reporter_.error(Code::not_forwarded, read.where,
                        fmt::format("'{}' says that the line before wrote T, but of the {} elements that are read it "
                                    "wrote {}, with 'vlen {}'",
                                    read.text, read_elements, written, written))) {
      reporter_.note(before.where, "this is the line before");
    }
  }

  // ---- two-line products -------------------------------------------------------------------------------------------

  void check_long_product(const LineId& id) {
    const std::vector<const CodeLine*>& section = lines_[id.section];
    const CodeLine* before = id.index > 0 ? section[id.index - 1] : nullptr;
    const CodeLine* after = id.index + 1 < section.size() ? section[id.index + 1] : nullptr;
    const CodeLine& line = at(id);
    const isa::ProductHalf half = isa::info_of(line.line.multiplier.op).half;
    const CodeLine* other = half == isa::ProductHalf::first ? after : before;
    if (half == isa::ProductHalf::none || (other != nullptr && other->unknown)) return;
    const isa::ProductFault fault = isa::product_fault(before != nullptr ? &before->line : nullptr, line.line,
                                                       after != nullptr ? &after->line : nullptr);
    if (fault != isa::ProductFault::none) {
      // Either fault has a line before: what wrote T, and the 'fmulh'.
      // NOLINTBEGIN(clang-analyzer-core.*)
      const CodeLine& wrong = fault == isa::ProductFault::t_written ? *before : line;
      if (reporter_.error(Code::long_product, wrong.where, std::string(isa::text_of(fault))) &&
          fault == isa::ProductFault::operands) {
        reporter_.note(before->where, "this is the 'fmulh'");
      }
      // NOLINTEND(clang-analyzer-core.*)
      return;
    }
  }

  // ---- what is written on every path -------------------------------------------------------------------------------

  void check_flow() {
    std::array<Written, kSections> in;
    const auto run = [&](Section section, const Written& state, bool report) {
      in[static_cast<std::size_t>(section)] = state;
      return walk(section, state, report);
    };
    Written state = run(Section::initialization, Written(), true);
    for (const Symbol& symbol : declared_.symbols.all()) {
      const bool from_host = symbol.transfer == isa::Transfer::hlt || symbol.kind == SymbolKind::parameter;
      if (from_host) state.define(symbol);
    }
    const Written begun = run(Section::loop_initialization, state, true);
    // An iteration of the body only adds written words, but it may leave T with another width.
    Written entering = begun;
    entering.meet(run(Section::loop_body, begun, false));
    const Written looped = run(Section::loop_body, entering, true);
    Written leaving = begun;
    leaving.meet(looped);
    check_results(run(Section::loop_termination, leaving, true));
  }

  Written walk(Section section, Written state, bool report) {
    for (const CodeLine* at : lines_[static_cast<std::size_t>(section)]) {
      const CodeLine& line = *at;
      if (line.unknown) {
        state.set_all();
        continue;
      }
      const unsigned elements = line.line.vlen;
      for (const CodeAccess& access : line.accesses) {
        if (access.write) continue;
        if (report && !access.defines && !state.defined(access, elements)) {
          if (!told_.contains(&access)) report_uninitialised(access, section);
          state.define(access, elements);
        }
      }
      if (report) check_t_width(line, state);
      for (const CodeAccess& access : line.accesses) {
        if (access.write) state.write(access, elements);
      }
    }
    return state;
  }

  void check_t_width(const CodeLine& line, const Written& state) {
    for (const CodeAccess& access : line.accesses) {
      const bool cuts =
          !access.write && access.storage == Storage::t && access.floating && access.width == isa::Width::short_word;
      for (unsigned element = 0; cuts && element < line.line.vlen; ++element) {
        if (state.t_long[element] == nullptr) continue;
        if (reporter_.error(
                Code::t_width, access.where,
                fmt::format("'{}' cuts the long word that T holds; write '$l{}', or give the operation that "
                            "writes T a short destination",
                            access.text, access.asserted ? "ti" : "t"))) {
          reporter_.note(state.t_long[element]->where, "a long word is written here");
        }
        return;
      }
    }
  }

  void report_uninitialised(const CodeAccess& access, Section section) {
    if (access.symbol != nullptr && access.symbol->kind == SymbolKind::parameter) {
      reporter_.error(Code::uninitialised, access.where,
                      fmt::format("parameter '{}' is set before every run, which is after '{}'", access.text,
                                  isa::name_of(section)));
      return;
    }
    if (access.symbol != nullptr && access.symbol->transfer == isa::Transfer::hlt) {
      reporter_.error(
          Code::uninitialised, access.where,
          fmt::format("'{}' is sent before every run, which is after '{}'", access.text, isa::name_of(section)));
      return;
    }
    // The flags that mask and predicates read have no operand of their own.
    const CodeAccess* writer = nullptr;
    for (const auto& lines : lines_) {
      for (const CodeLine* line : lines) {
        for (const CodeAccess& other : line->accesses) {
          const bool same = other.storage == Storage::t ? access.storage == Storage::t
                                                        : isa::overlap(access, kElements, other, kElements);
          if (writer == nullptr && other.write && same) writer = &other;
        }
      }
    }
    if (!reporter_.error(Code::uninitialised, access.where,
                         fmt::format("'{}' is read, but {}", access.text,
                                     writer == nullptr ? "nothing writes it"
                                                       : "not every way to this line writes all of it first"))) {
      return;
    }
    if (writer != nullptr) reporter_.note(writer->where, fmt::format("'{}' is written here", writer->text));
  }

  void check_results(const Written& state) {
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.transfer != isa::Transfer::rrn || state.defined(symbol)) continue;
      reporter_.error(Code::result_unset, symbol.where,
                      fmt::format("result '{}' is not written on every way through the kernel, nj = 0 included; set it "
                                  "in '{}'",
                                  symbol.name, isa::name_of(Section::loop_initialization)));
    }
  }

  const SectionLines& lines_;
  const Declared& declared_;
  Reporter& reporter_;
  std::set<const CodeAccess*> told_;  // reads of T that were reported as not forwarded
};

}  // namespace

void prove(const SectionLines& lines, const Declared& declared, Reporter& reporter) {
  Prover(lines, declared, reporter).run();
}

}  // namespace gdr::assembler
