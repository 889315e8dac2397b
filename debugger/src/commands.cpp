#include "gdr/debugger/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "gdr/base/error.h"
#include "gdr/emulator/chip.h"
#include "gdr/isa/waiting_line.h"

namespace gdr::debugger {
namespace {

constexpr unsigned kSourceLines = 5;  // before and after the line that comes next
constexpr std::size_t kBins = 10;
constexpr std::size_t kBarWidth = 40;

constexpr std::string_view kHelp =
    R"(run                            from the begin to the first stop
continue, reverse              to the next stop, to the one before
step [N] [line|over|out|iteration|record|run]
back [N] [line|over|out|iteration|record|run]
next, out                      step over, step out: of the uses of macros
begin, end                     to the begin or the end of the run
break PLACE [if EXPR] [@all]   PLACE is LINE or FILE:LINE; @all asks every element at work
break PLACE [if EXPR] [hits N] [log TEXT]  only at execution N, >= N, > N or % N; TEXT with {EXPR} and no stop
set NAME = EXPR                another value for a word of the focus, from here on
watch NAME [if EXPR]           stops behind the line that changes the word
delete N, breaks               takes a stop away, lists them
pair i=I j=J                   to the begin of the iteration in which the two meet
focus [chip=C] [block=B] [pe=P] [element=E]
print NAME|EXPR [@all] [as float|int|hex]
table NAME [@all] [as float|int|hex]
hist NAME [@all]               over the elements of the block, or of all blocks
why NAME [DEPTH]               the last write and its operands; infinities back to their origin
vars, regs                     all variables; named registers, T and flags
events                         floating-point events of the whole run
where, source [N]              the line that comes next; N lines around it
assert EXPR                    an error unless it holds, for scripts
help, quit
)";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Removes `word` from the end of the text, if it is a separate word there.
bool take_last(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const std::string_view before = text.substr(0, text.size() - word.size());
  if (!before.empty() && before.back() != ' ') return false;
  text = trimmed(before);
  return true;
}

/// A name, and the words after it that say how to show it.
struct Shown {
  std::string_view what;
  Format format = Format::natural;
  bool all = false;
};

Shown shown_of(std::string_view text) {
  Shown shown{trimmed(text)};
  for (bool more = true; more;) {
    more = false;
    if (take_last(shown.what, "@all")) more = shown.all = true;
    for (const std::string_view name : {"float", "int", "hex"}) {
      std::string_view rest = shown.what;
      if (!take_last(rest, name) || !take_last(rest, "as")) continue;
      shown.what = rest;
      shown.format = *format_named(name);
      more = true;
    }
  }
  if (shown.what.empty()) throw Error("a name is missing");
  return shown;
}

bool is_reference(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$[]") ==
             std::string_view::npos &&
         !(text.front() >= '0' && text.front() <= '9');
}

std::string short_place(const Focus& focus) {
  return fmt::format("chip {} block {} PE {} element {}", focus.chip, focus.block, focus.pe, focus.element);
}

class Session {
 public:
  explicit Session(Debugger& debugger) : debugger_(debugger) {}

  // ---- moving -------------------------------------------------------------------------------------------------------

  std::string told(const Stop& stop) const {
    std::string text;
    switch (stop.reason) {
      case StopReason::step:
        break;
      case StopReason::breakpoint:
        text = fmt::format("breakpoint {}\n", stop.number);
        break;
      case StopReason::watch:
        text = fmt::format("watch {}: {}\n", stop.number, stop.text);
        break;
      case StopReason::begin:
        text = "the begin of the run\n";
        break;
      case StopReason::end:
        text = "the end of the run\n";
        break;
      case StopReason::fault:
        text = fmt::format("fault: {}\n", stop.text);
        break;
      case StopReason::interrupted:
        text = "interrupted\n";
        break;
    }
    return text + where();
  }

  [[nodiscard]] std::string where() const {
    std::string text = debugger_.position() ? debugger::text_of(*debugger_.position()) : std::string("end");
    text += fmt::format(" ({}", debugger::text_of(debugger_.focus()));
    if (const auto i = debugger_.i_particle()) text += fmt::format("; i {}", *i);
    if (const auto j = debugger_.j_record()) text += fmt::format("; j {}", *j);
    if (!debugger_.jvalid()) text += "; no j-record";
    text += ")\n";
    if (const auto line = debugger_.line()) text += lines_of(*line);
    return text;
  }

