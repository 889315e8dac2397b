// What the host is: its system, its processor, and the settings that its environment has.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gdr::base {

/// "Debian GNU/Linux 12 (bookworm)"; empty if the system does not say.
[[nodiscard]] std::string system_name();
/// "AMD EPYC"; empty if the system does not say.
[[nodiscard]] std::string processor_name();
/// Names and values of the environment's variables that begin with `prefix`.
[[nodiscard]] std::map<std::string, std::string> settings_of(std::string_view prefix);

}  // namespace gdr::base
