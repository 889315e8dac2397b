// Kinds of network description and the parameters that their files give.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"

namespace gdr::interconnect {

/// Classes of message sizes in a description of kind "flow-factors".
inline constexpr unsigned kFlowClasses = 9;

/// Key with which a description may choose how its routes are found, by one of routing_names_of() of
/// its kind.
inline constexpr std::string_view kRoutingKey = "routing";

/// Every kind of network that this component models.
[[nodiscard]] const std::vector<base::DescriptionKind>& network_kinds();

/// The kind with this name, which must exist.
[[nodiscard]] const base::DescriptionKind& network_kind(std::string_view name);

/// Loads a description. Throws gdr::Error as base::load_description() does, and if the description is not of `kind`.
[[nodiscard]] base::Description load_network(std::string_view name_or_file, std::string_view kind);

/// Throws gdr::Error if a table lies beside a description NAME.toml that is going to be written, such as
/// NAME.speeds.csv, and is none of those `written` with it: an earlier network left it, and whoever loads the new one
/// would take it.
void refuse_other_tables(const std::string& description, std::span<const std::string> written);

}  // namespace gdr::interconnect