  [[nodiscard]] std::string lines_of(const CodeLine& line) const {
    if (isa::is_waiting(debugger_.program().lines(line.section), line.line)) return fmt::format("  {}\n", isa::kWaits);
    std::string text;
    bool first = true;
    for (const isa::SourcePosition& place : line.places) {
      const std::string source(trimmed(debugger_.source_line(place).value_or(first ? line.text : "")));
      text += fmt::format("  {}{}: {}\n", first ? "" : "+ ", place_of(place), source);
      if (const std::string* expanded = debugger_.program().expanded_text(place)) {
        text += fmt::format("      = {}\n", *expanded);
      }
      text += calls_of(place);
      for (const isa::Origin* use :
           first ? debugger_.program().uses_around(place) : std::vector<const isa::Origin*>()) {
        text += fmt::format("    in {}: {}\n", place_of(use->position),
                            trimmed(debugger_.source_line(use->position).value_or(use->what)));
      }
      first = false;
    }
    return text;
  }

  /// The calls that lead to the function of a place, each on a line.
  [[nodiscard]] std::string calls_of(const isa::SourcePosition& place) const {
    const std::vector<isa::SourceFrame> frames = debugger_.program().frames_of(place);
    std::string text;
    for (std::size_t n = 1; n < frames.size(); ++n) {
      text +=
          fmt::format("    in {}, called by {} at {}: {}\n", frames[n - 1].function, frames[n].function,
                      place_of(frames[n].position), trimmed(debugger_.source_line(frames[n].position).value_or("")));
    }
    return text;
  }

  [[nodiscard]] std::string place_of(const isa::SourcePosition& place) const {
    const auto& files = debugger_.program().files;
    return place.file < files.size() ? fmt::format("{}:{}", files[place.file], place.line) : std::string("?");
  }

  /// Goes on to the next stop. What breakpoints log on the way comes first.
  std::string went_on() const {
    const auto logged = std::make_shared<std::string>();
    debugger_.set_log([logged](std::string_view text) { *logged += fmt::format("{}\n", text); });
    const Stop stop = debugger_.go_on();
    return *logged + told(stop);
  }

  std::string step(std::string_view rest, bool forward) {
    StepUnit unit = StepUnit::line;
    std::uint64_t count = 1;
    for (const std::string_view word : words_of(rest)) {
      if (const auto number = number_from<std::uint64_t>(word)) {
        count = *number;
      } else if (const auto named = step_unit_named(word)) {
        unit = *named;
      } else {
        throw Error(fmt::format(
            "'{}' is refused: it must be a whole number from 0 to {}, line, over, out, iteration, record or run", word,
            std::numeric_limits<std::uint64_t>::max()));
      }
    }
    return told(forward ? debugger_.step(unit, count) : debugger_.back(unit, count));
  }

  // ---- stops --------------------------------------------------------------------------------------------------------

  std::string add_stop(std::string_view rest, bool watch) {
    bool all = false;
    if (take_last(rest, "@all")) all = true;
    BreakpointOptions options;
    if (!watch) {
      options.log = std::string(cut(rest, " log "));
      options.hits = std::string(cut(rest, " hits "));
    }
    const std::string_view condition = cut(rest, " if ");
    if (rest.empty()) throw Error(watch ? "watch: a name is missing" : "break: a line is missing");
    if (all && (watch || condition.empty())) throw Error("@all goes with a breakpoint's condition");
    options.condition = std::string(condition);
    options.everywhere = all;
    const unsigned number = watch ? debugger_.add_watch(rest, condition) : debugger_.add_breakpoint(rest, options);
    return shown_stop(stop_of(number));
  }

  /// Takes what follows a word from the end of the text; empty if the word is not there.
  static std::string_view cut(std::string_view& text, std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return {};
    const std::string_view behind = trimmed(text.substr(at + word.size()));
    text = trimmed(text.substr(0, at));
    return behind;
  }

