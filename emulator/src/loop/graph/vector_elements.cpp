#include "vector_elements.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "line/line_facts.h"

namespace gdr::emulator::jit {

bool elements_are_independent(const std::vector<const DecodedLine*>& lines, bool with_flags) {
  constexpr std::uint8_t kNobody = 255;
  std::array<std::uint8_t, simd::kRegisterRows> owner{};
  owner.fill(kNobody);
  std::array<Width, simd::kRegisterRows> width{};
  const auto takes = [&](const isa::Access& access) {
    if (access.indirect || access.one_pe) return false;
    if (access.storage == isa::Storage::flag) return with_flags;  // each element has a bit of its own
    if (!simd::in_registers(access)) {
      return (access.storage != isa::Storage::bm && access.storage != isa::Storage::record) || access.step == 0;
    }
    const simd::RowPattern rows = simd::pattern_of(access, isa::kVectorElements);
    const Width of_access = access.storage == isa::Storage::t ? Width::long_word : access.width;
    if (rows.step != isa::short_words(of_access)) return false;
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      for (unsigned row = rows.row(element); row < rows.row(element) + rows.words; ++row) {
        if (owner[row] != kNobody && (owner[row] != element || width[row] != of_access)) return false;
        owner[row] = static_cast<std::uint8_t>(element);
        width[row] = of_access;
        const unsigned other = row ^ 1U;
        if (owner[other] != kNobody && width[other] != of_access) return false;
      }
    }
    return true;
  };
  for (const DecodedLine* each : lines) {
    const isa::Effects& effects = each->effects;
    if (effects.masked() && !with_flags) return false;
    if (each->line.vlen != isa::kVectorElements && !(effects.reads().empty() && effects.writes().empty())) return false;
    if (!std::ranges::all_of(effects.reads(), takes) || !std::ranges::all_of(effects.writes(), takes)) return false;
  }
  return true;
}

CopiedElements::CopiedElements(const std::vector<const DecodedLine*>& lines, const simd::Schedule& schedule,
                               unsigned own_elements)
    : schedule_(schedule) {
  for (const DecodedLine* each : lines) {
    const auto note = [&](const isa::Access& access) {
      if (!simd::in_registers(access) || access.indirect) return;
      const simd::RowPattern rows = simd::pattern_of(access, each->effects.elements());
      if (rows.step == 0) return;
      for (unsigned element = own_elements; element < rows.elements; ++element) {
        copy_of_.try_emplace(rows.row(element), rows.row(own_elements - 1));
      }
    };
    std::ranges::for_each(each->effects.reads(), note);
    std::ranges::for_each(each->effects.writes(), note);
  }
}

unsigned CopiedElements::original(unsigned row) const {
  const auto copy = copy_of_.find(row);
  if (copy == copy_of_.end()) return row;
  return stands_in_its_row(row) && stands_in_its_row(copy->second) ? copy->second : row;
}

unsigned CopiedElements::taken_over(unsigned row, bool is_long) const {
  const unsigned from = original(row);
  const bool same_layout = schedule_.long_pairs[from / 2] == is_long || from >= simd::kTRow;
  return same_layout && (!is_long || from % 2 == 0) ? from : row;
}

bool CopiedElements::stands_in_its_row(unsigned row) const {
  return !schedule_.invariant.has(row & ~1U) && !schedule_.invariant.has(row | 1U);
}

}  // namespace gdr::emulator::jit
