// Text for HTML pages that programs write.
#pragma once

#include <string>
#include <string_view>

namespace gdr::base {

/// Escapes `text` for HTML, including attributes in double quotes.
[[nodiscard]] std::string html(std::string_view text);

}  // namespace gdr::base
