// The texts of reports, in the form that base::text_of() takes. A line with a colon at its begin names the commands.
#include <algorithm>

#include "shapes.h"

namespace gdr::cli {
namespace {

// clang-format off
constexpr std::string_view kTexts = R"(:net allgather, net allreduce, net alltoall, net bcast
{@schedule} of {bytes} bytes on {@topology}, {method}
  time        {seconds:.6g} s, busiest link {link_bound_seconds:.6g} s
  messages    {messages}, {@total_bytes} bytes
  model       {@model}
:net circuits
{nodes} nodes with {ports} ports each for {graph}: {@count} circuits, {direct_share*100:.1f} % of the bytes without a relay
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
{plans:?}{@name} {size} on {@nodes} nodes: split {split} with {method}, {seconds_per_iteration*1e6:.1f} us an iteration, {gflops:.1f} Gflops
{plans:?}split      method         us   Gflops   halo us  halo KB  why
{*plans}{split:<10} {method:<7} {seconds_per_iteration*1e6:>9.1f} {gflops:>8.1f} {halo_seconds*1e6:>9.1f} {halo_bytes/1024:>8.0f}  {reason}
:net import
{machine} ({format}): [{nodes} nodes, {links} links][{tasks} tasks, {transfers} transfers]
{*notes}  note     {.}
  written  {@files}
:net map
{tasks} tasks of {graph} on {machine} by {engine}[ for {objective}][, {tasks_per_node} on each node]
{duplicate_lines:?}  {graph}:{@first_duplicate}: first of {duplicate_lines} lines whose bytes were added to an earlier line's
{tie:?}  traffic          {total_bytes/1e9:.4f} GB
{tie:?}  cost             {cost_hop_bytes/1e9:.4f} GB x mesh hops, natural order {natural_order.cost_hop_bytes/1e9:.4f}
  torus cost       {cost_torus_hop_bytes/1e9:.4f} GB x hops, natural order {natural_order.cost_torus_hop_bytes/1e9:.4f}
  busiest link     {max_link_bytes/1e6:.4f} MB (tie {tie}, {axis_order}), natural order {natural_order.max_link_bytes/1e6:.4f}
  traffic          {total_bytes/1e9:.4g} GB, {bytes_inside_nodes/1e9:.4g} inside nodes, natural order {natural_order.bytes_inside_nodes/1e9:.4g}
{tasks_per_node:?}  cost             {cost_hop_bytes/1e9:.4g} GB x links, natural order {natural_order.cost_hop_bytes/1e9:.4g}
  busiest link     {busiest_link_seconds*1e3:.4g} ms for its bytes, natural order {natural_order.busiest_link_seconds*1e3:.4g}
  worse            than natural order in the {@worse}
  simulated        {emulated_seconds:.6f} s ({emulated_time}, {network})
  simulated        {emulated_seconds:.6g} s (S4U, CM02, all traffic at once), natural order {natural_order_seconds:.6g}
{rank0_node:?}  rank 0           runs on node {rank0_node}, not on the first
  optimisation     {seconds_to_optimise:.4f} s of processor time
{@no_links:?}  links by load    none: one node has no links
{@bins:?}  links by load (up to MB: links)
{*@bins}    {most_bytes/1e6:>10.3f} {links:>7} {bar}
:net pingpong
{method} {from} to {to}, {@all_bytes:.0f} bytes: {seconds*1e6:.3f} us, {bytes_per_second/1e6:.1f} MB/s
:net replay
{trace} of {ranks} ranks on {@topology}[, placed by {@map}]
  time        {seconds:.6g} s
  of that     {path_network_seconds:.6g} s messages, {path_compute_seconds:.6g} s computing on the critical path
  messages    {messages}, {bytes:.0f} bytes
  model       {@executor}, factors {factors}, messages below {eager_bytes:.0f} bytes leave their sender free
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

std::string_view report_text(std::string_view command) {
  const std::string name = ", " + std::string(command) + ",";
  std::string_view rest = kTexts;
  while (!rest.empty()) {
    const std::string commands = ", " + std::string(rest.substr(1, rest.find('\n') - 1)) + ",";
    const std::size_t begin = rest.find('\n') + 1;
    const std::size_t end = std::min(rest.find("\n:", begin), rest.size() - 1) + 1;
    if (commands.find(name) != std::string::npos) return rest.substr(begin, end - begin);
    rest.remove_prefix(end);
  }
  return {};
}

}  // namespace gdr::cli
