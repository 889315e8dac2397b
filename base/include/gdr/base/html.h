// Text for HTML pages that programs write.
#pragma once

#include <string>
#include <string_view>

namespace gdr::base {

/// Escapes `text` for HTML, including attributes in double quotes.
[[nodiscard]] std::string html(std::string_view text);

/// The element of a page's head that says what a browser may do for the page, whatever text from files gets into it:
/// load nothing from anywhere, apply styles that are in the page, and run `script` alone, which is all that is between
/// the tags of the page's only script; if empty, no script [W3C, Content Security Policy Level 3]. It is to come before
/// everything that it rules.
[[nodiscard]] std::string content_policy(std::string_view script = {});

}  // namespace gdr::base
