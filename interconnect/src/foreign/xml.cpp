#include "foreign/xml.h"

#include <fmt/format.h>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/plugin.h"

namespace gdr::interconnect {

std::vector<XmlElement> read_xml(std::string_view text, std::string_view name) {
  static const auto get = GDR_PLUGIN_FUNCTION("libgdr_xml.so", GDR_XML_READER);
  if (get == nullptr) {
    throw Error("no XML can be read without " + base::missing_plugin("libgdr_xml.so", "libxml2", "GDR_XML"));
  }
  std::vector<XmlElement> elements;
  std::size_t line = 0;
  const std::string refusal = get()(text, elements, line);
  if (!refusal.empty()) throw Error(fmt::format("{}: {}", base::place_in(name, line), refusal));
  return elements;
}

}  // namespace gdr::interconnect
