// Names of enumerators: one table for both directions, which does not compile unless it names every one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace gdr::base {

/// True if `value` is an enumerator. Compilers spell one by its name here, and any other value as a cast number.
template <class Enum, Enum value>
consteval bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t at = text.rfind("value = ");
  return text[at + std::string_view("value = ").size()] != '(';
}

/// Number of enumerators of an enumeration that counts from 0 without a gap.
template <class Enum, std::size_t from = 0>
consteval std::size_t enumerators() {
  if constexpr (is_enumerator<Enum, static_cast<Enum>(from)>()) {
    return enumerators<Enum, from + 1>();
  } else {
    return from;
  }
}

template <class Enum>
class Names {
 public:
  static constexpr std::size_t kCount = enumerators<Enum>();

  /// In any order: {{Enum::a, "a"}, {Enum::b, "b"}}.
  consteval explicit Names(const std::pair<Enum, std::string_view> (&pairs)[kCount]) {
    for (const auto& [value, name] : pairs) {
      std::string_view& place = names_.at(static_cast<std::size_t>(value));
      if (name.empty() || !place.empty()) throw "an enumerator has no name, or two";
      place = name;
    }
  }

  [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
    return names_.at(static_cast<std::size_t>(value));
  }
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
    const auto* const found = std::ranges::find(names_, name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<Enum>(found - names_.begin());
  }
  /// In the order of the enumerators.
  [[nodiscard]] constexpr auto begin() const { return names_.begin(); }
  [[nodiscard]] constexpr auto end() const { return names_.end(); }

 private:
  std::array<std::string_view, kCount> names_{};
};

}  // namespace gdr::base
