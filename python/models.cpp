// Module grapedr._models: networks, task mapping, clusters in time alone, published numbers. A module of its own, since
// it takes time to load and the rest does without it.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/report.h"
#include "gdr/base/sum.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/cluster/nbody_cost.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/report_fields.h"
#include "gdr/hostlib/report_shapes.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "gdr/interconnect/mapping_run.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/report_shapes.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/validation/report.h"
#include "gdr/validation/report_shape.h"
#include "interrupts.h"
#include "lock.h"
#include "made.h"

namespace py = pybind11;

namespace gdr::python {

template <>
inline constexpr bool kIsBound<interconnect::Platform> = true;
template <>
inline constexpr bool kIsBound<interconnect::TaskGraph> = true;

namespace {

using interconnect::Grid;
using interconnect::TaskGraph;

using Transfers = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>>;

interconnect::Platform platform(const std::string& name, std::optional<std::uint32_t> nodes) {
  interconnect::PlatformOptions options;
  options.nodes = nodes;
  return interconnect::load_platform(name, options);
}

template <class Value>
Value chosen(const char* what, const std::string& name, const std::vector<std::pair<std::string, Value>>& known) {
  std::string names;
  for (const auto& [key, value] : known) {
    if (key == name) return value;
    names += (names.empty() ? "" : ", ") + key;
  }
  throw Error(std::string(what) + " = '" + name + "' is refused: it must be one of " + names);
}

interconnect::Schedule collective(const std::string& operation, interconnect::NodeId nodes, std::uint64_t bytes,
                                  const std::string& method) {
  using interconnect::CollectiveOperation;
  using interconnect::Path;
  const auto path = [&] {
    // The library chooses nothing here.
    return chosen<Path>("method", method,
                        {{std::string(interconnect::kAutoMethod), Path::direct},
                         {"direct", Path::direct},
                         {"multipath", Path::multipath}});
  };
  if (operation == "reduce") return interconnect::make_reduce(nodes, bytes, path());
  if (operation == "send") return interconnect::make_send(nodes, bytes, path());
  const std::map<std::string, CollectiveOperation> operations{{"allgather", CollectiveOperation::allgather},
                                                              {"allreduce", CollectiveOperation::allreduce},
                                                              {"alltoall", CollectiveOperation::alltoall},
                                                              {"broadcast", CollectiveOperation::broadcast}};
  const auto known = operations.find(operation);
  if (known == operations.end()) {
    throw Error("operation = '" + operation +
                "' is refused: it must be one of allgather, allreduce, alltoall, broadcast, reduce, send");
  }
  const auto algorithm = interconnect::algorithm_by(known->second, method, nodes, bytes);
  return interconnect::make_collective({known->second, algorithm, bytes, nodes}, nodes);
}

py::dict run_collective(const interconnect::Platform& on, const std::string& operation, std::uint64_t bytes,
                        const std::string& method, bool simulate) {
  interconnect::ClosedForm form;
  interconnect::Traffic traffic;
  std::optional<double> simulated;
  computed([&] {
    const interconnect::Schedule schedule = collective(operation, on.topology.nodes(), bytes, method);
    form = interconnect::run_closed_form(schedule, on.topology);
    traffic = interconnect::traffic(schedule);
    interconnect::SimulationOptions options;
    options.progress = [](double) { base::pause(); };
    if (simulate) simulated = interconnect::run_s4u(schedule, on.topology, options).seconds;
  });
  py::dict result;
  result["seconds"] = simulated.value_or(form.lockstep_seconds);
  result["lockstep_seconds"] = form.lockstep_seconds;
  result["link_bound_seconds"] = form.link_bound_seconds;
  result["messages"] = traffic.messages;
  result["bytes"] = traffic.bytes;
  return result;
}

TaskGraph graph_of(std::uint32_t tasks, const Transfers& transfers) {
  std::vector<interconnect::Transfer> all;
  all.reserve(transfers.size());
  for (const auto& [from, to, bytes] : transfers) all.push_back({from, to, bytes});
  return {tasks, std::move(all)};
}

TaskGraph named_graph(const std::string& name, const Grid& grid, std::uint64_t bytes, const std::string& npb_class) {
  if (!interconnect::is_named_graph(name)) return interconnect::read_graph(name, grid.nodes()).graph;
  return interconnect::named_graph(name, grid.nodes(), bytes, npb_class);
}

py::dict map_tasks(const TaskGraph& graph, const std::string& topology, const std::string& method,
                   const std::string& objective, unsigned threads, std::uint64_t seed, double effort) {
  const Grid grid = Grid::parse(topology);
  interconnect::TaskMapping mapping;
  interconnect::MappingCost cost;
  std::vector<std::uint64_t> loads;
  {
    const WithoutLock unlocked;
    mapping = interruptible([&](const std::atomic<bool>& stop) {
      return interconnect::map_by_request(graph, grid, {}, {method, objective, effort, threads, seed},
                                          [&stop](double) { return !stop; });
    });
    cost = interconnect::mapping_cost(graph, mapping, grid);
    loads = interconnect::link_bytes(graph, mapping, grid);
  }
  py::dict result;
  result["nodes"] = mapping;
  result["cost_hop_bytes"] = cost.hop_bytes;
  result["cost_torus_hop_bytes"] = cost.torus_hop_bytes;
  result["max_link_bytes"] = cost.max_link_bytes;
  result["link_bytes"] = loads;
  return result;
}

py::dict cluster_nbody(const std::string& name, interconnect::NodeId nodes, double n, const std::string& algorithm,
                       const std::string& kernel, double t_end, bool grows) {
  const cluster::Cluster machine = cluster::load_cluster(name);
  const cluster::Rank ranks = nodes * machine.ranks_per_node;
  const isa::Program program = hostlib::kernel_program(kernel);
  const cluster::NbodyCost cost = computed([&] {
    const interconnect::Platform network = cluster::platform_for(machine, nodes, grows);
    return cluster::nbody_cost(machine, network.topology, program, hostlib::block_steps_for(n),
                               {.algorithm = cluster::nbody_algorithm_named(algorithm), .ranks = ranks}, t_end);
  });
  py::dict parts;
  for (std::size_t part = 0; part < cluster::kParts; ++part) {
    parts[py::str(std::string(cluster::name_of(static_cast<cluster::Part>(part))))] = cost.parts[part];
  }
  py::dict result;
  result["seconds"] = cost.seconds;
  result["gflops"] = cost.gflops;
  result["efficiency"] = cost.efficiency;
  result["bound_by"] = std::string(cluster::bound_by(cost.parts));
  result["parts"] = parts;
  result["ranks"] = ranks;
  return result;
}

py::list validate(const std::string& only) {
  std::vector<validation::Judged> rows;
  {
    const WithoutLock unlocked;
    rows = interruptible([&](const std::atomic<bool>& stop) {
      const validation::Models models;
      const validation::Data data = validation::read_data(models);
      return validation::judge_rows(data, models, only, {}, [&] { return !stop; });
    });
  }
  py::list list;
  for (const validation::Judged& judged : rows) {
    const validation::Row& row = judged.row;
    py::dict dict;
    dict["id"] = row.id.text();
    dict["quantity"] = row.quantity;
    dict["source"] = row.citation;
    dict["published"] = row.statement.empty() ? py::cast(row.published) : py::cast(row.statement);
    dict["ours"] = py::none();
    if (const double* number = std::get_if<double>(&judged.ours)) dict["ours"] = *number;
    if (const bool* holds = std::get_if<bool>(&judged.ours)) dict["ours"] = *holds;
    dict["unit"] = row.unit;
    dict["role"] = std::string(name_of(row.role));
    dict["bar"] = validation::text_of(row.bar);
    dict["error"] = judged.verdict.error;
    dict["passed"] = judged.verdict.pass;
    dict["verified"] = row.verified;
    list.append(dict);
  }
  return list;
}

base::Json json_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<std::int64_t>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::dict>(value)) {
    base::Json object = base::Json::object();
    for (const auto& [key, member] : value.cast<py::dict>()) object[key.cast<std::string>()] = json_of(member);
    return object;
  }
  if (py::isinstance<py::list>(value)) {
    base::Json list = base::Json::array();
    for (const py::handle entry : value.cast<py::list>()) list.push_back(json_of(entry));
    return list;
  }
  return nullptr;
}

