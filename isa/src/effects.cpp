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
  explicit EffectsBuilder(const LineWork& work) {
    effects_.elements_ = work.elements;
    effects_.masked_ = work.mask.flag != 0;
    // A line that does nothing reads no flag.
    const bool idle = work.units().empty() && work.bm.mode == BmMode::none;
    if (!idle) add_gate(Unit::none, Role::mask, {work.mask.flag, work.mask.inverted, false});
    for (const UnitWork& unit : work.units()) add_unit(unit);
    effects_.bm_mode_ = work.bm.mode;
    if (work.bm.mode == BmMode::none) return;
    claims(Unit::bm);
    const bool one_word = work.bm.mode == BmMode::read && !work.bm.vector;
    effects_.bm_clocks_ = one_word ? std::uint8_t{1} : work.elements;
  }

  [[nodiscard]] const Effects& result() const { return effects_; }

 private:
  void claims(Unit unit) { effects_.busy_ = static_cast<std::uint8_t>(effects_.busy_ | Effects::bit(unit)); }

  void add_unit(const UnitWork& work) {
    effects_.works_ = static_cast<std::uint8_t>(effects_.works_ | Effects::bit(work.unit));
    claims(work.unit);
    const OperationInfo& info = info_of(work.op);
    if (info.claims_adder) claims(Unit::adder);
    if (info.half != ProductHalf::none) effects_.product_ = info.half;
    add_operand(work.a);
    add_operand(work.b);
    for (const Access& write : work.destinations()) {
      add_gate(work.unit, write.role, write.predicate);
      add_access(write);
    }
    if (work.flag.flag == 0) return;
    add_gate(work.unit, Role::flag_write, work.flag.predicate);
    Access flag;
    flag.storage = Storage::flag;
    flag.role = Role::flag_write;
    flag.unit = work.unit;
    flag.write = true;
    flag.latency = static_cast<std::uint8_t>(info_of(work.unit).register_latency);
    flag.predicate = work.flag.predicate;
    flag.address = work.flag.flag;
    add_access(flag);
  }

  void add_operand(const UnitOperand& operand) {
    if (operand.kind == UnitOperand::Kind::word) add_access(operand.word);  // no line writes the others
  }

  void add_gate(Unit unit, Role role, const Predicate& predicate) {
    if (predicate.flag == 0) return;
    Access gate;
    gate.storage = Storage::flag;
    gate.role = role;
    gate.purpose = Purpose::gate;
    gate.unit = unit;
    gate.address = predicate.flag;
    add_access(gate);
  }

  /// Also adds the read of the element's T, which is added to the address of an indirect access.
  void add_access(const Access& access) {
    if (access.indirect) {
      effects_.indirect_ = true;
      Access index;
      index.storage = Storage::t;
      index.role = access.role;
      index.purpose = Purpose::index;
      index.unit = access.unit;
      index.width = access.width;
      index.one_pe = access.one_pe;
      index.step = 2;
      effects_.reads_[effects_.reads_count_++] = index;
    }
    if (access.write) {
      effects_.writes_[effects_.writes_count_++] = access;
    } else {
      effects_.reads_[effects_.reads_count_++] = access;
    }
  }

  Effects effects_;
};

Effects effects(const LineWork& work) { return EffectsBuilder(work).result(); }
Effects effects(const Line& line) { return effects(line_work(line)); }

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
