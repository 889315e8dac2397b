// XML by libxml2's reader.
#include <libxml/xmlreader.h>

#include <climits>
#include <memory>

#include "foreign/xml.h"

namespace gdr::interconnect {
namespace {

struct Failure {
  std::string message;
  std::size_t line = 0;
};

void keep_first(void* to, xmlError* error) {
  Failure& failure = *static_cast<Failure*>(to);
  if (!failure.message.empty() || error->message == nullptr) return;
  failure.message = error->message;
  failure.line = error->line > 0 ? static_cast<std::size_t>(error->line) : 1;
  while (!failure.message.empty() && (failure.message.back() == '\n' || failure.message.back() == ' ')) {
    failure.message.pop_back();
  }
}

std::string text_of(const xmlChar* text) { return text == nullptr ? "" : reinterpret_cast<const char*>(text); }

std::string read_elements(std::string_view text, std::vector<XmlElement>& elements, std::size_t& line) {
  line = 1;
  if (text.size() > INT_MAX) return "the file is refused: it has more than 2 GiB";
  const std::unique_ptr<xmlTextReader, void (*)(xmlTextReaderPtr)> reader(
      xmlReaderForMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                         XML_PARSE_NONET | XML_PARSE_BIG_LINES),
      xmlFreeTextReader);
  if (reader == nullptr) return "no memory for the file";
  Failure failure;
  xmlTextReaderSetStructuredErrorHandler(reader.get(), keep_first, &failure);
  int more = xmlTextReaderRead(reader.get());
  for (; more == 1; more = xmlTextReaderRead(reader.get())) {
    if (xmlTextReaderNodeType(reader.get()) != XML_READER_TYPE_ELEMENT) continue;
    XmlElement element{text_of(xmlTextReaderConstLocalName(reader.get())),
                       static_cast<std::size_t>(xmlGetLineNo(xmlTextReaderCurrentNode(reader.get()))),
                       static_cast<unsigned>(xmlTextReaderDepth(reader.get())),
                       {}};
    while (xmlTextReaderMoveToNextAttribute(reader.get()) == 1) {
      element.attributes[text_of(xmlTextReaderConstName(reader.get()))] =
          text_of(xmlTextReaderConstValue(reader.get()));
    }
    elements.push_back(std::move(element));
  }
  if (more == 0 && failure.message.empty()) return "";
  line = failure.line > 0 ? failure.line : 1;
  return failure.message.empty() ? "the XML is not well-formed" : failure.message;
}

}  // namespace
}  // namespace gdr::interconnect

gdr::interconnect::XmlReader GDR_XML_READER() { return gdr::interconnect::read_elements; }
