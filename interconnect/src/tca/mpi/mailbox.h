// Where the notifications for a rank arrive: a ring in shared memory for every node that may send them and every slot,
// in the order of sending. One process writes a ring and one reads it.
#pragma once

#include <cstdint>
#include <optional>

#include "shared_block.h"

namespace gdr::interconnect {

struct Notice {
  double arrival = 0;  // s, emulated
  int tag = 0;
};

class Mailbox {
 public:
  /// Notifications of one node in one slot that a ring holds.
  static constexpr std::uint64_t kRoom = 4096;
  /// The slot of stores by the CPU, behind those of puts.
  static constexpr int kStores = 64;

  Mailbox() = default;
  /// Throws gdr::Error if the system has no memory.
  [[nodiscard]] static Mailbox create(int nodes);
  [[nodiscard]] static Mailbox open(long process, int file);

  [[nodiscard]] int file() const { return block_.file(); }
  /// Notifications that the ring still takes.
  [[nodiscard]] std::uint64_t room(int sender, int slot) const;
  /// Adds a notification; the oldest is lost if there is no room.
  void post(int sender, int slot, const Notice& notice);
  /// The oldest notification, which the ring then no longer holds.
  [[nodiscard]] std::optional<Notice> take(int sender, int slot);

 private:
  struct Ring;
  [[nodiscard]] Ring& ring(int sender, int slot) const;

  SharedBlock block_;
};

}  // namespace gdr::interconnect
