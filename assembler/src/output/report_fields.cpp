#include "gdr/assembler/report_fields.h"

#include "gdr/base/report_fields.h"
#include "gdr/isa/program.h"

namespace gdr::assembler {

using base::Field;
using base::flag_field;
using base::object_field;
using base::or_null;
using base::text_field;
using base::whole_field;

Field lines_field() {
  Field lines = or_null(object_field("lines", "lines by section", {}, "1"));
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    lines.members.push_back(whole_field(std::string(isa::key_of(static_cast<isa::Section>(section))), "lines"));
  }
  return lines;
}

Field clocks_field() { return or_null(whole_field("clocks_per_iteration", "clocks of an iteration of the loop")); }
Field bound_field() { return or_null(text_field("bound", "what takes these clocks: `lines`, `idp`, `bm` or `odp`")); }
Field least_lines_field() {
  return or_null(
      whole_field("least_lines", "no order of the kernel's operations has fewer lines in the loop with its registers"));
}
Field kernel_or_null() { return or_null(text_field("kernel", "name of the kernel; null after an error")); }

std::vector<Field> position_fields() {
  return {text_field("file", "file"), whole_field("line", "line, from 1 on"),
          whole_field("column", "column, from 1 on")};
}

Field compiled_field() {
  return or_null(
      object_field("compiled", "how the kernel was compiled; null for assembly and object files",
                   {whole_field("effort", "effort of the search (`-O`)"), whole_field("seed", "seed of the search"),
                    flag_field("fast", "whether functions have shorter forms (`--fast`)")}));
}

}  // namespace gdr::assembler
