// Reports of networks.
#include "fields.h"

namespace gdr::cli {
namespace {

Field nodes_field() { return whole_field("nodes", "nodes of the network"); }
Field seconds_of_all() { return number_field("seconds", "s", "time of what is simulated"); }
Field link_bound_field() {
  return number_field("link_bound_seconds", "s", "time that the busiest link is busy: no schedule of it is faster");
}
Field bytes_sent() { return number_field("bytes", "B", "bytes of the messages"); }

Field simulation_field() {
  return object_field("simulation", "how the time was found",
                      {text_field("executor", "`s4u`, `smpi` or `closed-form`"),
                       or_none(text_field("flow_model", "SimGrid's flow model")),
                       or_none(text_field("factors", "correction of latency and bandwidth by message size")),
                       or_none(flag_field("crosstraffic", "whether flows use 5 % in the opposite direction"))});
}

Field halo_field(const std::string& key) {
  const std::vector<std::pair<const char*, const char*>> parts{{"total", "the whole exchange"},
                                                               {"pack", "packing and unpacking"},
                                                               {"tca", "messages of TCA"},
                                                               {"mpi", "messages of MPI"},
                                                               {"overhead", "barrier and launches"}};
  Field field = seconds_field(key, "parts of an exchange of halos", parts);
  field.members.push_back(flag_field("collided", "whether chains of TCA share a path"));
  return field;
}

ReportShape collective_shape(const std::string& name) {
  return {"net " + name,
          1,
          {nodes_field(), whole_field("bytes", "payload of each sending rank", "B"), text_field("method", "algorithm"),
           or_null(text_field("chosen_by", "library whose choice the algorithm is; null if `--method` names one")),
           simulation_field(), seconds_of_all(), link_bound_field(), whole_field("messages", "messages")},
          {}};
}

ReportShape routes_shape() {
  return {"net routes",
          1,
          {},
          {whole_field("from", "first node"), whole_field("to", "last node"), list_field("links", "links between them"),
           number_field("latency_seconds", "s", "sum of the links' latencies"),
           or_null(whole_field("wavelength", "wavelength of an optical hub"))},
          {},
          "routes"};
}

ReportShape pingpong_shape() {
  return {"net pingpong",
          1,
          {text_field("method", "how messages travel"), text_field("from", "sender"), text_field("to", "receiver"),
           whole_field("bytes", "bytes of a message", "B"), whole_field("count", "messages"), seconds_of_all(),
           number_field("bytes_per_second", "B/s", "bytes of all messages divided by `seconds`")},
          {}};
}

ReportShape halo_shape() {
  return {"net halo",
          1,
          {text_field("method", "how halos travel"), number_field("halo_seconds", "s", "time of an exchange"),
           or_null(number_field("simulated_seconds", "s", "the same by SimGrid, with `--simulate`")),
           halo_field("parts"), list_field("nodes", "node of each rank"),
           whole_field("rank", "rank whose plan this is"), list_field("notes", "what could not be done as asked")},
          {whole_field("dimension", "axis"), whole_field("side", "-1 or 1"),
           whole_field("peer", "rank on the other side"), whole_field("rows", "pieces of memory"),
           whole_field("block", "bytes of a piece", "B"), whole_field("gap", "bytes between pieces", "B"),
           text_field("pattern", "pattern in memory"), text_field("carrier", "`tca` or `mpi`"),
           flag_field("packed", "whether the pieces are packed first"), whole_field("bytes", "bytes of the halo", "B")},
          {},
          "directions"};
}

ReportShape stencil_shape(const std::string& name) {
  const Field iteration = number_field("seconds_per_iteration", "s", "time of an iteration");
  const Field gflops = number_field("gflops", "Gflops", "speed");
  const Field halo = number_field("halo_seconds", "s", "exchange of halos in it");
  const Field split = list_field("split", "ranks along each axis", {}, "1");
  const Field method = text_field("method", "how halos travel");
  return {"net " + name,
          1,
          {text_field("size", "grid"), iteration, gflops, halo, number_field("compute_seconds", "s", "computing in it"),
           number_field("all_reduce_seconds", "s", "sum over ranks in it"), halo_field("halo_parts"), split, method},
          {split, method, iteration, gflops, halo, whole_field("halo_bytes", "bytes of the halos of a rank", "B"),
           number_field("block_stride_share", "1", "share of them in pieces with gaps"),
           text_field("reason", "what decides")},
          {},
          "plans",
          true};
}

ReportShape summa_shape() {
  return {"net summa",
          1,
          {nodes_field(), whole_field("n", "order of the matrices"),
           whole_field("padded_n", "order that the blocks divide"), text_field("algorithm", "algorithm"),
           text_field("layout", "layout of the matrices"), text_field("compute", "what computing takes"),
           text_field("routing", "routes of the network"), simulation_field(), seconds_of_all(),
           or_null(number_field("relative", "1",
                                "speed relative to CA1 in 2-D on a hub of as many nodes; null if they form no square")),
           number_field("memory_words", "1", "words of a node's memory"), whole_field("messages", "messages"),
           bytes_sent(), link_bound_field()},
          {}};
}

ReportShape cost_shape() {
  return {"net cost",
          1,
          {number_field("total", "USD", "price of the network"), number_field("bandwidth_gbps", "Gbps", "bandwidth"),
           number_field("usd_per_gbps", "USD/Gbps", "price of bandwidth")},
          {text_field("board", "board"), text_field("part", "part"), number_field("unit_price", "USD", "price of one"),
           number_field("count", "1", "how many"), number_field("subtotal", "USD", "price of all")},
          {},
          "lines"};
}

ReportShape map_shape() {
  // Grids of three axes with one task a node have costs and options of their own.
  const std::vector<Field> costs{
      number_field("cost_hop_bytes", "B", "sum of bytes x hops; on a grid those of the mesh, also on a torus"),
      or_none(whole_field("cost_torus_hop_bytes", "sum of bytes x hops of the grid", "B")),
      or_none(whole_field("max_link_bytes", "bytes of the busiest link", "B")),
      or_none(number_field("busiest_link_seconds", "s", "time in which the busiest link carries its bytes")),
      or_none(number_field("bytes_inside_nodes", "B", "bytes between tasks of one node"))};
  return {
      "net map",
      1,
      joined({{text_field("graph", "traffic between tasks"), whole_field("tasks", "tasks"), nodes_field(),
               whole_field("total_bytes", "bytes of all messages", "B"),
               or_none(whole_field("tasks_per_node", "tasks of a node")),
               or_none(whole_field("duplicate_lines", "lines of the file that were added to earlier ones")),
               or_none(whole_field("collective_calls", "calls of collectives in the file, which are not in the graph")),
               or_none(text_field("tie", "direction around a ring if both are equally long")),
               or_none(text_field("axis_order", "order in which a message uses the axes")),
               or_null(text_field("objective", "quantity that `refined` minimises"))},
              costs,
              {object_field("natural_order", "the same for tasks in the order of nodes, `xyz`", costs),
               number_field("seconds_to_optimise", "s", "processor time of the host"),
               whole_field("rank0_node", "node of task 0"),
               or_none(number_field("natural_order_seconds", "s",
                                    "`emulated_seconds` of tasks in the order of nodes, with `--simulate`")),
               or_none(text_field("emulated_time", "how `emulated_seconds` were found, with `--simulate`")),
               or_none(text_field("network", "description of the links, with `--simulate`")),
               or_none(list_field("mapping", "node of each task, with `--full`")),
               or_none(list_field("link_histogram", "bytes and number of links that carry them, with `--full`"))}}),
      {}};
}

ReportShape circuits_shape() {
  return {
      "net circuits",
      1,
      {text_field("graph", "traffic between tasks"), nodes_field(), whole_field("ports", "circuits of a node, at most"),
       number_field("bound_seconds", "s", "no circuits take less for the bytes of the busiest one"),
       number_field("direct_share", "1", "share of the bytes that no node relays"),
       list_field("circuits", "pairs of nodes that are joined"), list_field("files", "files that were written")},
      {text_field("name", "circuits, wavelengths to all, a ring or a torus"),
       number_field("busiest_link_seconds", "s", "time in which the busiest link carries its bytes"),
       number_field("hop_bytes", "B", "sum of bytes x links"),
       number_field("seconds", "s", "simulated time of all messages at once")},
      {},
      "ways"};
}

ReportShape import_shape() {
  return {"net import",
          1,
          {text_field("format", "format of the file"), text_field("holds", "`network` or `graph`"),
           or_none(whole_field("nodes", "nodes of the network")), or_none(whole_field("links", "links of the network")),
           or_none(whole_field("tasks", "tasks of the graph")),
           or_none(whole_field("transfers", "pairs of tasks that exchange bytes")),
           list_field("files", "files that were written"),
           list_field("notes", "what the file has and the network or the graph does not")},
          {}};
}

ReportShape replay_shape() {
  return {"net replay",
          1,
          {text_field("trace", "program"), whole_field("ranks", "ranks"), nodes_field(),
           whole_field("messages", "messages"), bytes_sent(),
           number_field("eager_bytes", "B", "messages below this size do not hold up their sender"),
           number_field("envelope_bytes", "B", "bytes that the message library adds to each message"),
           text_field("collectives", "messages of collectives: `doubling` or `posted`"),
           text_field("factors", "correction of latency and bandwidth by message size"), seconds_of_all(),
           or_null(number_field("path_network_seconds", "s",
                                "messages on the critical path; null unless that is the executor")),
           or_null(number_field("path_compute_seconds", "s", "computing on it; null unless that is the executor"))},
          {}};
}

ReportShape net_run_shape() {
  return {"net run",
          1,
          {text_field("program", "first source or object of the program"), whole_field("ranks", "ranks"), nodes_field(),
           number_field("eager_bytes", "B", "messages below this size do not hold up their sender"), seconds_of_all(),
           text_field("output", "what the program printed")},
          {}};
}

}  // namespace

std::span<const ReportShape> shapes_of_networks() {
  static const std::vector<ReportShape> shapes{collective_shape("allgather"),
                                               collective_shape("allreduce"),
                                               collective_shape("alltoall"),
                                               collective_shape("bcast"),
                                               circuits_shape(),
                                               cost_shape(),
                                               halo_shape(),
                                               stencil_shape("himeno"),
                                               import_shape(),
                                               stencil_shape("laplace"),
                                               map_shape(),
                                               pingpong_shape(),
                                               replay_shape(),
                                               routes_shape(),
                                               net_run_shape(),
                                               summa_shape()};
  return shapes;
}

}  // namespace gdr::cli
