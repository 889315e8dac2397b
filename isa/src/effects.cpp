#include "gdr/isa/effects.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gdr/base/error.h"

namespace gdr::isa {

// ---- accesses ------------------------------------------------------------------------------------------------------

WordRange words_of(const Access& access, unsigned element) {
  const unsigned first = access.address + element * access.step;
  if (access.indirect) return {first, size_of(access.storage)};
  const bool whole_t = access.storage == Storage::t && access.write;  // a short word clears the lower half
  return {first, first + (whole_t ? 2 : short_words(access.width))};
}

WordRange extent_of(const Access& access, unsigned elements) {
  return {words_of(access, 0).first, words_of(access, elements - 1).last};
}

bool overlap(const Access& a, unsigned a_elements, const Access& b, unsigned b_elements) {
  if (a.storage != b.storage || !extent_of(a, a_elements).meets(extent_of(b, b_elements))) return false;
  for (unsigned mine = 0; mine < a_elements; ++mine) {
    for (unsigned other = 0; other < b_elements; ++other) {
      if (words_of(a, mine).meets(words_of(b, other))) return true;
    }
  }
  return false;
}

unsigned size_of(Storage storage) {
  switch (storage) {
    case Storage::t:
      return kTShortWords;
    case Storage::flag:
      return kFlags + 1;  // numbered from 1
    case Storage::gpr:
      return kGprShortWords;
    case Storage::lm:
      return kLmShortWords;
    case Storage::bm:
    case Storage::record:
      break;
  }
  return kBmShortWords;
}

// ---- effects -------------------------------------------------------------------------------------------------------

class EffectsBuilder {
 public:
  explicit EffectsBuilder(const Line& line) : line_(line) {
    effects_.elements_ = line.vlen;
    effects_.masked_ = line.mask.flag != 0;
    effects_.bm_mode_ = line.bm.mode;
    add_gate(Unit::none, Role::mask, {line.mask.flag, line.mask.inverted, false});
    for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) add_slot(unit, slot_of(line, unit));
    if (line.bm.mode != BmMode::none) add_bm();
  }

  [[nodiscard]] const Effects& result() const { return effects_; }

 private:
  void works(Unit unit) {
    effects_.works_ = static_cast<std::uint8_t>(effects_.works_ | Effects::bit(unit));
    claims(unit);
  }
  void claims(Unit unit) { effects_.busy_ = static_cast<std::uint8_t>(effects_.busy_ | Effects::bit(unit)); }

  void add_slot(Unit unit, const Slot& slot) {
    if (slot.op == Op::NOP) return;
    const OperationInfo& info = info_of(slot.op);
    works(unit);
    if (info.claims_adder) claims(Unit::adder);
    if (info.half != ProductHalf::none) effects_.product_ = info.half;
    Access operand;
    operand.unit = unit;
    operand.floating = info.kind == NumberKind::floating_point;
    operand.defines = info.equal_sources_define && slot.a == slot.b;
    add_operand(Role::a, slot.a, operand);
    add_operand(Role::b, slot.b, operand);
    add_ports(unit, slot.width, false);
    if (slot.flag.flag == 0) return;
    add_gate(unit, Role::flag_write, slot.flag.predicate);
    Access flag;
    flag.storage = Storage::flag;
    flag.role = Role::flag_write;
    flag.unit = unit;
    flag.predicate = slot.flag.predicate;
    flag.address = slot.flag.flag;
    add_write(flag);
  }

  /// The word of a load is an operand of BM; that of a store is its result.
  void add_bm() {
    const BmPort& port = line_.bm;
    claims(Unit::bm);
    effects_.bm_clocks_ = static_cast<std::uint8_t>(port.vector || port.mode == BmMode::write ? line_.vlen : 1);
    Access operand;
    operand.unit = Unit::bm;
    operand.one_pe = port.one_pe;
    if (port.mode == BmMode::write) {
      works(Unit::bm);
      add_operand(Role::a, port.store_source, operand);
      Access store = operand;
      store.role = Role::bm_write;
      place_in_bm(store);
      add_write(store);
      return;
    }
    const auto moves = [](const WritePort& write) { return write.source == Unit::bm; };
    if (!moves(line_.t_write) && !moves(line_.gpr_write) && !moves(line_.lm_write)) return;
    works(Unit::bm);
    add_operand(Role::a, Source::bm, operand);
    add_ports(Unit::bm, port.width, port.one_pe);
  }

