// Reports of assembling and of analysing a kernel.
#include "gdr/assembler/report_shapes.h"

#include <fmt/format.h>

#include "gdr/assembler/report_fields.h"
#include "gdr/base/report_fields.h"
#include "gdr/isa/loop_bound.h"

namespace gdr::assembler {
namespace {

using base::Field;
using base::flag_field;
using base::joined;
using base::list_field;
using base::number_field;
using base::object_field;
using base::or_null;
using base::ReportShape;
using base::text_field;
using base::whole_field;

ReportShape as_shape() {
  const Field edits = list_field("edits", "changes of the source",
                                 joined({position_fields(),
                                         {whole_field("length", "bytes that are replaced; 0: an insertion", "B"),
                                          flag_field("whole_line", "whether the line is removed with its line feed"),
                                          text_field("text", "text in their place")}}));
  return {"as",
          1,
          {kernel_or_null(), lines_field(), clocks_field(), bound_field(),
           list_field("diagnostics", "errors and warnings, in the order of the source",
                      joined({{text_field("number", "number, as `gdr explain` takes it"),
                               or_null(text_field("name", "name of a warning, as -W takes it")),
                               text_field("severity", "`error`, `warning` or `note`")},
                              position_fields(),
                              {whole_field("length", "bytes of the place", "B"), text_field("message", "message"),
                               list_field("fixes", "changes that mend it",
                                          {text_field("title", "what the change does"), edits})}}))},
          {}};
}

ReportShape analyse_shape() {
  const Field line = whole_field("line", "line of the loop body, from 0 on");
  const Field waits = whole_field("waits", "lines from one to the other");
  const std::vector<Field> end{line, text_field("unit", "unit")};
  const std::vector<Field> place{text_field("file", "file"), whole_field("line", "line, from 1 on")};
  return {
      "analyse",
      1,
      {text_field("kernel", "kernel"), compiled_field(), whole_field("lines", "lines of the loop body"),
       whole_field("operations", "operations in them"),
       object_field("bound", "what limits an iteration",
                    {text_field("by", "`lines`, `idp`, `bm` or `odp`"), whole_field("clocks", "clocks of an iteration"),
                     whole_field("lines", "clocks of the lines"), whole_field("idp", "clocks of the input port"),
                     whole_field("bm", "clocks of broadcast memory"), whole_field("odp", "clocks of the output port"),
                     whole_field("least_lines", "no order of the operations has fewer lines with these registers")},
                    "1"),
       list_field(
           "ports", "use of ports and units",
           {text_field("name", "port or unit"), whole_field("busy", "lines that use it"),
            whole_field("each", "accesses that a line has room for"), number_field("share", "1", "share of the room")}),
       object_field("chain", "longest chain of dependent operations",
                    {whole_field("lines", "lines that it takes"),
                     list_field("steps", "its operations", {line, text_field("operation", "operation"), waits})}),
       or_null(
           object_field("live", "where most registers are in use",
                        {line, whole_field("gpr", "words of registers"), whole_field("lm", "words of local memory")})),
       list_field("dependences", "pairs of operations of which one waits for the other",
                  {object_field("from", "the earlier one", end), object_field("to", "the later one", end), waits,
                   text_field("what", "place that joins them")})},
      {line, whole_field("clock", "clock of its begin"), text_field("text", "the line, disassembled"),
       list_field("ports", "ports that it uses"),
       list_field("operations", "what keeps each operation from an earlier line",
                  {text_field("operation", "operation"), text_field("unit", "unit"), text_field("held_by", "reason"),
                   or_null(whole_field("line", "line that holds it")), text_field("what", "place or port")}),
       or_null(whole_field("slack", "lines by which it may be later; null without operations")),
       whole_field("live_gpr", "words of registers in use"), whole_field("live_lm", "words of local memory in use"),
       list_field("sources", "lines of the source that it is made of",
                  joined({place,
                          {or_null(text_field("expanded", "a macro's line with its arguments inserted")),
                           or_null(text_field("function", "function of C++ that holds the line")),
                           list_field("calls", "calls that lead to that function, the innermost first",
                                      joined({{text_field("function", "function that calls")}, place})),
                           list_field("uses", "uses of macros around it",
                                      joined({{text_field("macro", "macro")}, place}))}}))},
      {},
      "body"};
}

}  // namespace

std::span<const ReportShape> report_shapes() {
  static const std::vector<ReportShape> shapes{analyse_shape(), as_shape()};
  return shapes;
}

void add_assembled(base::Json& json, const AssembleResult& result) {
  for (const char* own : {"kernel", "lines", "clocks_per_iteration", "bound"}) json[own] = nullptr;
  if (result.program) {
    json["kernel"] = result.program->kernel;
    json["lines"] = base::Json::object();
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      const auto named = static_cast<isa::Section>(section);
      json["lines"][std::string(isa::key_of(named))] = result.program->lines(named).size();
    }
    const isa::LoopBound bound = isa::loop_bound(*result.program);
    json["clocks_per_iteration"] = bound.clocks();
    json["bound"] = bound.bound();
  }
  json["diagnostics"] = base::Json::array();
  for (const Diagnostic& diagnostic : result.diagnostics) {
    const base::Json name = diagnostic.warning ? base::Json(name_of(*diagnostic.warning)) : base::Json();
    base::Json fixes = base::Json::array();
    for (const Fix& fix : diagnostic.fixes) {
      base::Json edits = base::Json::array();
      for (const Edit& edit : fix.edits) {
        edits.push_back({{"file", result.files[edit.where.file].name},
                         {"line", edit.where.line},
                         {"column", edit.where.column},
                         {"length", edit.where.length},
                         {"whole_line", edit.whole_line},
                         {"text", edit.text}});
      }
      fixes.push_back({{"title", fix.title}, {"edits", edits}});
    }
    json["diagnostics"].push_back({{"number", fmt::format("E{:04}", diagnostic.number)},
                                   {"name", name},
                                   {"severity", name_of(diagnostic.severity)},
                                   {"file", result.files[diagnostic.where.file].name},
                                   {"line", diagnostic.where.line},
                                   {"column", diagnostic.where.column},
                                   {"length", diagnostic.where.length},
                                   {"message", diagnostic.message},
                                   {"fixes", fixes}});
  }
}

}  // namespace gdr::assembler
