// Text in pages that programs write.
#pragma once

#include <string>
#include <string_view>

namespace gdr::base {

/// `text` so that it stands in HTML, and in attributes between double quotes, as it is.
[[nodiscard]] std::string html(std::string_view text);

}  // namespace gdr::base