  void place_in_bm(Access& access) const {
    access.storage = line_.bm.record ? Storage::record : Storage::bm;
    place(access, line_.bm.address, line_.bm.width, line_.bm.vector);
  }

  static void place(Access& access, std::uint16_t address, Width width, bool vector) {
    access.address = address;
    access.width = width;
    access.step = static_cast<std::uint8_t>(vector ? short_words(width) : 0);
  }

  static void place_in_t(Access& access, Width width) {
    access.storage = Storage::t;
    access.width = width;
    access.step = 2;
  }

  /// `access` already has the unit and the properties that depend on the operation.
  void add_operand(Role role, Source source, Access access) {
    access.role = role;
    const auto port = [&](Storage storage, const ReadPort& read) {
      access.storage = storage;
      access.indirect = read.indirect;
      place(access, read.address, read.width, read.vector);
      if (read.indirect) add_index(access);
    };
    switch (source) {
      case Source::gpr_a:
        port(Storage::gpr, line_.gpr_a);
        break;
      case Source::gpr_b:
        port(Storage::gpr, line_.gpr_b);
        break;
      case Source::lm:
        port(Storage::lm, line_.lm_read);
        break;
      case Source::bm:
        place_in_bm(access);
        break;
      case Source::t_short:
        place_in_t(access, Width::short_word);
        break;
      case Source::t_long:
        place_in_t(access, Width::long_word);
        break;
      case Source::none:
      case Source::immediate:
      case Source::pe_id:
      case Source::bb_id:
        return;  // no line writes these
    }
    add_read(access);
  }

  /// Reads the element's T, which is added to the address of `access`.
  void add_index(const Access& access) {
    effects_.indirect_ = true;
    Access index;
    index.role = access.role;
    index.purpose = Purpose::index;
    index.unit = access.unit;
    index.one_pe = access.one_pe;
    place_in_t(index, access.width);
    add_read(index);
  }

  void add_gate(Unit unit, Role role, const Predicate& predicate) {
    if (predicate.flag == 0) return;
    Access gate;
    gate.storage = Storage::flag;
    gate.role = role;
    gate.purpose = Purpose::gate;
    gate.unit = unit;
    gate.address = predicate.flag;
    add_read(gate);
  }

  /// Writes of a unit's result through the write ports.
  void add_ports(Unit unit, Width width, bool one_pe) {
    const auto add = [&](Storage storage, Role role, const WritePort& port) {
      if (port.source != unit) return;
      add_gate(unit, role, port.predicate);
      Access write;
      write.storage = storage;
      write.role = role;
      write.unit = unit;
      write.indirect = port.indirect;
      write.one_pe = one_pe;
      write.predicate = port.predicate;
      if (storage == Storage::t) {
        place_in_t(write, width);
      } else {
        place(write, port.address, width, port.vector);
      }
      if (port.indirect) add_index(write);
      add_write(write);
    };
    add(Storage::t, Role::t_write, line_.t_write);
    add(Storage::gpr, Role::gpr_write, line_.gpr_write);
    add(Storage::lm, Role::lm_write, line_.lm_write);
  }

  void add_read(const Access& access) { effects_.reads_[effects_.reads_count_++] = access; }
  void add_write(Access access) {
    const UnitInfo& unit = info_of(access.unit);
    access.write = true;
    access.latency =
        static_cast<std::uint8_t>(access.storage == Storage::t ? unit.forward_latency : unit.register_latency);
    effects_.writes_[effects_.writes_count_++] = access;
  }

  const Line& line_;
  Effects effects_;
};

Effects effects(const Line& line) { return EffectsBuilder(line).result(); }

// ---- lines beside each other ---------------------------------------------------------------------------------------

