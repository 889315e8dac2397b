// Judges gdr's value by the row's bar.
#include <fmt/format.h>

#include <cmath>

#include "gdr/base/error.h"
#include "gdr/validation/report.h"

namespace gdr::validation {
namespace {

bool near_enough(const Row& row, double ours) {
  const Bar& bar = row.bar;
  switch (bar.kind) {
    case Bar::Kind::at_least:
      return ours >= bar.limit;
    case Bar::Kind::at_most:
      return ours <= bar.limit;
    case Bar::Kind::within:
      return ours >= bar.low && ours <= bar.high;
    case Bar::Kind::exact:
      return ours == *row.published;
    case Bar::Kind::printed:
      return fmt::format("{:.{}f}", ours, bar.decimals) == fmt::format("{:.{}f}", *row.published, bar.decimals);
    case Bar::Kind::relative:
      return std::abs(ours / *row.published - 1) <= bar.limit;
    case Bar::Kind::sigma:
      return std::abs(ours - *row.published) <= bar.limit * *row.sigma;
    case Bar::Kind::none:
    case Bar::Kind::holds:
      break;
  }
  GDR_ASSERT(false, "a number is judged by a bar for numbers");
  return false;
}

}  // namespace

Verdict judge(const Row& row, const Ours& ours) {
  Verdict verdict;
  const double* number = std::get_if<double>(&ours);
  const bool* holds = std::get_if<bool>(&ours);
  if (number != nullptr && row.published) verdict.error = *number / *row.published - 1;
  if (number != nullptr && row.published && row.sigma) {
    verdict.sigmas = std::abs(*number - *row.published) / *row.sigma;
  }
  if (!row.verified || row.misprint || row.bar.kind == Bar::Kind::none) return verdict;
  if (number != nullptr) verdict.pass = near_enough(row, *number);
  if (holds != nullptr) verdict.pass = *holds;
  return verdict;
}

}  // namespace gdr::validation
