#include "gdr/base/html.h"

#include <span>

#include "gdr/base/digest.h"

namespace gdr::base {

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string content_policy(std::string_view script) {
  std::string policy =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; ";
  if (!script.empty()) policy += "script-src 'sha256-" + sha256_base64(std::as_bytes(std::span(script))) + "'; ";
  return policy + "base-uri 'none'; form-action 'none'\">";
}

}  // namespace gdr::base