/// Fields of the report of a command, as its HTML shows them.
std::string report_html(const std::string& command, const py::dict& values) {
  std::vector<const base::ReportShape*> shapes(cluster::report_shapes().begin(), cluster::report_shapes().end());
  for (const auto& of_one : {hostlib::shapes_of_runs(), interconnect::report_shapes(), validation::report_shapes()}) {
    for (const base::ReportShape& shape : of_one) shapes.push_back(&shape);
  }
  const auto shape = std::ranges::find(shapes, command, [](const base::ReportShape* one) { return one->name; });
  if (shape == shapes.end()) throw Error("command = '" + command + "' is refused: it has no report");
  return base::html_of(**shape, hostlib::fields_of_all_reports(), json_of(values));
}

py::array_t<std::int64_t> sum_words(const py::array_t<double, py::array::c_style>& terms) {
  gdr_sum sum = {};
  gdr_sum_add(&sum, terms.data(), static_cast<std::size_t>(terms.size()));
  return py::array_t<std::int64_t>(GDR_SUM_WORDS, sum.words);
}

/// The caller has checked the shape.
double sum_value(const py::array_t<std::int64_t, py::array::c_style>& words) {
  gdr_sum sum = {};
  std::copy_n(words.data(), GDR_SUM_WORDS, sum.words);
  return gdr_sum_value(&sum);
}

}  // namespace
}  // namespace gdr::python

