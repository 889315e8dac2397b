// Reports of matrix products and of LINPACK.
#include "fields.h"

namespace gdr::cli {
namespace {

Field small_depths_field() {
  return text_field("small_depths", "how products of small K are laid out: `own-rows` or `fixed-unit`");
}

ReportShape dgemm_shape() {
  const std::vector<std::pair<const char*, const char*>> stages{{"b_send", "B to the boards"},
                                                                {"a_send", "A to the boards"},
                                                                {"a_load", "A into the PEs"},
                                                                {"compute", "boards, and C to the host"}};
  return {"dgemm",
          1,
          joined({digest_fields(),
                  {whole_field("m", "rows of A and C"), whole_field("n", "columns of B and C"),
                   whole_field("k", "columns of A, rows of B"), transfer_field(), small_depths_field(),
                   flag_field("transposed", "whether the board computes C^T = B^T A^T, which takes less time"),
                   or_null(number_field("max_rel_error", "1",
                                        "largest abs(C - R) / (abs(A) abs(B)), R in long double, over at most some "
                                        "4,096 elements")),
                   number_field("error_bound", "1", "largest value of it that is allowed"),
                   whole_field("clocks_per_unit", "clocks of a turn of the boards"),
                   number_field("useful_flops", "1", "2 m n k"),
                   number_field("executed_flops", "1", "operations of the boards"),
                   seconds_field("stages", "emulated time by stage", stages)}}),
          {}};
}

/// Each kind of LINPACK has some of these.
Field hpl_stages() {
  Field stages = object_field("stages", "emulated time by stage; on nodes, on the critical path", {}, "s");
  for (const char* stage : {"panel", "broadcast", "swap", "update", "backsub", "refinement"}) {
    stages.members.push_back(or_none(number_field(stage, "s", "stage of LINPACK")));
  }
  return stages;
}

ReportShape hpl_shape() {
  return {
      "hpl",
      1,
      joined({or_none(digest_fields()),
              or_none(std::vector<Field>{
                  whole_field("n", "order of the matrix"), whole_field("nb", "columns of a panel"), transfer_field(),
                  text_field("products", "who computes the products: `faster` or `record`"), small_depths_field(),
                  number_field("board_busy", "1", "share of the time that the board works"), hpl_stages(),
                  or_null(number_field("residual", "1", "||Ax-b||_oo / (eps ||A||_1 N); null if nothing is computed")),
                  or_null(number_field("residual_host", "1", "the same with products of the host")),
                  text_field("cluster", "cluster"), text_field("refinement", "how `--mxp` refines"),
                  whole_field("refinement_steps", "steps of the refinement"),
                  or_null(number_field("residual_before", "1", "residual of the factors without refinement")),
                  number_field("hpl_seconds", "s", "HPL in doubles on the same machine"),
                  text_field("dat", "file HPL.dat"), number_field("threshold", "1", "HPL's threshold of residuals"),
                  list_field("notes", "values of HPL.dat that HPL replaces")})}),
      {text_field("variant", "HPL's name of the variant, as WR01C2R4"), whole_field("n", "order of the matrix"),
       whole_field("nb", "columns of a panel"), text_field("grid", "rows and columns of ranks, PxQ"),
       or_null(text_field("skipped", "why the run was skipped")),
       or_none(number_field("seconds", "s", "emulated time")),
       or_none(number_field("gflops", "Gflops", "speed as HPL counts")),
       or_none(or_null(number_field("share_of_peak", "1", "speed divided by the peak in doubles"))),
       or_none(number_field("watts", "W", "power of the nodes")),
       or_none(whole_field("lookahead", "panels that hosts factorise while boards update")), or_none(hpl_stages()),
       or_none(flag_field("best_nb", "whether no other NB takes less time")),
       or_none(or_null(number_field("residual", "1", "HPL's residual; null if it is not computed"))),
       or_none(or_null(flag_field("passed", "whether it is below the threshold")))},
      {},
      "runs",
      true};
}

}  // namespace

std::span<const ReportShape> shapes_of_linear_algebra() {
  static const std::vector<ReportShape> shapes{dgemm_shape(), hpl_shape()};
  return shapes;
}

}  // namespace gdr::cli
