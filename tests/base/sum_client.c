/* A program in C that adds up what ranks hold, each its share, as MPI_Allreduce of MPI_INT64_T with MPI_SUM does. */
#include "gdr/base/sum.h"

double gdr_tested_sum_of_ranks(const double* terms, size_t count, size_t ranks) {
  int64_t all[GDR_SUM_WORDS] = {0};
  for (size_t rank = 0; rank < ranks; ++rank) {
    const size_t begin = count * rank / ranks;
    const size_t end = count * (rank + 1) / ranks;
    gdr_sum own = {{0}};
    gdr_sum_add(&own, terms + begin, end - begin);
    for (int word = 0; word < GDR_SUM_WORDS; ++word) all[word] += own.words[word];
  }
  gdr_sum sum;
  for (int word = 0; word < GDR_SUM_WORDS; ++word) sum.words[word] = all[word];
  return gdr_sum_value(&sum);
}
