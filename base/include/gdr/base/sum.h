/* Sums for programs in C, Fortran and other languages that have the same bits for every order, split and network.
 *
 * Definition: the sum of a collection of terms is their exact sum, rounded once, to nearest even, to the format of the
 * result. It does not depend on the order of the terms, on which of them were added together first, or on how many
 * PEs, chips, boards, threads or ranks hold them. Results follow the format: NaN if a term is NaN or both infinities
 * are terms, an infinity if one is a term or if the rounded sum is too large, +0 if there are no terms or their exact
 * sum is 0.
 *
 * A gdr_sum holds a sum without rounding, as integers. All zeros are the sum of no terms. Ranks add their sums by
 *
 *     MPI_Allreduce(MPI_IN_PLACE, sum.words, GDR_SUM_WORDS, MPI_INT64_T, MPI_SUM, communicator);
 *
 * with any MPI library, up to 2^30 ranks. Additions of integers are exact, so that the library may take any order. */
#ifndef GDR_BASE_SUM_H
#define GDR_BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GDR_SUM_WORDS = 71 };
typedef struct {
  int64_t words[GDR_SUM_WORDS];
} gdr_sum;

/* Adds `count` terms, or another sum. */
void gdr_sum_add(gdr_sum* sum, const double* terms, size_t count);
void gdr_sum_add_float(gdr_sum* sum, const float* terms, size_t count);
void gdr_sum_merge(gdr_sum* sum, const gdr_sum* other);
/* The sum, rounded from the exact value to either format. */
double gdr_sum_value(const gdr_sum* sum);
float gdr_sum_value_float(const gdr_sum* sum);

#ifdef __cplusplus
}
#endif

#endif
