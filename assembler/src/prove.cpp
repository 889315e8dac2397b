// The proof of legality. Control flow is static, so every path is known: initialization, loop initialization, the loop
// body any number of times (none for nj = 0), loop termination.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "code.h"

namespace gdr::assembler {
namespace {

using isa::kSections;
using isa::Section;
using isa::Source;
using isa::Unit;

constexpr unsigned kElements = isa::kVectorElements;

/// Sections whose last line may come right before the first line of this one. Between loop termination and the next run
/// the results leave the chip, so nothing is in flight.
std::vector<Section> sections_before(Section section) {
  switch (section) {
    case Section::initialization:
      return {};
    case Section::loop_initialization:
      return {Section::initialization};
    case Section::loop_body:
    case Section::loop_termination:
      return {Section::loop_initialization, Section::loop_body};
  }
  return {};
}

/// A line by its place in the program.
struct LineId {
  std::size_t section = 0;
  std::size_t index = 0;
};

struct Words {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // one past
  [[nodiscard]] bool meets(const Words& other) const { return first < other.last && other.first < last; }
};

/// The short words of each element that an access touches.
std::vector<Words> words_of(const Access& access, unsigned elements) {
  if (access.indirect) return {{access.address, access.end}};
  const std::uint32_t step = short_words(access.width);
  if (!access.vector) return {{access.address, access.address + step}};
  std::vector<Words> words;
  for (std::uint32_t element = 0; element < elements; ++element) {
    words.push_back({access.address + element * step, access.address + (element + 1) * step});
  }
  return words;
}

bool overlap(const Access& a, unsigned a_elements, const Access& b, unsigned b_elements) {
  if (a.kind != b.kind) return false;
  if (a.kind == OperandKind::flag) return a.address == b.address;
  for (const Words& mine : words_of(a, a_elements)) {
    for (const Words& theirs : words_of(b, b_elements)) {
      if (mine.meets(theirs)) return true;
    }
  }
  return false;
}

/// What every path that leads somewhere has written.
struct State {
  std::bitset<isa::kGprShortWords> gpr;
  std::bitset<isa::kLmShortWords> lm;
  std::bitset<isa::kBmShortWords> bm;
  std::array<bool, kElements> t{};
  std::array<const Access*, kElements> t_long{};  // a write of a long word that may be the last one
  std::array<std::bitset<kElements>, isa::kFlags + 1> flags;

  void set_all() {
    gpr.set();
    lm.set();
    bm.set();
    t.fill(true);
    t_long.fill(nullptr);
    for (auto& flag : flags) flag.set();
  }

  /// Keeps what both have written.
  void meet(const State& other) {
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
  void for_words(const Access& access, unsigned elements, Visit visit) {
    for (const Words& words : words_of(access, elements)) {
      for (std::uint32_t word = words.first; word < words.last; ++word) {
        if (access.kind == OperandKind::gpr && word < gpr.size()) visit(gpr[word]);
        if (access.kind == OperandKind::lm && word < lm.size()) visit(lm[word]);
        if (access.kind == OperandKind::bm && word < bm.size()) visit(bm[word]);
      }
    }
  }

  void define(const Access& access, unsigned elements) {
    if (access.kind == OperandKind::t) {
      for (unsigned element = 0; element < elements; ++element) t[element] = true;
    } else if (access.kind == OperandKind::flag) {
      for (unsigned element = 0; element < elements; ++element) flags[access.address].set(element);
    } else {
      for_words(access, elements, [](auto word) { word = true; });
    }
  }

  void write(const Access& access, unsigned elements) {
    define(access, elements);
    if (access.kind != OperandKind::t) return;
    for (unsigned element = 0; element < elements; ++element) {
      t_long[element] = access.width == isa::Width::long_word ? &access : nullptr;
    }
  }

  [[nodiscard]] bool defined(const Access& access, unsigned elements) {
    if (access.kind == OperandKind::t) return std::all_of(t.begin(), t.begin() + elements, std::identity());
    if (access.kind == OperandKind::flag) {
      for (unsigned element = 0; element < elements; ++element) {
        if (!flags[access.address].test(element)) return false;
      }
      return true;
    }
    if (access.kind == OperandKind::record) return true;  // streamed in before the body runs
    std::size_t known = 0;
    std::size_t all = 0;
    for_words(access, elements, [&](const auto& word) {
      ++all;
      known += word ? 1 : 0;
    });
    // Where an indirect access goes is not known: it is refused if nothing there is written.
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

  /// Lines that may be executed right before this one.
  [[nodiscard]] std::vector<LineId> before(const LineId& id) const {
    if (id.index > 0) return {{id.section, id.index - 1}};
    std::vector<LineId> lines;
    std::array<bool, kSections> seen{};
    std::vector<Section> open = sections_before(static_cast<Section>(id.section));
    while (!open.empty()) {
      const Section section = open.back();
      open.pop_back();
      const auto number = static_cast<std::size_t>(section);
      if (std::exchange(seen[number], true)) continue;
      if (lines_[number].empty()) {
        for (const Section earlier : sections_before(section)) open.push_back(earlier);
      } else {
        lines.push_back({number, lines_[number].size() - 1});
      }
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
    for (const Access& written : at(writer).accesses) {
      if (!written.write || written.kind == OperandKind::t) continue;
      const unsigned latency = isa::info_of(written.unit).register_latency;
      if (latency <= distance) continue;
      for (const Access& read : at(reader).accesses) {
        if (read.write || read.defines || !overlap(read, at(reader).line.vlen, written, at(writer).line.vlen)) continue;
        report_hazard(reader, read, writer, written, latency, distance);
        break;  // more reads of the same word have the same cause
      }
    }
  }

  void report_hazard(const LineId& reader, const Access& read, const LineId& writer, const Access& written,
                     unsigned latency, unsigned distance) {
    const unsigned missing = latency - distance;
    const bool is_flag = read.kind == OperandKind::flag;
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
                        read.text, distance, path, latency, missing, fix))) {
      reporter_.note(written.where, fmt::format("'{}' is written here", written.text));
    }
  }