  /// `x[1] = 2 * y`
  std::string set(std::string_view rest) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos || equals == 0) throw Error("set: it is set NAME = EXPR");
    const std::string_view name = trimmed(rest.substr(0, equals));
    const Reference reference = debugger_.resolve(name);
    debugger_.set_word(reference, debugger_.evaluate(trimmed(rest.substr(equals + 1))));
    return print(name);
  }

  [[nodiscard]] Breakpoint stop_of(unsigned number) const {
    for (const Breakpoint& each : debugger_.breakpoints()) {
      if (each.number == number) return each;
    }
    throw Error(fmt::format("there is no stop {}", number));
  }

  [[nodiscard]] std::string shown_stop(const Breakpoint& stop) const {
    std::string text = fmt::format("{} {} {}", stop.watch ? "watch" : "breakpoint", stop.number, stop.place);
    if (!stop.condition.empty()) text += fmt::format(" if {}", stop.condition);
    if (stop.everywhere) text += " @all";
    if (!stop.hits.empty()) text += fmt::format(" hits {}", stop.hits);
    if (!stop.log.empty()) text += fmt::format(" log {}", stop.log);
    if (!stop.watch) {
      const std::size_t lines = debugger_.lines_at(stop.place).size();
      if (lines > 1) text += fmt::format(" ({} lines of code)", lines);
    }
    return text + "\n";
  }

  std::string remove(std::string_view rest) {
    const auto number = number_from<unsigned>(trimmed(rest));
    if (!number || !debugger_.remove(*number)) throw Error(fmt::format("delete: there is no stop '{}'", trimmed(rest)));
    return {};
  }

  [[nodiscard]] std::string stops() const {
    std::string text;
    for (const Breakpoint& each : debugger_.breakpoints()) text += shown_stop(each);
    return text.empty() ? "no breakpoints, no watches\n" : text;
  }

  // ---- focus --------------------------------------------------------------------------------------------------------

  /// `chip=3`, or `chip 3`.
  static std::vector<std::pair<std::string_view, std::uint64_t>> assignments(std::string_view rest) {
    std::vector<std::pair<std::string_view, std::uint64_t>> found;
    const std::vector<std::string_view> words = words_of(rest);
    for (std::size_t n = 0; n < words.size(); ++n) {
      std::string_view name = words[n];
      std::string_view value;
      if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
        value = name.substr(equals + 1);
        name = name.substr(0, equals);
      } else if (n + 1 < words.size()) {
        value = words[++n];
      }
      const auto number = number_from<std::uint64_t>(value);
      if (!number) throw Error(fmt::format("'{}' is refused: it must be NAME=NUMBER", words[n]));
      found.emplace_back(name, *number);
    }
    return found;
  }

  std::string focus(std::string_view rest) {
    Focus focus = debugger_.focus();
    for (const auto& [name, value] : assignments(rest)) {
      const auto number = static_cast<unsigned>(std::min<std::uint64_t>(value, std::numeric_limits<unsigned>::max()));
      if (name == "chip") {
        focus.chip = number;
      } else if (name == "block") {
        focus.block = number;
      } else if (name == "pe") {
        focus.pe = number;
      } else if (name == "element") {
        focus.element = number;
      } else {
        throw Error(fmt::format("focus: '{}' is refused: it must be chip, block, pe or element", name));
      }
    }
    debugger_.set_focus(focus);
    return where();
  }

  std::string pair(std::string_view rest) {
    std::optional<std::uint64_t> i;
    std::optional<std::uint64_t> j;
    for (const auto& [name, value] : assignments(rest)) {
      if (name != "i" && name != "j") throw Error(fmt::format("pair: '{}' is refused: it must be i or j", name));
      (name == "i" ? i : j) = value;
    }
    if (!i && !j) throw Error("pair: i=NUMBER, j=NUMBER or both are missing");
    debugger_.go_to_pair(i, j);
    return where();
  }

  // ---- looking ------------------------------------------------------------------------------------------------------

  std::string print(std::string_view rest) const {
    const Shown shown = shown_of(rest);
    if (!is_reference(shown.what) || is_place_name(shown.what)) {
      if (shown.all) throw Error("print: @all goes with a name");
      const Value value = debugger_.evaluate(shown.what);
      return fmt::format("{} = {}\n", shown.what, debugger::text_of(value));
    }
    const Reference reference = debugger_.resolve(shown.what);
    std::string text;
    for (unsigned n = 0; n < reference.entries; ++n) {
      const unsigned entry = reference.first + n;
      text += shown.all ? summary(reference, entry, shown.format)
                        : text_of(debugger_, reference.symbol, entry,
                                  reference.element.value_or(debugger_.focus().element), shown.format) +
                              "\n";
    }
    return text;
  }

  /// One line that summarises a word over all active elements.
  [[nodiscard]] std::string summary(const Reference& reference, unsigned entry, Format format) const {
    const std::vector<PlacedWord> words = debugger_.everywhere(reference, entry, true);
    const Symbol& symbol = reference.symbol;
    const NumberType type = format == Format::natural ? symbol.type() : NumberType{format == Format::real};
    std::string text = fmt::format("{}: {} words", symbol.entry_name(entry), words.size());
    const PlacedWord* least = nullptr;
    const PlacedWord* most = nullptr;
    const PlacedWord* odd = nullptr;
    std::size_t not_finite = 0;
    double sum = 0;
    const auto number = [&](const PlacedWord& word) { return value_of(word.word, symbol.width, type).number(); };
    for (const PlacedWord& word : words) {
      const double value = number(word);
      if (!std::isfinite(value)) {
        if (odd == nullptr) odd = &word;
        ++not_finite;
        continue;
      }
      sum += value;
      if (least == nullptr || value < number(*least)) least = &word;
      if (most == nullptr || value > number(*most)) most = &word;
    }
    const auto told = [&](std::string_view what, const PlacedWord& word) {
      text += fmt::format("\n  {} {} at {}", what, debugger::text_of(word.word, symbol.width, type, format),
                          short_place(word.place));
    };
    if (least != nullptr) told("least", *least);
    if (most != nullptr) told("most", *most);
    if (least != nullptr) text += fmt::format("\n  mean {}", sum / static_cast<double>(words.size() - not_finite));
    if (odd != nullptr) told(fmt::format("{} not finite, first", not_finite), *odd);
    return text + "\n";
  }

  std::string table(std::string_view rest) const {
    const Shown shown = shown_of(rest);
    const Reference reference = debugger_.resolve(shown.what);
    std::string text;
    for (unsigned n = 0; n < reference.entries; ++n) {
      text += fmt::format("{}, a PE in each row{}\n", reference.symbol.entry_name(reference.first + n),
                          reference.symbol.vector && !reference.element ? ", its elements side by side" : "");
      const Focus* row = nullptr;
      const std::vector<PlacedWord> words = debugger_.everywhere(reference, reference.first + n, shown.all);
      for (const PlacedWord& word : words) {
        const bool same = row != nullptr && row->pe == word.place.pe && row->block == word.place.block &&
                          row->chip == word.place.chip;
        if (!same) {
          if (row != nullptr) text += "\n";
          text += shown.all ? fmt::format("{:>3}.{:<2} {:>2}:", word.place.chip, word.place.block, word.place.pe)
                            : fmt::format("{:>4}:", word.place.pe);
        }
        row = &word.place;
        text += fmt::format(
            " {:>14}", debugger::text_of(word.word, reference.symbol.width, reference.symbol.type(), shown.format));
      }
      text += "\n";
    }
    return text;
  }

  std::string histogram(std::string_view rest) const {
    const Shown shown = shown_of(rest);
    const Reference reference = debugger_.resolve(shown.what);
    if (!reference.single())
      throw Error(fmt::format("hist: {} has {} entries: choose one of them", shown.what, reference.entries));
    std::vector<double> numbers;
    std::size_t not_finite = 0;
    const std::vector<PlacedWord> words = debugger_.everywhere(reference, reference.first, shown.all);
    for (const PlacedWord& word : words) {
      const double value = value_of(word.word, reference.symbol.width, reference.symbol.type()).number();
      if (std::isfinite(value)) {
        numbers.push_back(value);
      } else {
        ++not_finite;
      }
    }
    std::string text = fmt::format("{}: {} words{}\n", reference.symbol.entry_name(reference.first), words.size(),
                                   not_finite == 0 ? "" : fmt::format(", {} not finite", not_finite));
    if (numbers.empty()) return text;
    const auto [least, most] = std::ranges::minmax(numbers);
    // Numbers of one sign that cover many decades are counted by their logarithms.
    const bool decades = least > 0 && most > 1000 * least;
    const auto scale = [&](double value) { return decades ? std::log10(value) : value; };
    const double low = scale(least);
    const double width = (scale(most) - low) / kBins;
    std::array<std::size_t, kBins> counts{};
    for (const double value : numbers) {
      const double bin = width > 0 ? (scale(value) - low) / width : 0;
      counts[std::min(static_cast<std::size_t>(bin), kBins - 1)] += 1;
    }
    const std::size_t highest = *std::ranges::max_element(counts);
    for (std::size_t bin = 0; bin < (width > 0 ? kBins : 1); ++bin) {
      const auto edge = [&](std::size_t n) {
        const double at = low + static_cast<double>(n) * width;
        return decades ? std::pow(10.0, at) : at;
      };
      text += fmt::format("{:>12.5g} .. {:>12.5g} {:>6} {}\n", edge(bin), edge(bin + 1), counts[bin],
                          std::string((counts[bin] * kBarWidth + highest - 1) / highest, '#'));
    }
    return text;
  }

  std::string why(std::string_view rest) const {
    const std::vector<std::string_view> words = words_of(rest);
    if (words.empty() || words.size() > 2) throw Error("why: NAME, or NAME and how many lines back, is expected");
    unsigned depth = 1;
    if (words.size() == 2) {
      const auto number = number_from<unsigned>(words[1]);
      if (!number || *number > 16) throw Error(fmt::format("why: '{}' is refused: it must be 0 to 16", words[1]));
      depth = *number;
    }
    std::string text;
    tell(debugger_.why(debugger_.resolve(words[0]), depth), 0, text);
    return text;
  }

  void tell(const Origin& origin, unsigned indent, std::string& text) const {
    text += fmt::format("{:{}}{} = {}", "", 2 * indent, origin.name, origin.value);
    if (!origin.text.empty()) text += ": " + origin.text;
    if (!origin.written) {
      text += "\n";
      tell_held_back(origin, indent, text);
      return;
    }
    text += fmt::format(", written by {}{}\n", debugger::text_of(*origin.written),
                        origin.gates.empty() ? "" : fmt::format(" ({})", fmt::join(origin.gates, ", ")));
    for (const isa::SourcePosition& place : debugger_.line_at(*origin.written).places) {
      text += fmt::format("{:{}}  | {}: {}\n", "", 2 * indent, place_of(place),
                          trimmed(debugger_.source_line(place).value_or("")));
    }
    tell_held_back(origin, indent, text);
    const bool born = !origin.finite && std::ranges::all_of(origin.operands, &Origin::finite);
    if (born) text += fmt::format("{:{}}  its operands are finite: it begins here\n", "", 2 * indent);
    for (const Origin& operand : origin.operands) tell(operand, indent + 1, text);
  }

  void tell_held_back(const Origin& origin, unsigned indent, std::string& text) const {
    for (const Position& at : origin.held_back) {
      text += fmt::format("{:{}}  not written since by {}, {}: its flag or mask held it back\n", "", 2 * indent,
                          place_of(debugger_.line_at(at).places.front()), debugger::text_of(at));
    }
  }

  [[nodiscard]] std::string words(std::initializer_list<SymbolKind> kinds, bool gpr) const {
    std::string text;
    const auto here = debugger_.position();
    const bool in_body = here && here->section == isa::Section::loop_body;
    // The names in assembly of a program in another language are those of words, whatever they hold.
    const bool only_locals = !gpr && !debugger_.program().values.empty();
    if (only_locals) {
      for (const Symbol& symbol : debugger_.locals())
        text += text_of(debugger_, symbol, 0, debugger_.focus().element, Format::natural) + "\n";
    }
    for (const Symbol& symbol : debugger_.symbols().all()) {
      const bool wanted = std::ranges::find(kinds, symbol.kind) != kinds.end();
      const bool in_gpr = symbol.storage == isa::Storage::gpr;
      if (only_locals && (symbol.kind == SymbolKind::own || symbol.kind == SymbolKind::register_name)) continue;
      if (symbol.storage == isa::Storage::record && !in_body) continue;
      if (!wanted && !(gpr && in_gpr && symbol.kind == SymbolKind::own)) continue;
      for (unsigned entry = 0; entry < symbol.entries; ++entry) {
        text += text_of(debugger_, symbol, entry, debugger_.focus().element, Format::natural) + "\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::string events() const {
    const Debugger::Events& events = debugger_.events();
    std::string text = fmt::format("{} invalid, {} overflow, {} underflow\n", events.counts.invalid,
                                   events.counts.overflow, events.counts.underflow);
    for (const emulator::PlacedEvent& event : events.first) {
      text += fmt::format(
          "  {}: {}\n", emulator::source_place(debugger_.program(), event.place.section, event.place.line, event.unit),
          emulator::text_of(event));
    }
    if (!events.fault.empty()) text += fmt::format("fault: {}\n", events.fault);
    return text;
  }

  [[nodiscard]] std::string source(std::string_view rest) const {
    unsigned around = kSourceLines;
    if (!trimmed(rest).empty()) {
      const auto number = number_from<unsigned>(trimmed(rest));
      if (!number || *number > 1000)
        throw Error(fmt::format("source: '{}' is refused: it must be 0 to 1000", trimmed(rest)));
      around = *number;
    }
    const auto line = debugger_.line();
    if (!line) return "the end of the run\n";
    const isa::SourcePosition here = line->places.front();
    std::string text;
    for (std::uint32_t number = here.line > around ? here.line - around : 1; number <= here.line + around; ++number) {
      const auto source = debugger_.source_line({here.file, number, 1});
      if (!source) continue;
      const bool also = std::ranges::any_of(line->places, [&](const isa::SourcePosition& place) {
        return place.file == here.file && place.line == number;
      });
      text += fmt::format("{} {:>5}  {}\n", number == here.line ? "->" : also ? " +" : "  ", number, *source);
    }
    return text.empty() ? lines_of(*line) : text;
  }

  std::string check(std::string_view rest) const {
    if (!debugger_.evaluate(rest).truth()) throw Error(fmt::format("assert: {} does not hold", trimmed(rest)));
    return {};
  }

 private:
  Debugger& debugger_;
};

}  // namespace

