// What the debugger shows at the current position: words, expressions, origins.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "debugger_impl.h"
#include "gdr/base/error.h"

namespace gdr::debugger {

using emulator::kParticlesPerRun;
using isa::Section;
using isa::Storage;

isa::LongWord Debugger::Impl::word(const WordPlace& place) const {
  return word_in(timeline_->block(), place, focus_.pe);
}

std::optional<double> Debugger::Impl::constant(std::string_view name) const {
  if (std::ranges::find(symbols_.all(), name, &Symbol::name) != symbols_.all().end()) return std::nullopt;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Value Debugger::Impl::evaluate(const Expression& expression, const emulator::BlockStepper& block, const Focus& focus,
                               std::uint64_t run) const {
  return expression.evaluate([&](std::string_view name, const std::vector<std::uint64_t>& subscripts) {
    if (is_place_name(name)) return place_value(name, block, focus, run);
    if (const std::optional<double> number = constant(name)) return Value{false, *number, 0};
    const Reference reference = find(name, subscripts, block);
    require_single(reference);
    const WordPlace place = reference.symbol.word(reference.first, reference.element.value_or(focus.element));
    return value_of(word_in(block, place, focus.pe), place.width, reference.symbol.type());
  });
}

Value Debugger::Impl::evaluate(const Expression& expression) const {
  return evaluate(expression, timeline_->block(), focus_, run_here());
}

Reference Debugger::Impl::resolve(std::string_view name) const {
  std::size_t end = 0;
  while (end < name.size() && name[end] != '[') ++end;
  const std::string_view plain = name.substr(0, end);
  std::vector<std::uint64_t> subscripts;
  while (end < name.size()) {
    const std::size_t close = name.find(']', end);
    const auto subscript =
        close == std::string_view::npos ? std::nullopt : whole_number(name.substr(end + 1, close - end - 1));
    if (name[end] != '[' || !subscript)
      throw Error(fmt::format("'{}' is refused: it must be a name such as x, x[1] or x[1][3]", name));
    subscripts.push_back(*subscript);
    end = close + 1;
  }
  return find(plain, subscripts, timeline_->block());
}

std::optional<Debugger::Impl::NamedLocal> Debugger::Impl::local_named(std::string_view name,
                                                                      std::span<const std::uint64_t> subscripts) const {
  if (!subscripts.empty()) {
    std::string entry = fmt::format("{}{}", name, subscripts.front());  // each entry of an array is a variable
    if (locals_.knows(entry)) return NamedLocal{std::move(entry), subscripts.subspan(1)};
  }
  if (locals_.knows(name)) return NamedLocal{std::string(name), subscripts};
  return std::nullopt;
}

Reference Debugger::Impl::find(std::string_view name, const std::vector<std::uint64_t>& subscripts,
                               const emulator::BlockStepper& block) const {
  const std::optional<NamedLocal> local = local_named(name, subscripts);
  if (!local) return symbols_.find(name, subscripts);
  if (block.done()) throw Error(fmt::format("{} has no value: the run is over", name));
  const emulator::NextLine next = block.next();
  const Locals::Found found = locals_.look_up(local->name, next.section, next.line);
  if (!found.symbol) {
    throw Error(fmt::format("{}{} {}", name, local->name == name ? "" : fmt::format("[{}]", subscripts.front()),
                            found.missing));
  }
  Reference reference{*found.symbol, 0, 1, std::nullopt};
  if (local->elements.size() > 1 || (!local->elements.empty() && !reference.symbol.vector))
    throw Error(fmt::format("{} has no such subscript", local->name));
  if (local->elements.empty()) return reference;
  if (local->elements.front() >= isa::kVectorElements) {
    throw Error(
        fmt::format("{}: element {} is outside 0..{}", local->name, local->elements.front(), isa::kVectorElements - 1));
  }
  reference.element = static_cast<unsigned>(local->elements.front());
  return reference;
}

std::vector<Symbol> Debugger::Impl::locals() const {
  const emulator::BlockStepper& block = timeline_->block();
  if (block.done()) return {};
  const emulator::NextLine next = block.next();
  return locals_.at(next.section, next.line);
}

std::vector<PlacedWord> Debugger::Impl::everywhere(const Reference& reference, unsigned entry, bool all_blocks) const {
  std::vector<PlacedWord> words;
  for (unsigned chip = 0; chip < recording_.chips; ++chip) {
    for (unsigned block = 0; block < isa::kBlocks; ++block) {
      const bool own = chip == focus_.chip && block == focus_.block;
      if (!own && !all_blocks) continue;
      std::optional<Timeline> other;
      if (!own) {
        other.emplace(recording_, clocks_[chip], chip, block, 0);
        other->seek(moment_on(chip));
      }
      const emulator::BlockStepper& at = own ? timeline_->block() : other->block();
      for_each_element(chip, block, run_here(), [&](const Focus& focus) {
        const bool chosen = !reference.element || *reference.element == focus.element;
        const bool scalar = !reference.symbol.vector && reference.symbol.storage != Storage::t;
        if (!chosen || (scalar && focus.element != 0)) return;
        words.push_back({focus, word_in(at, reference.symbol.word(entry, focus.element), focus.pe)});
      });
    }
  }
  return words;
}

Origin Debugger::Impl::why(const Reference& reference, unsigned depth) const {
  if (!reference.single())
    throw Error(fmt::format("why: {} has {} entries: choose one of them", reference.symbol.name, reference.entries));
  const unsigned element = reference.element.value_or(focus_.element);
  const Moment now = timeline_->now();
  OriginSearch search{recording_, clock(), symbols_, *timeline_, focus_.pe, host_writer()};
  Origin origin = search.find(reference.symbol.word(reference.first, element), reference.symbol.floating, now, depth);
  timeline_->seek(now);
  return origin;
}

void Debugger::Impl::set_word(const Reference& reference, const Value& value) {
  require_single(reference);
  const Symbol& symbol = reference.symbol;
  const WordPlace place = symbol.word(reference.first, reference.element.value_or(focus_.element));
  if (place.storage != Storage::gpr && place.storage != Storage::lm) {
    throw Error(fmt::format("{} is not set: only words of registers and local memory are", symbol.name));
  }
  const isa::LongWord word = word_of(value, place.width, symbol.floating);
  recording_.patches.push_back({timeline_->now(), focus_.chip, focus_.block, focus_.pe,
                                place.storage == Storage::gpr ? isa::Memory::gpr : isa::Memory::lm,
                                static_cast<std::uint16_t>(place.address), place.width, word});
  timeline_->take_patches();
}

const CodeLine& Debugger::Impl::line_at(const Position& position) const {
  return code_.at(static_cast<std::size_t>(position.section)).at(position.line);
}

std::optional<std::string> Debugger::Impl::source_line(const isa::SourcePosition& place) const {
  if (place.file >= job_.sources.size() || place.line == 0) return std::nullopt;
  const std::string& text = job_.sources[place.file];
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return std::nullopt;
    ++begin;
  }
  if (begin >= text.size()) return std::nullopt;
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

const Debugger::Events& Debugger::Impl::events() const {
  if (!events_) {
    events_.emplace();
    DeviceOptions options = job_.device;
    options.engine = emulator::Engine::simd;
    Device device(options);
    device.follow_events();
    start(device);
    try {
      static_cast<void>(device.run(job_.i_fields, job_.records));
    } catch (const emulator::Fault& fault) {
      events_->fault = fault.what();
    }
    const RunEvents events = device.events();
    events_->counts = events.counts;
    events_->first = events.first;
  }
  return *events_;
}

void Debugger::Impl::require_single(const Reference& reference) {
  if (reference.single()) return;
  throw Error(fmt::format("{} has {} entries: choose one of them", reference.symbol.name, reference.entries));
}

isa::LongWord Debugger::Impl::word_in(const emulator::BlockStepper& block, const WordPlace& place, unsigned pe) const {
  if (place.storage == Storage::record && (block.done() || block.next().section != Section::loop_body)) {
    throw Error(fmt::format("{}: there is no j-record outside the loop body", symbols_.name_of(place)));
  }
  return read_word(block, place, pe);
}

Value Debugger::Impl::place_value(std::string_view name, const emulator::BlockStepper& block, const Focus& focus,
                                  std::uint64_t run) const {
  const auto whole = [](std::uint64_t value) { return Value{true, 0, static_cast<isa::int128>(value)}; };
  const Value none{true, 0, -1};
  if (name == "$peid") return whole(focus.pe);
  if (name == "$bbid") return whole(focus.block);
  if (name == "$chip") return whole(focus.chip);
  if (name == "$element") return whole(focus.element);
  if (name == "$run") return whole(run);
  if (name == "$i")
    return at_work(focus, run) && i_count() > 0 && (run > 0 || type2()) ? whole(i_of(focus, run)) : none;
  if (block.done()) throw Error(fmt::format("{}: the run is over", name));
  const emulator::NextLine next = block.next();
  if (name == "$iteration") return whole(next.iteration);
  if (name == "$jvalid") return whole(next.jvalid ? 1 : 0);
  const std::uint64_t j = j_of(focus, next.iteration);  // $j
  return next.section == Section::loop_body && j < j_count() ? whole(j) : none;
}

HostWriter Debugger::Impl::host_writer() const {
  return [this](const WordPlace& place, Moment before, unsigned pe) -> std::optional<HostWrite> {
    const auto inside = [&](const Symbol& symbol) {
      return symbol.storage == place.storage && place.address >= symbol.address &&
             place.address < symbol.address + symbol.entries * std::max(symbol.stride, 1u);
    };
    for (const Symbol& symbol : symbols_.all()) {
      if (symbol.kind == SymbolKind::parameter && inside(symbol)) {
        return HostWrite{0, fmt::format("parameter {}, set by the host", symbol.name)};
      }
      if (symbol.kind != SymbolKind::input || !inside(symbol)) continue;
      Moment since = 0;
      std::uint64_t run = 0;
      for (const Segment& segment : clock().segments()) {
        if (segment.piece == nullptr || segment.first > before) continue;
        if (segment.piece->begins) since = segment.first;
        run = segment.run;
      }
      if (run == 0) return std::nullopt;
      Focus of_word = focus_;
      of_word.pe = pe;
      of_word.element = (place.address - symbol.address) % symbol.stride / isa::short_words(symbol.width);
      const std::uint64_t i = i_of(of_word, run);
      const std::string entry = symbol.entry_name((place.address - symbol.address) / symbol.stride);
      return HostWrite{since, i < i_count() ? fmt::format("i-data: {} of i-particle {}", entry, i)
                                            : fmt::format("i-data: {} of i-particle {}, repeated to fill the PE", entry,
                                                          i_count() - 1)};
    }
    if (place.storage == Storage::record) {
      const std::optional<Position> here = clock().position(before);
      if (!here) return std::nullopt;
      const std::uint64_t j = j_of(focus_, here->iteration);
      return HostWrite{before, j < j_count() ? fmt::format("j-data: {} of j-record {}", symbols_.name_of(place), j)
                                             : std::string("no j-record: zeros, $jvalid is false")};
    }
    return std::nullopt;
  };
}

}  // namespace gdr::debugger
