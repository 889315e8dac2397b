#include "gdr/compiler/report_shape.h"

#include "gdr/assembler/report_fields.h"
#include "gdr/base/report_fields.h"

namespace gdr::compiler {
namespace {

base::Field errors_field() {
  return base::list_field("errors", "errors of results, against the host's doubles",
                          {base::text_field("result", "result of the kernel"),
                           base::or_null(base::number_field("rms", "1", "root of the mean square of relative errors")),
                           base::or_null(base::number_field("max", "1", "largest relative error")),
                           base::whole_field("left_out", "i-particles whose result on the host is 0 or not finite")});
}

base::Field precision_report_field() {
  const std::vector<base::Field> lines_and_errors{base::whole_field("lines", "lines of the loop"), errors_field()};
  return base::or_none(base::or_null(base::object_field(
      "precision_report", "loss of accuracy on data; null without `--i`",
      {base::whole_field("ni", "i-particles"), base::whole_field("nj", "j-particles"),
       base::object_field("as_written", "the kernel as it is", lines_and_errors),
       base::or_null(base::object_field("long_where_possible", "the kernel with every operation long that can be",
                                        lines_and_errors)),
       base::list_field(
           "operations", "short operations",
           base::joined({{base::text_field("operation", "operation"), base::text_field("name", "value that it gives")},
                         assembler::position_fields(),
                         {base::text_field("width", "`short` or `long`"), errors_field(),
                          base::or_null(base::whole_field("lines_saved", "lines that the short word saves")),
                          base::flag_field("estimated", "whether that is an estimate")}}))})));
}

base::ReportShape cc_shape() {
  return {
      "cc",
      1,
      {base::or_null(base::whole_field("seed", "seed of the search; null with `--xacc`")),
       base::or_null(base::whole_field("effort", "effort of the search; null with `--xacc`")),
       base::flag_field("fast", "whether functions have shorter forms (`--fast`)"),
       base::or_none(assembler::kernel_or_null()), base::or_none(assembler::lines_field()),
       base::or_none(assembler::least_lines_field()), base::or_none(assembler::clocks_field()),
       base::or_none(assembler::bound_field()),
       base::or_none(base::list_field(
           "precision", "operations of the loop",
           {base::text_field("name", "value that it gives"), base::whole_field("line", "line of the source"),
            base::text_field("operation", "operation"), base::text_field("width", "`short` or `long`")})),
       precision_report_field(),
       base::or_none(base::list_field(
           "loops", "kernels of a program, with `--goose`",
           {base::whole_field("line", "line of the loop"), base::text_field("kernel", "name of the kernel"),
            base::whole_field("lines", "lines of the loop body"),
            base::whole_field("least_lines", "no order has fewer")})),
       base::or_none(base::or_null(base::text_field("output", "file that was written, with `--goose` or `--xacc`"))),
       base::list_field("diagnostics", "errors",
                        base::joined({{base::text_field("severity", "`error`")},
                                      assembler::position_fields(),
                                      {base::text_field("message", "message")}}))},
      {}};
}

}  // namespace

std::span<const base::ReportShape> report_shapes() {
  static const std::vector<base::ReportShape> shapes{cc_shape()};
  return shapes;
}

}  // namespace gdr::compiler