std::string_view command_help() { return kHelp; }

std::string text_of(const Debugger& debugger, const Symbol& symbol, unsigned entry, unsigned element, Format format) {
  const auto shown = [&](unsigned each) {
    const WordPlace place = symbol.word(entry, each);
    return debugger::text_of(debugger.word(place), place.width, symbol.type(), format);
  };
  std::string text = fmt::format("{} = {}", symbol.entry_name(entry), shown(element));
  if (!symbol.vector) return text;
  text += "  [";
  for (unsigned each = 0; each < isa::kVectorElements; ++each)
    text += fmt::format("{}{}", each == 0 ? "" : " ", shown(each));
  return text + "]";
}

std::string Commands::where() const { return Session(debugger_).where(); }

std::string Commands::state() const {
  return Session(debugger_).words({SymbolKind::input, SymbolKind::record, SymbolKind::result, SymbolKind::own,
                                   SymbolKind::parameter, SymbolKind::register_name, SymbolKind::machine},
                                  false);
}

Reply Commands::execute(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty() || text.front() == '#') return {};
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view name = text.substr(0, end);
  const std::string_view rest = trimmed(text.substr(end));
  Session session(debugger_);
  const auto plain = [&] {
    if (!rest.empty()) throw Error(fmt::format("{}: '{}' is refused: nothing follows it", name, rest));
  };
  if (name == "step" || name == "s") return {session.step(rest, true)};
  if (name == "back") return {session.step(rest, false)};
  if (name == "next" || name == "n") return {session.step(fmt::format("{} over", rest), true)};
  if (name == "out") return {session.step(fmt::format("{} out", rest), true)};
  if (name == "break" || name == "b") return {session.add_stop(rest, false)};
  if (name == "watch") return {session.add_stop(rest, true)};
  if (name == "delete") return {session.remove(rest)};
  if (name == "focus") return {session.focus(rest)};
  if (name == "pair") return {session.pair(rest)};
  if (name == "print" || name == "p") return {session.print(rest)};
  if (name == "table") return {session.table(rest)};
  if (name == "hist") return {session.histogram(rest)};
  if (name == "why") return {session.why(rest)};
  if (name == "source") return {session.source(rest)};
  if (name == "assert") return {session.check(rest)};
  if (name == "set") return {session.set(rest)};
  constexpr std::array<std::string_view, 14> kAlone{"run",  "continue", "c",      "reverse", "begin", "end",  "breaks",
                                                    "vars", "regs",     "events", "where",   "help",  "quit", "q"};
  if (std::ranges::find(kAlone, name) == kAlone.end()) {
    throw Error(fmt::format("unknown command '{}'; help lists them all", name));
  }
  plain();
  if (name == "run") {
    debugger_.go_to_begin();
    return {session.went_on()};
  }
  if (name == "continue" || name == "c") return {session.went_on()};
  if (name == "reverse") return {session.told(debugger_.go_back())};
  if (name == "begin") return {session.told(debugger_.go_to_begin())};
  if (name == "end") return {session.told(debugger_.go_to_end())};
  if (name == "breaks") return {session.stops()};
  if (name == "vars") {
    return {session.words(
        {SymbolKind::input, SymbolKind::record, SymbolKind::result, SymbolKind::own, SymbolKind::parameter}, false)};
  }
  if (name == "regs") return {session.words({SymbolKind::register_name, SymbolKind::machine}, true)};
  if (name == "events") return {session.events()};
  if (name == "where") return {session.where()};
  if (name == "help") return {std::string(kHelp)};
  return {{}, true};  // quit
}

}  // namespace gdr::debugger