  // ---- T -----------------------------------------------------------------------------------------------------------

  void check_forwarding(const LineId& id) {
    for (const Access& read : at(id).accesses) {
      if (!read.asserted) continue;
      const std::vector<LineId> lines = before(id);
      if (lines.empty()) {
        told_.insert(&read);
        reporter_.error(Code::not_forwarded, read.where,
                        fmt::format("'{}' says that the line before wrote T, but there is none", read.text));
      }
      for (const LineId& line : lines) {
        if (at(line).unknown || at(line).line.t_write.source != Unit::none) continue;
        told_.insert(&read);
        if (reporter_.error(Code::not_forwarded, read.where,
                            fmt::format("'{}' says that the line before wrote T, but it did not", read.text))) {
          reporter_.note(at(line).where, "this is the line before");
        }
      }
    }
  }

  // ---- two-line products -------------------------------------------------------------------------------------------

  /// Everything that decides what an operand of the multiplier is.
  static auto operand_of(const isa::Line& line, Source source, bool negated) {
    isa::ReadPort port;
    if (source == Source::gpr_a) port = line.gpr_a;
    if (source == Source::gpr_b) port = line.gpr_b;
    if (source == Source::lm) port = line.lm_read;
    const bool in_gpr = source == Source::gpr_a || source == Source::gpr_b;
    return std::tuple(in_gpr ? Source::gpr_a : source, negated, port, source == Source::bm ? line.bm : isa::BmPort(),
                      source == Source::immediate ? line.immediate : isa::Immediate());
  }

  /// True if the line of fmulh moves the word of broadcast memory that fmulh reads to T: fmull finds it there.
  static bool moves_to_t(const isa::Line& line) {
    return line.bm.mode == isa::BmMode::read && line.bm.width == isa::Width::long_word && !line.bm.one_pe &&
           line.t_write.source == Unit::bm && line.t_write.predicate == isa::Predicate();
  }

  static bool same_product(const isa::Line& first, isa::Line second) {
    const isa::Slot& high = first.multiplier;
    isa::Slot& low = second.multiplier;
    if (moves_to_t(first)) {
      for (const auto& [source, other] : {std::pair(high.a, &low.a), std::pair(high.b, &low.b)}) {
        if (source != Source::bm || *other != Source::t_long) continue;
        *other = Source::bm;
        second.bm = first.bm;
      }
    }
    const auto without_pe = [](auto operand) {
      std::get<isa::BmPort>(operand).one_pe = false;
      std::get<isa::BmPort>(operand).pe = 0;
      return operand;
    };
    return without_pe(operand_of(first, high.a, high.negate_a)) ==
               without_pe(operand_of(second, low.a, low.negate_a)) &&
           without_pe(operand_of(first, high.b, high.negate_b)) ==
               without_pe(operand_of(second, low.b, low.negate_b)) &&
           first.vlen == second.vlen && first.mask == second.mask;
  }

