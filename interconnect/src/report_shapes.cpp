// Reports of networks.
#include "gdr/interconnect/report_shapes.h"

#include "gdr/base/report_fields.h"

namespace gdr::interconnect {
namespace {

using base::Field;
using base::flag_field;
using base::joined;
using base::list_field;
using base::number_field;
using base::object_field;
using base::or_none;
using base::or_null;
using base::ReportShape;
using base::seconds_field;
using base::text_field;
using base::whole_field;

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
           simulation_field(), seconds_of_all(), link_bound_field(), whole_field("messages", "messages"),
           whole_field("total_bytes", "sum of the bytes of all messages", "B")},
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
               or_null(text_field(
                   "objective",
                   "quantity that `refined` minimises; for `cost`, with no link busier than in natural order"))},
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
           list_field("notes", "contents of the file that the network or the graph leaves out")},
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

// clang-format off
constexpr std::string_view kTexts = R"(:net allgather, net allreduce, net alltoall, net bcast
{@title} of {bytes:#byte} on {@topology}, {method}[ (the choice of {chosen_by})]
  time        {seconds:.6g} s, busiest link {link_bound_seconds:.6g} s
  messages    {messages}, {total_bytes} bytes
  model       {@model}
:net circuits
{nodes:#node} with {ports:#port} each for {graph}: {@count:#circuit}, {direct_share*100:.1f} % of the bytes without a relay
{@duplicates:?}  {graph}:{@first_duplicate}: first of {@duplicates:#line} with bytes that were added to those of an earlier line
  {@pairs}
                               busiest link, ms     GB x links  simulated, ms
{*ways}  {name:<28} {busiest_link_seconds*1e3:>16.4g} {hop_bytes/1e9:>14.4g} {seconds*1e3:>14.4g}
  no circuits take less than   {bound_seconds*1e3:>16.4g}
:net cost
{@title}
{*lines}  {board:<18} {part:<14} {unit_price:>8.0f} x {count:>6.0f} = {subtotal:>8.0f} USD
  {total:.0f} USD for {bandwidth_gbps:.0f} Gbps, {usd_per_gbps:.2f} USD/Gbps
:net halo
rank {rank} on node {@node}
{@plan}
{parts.total*1e6:.1f} us: pack {parts.pack*1e6:.1f}, TCA {parts.tca*1e6:.1f}, MPI {parts.mpi*1e6:.1f}, barrier and launches {parts.overhead*1e6:.1f}
{simulated_seconds*1e6:.1f} us by SimGrid
:net himeno, net laplace
{plans:!}{@name} {size} split {split}, {method}: {seconds_per_iteration*1e6:.1f} us an iteration, {gflops:.1f} Gflops
{plans:!}compute {compute_seconds*1e6:.1f} us, halo {halo_seconds*1e6:.1f} us (pack {halo_parts.pack*1e6:.1f}, TCA {halo_parts.tca*1e6:.1f}, MPI {halo_parts.mpi*1e6:.1f}, barrier and launches {halo_parts.overhead*1e6:.1f})[{all_reduce_seconds:?}, all-reduce {all_reduce_seconds*1e6:.1f} us]
{plans:?}{@name} {size} on {@nodes:#node}: split {split} with {method}, {seconds_per_iteration*1e6:.1f} us an iteration, {gflops:.1f} Gflops
{plans:?}split      method         us   Gflops   halo us  halo KB  why
{*plans}{split:<10} {method:<7} {seconds_per_iteration*1e6:>9.1f} {gflops:>8.1f} {halo_seconds*1e6:>9.1f} {halo_bytes/1024:>8.0f}  {reason}
:net import
{machine} ({format}): [{nodes:#node}, {links:#link}][{tasks:#task}, {transfers:#transfer}]
{*notes}  note     {.}
  written  {@files}
:net map
{tasks:#task} of {graph} on {machine} by {engine}[ for {@goal}][, {tasks_per_node} on each node]
{duplicate_lines:?}  {graph}:{@first_duplicate}: first of {duplicate_lines:#line} with bytes that were added to those of an earlier line
{tie:?}  traffic          {total_bytes:bytes}
{tie:?}  cost             {cost_hop_bytes:bytes} x mesh hops, natural order {natural_order.cost_hop_bytes:bytes}
  torus cost       {cost_torus_hop_bytes:bytes} x hops, natural order {natural_order.cost_torus_hop_bytes:bytes}
  busiest link     {max_link_bytes:bytes} (tie {tie}, {axis_order}), natural order {natural_order.max_link_bytes:bytes}
  traffic          {total_bytes:bytes}, {bytes_inside_nodes:bytes} inside nodes, natural order {natural_order.bytes_inside_nodes:bytes}
{tasks_per_node:?}  cost             {cost_hop_bytes:bytes} x links, natural order {natural_order.cost_hop_bytes:bytes}
  busiest link     {busiest_link_seconds*1e3:.4g} ms for its bytes, natural order {natural_order.busiest_link_seconds*1e3:.4g}
  worse            than natural order in the {@worse}
  simulated        {emulated_seconds:.6f} s ({emulated_time}, {network})
  simulated        {emulated_seconds:.6g} s (S4U, CM02, all traffic at once), natural order {natural_order_seconds:.6g}
{rank0_node:?}  rank 0           runs on node {rank0_node}, not on the first
  optimisation     {seconds_to_optimise:.4f} s of processor time
{@no_links:?}  links by load    none: one node has no links
{@bins:?}  links by load (up to: links)
{*@bins}    {most_bytes:bytes>10} {links:>7} {bar}
:net pingpong
{method} {from} to {to}, {@all_bytes:.0f} bytes: {seconds*1e6:.3f} us, {bytes_per_second/1e6:.1f} MB/s
:net replay
{trace} of {ranks} ranks on {@topology}[, placed by {@map}]
  time        {seconds:.6g} s
  of that     {path_network_seconds:.6g} s messages, {path_compute_seconds:.6g} s computing on the critical path
  messages    {messages}, {bytes:.0f} bytes
  model       {@executor}, factors {factors}, messages below {eager_bytes:.0f} bytes leave their sender free
:net routes
{*routes}{from} > {to}: {links:words}[  wavelength {wavelength}]
:net run
{output:?}{output}
{program}: {seconds:.6g} s for messages of {ranks:#rank} on {@topology}
:net summa
SUMMA {algorithm} in {layout} on {@topology}, n = {n}[, padded to {@padded_n}]
  time        {seconds:.6g} s, arithmetic {compute}
  relative    {relative:.2f} x CA1 on the hub
  memory      {memory_words:.4g} words a node
  messages    {messages}, {bytes} bytes, routes {routing}
  model       {@model}
)";
// clang-format on

}  // namespace

std::span<const ReportShape> report_shapes() {
  static const std::vector<ReportShape> shapes =
      base::with_texts({collective_shape("allgather"), collective_shape("allreduce"), collective_shape("alltoall"),
                        collective_shape("bcast"), circuits_shape(), cost_shape(), halo_shape(),
                        stencil_shape("himeno"), import_shape(), stencil_shape("laplace"), map_shape(),
                        pingpong_shape(), replay_shape(), routes_shape(), net_run_shape(), summa_shape()},
                       kTexts);
  return shapes;
}

}  // namespace gdr::interconnect
