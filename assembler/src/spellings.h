// Other spellings of the tables' names, one row each.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace gdr::assembler {

/// {accepted, the table's own}.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherSpellings{{
    {"fpass", "fpassa"},
    {"upass", "upassa"},
    {"unop", "nop"},
}};

[[nodiscard]] constexpr std::string_view table_spelling(std::string_view word) {
  for (const auto& [accepted, own] : kOtherSpellings) {
    if (accepted == word) return own;
  }
  return word;
}

}  // namespace gdr::assembler
