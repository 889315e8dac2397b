#include "gdr/isa/host_integer.h"

#include <fmt/format.h>

#include <charconv>

namespace gdr::isa {

std::string name_of(const HostInteger& integer) {
  return fmt::format("{}int{}", integer.is_signed ? "" : "u", integer.bits);
}

std::optional<HostInteger> host_integer_named(std::string_view name) {
  HostInteger integer;
  integer.is_signed = !name.starts_with('u');
  if (!integer.is_signed) name.remove_prefix(1);
  if (!name.starts_with("int")) return std::nullopt;
  name.remove_prefix(3);
  if (name.empty() || name.front() == '0') return std::nullopt;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), integer.bits);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (integer.bits > 63) return std::nullopt;
  return integer;
}

}  // namespace gdr::isa
