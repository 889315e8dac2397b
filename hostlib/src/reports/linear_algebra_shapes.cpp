// Reports of matrix products and of LINPACK.
#include "gdr/base/report_fields.h"
#include "gdr/hostlib/report_fields.h"
#include "gdr/hostlib/report_shapes.h"

namespace gdr::hostlib {
namespace {

base::Field small_depths_field() {
  return base::text_field("small_depths", "how products of small K are laid out: `own-rows` or `fixed-unit`");
}

base::ReportShape dgemm_shape() {
  const std::vector<std::pair<const char*, const char*>> stages{{"b_send", "B to the boards"},
                                                                {"a_send", "A to the boards"},
                                                                {"a_load", "A into the PEs"},
                                                                {"compute", "boards, and C to the host"}};
  return {
      "dgemm",
      1,
      base::joined({digest_fields(),
                    {base::whole_field("m", "rows of A and C"), base::whole_field("n", "columns of B and C"),
                     base::whole_field("k", "columns of A, rows of B"), transfer_field(), small_depths_field(),
                     base::flag_field("transposed", "whether the board computes C^T = B^T A^T, which takes less time"),
                     base::or_null(
                         base::number_field("max_rel_error", "1",
                                            "largest abs(C - R) / (abs(A) abs(B)), R in long double, over at most some "
                                            "4,096 elements")),
                     base::number_field("error_bound", "1", "largest value of it that is allowed"),
                     base::whole_field("clocks_per_unit", "clocks of a turn of the boards"),
                     base::number_field("useful_flops", "1", "2 m n k"),
                     base::number_field("executed_flops", "1", "operations of the boards"),
                     base::seconds_field("stages", "emulated time by stage", stages)}}),
      {}};
}

/// Each kind of LINPACK has some of these.
base::Field hpl_stages() {
  base::Field stages = base::object_field("stages", "emulated time by stage; on nodes, on the critical path", {}, "s");
  for (const char* stage : {"panel", "broadcast", "swap", "update", "backsub", "refinement"}) {
    stages.members.push_back(base::or_none(base::number_field(stage, "s", "stage of LINPACK")));
  }
  return stages;
}

base::ReportShape hpl_shape() {
  return {
      "hpl",
      1,
      base::joined(
          {base::or_none(digest_fields()),
           base::or_none(std::vector<base::Field>{
               base::whole_field("n", "order of the matrix"), base::whole_field("nb", "columns of a panel"),
               transfer_field(), base::text_field("products", "who computes the products: `faster` or `record`"),
               small_depths_field(), base::number_field("board_busy", "1", "share of the time that the board works"),
               hpl_stages(),
               base::or_null(
                   base::number_field("residual", "1", "||Ax-b||_oo / (eps ||A||_1 N); null if nothing is computed")),
               base::or_null(base::number_field("residual_host", "1", "the same with products of the host")),
               base::text_field("cluster", "cluster"), base::text_field("refinement", "how `--mxp` refines"),
               base::whole_field("refinement_steps", "steps of the refinement"),
               base::or_null(base::number_field("residual_before", "1", "residual of the factors without refinement")),
               base::number_field("hpl_seconds", "s", "HPL in doubles on the same machine"),
               base::text_field("dat", "file HPL.dat"),
               base::number_field("threshold", "1", "HPL's threshold of residuals"),
               base::list_field("notes", "values of HPL.dat that HPL replaces")})}),
      {base::text_field("variant", "HPL's name of the variant, as WR01C2R4"),
       base::whole_field("n", "order of the matrix"), base::whole_field("nb", "columns of a panel"),
       base::text_field("grid", "rows and columns of ranks, PxQ"),
       base::or_null(base::text_field("skipped", "why the run was skipped")),
       base::or_none(base::number_field("seconds", "s", "emulated time")),
       base::or_none(base::number_field("gflops", "Gflops", "speed as HPL counts")),
       base::or_none(base::or_null(base::number_field("share_of_peak", "1", "speed divided by the peak in doubles"))),
       base::or_none(base::number_field("watts", "W", "power of the nodes")),
       base::or_none(base::whole_field("lookahead", "panels that hosts factorise while boards update")),
       base::or_none(hpl_stages()), base::or_none(base::flag_field("best_nb", "whether no other NB takes less time")),
       base::or_none(base::or_null(base::number_field("residual", "1", "HPL's residual; null if it is not computed"))),
       base::or_none(base::or_null(base::flag_field("passed", "whether it is below the threshold")))},
      {},
      "runs",
      true};
}

// clang-format off
constexpr std::string_view kTextsOfLinearAlgebra = R"(:dgemm
{m} x {n} x {k} with {@kernel} on {@machine} at {@clock_mhz} MHz
  arithmetic      {@arithmetic}
  largest error   {max_rel_error:.2e} of |A||B|, allowed {error_bound:.2e}
  emulated time   {emulated_seconds:.6f} s: B {stages.b_send:.6f}, A {stages.a_send:.6f}, load {stages.a_load:.6f}, turns {stages.compute:.6f}
  emulated speed  {emulated_gflops:.1f} Gflops; {clocks_per_unit} clocks a turn, {@turns_gflops:.1f} Gflops of turns alone
{transposed:?}  orientation     transposed: the board computes C^T = B^T A^T, which takes less time
  useful          {@useful*100:.1f} % of the operations executed
  host time       {host_seconds:.2f} s
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
)";
// clang-format on

}  // namespace

std::span<const base::ReportShape> shapes_of_linear_algebra() {
  static const std::vector<base::ReportShape> shapes =
      base::with_texts({dgemm_shape(), hpl_shape()}, kTextsOfLinearAlgebra);
  return shapes;
}

}  // namespace gdr::hostlib
