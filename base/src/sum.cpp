#include "gdr/base/sum.h"

#include <algorithm>
#include <span>

#include "gdr/base/exact_sum.h"

namespace gdr::base {
namespace {

static_assert(GDR_SUM_WORDS == ExactSum::kWords);

ExactSum sum_in(const gdr_sum& sum) {
  ExactSum exact;
  exact.take_words(sum.words);
  return exact;
}

template <class Number>
void add_terms(gdr_sum& sum, std::span<const Number> terms) {
  ExactSum exact = sum_in(sum);
  for (const Number term : terms) exact.add(static_cast<double>(term));
  std::ranges::copy(exact.words(), sum.words);
}

}  // namespace
}  // namespace gdr::base

void gdr_sum_add(gdr_sum* sum, const double* terms, size_t count) {
  gdr::base::add_terms(*sum, std::span(terms, count));
}

void gdr_sum_add_float(gdr_sum* sum, const float* terms, size_t count) {
  gdr::base::add_terms(*sum, std::span(terms, count));
}

void gdr_sum_merge(gdr_sum* sum, const gdr_sum* other) {
  gdr::base::ExactSum all = gdr::base::sum_in(*sum);
  all.add(gdr::base::sum_in(*other));
  std::ranges::copy(all.words(), sum->words);
}

double gdr_sum_value(const gdr_sum* sum) { return gdr::base::sum_in(*sum).to_double(); }

float gdr_sum_value_float(const gdr_sum* sum) { return gdr::base::sum_in(*sum).to_float(); }
