// Reports of clusters' advice, of the commands about gdr itself, and the list of all reports.
#include <algorithm>

#include "fields.h"
#include "gdr/cluster/cluster_reports.h"
#include "shapes.h"

namespace gdr::cli {
namespace {

ReportShape without_run(ReportShape shape) {
  shape.is_of_a_run = false;
  return shape;
}

ReportShape validate_shape() {
  return {
      "validate",
      1,
      {},
      {text_field("id", "name of the row"), text_field("quantity", "quantity"),
       text_field("source", "publication and place"),
       any_field("published", "published number or statement; null if there is none"),
       any_field("ours", "our number, or whether the statement holds; null if the system is not built"),
       text_field("unit", "unit of both"), or_null(number_field("error", "1", "relative error, or as the bar has it")),
       text_field("role", "what the row is for"),
       object_field(
           "bar", "what passes",
           {text_field("kind", "kind of the bar"), or_none(number_field("limit", "", "largest error")),
            or_none(number_field("low", "", "least value")), or_none(number_field("high", "", "largest value")),
            or_none(whole_field("decimals", "decimals of the published number"))}),
       or_null(flag_field("pass", "whether the row passes; null if there is no number of ours")),
       flag_field("verified", "whether the published number could be verified"),
       flag_field("misprint", "whether the publication contradicts itself"),
       flag_field("derived", "whether the publication prints another number, from which this one follows"),
       or_null(
           number_field("sigma", "", "standard error of the published number, in its unit; null if none is given"))}};
}

ReportShape selftest_shape() {
  return {
      "selftest",
      1,
      or_none(
          std::vector<Field>{whole_field("programs", "random programs"), whole_field("histories", "random histories"),
                             list_field("kernels", "files of kernels whose histories these are"),
                             text_field("history", "file of a history"), whole_field("seed", "seed of the first"),
                             list_field("engines", "engines that were compared with the reference engine"),
                             whole_field("chips", "most chips of a program"), whole_field("threads", "host threads"),
                             whole_field("differ", "histories that differ")}),
      {or_none(whole_field("seed", "seed of the program")), or_none(text_field("engine", "engine")),
       or_none(whole_field("command", "command of the history, from 0 on")),
       or_none(text_field("place", "what differs")), or_none(text_field("expected", "word of the reference engine")),
       or_none(text_field("found", "word of the engine")),
       or_none(text_field("program", "smallest program that shows it")),
       or_none(text_field("history", "smallest history"))},
      {},
      "differences"};
}

ReportShape doctor_shape() {
  const Field refusal = text_field("refusal", "why it does not work, else empty");
  return without_run({"doctor",
                      1,
                      {text_field("system", "system"), text_field("processor", "processor"),
                       whole_field("threads", "hardware threads"),
                       list_field("instruction_sets", "instruction sets that the engine simd may use"),
                       text_field("data_folder", "folder of machines and kernels"),
                       object_field("loop_cache", "compiled loops that later runs use",
                                    {text_field("folder", "folder"), whole_field("entries", "loops"), refusal}),
                       list_field("plugins", "libraries that are loaded at their first use",
                                  {text_field("file", "file name"), text_field("serves", "what it serves"),
                                   text_field("path", "where it is"), refusal}),
                       list_field("devices", "devices of OpenCL",
                                  {text_field("name", "device"), text_field("version", "version of OpenCL"), refusal}),
                       object_field("settings", "settings in the environment: name and value"),
                       flag_field("sound", "whether nothing is missing or broken")},
                      {}});
}

ReportShape machine_show_shape() {
  return without_run(
      {"machine show",
       1,
       {text_field("machine", "name"), text_field("kind", "kind of the description"), text_field("title", "title"),
        or_none(object_field("parts", "descriptions that a cluster combines")),
        or_none(object_field("choices", "texts that the description gives, such as `routing`, by name")),
        or_none(object_field("parameters", "by name: `value`, `unit`, `origin`"))},
       {}});
}

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

ReportShape advise_shape() {
  const std::vector<Field> candidate{
      text_field("cluster", "cluster"),
      whole_field("nodes", "nodes"),
      text_field("algorithm", "algorithm"),
      number_field("seconds", "s", "emulated time of a unit of N-body time"),
      number_field("gflops", "Gflops", "speed"),
      number_field("efficiency", "1", "speed divided by that of as many independent runs of one rank"),
      text_field("bound_by", "part that most of the critical path is spent on")};
  return {"cluster advise",
          1,
          {whole_field("n", "particles"), number_field("least_efficiency", "1", "efficiency that was asked for"),
           text_field("kernel", "kernel that computes the forces"), transfer_field(),
           object_field("best", "cluster, nodes and algorithm to take", candidate),
           list_field("algorithms", "best of each algorithm", candidate),
           list_field("clusters", "best of each cluster", candidate),
           or_null(object_field("larger", "the largest number of nodes that gains anything", candidate)),
           object_field("gain", "factors that would be gained",
                        {number_field("free_network", "1", "if messages took no time"),
                         number_field("planned_transfers", "1", "with transfers to the board as planned")})},
          {}};
}

}  // namespace

std::span<const ReportShape> shapes_of_tools() {
  static const std::vector<ReportShape> shapes{advise_shape(),       doctor_shape(),   fp_show_shape(), devices_shape(),
                                               machine_show_shape(), selftest_shape(), validate_shape()};
  return shapes;
}

const std::vector<const ReportShape*>& report_shapes() {
  static const std::vector<const ReportShape*> all = [] {
    std::vector<const ReportShape*> shapes(cluster::report_shapes().begin(), cluster::report_shapes().end());
    for (const auto& of_one_file :
         {shapes_of_runs(), shapes_of_kernels(), shapes_of_networks(), shapes_of_linear_algebra(), shapes_of_tools()}) {
      for (const ReportShape& shape : of_one_file) shapes.push_back(&shape);
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
