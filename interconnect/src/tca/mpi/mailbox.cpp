#include "mailbox.h"

#include <atomic>

namespace gdr::interconnect {

// Plain words in shared memory, which both processes reach by std::atomic_ref.
struct Mailbox::Ring {
  struct Entry {
    double arrival;
    std::int64_t tag;
  };
  std::uint64_t posted;  // by the sender
  std::uint64_t taken;   // by the receiver
  Entry entries[kRoom];
};

namespace {

template <class Word>
auto shared(Word& word) {
  static_assert(std::atomic_ref<Word>::is_always_lock_free);
  return std::atomic_ref<Word>(word);
}

}  // namespace

Mailbox Mailbox::create(int nodes) {
  Mailbox mailbox;
  mailbox.block_ = SharedBlock::create(static_cast<std::size_t>(nodes) * (kStores + 1) * sizeof(Ring));
  return mailbox;
}

Mailbox Mailbox::open(long process, int file) {
  Mailbox mailbox;
  mailbox.block_ = SharedBlock::open(process, file);
  return mailbox;
}

Mailbox::Ring& Mailbox::ring(int sender, int slot) const {
  return reinterpret_cast<Ring*>(
      block_.data())[static_cast<std::size_t>(sender) * (kStores + 1) + static_cast<std::size_t>(slot)];
}

std::uint64_t Mailbox::room(int sender, int slot) const {
  Ring& r = ring(sender, slot);
  const std::uint64_t held =
      shared(r.posted).load(std::memory_order_relaxed) - shared(r.taken).load(std::memory_order_acquire);
  return held < kRoom ? kRoom - held : 0;
}

void Mailbox::post(int sender, int slot, const Notice& notice) {
  Ring& r = ring(sender, slot);
  const std::uint64_t at = shared(r.posted).load(std::memory_order_relaxed);
  Ring::Entry& entry = r.entries[at % kRoom];
  shared(entry.arrival).store(notice.arrival, std::memory_order_relaxed);
  shared(entry.tag).store(notice.tag, std::memory_order_relaxed);
  // Who sees the count sees the entry, and the bytes that were moved before it.
  shared(r.posted).store(at + 1, std::memory_order_release);
}

std::optional<Notice> Mailbox::take(int sender, int slot) {
  Ring& r = ring(sender, slot);
  const std::uint64_t posted = shared(r.posted).load(std::memory_order_acquire);
  std::uint64_t at = shared(r.taken).load(std::memory_order_relaxed);
  if (posted == at) return std::nullopt;
  if (posted - at > kRoom) at = posted - kRoom;
  Ring::Entry& entry = r.entries[at % kRoom];
  const Notice notice{shared(entry.arrival).load(std::memory_order_relaxed),
                      static_cast<int>(shared(entry.tag).load(std::memory_order_relaxed))};
  shared(r.taken).store(at + 1, std::memory_order_release);
  return notice;
}

}  // namespace gdr::interconnect
