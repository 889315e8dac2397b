#include "report_shapes.h"

#include <algorithm>

#include "gdr/assembler/report_shapes.h"
#include "gdr/base/report_fields.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/compiler/report_shape.h"
#include "gdr/course/judge.h"
#include "gdr/emulator/report_shapes.h"
#include "gdr/hostlib/report_shapes.h"
#include "gdr/interconnect/report_shapes.h"
#include "gdr/selftest/report_shape.h"
#include "gdr/validation/report_shape.h"

namespace gdr::cli {

using base::ReportShape;

namespace {

using base::Field;
using base::flag_field;
using base::list_field;
using base::object_field;
using base::text_field;
using base::whole_field;
using base::without_run;

/// Of the command about gdr itself.
const ReportShape& doctor_shape() {
  const Field refusal = text_field("refusal", "why it does not work, else empty");
  static const ReportShape shape =
      without_run({"doctor",
                   1,
                   {text_field("system", "system"), text_field("processor", "processor"),
                    whole_field("threads", "hardware threads"),
                    list_field("instruction_sets", "instruction sets that the engine simd may use"),
                    text_field("data_folder", "folder of machines and kernels"),
                    object_field("loop_cache", "compiled loops that later runs use",
                                 {text_field("folder", "folder"), whole_field("entries", "loops"), refusal}),
                    list_field("plugins", "libraries that are loaded at their first use",
                               {text_field("file", "file name"), text_field("serves", "what it serves"),
                                text_field("path", "path"), refusal}),
                    list_field("devices", "devices of OpenCL",
                               {text_field("name", "device"), text_field("version", "version of OpenCL"), refusal}),
                    object_field("settings", "settings in the environment: name and value"),
                    flag_field("sound", "whether nothing is missing or broken")},
                   {}});
  return shape;
}

}  // namespace

const std::vector<const ReportShape*>& report_shapes() {
  static const std::vector<const ReportShape*> all = [] {
    std::vector<const ReportShape*> shapes(cluster::report_shapes().begin(), cluster::report_shapes().end());
    shapes.push_back(&doctor_shape());
    for (const auto& of_one_component :
         {assembler::report_shapes(), compiler::report_shapes(), course::report_shapes(), emulator::report_shapes(),
          hostlib::shapes_of_linear_algebra(), hostlib::shapes_of_runs(), interconnect::report_shapes(),
          selftest::report_shapes(), validation::report_shapes()}) {
      for (const ReportShape& shape : of_one_component) shapes.push_back(&shape);
    }
    std::ranges::sort(shapes, {}, [](const ReportShape* shape) { return shape->name; });
    return shapes;
  }();
  return all;
}

const ReportShape* report_shape(std::string_view command) {
  const auto found = std::ranges::find(report_shapes(), command, [](const ReportShape* shape) { return shape->name; });
  return found == report_shapes().end() ? nullptr : *found;
}

}  // namespace gdr::cli
