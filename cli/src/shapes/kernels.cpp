// Reports of commands that go from source to program.
#include "fields.h"
#include "gdr/isa/program.h"

namespace gdr::cli {
namespace {

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
  return or_null(whole_field("least_lines", "no order of the kernel's operations has fewer lines in the loop"));
}
Field kernel_or_null() { return or_null(text_field("kernel", "name of the kernel; null after an error")); }

std::vector<Field> position_fields() {
  return {text_field("file", "file"), whole_field("line", "line, from 1 on"),
          whole_field("column", "column, from 1 on")};
}

ReportShape as_shape() {
  const Field edits = list_field("edits", "changes of the source",
                                 joined({position_fields(),
                                         {whole_field("length", "bytes that are replaced; 0: an insertion", "B"),
                                          flag_field("whole_line", "whether the line goes with its line feed"),
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

Field errors_field() {
  return list_field("errors", "errors of results, against the host's doubles",
                    {text_field("result", "result of the kernel"),
                     or_null(number_field("rms", "1", "root of the mean square of relative errors")),
                     or_null(number_field("max", "1", "largest relative error")),
                     whole_field("left_out", "i-particles whose result on the host is 0 or not finite")});
}

Field precision_report_field() {
  const std::vector<Field> lines_and_errors{whole_field("lines", "lines of the loop"), errors_field()};
  return or_none(or_null(object_field(
      "precision_report", "loss of accuracy on data; null without `--i`",
      {whole_field("ni", "i-particles"), whole_field("nj", "j-particles"),
       object_field("as_written", "the kernel as it is", lines_and_errors),
       or_null(
           object_field("long_where_possible", "the kernel with every operation long that can be", lines_and_errors)),
       list_field("operations", "short operations",
                  joined({{text_field("operation", "operation"), text_field("name", "value that it gives")},
                          position_fields(),
                          {text_field("width", "`short` or `long`"), errors_field(),
                           or_null(whole_field("lines_saved", "lines that the short word saves")),
                           flag_field("estimated", "whether that is an estimate")}}))})));
}

ReportShape cc_shape() {
  return {"cc",
          1,
          {or_null(whole_field("seed", "seed of the search; null with `--xacc`")),
           or_null(whole_field("effort", "effort of the search; null with `--xacc`")),
           flag_field("fast", "whether functions have shorter forms (`--fast`)"), or_none(kernel_or_null()),
           or_none(lines_field()), or_none(least_lines_field()), or_none(clocks_field()), or_none(bound_field()),
           or_none(list_field("precision", "operations of the loop",
                              {text_field("name", "value that it gives"), whole_field("line", "line of the source"),
                               text_field("operation", "operation"), text_field("width", "`short` or `long`")})),
           precision_report_field(),
           or_none(list_field(
               "loops", "kernels of a program, with `--goose`",
               {whole_field("line", "line of the loop"), text_field("kernel", "name of the kernel"),
                whole_field("lines", "lines of the loop body"), whole_field("least_lines", "no order has fewer")})),
           or_none(or_null(text_field("output", "file that was written, with `--goose` or `--xacc`"))),
           list_field(
               "diagnostics", "errors",
               joined({{text_field("severity", "`error`")}, position_fields(), {text_field("message", "message")}}))},
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
                     whole_field("least_lines", "no order of the operations has fewer lines")},
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
                           list_field("uses", "uses of macros around it",
                                      joined({{text_field("macro", "macro")}, place}))}}))},
      {},
      "body"};
}

ReportShape judge_shape() {
  return {"judge",
          1,
          {text_field("exercise", "name of the exercise"),
           whole_field("number", "its number"),
           text_field("verdict", "verdict"),
           flag_field("accepted", "whether the kernel is accepted"),
           text_field("message", "why not, else empty"),
           or_null(whole_field("lines", "lines that the exercise counts; null after a compile error")),
           least_lines_field(),
           clocks_field(),
           bound_field(),
           text_field("counted", "sections whose lines count: `loop body` or `all sections`"),
           whole_field("par", "lines of a good solution"),
           whole_field("par_least_lines", "no order of it has fewer"),
           or_null(whole_field("most_lines", "most lines that are accepted")),
           number_field("tolerance", "1", "largest error that is accepted"),
           or_null(object_field(
               "worst", "the largest error; null unless all cases ran",
               {whole_field("case", "case"), text_field("column", "result"), whole_field("row", "row, from 0 on"),
                or_null(number_field("got", "1", "value of the kernel")),
                or_null(number_field("wanted", "1", "value of the reference")),
                or_null(number_field("error", "1", "error"))})),
           whole_field("cases", "cases that ran"),
           whole_field("results", "numbers that were compared"),
           whole_field("events", "floating-point events"),
           whole_field("seed", "seed of the hidden data"),
           text_field("messages", "messages of the assembler or the compiler"),
           text_field("submission_sha256", "SHA-256 of the kernel's source"),
           text_field("results_sha256", "SHA-256 of the results"),
           text_field("hash", "SHA-256 of the verdict")},
          {}};
}

}  // namespace

std::span<const ReportShape> shapes_of_kernels() {
  static const std::vector<ReportShape> shapes{analyse_shape(), as_shape(), cc_shape(), judge_shape()};
  return shapes;
}

}  // namespace gdr::cli
