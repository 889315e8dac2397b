/* The calls that gdr cc --xacc puts into programs; compiler/src/xacc/program_text.cpp declares them there. Errors end
 * the program on all ranks, with a message that names the program's line. */
#ifndef GDR_XMP_CALLS_H
#define GDR_XMP_CALLS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts MPI, and takes the options --cluster and --reductions off the command line. `file` is the program's name in
 * messages. */
void gdr_xmp_begin(int* count, char*** words, const char* file);
/* Node sets, templates and arrays are numbered in the order of these calls. extents: shape [dimensions], the first runs
 * fastest, 0 for what the ranks leave. */
void gdr_xmp_nodes(const char* name, int dimensions, const long* extents, int line);
/* bounds: first and last of each dimension; node_dimensions: -1 where it is not split. Writes the rank's first element
 * and its end of each dimension to `block`. */
void gdr_xmp_template(const char* name, int nodes, int dimensions, const long* bounds, const int* node_dimensions,
                      long* block);
/* The rank's elements, zeroed. along: dimension of the template, -1 where it is not split; shadow: low and high of each
 * dimension, -1 for all elements that other ranks own. Writes to `pitch` elements from one subscript to the next and,
 * last, what is added to the sum of subscripts times pitches; to `range` first element, end, and both with the shadow,
 * of each dimension. */
void* gdr_xmp_array(const char* name, int line, size_t element_bytes, int on, int dimensions, const long* extents,
                    const int* along, const long* shadow, int diagonal, long* pitch, long* range);
/* The same for a parameter of a function, of which callers have the elements. */
void gdr_xmp_parameter(const char* name, int line, int on, int dimensions, const long* extents, const int* along,
                       const long* shadow, long* pitch, long* range);
/* The array whose elements a parameter has. */
int gdr_xmp_passed(const void* elements, const char* name, int line);
/* widths: low and high of each dimension, -1 for a full shadow. */
void gdr_xmp_reflect_init(int array, const long* widths, const int* periodic, int orthogonal, int line);
void gdr_xmp_reflect_do(int array, int line);
/* A side of an assignment, 0 the left and 1 the right: a distributed array, or -1 and the rank's own elements.
 * sections: first and length of each dimension, and 1 for a section or 0 for a single place. */
void gdr_xmp_move_side(int side, int array, void* elements, int dimensions, const long* extents, const long* sections);
/* Assigns one to the other, on all ranks. */
void gdr_xmp_move(size_t element_bytes, int line);
void gdr_xmp_barrier(void);
/* The first rank with sends != 0 sends to all others; rank 0 if it is -1. */
void gdr_xmp_bcast(void* variable, size_t bytes, int sends, int line);
/* ranges: first and last of each dimension; nodes count from `from`. */
int gdr_xmp_is_on_nodes(int nodes, const long* ranges, int from, int line);
int gdr_xmp_is_on_template(int on, const long* ranges, int line);
/* A sum of a loop: what the variable held before, terms with the loops' counters, and the value behind the loop of the
 * rank, or over the nodes that differ from this one in some dimensions of a node set only; bit k of `along` stands for
 * its dimension k. `single`: arithmetic of floats. */
void gdr_xmp_sum_begin(int sum, double before, int single);
void gdr_xmp_term(int sum, double term, int single, int counters, long i, long j, long k, long l);
double gdr_xmp_sum_end(int sum);
double gdr_xmp_sum_end_among(int sum, int nodes, unsigned long along);
/* The sum over all ranks of a variable; of the terms of its latest loop if it still holds their sum. -1: no loop
 * sums it. */
double gdr_xmp_sum_merge(int sum, double value, int single);
/* type: 0 float, 1 double, 2 int, 3 unsigned, 4 long, 5 unsigned long; operation: 0 + 1 * 2 max 3 min 4 & 5 | 6 ^.
 * nodes and along: as above; nodes of -1 for all ranks. */
void gdr_xmp_reduce(void* variable, int type, int operation, int nodes, unsigned long along);
/* Time of a loop on the device: points, and bytes of memory that each reads and writes. */
void gdr_xmp_spend(double points, double bytes);
/* Time of a loop on the rank's board. */
void gdr_xmp_board(double seconds);
void gdr_xmp_not_timed(int line);
void gdr_xmp_outside(const char* array, int dimension, long subscript, const long* range, int line)
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
