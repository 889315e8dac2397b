#include "xmp_reflect.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// Tag of a message by where it goes, and that of the message which comes from there.
int tag_of(const std::array<int, kHaloDimensions>& towards, int sign) {
  return (sign * towards[0] + 1) * 9 + (sign * towards[1] + 1) * 3 + sign * towards[2] + 1;
}

int mpi_count(const HaloRegion& region, std::size_t element_bytes) {
  constexpr std::int64_t kMost = 2147483647;
  const std::int64_t bytes = region.elements() * static_cast<std::int64_t>(element_bytes);
  if (bytes > kMost) throw Error(fmt::format("a face of {} bytes is refused: MPI counts to {}", bytes, kMost));
  return static_cast<int>(bytes);
}

}  // namespace

HaloRegion box_of(const std::array<XmpAlong, kHaloDimensions>& along, const std::array<long, kHaloDimensions>& first,
                  const std::array<long, kHaloDimensions>& length) {
  const auto allocated = [&](std::size_t d) { return along[d].shadow_low + along[d].length() + along[d].shadow_high; };
  return region_of_box({allocated(1) * allocated(2), allocated(2), 1}, first, length);
}

XmpReflect::XmpReflect(std::byte* block, std::size_t element_bytes, int rank, const std::vector<XmpMessage>& messages) {
  std::size_t bytes = 0;
  for (const XmpMessage& one : messages)
    bytes += static_cast<std::size_t>(one.send.elements() + one.receive.elements()) * element_bytes;
  buffer_.resize(bytes);
  std::byte* free = buffer_.data();
  for (const XmpMessage& one : messages) {
    if (one.receive.elements() == 0) continue;
    if (one.peer == rank) {
      // What the rank sends the other way.
      const auto other = std::ranges::find_if(messages, [&](const XmpMessage& m) {
        return m.peer == rank && tag_of(m.towards, -1) == tag_of(one.towards, 1);
      });
      own_.push_back(face_copy(block, one.receive, block, other->send, element_bytes));
      continue;
    }
    unpacks_.push_back(unpack_copy(block, free, one.receive, element_bytes));
    const int count = mpi_count(one.receive, element_bytes);
    MPI_Recv_init(free, count, MPI_BYTE, one.peer, tag_of(one.towards, -1), MPI_COMM_WORLD,
                  &requests_.emplace_back(MPI_REQUEST_NULL));
    free += count;
  }
  receives_ = static_cast<int>(requests_.size());
  for (const XmpMessage& one : messages) {
    if (one.send.elements() == 0 || one.peer == rank) continue;
    packs_.push_back(pack_copy(free, block, one.send, element_bytes));
    const int count = mpi_count(one.send, element_bytes);
    MPI_Send_init(free, count, MPI_BYTE, one.peer, tag_of(one.towards, 1), MPI_COMM_WORLD,
                  &requests_.emplace_back(MPI_REQUEST_NULL));
    free += count;
  }
}

XmpReflect::~XmpReflect() {
  for (MPI_Request& request : requests_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

void XmpReflect::exchange() {
  const int count = static_cast<int>(requests_.size());
  if (receives_ > 0) MPI_Startall(receives_, requests_.data());
  for (const StridedCopy& copy : packs_) copy.run_now();
  if (count > receives_) MPI_Startall(count - receives_, requests_.data() + receives_);
  for (const StridedCopy& copy : own_) copy.run_now();
  if (count > 0) MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
  for (const StridedCopy& copy : unpacks_) copy.run_now();
}

}  // namespace gdr::interconnect