namespace {

ProductHalf half_of(const Line* line) {
  return line == nullptr ? ProductHalf::none : info_of(line->multiplier.op).half;
}

/// Everything that determines the value of a multiplier operand.
auto operand_of(const Line& line, Source source, bool negated) {
  ReadPort port;
  if (source == Source::gpr_a) port = line.gpr_a;
  if (source == Source::gpr_b) port = line.gpr_b;
  if (source == Source::lm) port = line.lm_read;
  BmPort bm = source == Source::bm ? line.bm : BmPort();
  bm.one_pe = false;  // where else the word goes does not change it
  bm.pe = 0;
  const bool in_gpr = source == Source::gpr_a || source == Source::gpr_b;
  return std::tuple(in_gpr ? Source::gpr_a : source, negated, port, bm,
                    source == Source::immediate ? line.immediate : Immediate());
}

/// True if the line moves a whole long word of broadcast memory to T, in every active element and PE.
bool moves_bm_to_t(const Line& line) {
  return line.bm.mode == BmMode::read && line.bm.width == Width::long_word && !line.bm.one_pe &&
         line.t_write.source == Unit::bm && line.t_write.predicate == Predicate();
}

bool same_product(const Line& first, const Line& second) {
  const auto same = [&](Source high, bool high_negated, Source low, bool low_negated) {
    if (moves_bm_to_t(first) && high == Source::bm && low == Source::t_long) return high_negated == low_negated;
    return operand_of(first, high, high_negated) == operand_of(second, low, low_negated);
  };
  const Slot& high = first.multiplier;
  const Slot& low = second.multiplier;
  return same(high.a, high.negate_a, low.a, low.negate_a) && same(high.b, high.negate_b, low.b, low.negate_b) &&
         first.vlen == second.vlen && first.mask == second.mask;
}

bool is_operand_of_product(const Access& access) {
  return access.unit == Unit::multiplier && (access.role == Role::a || access.role == Role::b);
}

}  // namespace

std::string_view text_of(ProductFault fault) {
  switch (fault) {
    case ProductFault::none:
      break;
    case ProductFault::no_second:
      return "the line after 'fmulh' has no 'fmull' that ends the product";
    case ProductFault::no_first:
      return "the line before 'fmull' has no 'fmulh' that begins the product";
    case ProductFault::operands:
      return "'fmull' needs the operands, vlen and mask of the 'fmulh' in the line before";
    case ProductFault::t_written:
      return "T is an operand of the product, but the line of 'fmulh' writes it, so 'fmull' would read another word";
    case ProductFault::operand_lands:
      return "what the line before 'fmulh' writes may be an operand of the product, and lands between 'fmulh' and "
             "'fmull'";
    case ProductFault::mask_lands:
      return "the line before 'fmulh' writes the mask's flag, which lands between 'fmulh' and 'fmull'";
  }
  return "";
}

ProductFault product_fault(const Line* before, const Line& line, const Line* after) {
  switch (half_of(&line)) {
    case ProductHalf::none:
      break;
    case ProductHalf::first:
      return half_of(after) == ProductHalf::second ? ProductFault::none : ProductFault::no_second;
    case ProductHalf::second: {
      if (half_of(before) != ProductHalf::first) return ProductFault::no_first;
      if (!same_product(*before, line)) return ProductFault::operands;
      const Effects first = effects(*before);
      const bool from_t = std::ranges::any_of(
          first.reads(), [](const Access& read) { return read.storage == Storage::t && is_operand_of_product(read); });
      return from_t && before->t_write.source != Unit::none ? ProductFault::t_written : ProductFault::none;
    }
  }
  return ProductFault::none;
}

ProductFault landing_fault(const Effects& before, const Effects& first) {
  for (const Access& write : before.writes()) {
    if (write.latency < 2) continue;
    for (const Access& read : first.reads()) {
      if (!overlap(write, before.elements(), read, first.elements())) continue;
      if (is_operand_of_product(read)) return ProductFault::operand_lands;
      if (read.role == Role::mask) return ProductFault::mask_lands;
    }
  }
  return ProductFault::none;
}

std::vector<Section> sections_before(Section section, const std::array<bool, kSections>& has_lines) {
  const auto directly_before = [](Section at) -> std::vector<Section> {
    switch (at) {
      case Section::initialization:
        return {};
      case Section::loop_initialization:
        return {Section::initialization};
      case Section::loop_body:
      case Section::loop_termination:
        break;
    }
    return {Section::loop_initialization, Section::loop_body};
  };
  std::vector<Section> found;
  std::array<bool, kSections> seen{};
  std::vector<Section> open = directly_before(section);
  while (!open.empty()) {
    const Section at = open.back();
    open.pop_back();
    if (std::exchange(seen[static_cast<std::size_t>(at)], true)) continue;
    if (has_lines[static_cast<std::size_t>(at)]) {
      found.push_back(at);
    } else {
      for (const Section earlier : directly_before(at)) open.push_back(earlier);
    }
  }
  return found;
}

}  // namespace gdr::isa
