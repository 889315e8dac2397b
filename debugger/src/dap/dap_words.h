// Words as the Debug Adapter Protocol shows them: scopes, and variables that open into entries and elements.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

/// A whole number of a request. Throws gdr::Error for any other number, whose conversion is not defined.
[[nodiscard]] std::uint64_t whole_in(const nlohmann::json& object, const char* key);
/// An argument of `launch` that may be left out. Throw gdr::Error with key, value and what it must be for another type.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* key, const std::string& otherwise = "");
[[nodiscard]] bool truth_in(const nlohmann::json& object, const char* key, bool otherwise);
[[nodiscard]] std::vector<std::string> texts_in(const nlohmann::json& object, const char* key);
/// Nothing if it is left out. Throws also for a number outside least..most.
[[nodiscard]] std::optional<std::uint64_t> whole_in(const nlohmann::json& object, const char* key, std::uint64_t least,
                                                    std::uint64_t most);

/// `scopes`: kinds of names.
[[nodiscard]] nlohmann::json scope_list(const Debugger& debugger);
/// The format that a request asks for.
[[nodiscard]] Format format_of(const nlohmann::json& arguments);
/// A word without structure.
[[nodiscard]] nlohmann::json leaf(const Debugger& debugger, const Symbol& symbol, unsigned entry, unsigned element,
                                  const std::string& name, Format format);
/// `variables`: the names of a scope, the entries of an array or the elements of a vector. Throws gdr::Error for a
/// reference that nothing has.
[[nodiscard]] nlohmann::json variables(const Debugger& debugger, const nlohmann::json& arguments);

}  // namespace gdr::debugger
