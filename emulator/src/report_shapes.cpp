// Reports of words and of devices.
#include "gdr/emulator/report_shapes.h"

#include "gdr/base/report_fields.h"

namespace gdr::emulator {
namespace {

using base::Field;
using base::flag_field;
using base::number_field;
using base::object_field;
using base::or_null;
using base::ReportShape;
using base::text_field;
using base::whole_field;
using base::without_run;

ReportShape devices_shape() {
  return without_run(
      {"machine devices",
       1,
       {},
       {text_field("name", "device"), text_field("platform", "platform of OpenCL"),
        text_field("version", "version of OpenCL"), text_field("kind", "kind of device"),
        flag_field("fp64", "whether it has doubles"), whole_field("memory_bytes", "memory", "B"),
        whole_field("largest_buffer_bytes", "largest buffer", "B"), whole_field("compute_units", "compute units"),
        whole_field("doubles_in_vector", "doubles of a vector"), whole_field("largest_group", "largest group"),
        flag_field("usable", "whether the engine opencl runs on it"), text_field("refusal", "why not, else empty")},
       {},
       "devices"});
}

ReportShape fp_show_shape() {
  const std::vector<Field> parts{text_field("word", "the word in hex"),
                                 whole_field("sign", "sign"),
                                 whole_field("exponent_field", "exponent with its bias of 1023"),
                                 text_field("fraction", "fraction in hex"),
                                 text_field("class", "`zero`, `finite` or `infinity`"),
                                 or_null(number_field("value", "1", "nearest double; null if it is not finite")),
                                 flag_field("value_is_exact", "whether that is the word's value"),
                                 text_field("conversion", "`exact`, `rounded`, `overflow` or `underflow`")};
  return without_run({"fp show",
                      1,
                      {text_field("input", "number or word that was given"),
                       object_field("long", "as a long word", parts), object_field("short", "as a short word", parts)},
                      {}});
}

}  // namespace

std::span<const ReportShape> report_shapes() {
  static const std::vector<ReportShape> shapes{fp_show_shape(), devices_shape()};
  return shapes;
}

}  // namespace gdr::emulator
