// The texts of reports, in the form that base::text_of() takes. A line with a colon at its begin names the commands.
#include <algorithm>

#include "shapes.h"

namespace gdr::cli {
namespace {

// clang-format off
constexpr std::string_view kTexts = R"(:cluster advise
N = {n}: take {best.algorithm} on {best.nodes:#node} of {best.cluster}: {best.gflops/1e3:.4g} Tflops, efficiency {best.efficiency*100:.1f} %
  takes      {best.seconds:.4g} s a unit of time; most of it is spent on: {best.bound_by}
{@is_less:?}  note       nothing reaches an efficiency of {least_efficiency*100:g} %
{*@others}  instead of {algorithm} on {nodes:#node} of {cluster}: {gflops/1e3:.4g} Tflops, efficiency {efficiency*100:.1f} %
  no larger  {larger.algorithm} on {larger.nodes:#node} of {larger.cluster}: {larger.gflops/1e3:.4g} Tflops, efficiency {larger.efficiency*100:.1f} %
  would gain a factor of {gain.free_network:.2f} if messages took no time, of {gain.planned_transfers:.2f} with transfers to the board as planned
:dgemm
{m} x {n} x {k} with {@kernel} on {@machine} at {@clock_mhz} MHz
  arithmetic      {@arithmetic}
  largest error   {max_rel_error:.2e} of |A||B|, allowed {error_bound:.2e}
  emulated time   {emulated_seconds:.6f} s: B {stages.b_send:.6f}, A {stages.a_send:.6f}, load {stages.a_load:.6f}, turns {stages.compute:.6f}
  emulated speed  {emulated_gflops:.1f} Gflops; {clocks_per_unit} clocks a turn, {@turns_gflops:.1f} Gflops of turns alone
{transposed:?}  orientation     transposed: the board computes C^T = B^T A^T, which takes less time
  useful          {@useful*100:.1f} % of the operations executed
  host time       {host_seconds:.2f} s
:force
{kernel} on {@machine} at {clock_mhz} MHz, N = {n}, eps = {eps}, engine {engine}[ ({@exactness})]
  emulated time   {emulated_seconds:.6f} s: i send {stages.i_send:.6f}, j send {stages.j_send:.6f}, compute and collect {stages.compute:.6f}, add {stages.add:.6f}
  emulated speed  {emulated_gflops:.1f} Gflops, {@flops:.0f} flops per interaction
  chip clocks     {clocks}: body {clocks_by_part.loop_body}, stalls {clocks_by_part.stall}, i load {clocks_by_part.i_load}, first record {clocks_by_part.first_record}, collection {clocks_by_part.collection}, other lines {@other_clocks}
  rms error       acc {rms_error.acc:.2e}[, jerk {rms_error.jerk:.2e}], pot {rms_error.pot:.2e} against host double
{rms_error:!}  no forces       engine timing computes none
  host time       {host_seconds:.2f} s[, of which the forces in host double took {reference_host_seconds:.2f} s]
:hpl
N = {n}, NB = {nb}{refinement:? in short words} on {@machine} at {@clock_mhz} MHz and its host {@host}
  emulated time   {emulated_seconds:time} s: panel {stages.panel:time}, update {stages.update:time}[, swap {stages.swap:time}, back-substitution {stages.backsub:time}][, refinement {stages.refinement:time}]
  emulated speed  {emulated_gflops:.1f} Gflops{refinement:? as HPL counts}; board at work for {board_busy*100:.1f} %
  HPL in doubles  {hpl_seconds:time} s, {@hpl_gflops:.1f} Gflops, on the same machine
  products        {@products}
{residual:!}  refinement      {refinement_steps:#step} counted
  arithmetic      {@arithmetic}
  refinement      {refinement_steps:#step} ({refinement}), from a residual of {residual_before:.4g}
{refinement:!}  residual        {residual:.7f} = ||Ax-b||_oo / (eps ||A||_1 N), which HPL wants below {@threshold}
{refinement:?}  residual        {residual:.7f} = ||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N), which must be below {@threshold}
  host's products {residual_host:.7f}, so the board's residual is {@of_host:.3f} of it
  host time       {host_seconds:.2f} s
:nbody
{stages:!}{n} particles to t = {t} {@computed}
  at the start    mass {scales.mass:.6g}[, virial radius {scales.virial_radius:.4g}][, virial ratio {scales.virial_ratio:.4g}][, crossing time {scales.crossing_time:.4g}][, relaxation time {scales.relaxation_time:.4g}][, time unit {@megayears:.6g} Myr]
  energy error    {@energy_error} (E = {energy:.11g}, virial ratio {@virial_ratio})
{stages:!}  steps           {steps} in {block_steps} blocks, {@block_size:.1f} particles a block
  binaries        {@pairs.left} regularised at the end; {@pairs.begun} were begun and {@pairs.ended} given up
{stages:!}  interactions    {interactions}
  occupancy       {pipe_occupancy*100:.1f} % of the interactions that the PEs had time for
  core            {@core}
{stages:!}  emulated time   {emulated_seconds:.4f} s on the board and its host of 2009
  ranks           {ranks}, split {split}, network of {cluster}; seconds on average: {@mean_parts}
{stages:?}{n} particles to t = {t} on {@machine} at {clock_mhz} MHz, kernel {kernel}: emulated time alone
{stages:?}  blocks          {block_steps:.0f} of {@block_size:.1f} particles on average, {steps:.4g} steps
{*@origin}                  {.}
  emulated time   {emulated_seconds:.4f} s: i send {stages.i_send:.4f}, j send {stages.j_send:.4f}, compute and collect {stages.compute:.4f}, add {stages.add:.4f}, integration {stages.host:.4f}
  takes           {@takes}, {@kilowatt_hours:.3g} kWh at {watts:.0f} W: the host and {boards:#board} of {@cluster}
  emulated speed  {emulated_gflops:.2f} Gflops at {@flops:.0f} flops per interaction
  host time       {host_seconds:.2f} s
  state hash      {state_hash}
{predicted_at_end:?}  note: t = {t} is no block time; {predicted_at_end} particles were predicted to it
{smallest_steps:?}  note: {smallest_steps} steps were held at the smallest step 2^{@smallest_step}; soften, or expect a wrong energy
{*changes}  note: from t = {t} on {what}
{forced_restart:?}  note: the restart was forced in spite of {@forced}
:net allgather, net allreduce, net alltoall, net bcast
{@title} of {bytes:#byte} on {@topology}, {method}[ (the choice of {chosen_by})]
  time        {seconds:.6g} s, busiest link {link_bound_seconds:.6g} s
  messages    {messages}, {@total_bytes} bytes
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
{tasks:#task} of {graph} on {machine} by {engine}[ for {objective}][, {tasks_per_node} on each node]
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
