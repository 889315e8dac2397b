#include "xmp_sum.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gdr::interconnect {

double XmpSums::round(const base::ExactSum& sum, bool single) {
  return single ? static_cast<double>(sum.to_float()) : sum.to_double();
}

double XmpSums::over_ranks(base::ExactSum sum, bool single, MPI_Comm among) {
  std::array<std::int64_t, base::ExactSum::kWords> all{};
  const auto words = sum.words();
  MPI_Allreduce(words.data(), all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM, among);
  sum.take_words(all);
  return round(sum, single);
}

double XmpSums::in_order(double start, const std::vector<Term>& terms, bool single) {
  double value = start;
  for (const Term& one : terms) {
    if (one.single != 0) {
      value = static_cast<double>(static_cast<float>(value) + static_cast<float>(one.value));
    } else {
      value += one.value;
      if (single) value = static_cast<double>(static_cast<float>(value));
    }
  }
  return value;
}

std::vector<XmpSums::Term> XmpSums::of_ranks(const std::vector<Term>& terms, MPI_Comm among) {
  int size = 0;
  MPI_Comm_size(among, &size);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(Term), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  const int own = static_cast<int>(terms.size());
  std::vector<int> counts(static_cast<std::size_t>(size));
  std::vector<int> places(counts.size());
  MPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, among);
  for (std::size_t r = 1; r < counts.size(); ++r) places[r] = places[r - 1] + counts[r - 1];
  std::vector<Term> all(static_cast<std::size_t>(places.back() + counts.back()));
  MPI_Allgatherv(terms.data(), own, type, all.data(), counts.data(), places.data(), type, among);
  MPI_Type_free(&type);
  // Terms of one iteration are of one rank, and keep their order.
  std::ranges::stable_sort(all, {}, &Term::counters);
  return all;
}

void XmpSums::begin(int sum, double before, bool single) {
  const auto at = static_cast<std::size_t>(sum);
  if (at >= sums_.size()) sums_.resize(at + 1);
  Sum& of = sums_[at];
  ++of.loop;
  // Another loop adds to the same sum.
  if (of.merges && std::bit_cast<std::uint64_t>(of.left) == std::bit_cast<std::uint64_t>(before)) return;
  of.exact = {};
  of.terms.clear();
  of.before = before;
  of.single = single;
  of.merges = false;
}

double XmpSums::end(int sum) {
  Sum& of = sums_[static_cast<std::size_t>(sum)];
  base::ExactSum all = of.exact;
  all.add(of.before);
  of.left = serial_ ? in_order(of.before, of.terms, of.single) : round(all, of.single);
  of.merges = true;
  return of.left;
}

double XmpSums::end_among(int sum, MPI_Comm among) {
  Sum& of = sums_[static_cast<std::size_t>(sum)];
  of.merges = false;
  if (serial_) return in_order(of.before, of_ranks(of.terms, among), of.single);
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  base::ExactSum all = of.exact;
  if (rank == 0) all.add(of.before);
  return over_ranks(all, of.single, among);
}

double XmpSums::merge(int sum, double value, bool single) {
  const auto at = static_cast<std::size_t>(sum);
  Sum* const of = sum >= 0 && at < sums_.size() ? &sums_[at] : nullptr;
  const bool merges =
      of != nullptr && of->merges && std::bit_cast<std::uint64_t>(of->left) == std::bit_cast<std::uint64_t>(value);
  int own = merges ? 1 : 0;
  int any = 0;
  MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  merged_loop_ = any != 0;
  double result = 0;
  if (serial_) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double start = merges ? of->before : value;
    std::vector<double> starts(static_cast<std::size_t>(size));
    MPI_Allgather(&start, 1, MPI_DOUBLE, starts.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    std::vector<Term> terms;
    for (std::size_t r = 1; r < starts.size(); ++r) terms.push_back({starts[r], single ? 1L : 0L, {}});
    result = in_order(
        in_order(starts.front(), terms, single),
        any != 0 ? of_ranks(merges ? of->terms : std::vector<Term>(), MPI_COMM_WORLD) : std::vector<Term>(), single);
  } else if (merges) {
    base::ExactSum all = of->exact;
    all.add(of->before);
    result = over_ranks(all, single, MPI_COMM_WORLD);
  } else {
    base::ExactSum one;
    one.add(value);
    result = over_ranks(one, single, MPI_COMM_WORLD);
  }
  if (of != nullptr) of->merges = false;
  return result;
}

}  // namespace gdr::interconnect
