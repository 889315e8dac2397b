// A distributed array of which every rank holds all elements: its own, and copies of the others'.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gdr::interconnect {

/// Brings the copies up to date. Each rank owns a range of one dimension; the array is whole in all others.
class XmpGather {
 public:
  /// shape of `memory`: [outer][extent][inner], `inner` in bytes; owned: first, end of each rank. Throws gdr::Error if
  /// MPI cannot count so many.
  XmpGather(std::byte* memory, std::size_t outer, std::size_t extent, std::size_t inner,
            std::vector<std::pair<long, long>> owned, const std::string& name);
  XmpGather(const XmpGather&) = delete;
  XmpGather& operator=(const XmpGather&) = delete;
  ~XmpGather();

  void exchange(int rank);
  /// Bytes of the rank that has most.
  [[nodiscard]] double most_bytes() const;
  double seconds = 0;  // emulated, of one exchange

 private:
  std::byte* memory_;
  std::size_t outer_;
  std::size_t extent_;
  std::size_t inner_;
  std::vector<std::pair<long, long>> owned_;
  std::vector<int> counts_;  // elements of the dimension, by rank
  std::vector<int> places_;
  std::vector<std::byte> buffer_;  // shape: [ranks][outer][owned][inner]; empty if that is the order of the array
  MPI_Datatype slab_ = MPI_DATATYPE_NULL;  // one element of the dimension
};

}  // namespace gdr::interconnect