  void check_long_product(const LineId& id) {
    const std::vector<const CodeLine*>& section = lines_[id.section];
    const CodeLine& line = at(id);
    if (line.line.multiplier.op == isa::Op::FMULH) {
      if (id.index + 1 < section.size() && section[id.index + 1]->unknown) return;
      if (id.index + 1 == section.size() || section[id.index + 1]->line.multiplier.op != isa::Op::FMULL) {
        reporter_.error(Code::long_product, line.where, "the line after 'fmulh' has no 'fmull' that ends the product");
        return;
      }
      const CodeLine& next = *section[id.index + 1];
      if (!same_product(line.line, next.line)) {
        if (reporter_.error(Code::long_product, next.where,
                            "'fmull' needs the operands, vlen and mask of the 'fmulh' in the line before")) {
          reporter_.note(line.where, "this is the 'fmulh'");
        }
        return;
      }
      const isa::Slot& slot = line.line.multiplier;
      const auto from_t = [&](Source source) {
        return source == Source::t_long || (source == Source::lm && line.line.lm_read.indirect);
      };
      if ((from_t(slot.a) || from_t(slot.b)) && line.line.t_write.source != Unit::none) {
        reporter_.error(Code::long_product, line.where,
                        "T is an operand of the product, but the line of 'fmulh' writes it, so 'fmull' would read "
                        "another word");
      }
    } else if (line.line.multiplier.op == isa::Op::FMULL) {
      if (id.index > 0 &&
          (section[id.index - 1]->unknown || section[id.index - 1]->line.multiplier.op == isa::Op::FMULH)) {
        return;
      }
      reporter_.error(Code::long_product, line.where, "the line before 'fmull' has no 'fmulh' that begins the product");
    }
  }

  // ---- what is written on every path -------------------------------------------------------------------------------

  void check_flow() {
    std::array<State, kSections> in;
    const auto run = [&](Section section, const State& state, bool report) {
      in[static_cast<std::size_t>(section)] = state;
      return walk(section, state, report);
    };
    State state = run(Section::initialization, State(), true);
    for (const Symbol& symbol : declared_.symbols.all()) {
      const bool from_host = symbol.transfer == isa::Transfer::hlt || symbol.kind == SymbolKind::parameter;
      if (from_host) state.define(symbol);
    }
    const State begun = run(Section::loop_initialization, state, true);
    // A turn of the body only adds to what is written, but it may leave T with another width.
    State entering = begun;
    entering.meet(run(Section::loop_body, begun, false));
    const State looped = run(Section::loop_body, entering, true);
    State leaving = begun;
    leaving.meet(looped);
    check_results(run(Section::loop_termination, leaving, true));
  }

  State walk(Section section, State state, bool report) {
    for (const CodeLine* at : lines_[static_cast<std::size_t>(section)]) {
      const CodeLine& line = *at;
      if (line.unknown) {
        state.set_all();
        continue;
      }
      const unsigned elements = line.line.vlen;
      for (const Access& access : line.accesses) {
        if (access.write) continue;
        if (report && !access.defines && !state.defined(access, elements)) {
          if (!told_.contains(&access)) report_uninitialised(access, section);
          state.define(access, elements);
        }
      }
      if (report) check_t_width(line, state);
      for (const Access& access : line.accesses) {
        if (access.write) state.write(access, elements);
      }
    }
    return state;
  }

  void check_t_width(const CodeLine& line, const State& state) {
    for (const Access& access : line.accesses) {
      const bool cuts =
          !access.write && access.kind == OperandKind::t && access.floating && access.width == isa::Width::short_word;
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

  void report_uninitialised(const Access& access, Section section) {
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
    // The flags that mask and predicates read name no operand of their own.
    const Access* writer = nullptr;
    for (const auto& lines : lines_) {
      for (const CodeLine* line : lines) {
        for (const Access& other : line->accesses) {
          const bool same = other.kind == OperandKind::t ? access.kind == OperandKind::t
                                                         : overlap(access, kElements, other, kElements);
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

  void check_results(const State& state) {
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
  std::set<const Access*> told_;  // reads of T that were reported as not forwarded
};

}  // namespace

void prove(const SectionLines& lines, const Declared& declared, Reporter& reporter) {
  Prover(lines, declared, reporter).run();
}

}  // namespace gdr::assembler
