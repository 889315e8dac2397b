#include "xmp_gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gdr/base/error.h"

namespace gdr::interconnect {

XmpGather::XmpGather(std::byte* memory, std::size_t outer, std::size_t extent, std::size_t inner,
                     std::vector<std::pair<long, long>> owned, const std::string& name)
    : memory_(memory), outer_(outer), extent_(extent), inner_(inner), owned_(std::move(owned)) {
  constexpr std::size_t kMost = 2147483647;
  if (extent_ > kMost || outer_ * inner_ > kMost) {
    throw Error(fmt::format("'{}' with a full shadow is refused: it has {} times {} bytes, and MPI counts to {}", name,
                            extent_, outer_ * inner_, kMost));
  }
  for (const auto& [first, end] : owned_) {
    counts_.push_back(static_cast<int>(end - first));
    places_.push_back(static_cast<int>(first));
  }
  if (outer_ > 1) buffer_.resize(outer_ * extent_ * inner_);
  MPI_Type_contiguous(static_cast<int>(outer_ * inner_), MPI_BYTE, &slab_);
  MPI_Type_commit(&slab_);
}

XmpGather::~XmpGather() { MPI_Type_free(&slab_); }

void XmpGather::exchange(int rank) {
  std::byte* const all = buffer_.empty() ? memory_ : buffer_.data();
  // Copies rows of a rank's range between the array and the buffer.
  const auto each_row = [&](std::size_t of, auto copy) {
    const auto first = static_cast<std::size_t>(owned_[of].first);
    const std::size_t row = static_cast<std::size_t>(owned_[of].second - owned_[of].first) * inner_;
    for (std::size_t n = 0; n < outer_ && row > 0; ++n)
      copy(memory_ + (n * extent_ + first) * inner_, all + first * outer_ * inner_ + n * row, row);
  };
  const auto own = static_cast<std::size_t>(rank);
  if (!buffer_.empty()) {
    each_row(own,
             [](const std::byte* array, std::byte* packed, std::size_t bytes) { std::memcpy(packed, array, bytes); });
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts_.data(), places_.data(), slab_, MPI_COMM_WORLD);
  for (std::size_t other = 0; other < owned_.size() && !buffer_.empty(); ++other) {
    if (other == own) continue;
    each_row(other,
             [](std::byte* array, const std::byte* packed, std::size_t bytes) { std::memcpy(array, packed, bytes); });
  }
}

double XmpGather::most_bytes() const {
  return static_cast<double>(*std::ranges::max_element(counts_)) * static_cast<double>(outer_ * inner_);
}

}  // namespace gdr::interconnect
