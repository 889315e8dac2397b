// The runtime's C interface, and the functions of xmp.h.
#include "xmp_calls.h"

#include <fmt/format.h>

#include "xmp_run.h"

using gdr::interconnect::XmpArray;
using gdr::interconnect::XmpNodes;
using gdr::interconnect::XmpRun;
using gdr::interconnect::XmpSide;
using gdr::interconnect::XmpTemplate;

namespace {

XmpRun& run() { return XmpRun::of_process(); }

}  // namespace

extern "C" {

void gdr_xmp_begin(int* count, char*** words, const char* file) { run().begin(*count, *words, file); }

void gdr_xmp_nodes(const char* name, int dimensions, const long* extents, int line) {
  run().add_nodes(XmpNodes{name, {extents, extents + dimensions}, {}}, line);
}

void gdr_xmp_template(const char* name, int nodes, int dimensions, const long* bounds, const int* node_dimensions,
                      long* block) {
  XmpTemplate made{name, nodes, {}, {node_dimensions, node_dimensions + dimensions}, {}};
  for (int d = 0; d < dimensions; ++d) made.bounds.emplace_back(bounds[2 * d], bounds[2 * d + 1] + 1);
  run().add_template(std::move(made), block);
}

void* gdr_xmp_array(const char* name, int line, size_t element_bytes, int on, int dimensions, const long* extents,
                    const int* along, const long* shadow, int diagonal, long* pitch, long* range) {
  XmpArray array;
  array.name = name;
  array.on = on;
  array.element_bytes = element_bytes;
  array.diagonal = diagonal != 0;
  array.extents = {extents, extents + dimensions};
  array.along = {along, along + dimensions};
  array.shadow = {shadow, shadow + 2 * dimensions};
  return run().add_array(std::move(array), line, pitch, range);
}

void gdr_xmp_parameter(const char* name, int line, int on, int dimensions, const long* extents, const int* along,
                       const long* shadow, long* pitch, long* range) {
  XmpArray array;
  array.name = name;
  array.on = on;
  array.extents = {extents, extents + dimensions};
  array.along = {along, along + dimensions};
  array.shadow = {shadow, shadow + 2 * dimensions};
  run().add_array(std::move(array), line, pitch, range);
}

int gdr_xmp_passed(const void* elements, const char* name, int line) { return run().array_at(elements, name, line); }

void gdr_xmp_reflect_init(int array, const long* widths, const int* periodic, int orthogonal, int line) {
  run().init_reflect(array, widths, periodic, orthogonal != 0, line);
}

void gdr_xmp_reflect_do(int array, int line) { run().do_reflect(array, line); }

void gdr_xmp_move_side(int side, int array, void* elements, int dimensions, const long* extents, const long* sections) {
  XmpSide of{array, static_cast<std::byte*>(elements), {extents, extents + dimensions}, {}};
  for (int d = 0; d < dimensions; ++d) {
    const long* const one = sections + 3 * d;
    of.sections.push_back({one[0], one[1], one[2] == 0});
  }
  run().set_side(side, std::move(of));
}

void gdr_xmp_move(size_t element_bytes, int line) { run().move(element_bytes, line); }

void gdr_xmp_barrier(void) { run().barrier(); }

void gdr_xmp_bcast(void* variable, size_t bytes, int sends, int line) { run().bcast(variable, bytes, sends, line); }

int gdr_xmp_is_on_nodes(int nodes, const long* ranges, int from, int line) {
  return run().is_on_nodes(nodes, ranges, from, line) ? 1 : 0;
}

int gdr_xmp_is_on_template(int on, const long* ranges, int line) {
  return run().is_on_template(on, ranges, line) ? 1 : 0;
}

void gdr_xmp_sum_begin(int sum, double before, int single) { run().sums().begin(sum, before, single != 0); }

void gdr_xmp_term(int sum, double term, int single, int /*counters*/, long i, long j, long k, long l) {
  run().sums().term(sum, term, single != 0, {i, j, k, l});
}

double gdr_xmp_sum_end(int sum) { return run().sums().end(sum); }

double gdr_xmp_sum_end_among(int sum, int nodes, unsigned long along) {
  const gdr::interconnect::XmpGroup& among = run().group(nodes, along);
  const double value = run().sums().end_among(sum, among.comm);
  run().meet_for_reduction(true, among);
  return value;
}

double gdr_xmp_sum_merge(int sum, double value, int single) {
  const double merged = run().sums().merge(sum, value, single != 0);
  run().meet_for_reduction(run().sums().merged_loop(), run().group(-1, 0));
  return merged;
}

void gdr_xmp_reduce(void* variable, int type, int operation, int nodes, unsigned long along) {
  run().reduce(variable, type, operation, run().group(nodes, along));
}

void gdr_xmp_spend(double points, double bytes) { run().spend(points, bytes); }

void gdr_xmp_board(double seconds) { run().spend_board(seconds); }

void gdr_xmp_not_timed(int line) { run().not_timed(line); }

void gdr_xmp_outside(const char* array, int dimension, long subscript, const long* range, int line) {
  // Reads are taken from the shadow, so that an element of the shadow comes here only if it is written.
  const bool written = subscript >= range[2] && subscript < range[3];
  const char* message = written ? "'{}' is written with subscript {} in dimension {}: a node writes its own elements "
                                  "only, here {} to {}; those of its shadow, {} to {} with them, are only read"
                                : "'{}' is used with subscript {} in dimension {}: the node has {} to {}, with its "
                                  "shadow {} to {}";
  run().fail(
      fmt::format(fmt::runtime(message), array, subscript, dimension, range[0], range[1] - 1, range[2], range[3] - 1),
      line);
}

int xmp_node_num(void) { return run().rank() + 1; }
int xmp_num_nodes(void) { return run().size(); }
int xmp_all_node_num(void) { return run().rank() + 1; }
int xmp_all_num_nodes(void) { return run().size(); }
int xmpc_node_num(void) { return run().rank(); }
int xmpc_all_node_num(void) { return run().rank(); }
double xmp_wtime(void) { return run().now(); }
double xmp_wtick(void) { return 1e-9; }
}
