// Assembly text of one line.
#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "gdr/isa/line.h"
#include "gdr/isa/named_registers.h"
#include "gdr/isa/port_names.h"

namespace gdr::isa {
namespace {

std::string raw_text(std::string_view prefix, const ReadPort& port) {
  return fmt::format("${}{}{}{}{}", port.width == Width::long_word ? "l" : "", prefix, port.indirect ? "t" : "",
                     port.address, port.vector ? "v" : "");
}

std::string bm_text(const BmPort& port) {
  return raw_text(port.record ? kBmRecordPrefix : kBmPrefix, {port.address, port.width, port.vector, false});
}

std::string immediate_text(const Immediate& immediate) {
  return immediate.width == Width::long_word ? fmt::format("hl\"{}\"", to_hex(immediate.value))
                                             : fmt::format("hs\"{}\"", to_hex(immediate.value.upper()));
}

/// What the line reads, in the order in which its text names it.
std::vector<Source> sources_of(const Line& line) {
  std::vector<Source> sources;
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
    sources.push_back(slot_of(line, unit).a);
    sources.push_back(slot_of(line, unit).b);
  }
  if (line.bm.mode == BmMode::write) sources.push_back(line.bm.store_source);
  return sources;
}

/// True if an assembler that takes the first port for the first register in the text, and the second one for any other
/// register, gets the ports of this line. Otherwise the text must name the ports.
bool takes_ports_in_order(const Line& line) {
  const ReadPort* first = nullptr;
  for (const Source source : sources_of(line)) {
    if (source != Source::gpr_a && source != Source::gpr_b) continue;
    const ReadPort& port = source == Source::gpr_a ? line.gpr_a : line.gpr_b;
    if (first == nullptr) first = &port;
    if ((source == Source::gpr_a) != (port == *first)) return false;
  }
  return true;
}

std::string predicate_text(const Predicate& predicate) {
  std::string text;
  if (predicate.flag != 0) text += fmt::format("/{}{}", predicate.inverted ? "!" : "", predicate.flag);
  if (predicate.jvalid) text += "/j";
  return text;
}

/// The text of one line, with names in place of registers that have one.
class LineText {
 public:
  LineText(const Line& line, const RegisterNames& names, const AlwaysWritten& always)
      : line_(line), names_(names), always_(always) {}

  [[nodiscard]] std::string slot(Unit unit) const {
    const Slot& slot = slot_of(line_, unit);
    std::string text(info_of(slot.op).mnemonic);
    text += fmt::format(" {}{}", slot.negate_a ? "-" : "", source(slot.a));
    if (slot.b != Source::none) text += fmt::format(" {}{}", slot.negate_b ? "-" : "", source(slot.b));
    const std::string written = destinations(unit);
    text += written;
    if (slot.flag.flag != 0) {
      // If the flag is the only destination, it has to show the width to which the result is rounded.
      const bool is_long = written.empty() && slot.width == Width::long_word;
      text += fmt::format(" ${}ok{}{}{}", is_long ? "l" : "", slot.flag.flag, info_of(slot.flag.condition).suffix,
                          predicate_text(slot.flag.predicate));
    }
    return text;
  }

  [[nodiscard]] std::string bm() const {
    const std::string pe = line_.bm.one_pe ? fmt::format(" @{}", line_.bm.pe) : "";
    if (line_.bm.mode == BmMode::write) {
      return fmt::format("bm {} {}{}", source(line_.bm.store_source), bm_text(line_.bm), pe);
    }
    const std::string moved = destinations(Unit::bm);
    return moved.empty() ? "" : fmt::format("bm {}{}{}", bm_text(line_.bm), moved, pe);
  }

 private:
  [[nodiscard]] std::string named(const std::string& text) const {
    const auto name = names_.find(text);
    return name == names_.end() ? text : name->second;
  }

  [[nodiscard]] std::string gpr(Source source) const {
    const std::string text = raw_text(kGprPrefix, source == Source::gpr_a ? line_.gpr_a : line_.gpr_b);
    return takes_ports_in_order(line_) ? named(text) : text + std::string(read_port_suffix(source));
  }

  [[nodiscard]] std::string source(Source source) const {
    switch (source) {
      case Source::gpr_a:
      case Source::gpr_b:
        return gpr(source);
      case Source::lm:
        return named(raw_text(kLmPrefix, line_.lm_read));
      case Source::bm:
        return bm_text(line_.bm);
      case Source::immediate:
        return immediate_text(line_.immediate);
      case Source::t_short:
      case Source::t_long:
      case Source::pe_id:
      case Source::bb_id:
      case Source::none:
        break;
    }
    return std::string(name_of(source));
  }

  /// The destinations that a unit writes through the ports, each with a blank before it.
  [[nodiscard]] std::string destinations(Unit unit) const {
    const Width width = result_width(line_, unit);
    std::string text;
    if (line_.t_write.source == unit) {
      const Source view = width == Width::long_word ? Source::t_long : Source::t_short;
      text += fmt::format(" {}{}", name_of(view), predicate_text(line_.t_write.predicate));
    }
    const auto add = [&](std::string_view prefix, const WritePort& port, bool always) {
      if (port.source != unit) return;
      text += fmt::format(" {}{}{}", named(raw_text(prefix, {port.address, width, port.vector, port.indirect})),
                          predicate_text(port.predicate), always ? "/always" : "");
    };
    add(kGprPrefix, line_.gpr_write, always_.gpr);
    add(kLmPrefix, line_.lm_write, always_.lm);
    return text;
  }

  const Line& line_;
  const RegisterNames& names_;
  AlwaysWritten always_;
};

}  // namespace

std::string register_text(std::string_view prefix, std::uint16_t address, Width width, bool vector) {
  return raw_text(prefix, {address, width, vector, false});
}

std::string print(const Line& line) { return print(line, {}); }

std::string print(const Line& line, const RegisterNames& names, const AlwaysWritten& always) {
  const LineText text(line, names, always);
  std::vector<std::string> items{fmt::format("vlen {}", line.vlen)};
  if (line.mask.flag != 0) items.push_back(fmt::format("mask {}{}", line.mask.inverted ? "!" : "", line.mask.flag));
  const std::size_t controls = items.size();
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
    if (slot_of(line, unit).op != Op::NOP) items.push_back(text.slot(unit));
  }
  if (line.bm.mode != BmMode::none) {
    if (std::string moved = text.bm(); !moved.empty()) items.push_back(std::move(moved));
  }
  if (items.size() == controls) items.emplace_back(info_of(Op::NOP).mnemonic);
  return fmt::format("{}", fmt::join(items, "; "));
}

}  // namespace gdr::isa