PYBIND11_MODULE(_models, module) {
  using namespace gdr;
  using namespace gdr::python;

  Computation::end_before_the_interpreter();
  // The exceptions of grapedr._core; kept for as long as the process lives.
  static py::handle error = py::module_::import("grapedr._core").attr("Error").cast<py::object>().release();
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& caught) {
      PyErr_SetString(error.ptr(), caught.what());
    }
  });

  bind<interconnect::Platform>(module, "Platform")
      .def(py::init([](const std::string& name, std::optional<std::uint32_t> nodes) {
        return computed([&] { return platform(name, nodes); });
      }))
      .def_property_readonly("name", [](const interconnect::Platform& own) { return own.topology.name(); })
      .def_property_readonly("nodes", [](const interconnect::Platform& own) { return own.topology.nodes(); })
      .def_property_readonly("links", [](const interconnect::Platform& own) { return own.topology.links().size(); })
      .def_readonly("node_bytes_per_second", &interconnect::Platform::node_bytes_per_second)
      .def_readonly("flops_per_second", &interconnect::Platform::flops_per_second)
      .def_readonly("routing", &interconnect::Platform::routing)
      .def("route", [](const interconnect::Platform& own, std::uint32_t from,
                       std::uint32_t to) { return own.topology.route(from, to); })
      .def("collective", &run_collective);
  module.attr("AUTO_METHOD") = std::string(interconnect::kAutoMethod);
  module.def("has_simgrid", &interconnect::has_simgrid);

  bind<TaskGraph>(module, "TaskGraph")
      .def(py::init(&graph_of))
      .def_static(
          "named",
          [](const std::string& name, const std::string& topology, std::uint64_t bytes, const std::string& npb_class) {
            return computed([&] { return named_graph(name, Grid::parse(topology), bytes, npb_class); });
          })
      .def_property_readonly("tasks", &TaskGraph::tasks)
      .def_property_readonly("total_bytes", &TaskGraph::total_bytes);
  module.def("grid", [](const std::string& topology) {
    const Grid grid = Grid::parse(topology);
    const auto& extents = grid.extents();
    return std::vector<std::uint32_t>(extents.begin(), extents.begin() + grid.axes());
  });
  module.def("map_tasks", &map_tasks);
  module.attr("MAPPING_METHODS") = interconnect::mapping_methods();
  module.def("sum_words", &sum_words);
  module.def("sum_value", &sum_value);
  module.attr("SUM_WORDS") = static_cast<int>(GDR_SUM_WORDS);

  module.def("cluster_names", &cluster::cluster_names);
  module.def("cluster_nbody", &cluster_nbody);
  module.def("validate", &validate);
  module.def("report_html", &report_html);
}
