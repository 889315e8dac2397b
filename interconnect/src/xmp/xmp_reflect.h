// Halo exchange of a distributed array over MPI: any widths, uneven blocks, corners, periodic dimensions.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/reflect.h"

namespace gdr::interconnect {

/// A dimension of an array, slowest first, as one rank has it.
struct XmpAlong {
  long first = 0;  // elements that the rank owns
  long end = 0;
  long shadow_low = 0;  // as allocated
  long shadow_high = 0;
  long width_low = 0;  // that the exchange fills
  long width_high = 0;
  bool split = false;  // has neighbours
  int peer_low = -1;   // coordinate of the neighbour; -1: none
  int peer_high = -1;

  [[nodiscard]] long length() const { return end - first; }
};

/// What one rank sends and receives: a message for each neighbour, faces before corners.
struct XmpMessage {
  std::array<int, kHaloDimensions> towards{};  // -1, 0, 1 in each dimension
  int peer = 0;
  HaloRegion send;     // no elements: none is sent
  HaloRegion receive;  // no elements: none is received
};

/// Messages of a rank. `rank_at` gives the rank whose coordinates differ from the rank's in the dimensions with
/// towards != 0. Unused dimensions come first, and have one element.
template <class RankAt>
[[nodiscard]] std::vector<XmpMessage> messages_of(const std::array<XmpAlong, kHaloDimensions>& along, bool corners,
                                                  RankAt rank_at);

/// The box of a rank's array that begins at `first` (from its first allocated element), as runs.
[[nodiscard]] HaloRegion box_of(const std::array<XmpAlong, kHaloDimensions>& along,
                                const std::array<long, kHaloDimensions>& first,
                                const std::array<long, kHaloDimensions>& length);

/// Persistent requests for messages.
class XmpReflect {
 public:
  XmpReflect(std::byte* block, std::size_t element_bytes, int rank, const std::vector<XmpMessage>& messages);
  XmpReflect(const XmpReflect&) = delete;
  XmpReflect& operator=(const XmpReflect&) = delete;
  ~XmpReflect();

  void exchange();
  double seconds = 0;  // emulated, of one exchange

 private:
  std::vector<std::byte> buffer_;
  std::vector<StridedCopy> packs_;
  std::vector<StridedCopy> unpacks_;
  std::vector<StridedCopy> own_;       // to the rank itself: periodic dimensions that are not split
  std::vector<MPI_Request> requests_;  // receives, then sends
  int receives_ = 0;
};

template <class RankAt>
std::vector<XmpMessage> messages_of(const std::array<XmpAlong, kHaloDimensions>& along, bool corners, RankAt rank_at) {
  std::vector<XmpMessage> found;
  for (const int kind : {1, 2, 3}) {  // dimensions in which a neighbour is beside the rank
    if (kind > 1 && !corners) break;
    for (int code = 0; code < 27; ++code) {
      XmpMessage message;
      message.towards = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
      int beside = 0;
      bool exists = true;
      std::array<long, kHaloDimensions> out{};
      std::array<long, kHaloDimensions> out_length{};
      std::array<long, kHaloDimensions> in{};
      std::array<long, kHaloDimensions> in_length{};
      for (std::size_t d = 0; d < kHaloDimensions; ++d) {
        const XmpAlong& one = along[d];
        out[d] = in[d] = one.shadow_low;
        out_length[d] = in_length[d] = one.length();
        const int side = message.towards[d];
        if (side == 0) continue;
        ++beside;
        exists = exists && one.split && (side < 0 ? one.peer_low : one.peer_high) >= 0;
        // The neighbour below has our first elements in its shadow above, and so on.
        out_length[d] = side < 0 ? one.width_high : one.width_low;
        in_length[d] = side < 0 ? one.width_low : one.width_high;
        if (side > 0) {
          out[d] = one.shadow_low + one.length() - out_length[d];
          in[d] = one.shadow_low + one.length();
        } else {
          in[d] = one.shadow_low - in_length[d];
        }
      }
      if (beside != kind || !exists) continue;
      message.peer = rank_at(message.towards);
      message.send = box_of(along, out, out_length);
      message.receive = box_of(along, in, in_length);
      found.push_back(message);
    }
  }
  return found;
}

}  // namespace gdr::interconnect
