// XML as a list of its elements. libxml2 stands behind the library libgdr_xml.so, which is loaded for the first file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define GDR_XML_READER gdr_xml_reader_1

namespace gdr::interconnect {

struct XmlElement {
  std::string name;
  std::size_t line = 0;
  unsigned depth = 0;  // 0: the root
  std::map<std::string, std::string> attributes;
};

/// The elements in the order of their beginnings. External entities are not followed. Throws gdr::Error
/// `NAME:LINE: ...` for text that is not well-formed, and if gdr was built without libxml2.
[[nodiscard]] std::vector<XmlElement> read_xml(std::string_view text, std::string_view name);

/// What the library offers: fills `elements`; on failure returns the message and sets `line`.
using XmlReader = std::string (*)(std::string_view text, std::vector<XmlElement>& elements, std::size_t& line);

}  // namespace gdr::interconnect

extern "C" __attribute__((visibility("default"))) gdr::interconnect::XmlReader GDR_XML_READER();
