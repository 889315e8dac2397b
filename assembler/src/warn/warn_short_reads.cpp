// Vectors of which a line with a short vector length wrote only some elements, and which are read as a whole.
#include <fmt/format.h>

#include <algorithm>

#include "warn.h"

namespace gdr::assembler {
namespace {

bool contains(std::span<const Definition> definitions, Definition one) {
  return std::find(definitions.begin(), definitions.end(), one) != definitions.end();
}

/// True if the write covers the read's vector from its first element on.
bool writes_vector_of(const CodeAccess& read, const CodeAccess& write) {
  if (write.indirect || write.one_pe || write.storage != read.storage) return false;
  return read.storage == isa::Storage::t || (write.step == read.step && write.address == read.address);
}

/// True if all that an element finds is old: what the host sent, or longer vectors at the same place. Other writes were
/// meant for this element, as when two lines write two halves.
bool finds_old_values(const Flow& flow, const CodeAccess& read, unsigned element) {
  const auto definitions = flow.reaching(read, element);
  return std::all_of(definitions.begin(), definitions.end(), [&](Definition definition) {
    return definition <= kFromHost || writes_vector_of(read, *flow.write(definition).access);
  });
}

}  // namespace

void warn_of_short_reads(const Flow& flow, Reporter& reporter) {
  for (const FlowLine& at : flow.lines()) {
    const unsigned elements = at.line->line.vlen;
    for (const CodeAccess& read : at.line->accesses) {
      if (read.write || read.indirect || read.defines || read.purpose != isa::Purpose::value) continue;
      if (read.step == 0 && read.storage != isa::Storage::t) continue;
      for (const Definition definition : flow.reaching(read, 0)) {
        if (definition <= kFromHost) continue;
        const Flow::Write& write = flow.write(definition);
        const CodeLine& line = *flow.lines()[write.line].line;
        const unsigned written = line.line.vlen;
        if (written >= elements || !writes_vector_of(read, *write.access)) continue;
        if (contains(flow.reaching(read, written), definition) || !finds_old_values(flow, read, written)) continue;
        const std::string beyond = written + 1 == elements
                                       ? fmt::format("element {} keeps", written)
                                       : fmt::format("elements {} to {} keep", written, elements - 1);
        if (reporter.warning(Code::short_read, read.where,
                             fmt::format("{} elements of '{}' are read, of which 'vlen {}' wrote {}: {} an older value",
                                         elements, read.text, written, written, beyond))) {
          reporter.note(write.access->where, fmt::format("'{}' is written here", write.access->text));
        }
        break;
      }
    }
  }
}

}  // namespace gdr::assembler
