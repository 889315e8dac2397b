// Any words as a directive of XcalableMP, OpenACC or for the board, and as a constant expression: refused at a place,
// or a directive whose subscripts are texts.
#include <array>
#include <cctype>
#include <string>

#include "fuzz.h"
#include "xacc/directive.h"

namespace {

using namespace gdr::compiler;

/// As the preprocessor divides a line: names, numbers, and single other characters.
std::vector<XaccWord> words_of(std::string_view line) {
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<XaccWord> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    while (is_of_name(line[at]) && end < line.size() && is_of_name(line[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(line[at])) == 0) {
      words.push_back({std::string(line.substr(at, end - at)), {}});
    }
    at = end;
  }
  return words;
}

template <class Read>
void taken_or_refused(Read read) {
  try {
    read();
  } catch (const XaccRefusal& refusal) {
    FUZZ_HOLDS(!refusal.text.empty());
  }
}

void check(const XaccDirective& directive) {
  for (const XaccReference* reference : {&directive.subject, &directive.on}) {
    for (const XaccRange& range : reference->at) FUZZ_HOLDS(range.all || (!range.low.empty() && !range.high.empty()));
  }
  for (const XaccWidth& width : directive.widths) FUZZ_HOLDS(width.low >= 0 && width.high >= 0);
  for (const XaccReduction& one : directive.sums) FUZZ_HOLDS(!one.variable.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = gdr::fuzz::text_of(data, size);
  for (const char* space : std::array{"xmp", "acc", "goose"}) {
    XaccPragma pragma;
    pragma.space = space;
    pragma.words = words_of(text);
    taken_or_refused([&] { check(read_directive(pragma)); });
  }
  taken_or_refused([&] { static_cast<void>(constant_value(std::string(text), {}, "a width")); });
  return 0;
}
