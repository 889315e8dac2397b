#include "held_write.h"

namespace gdr::emulator::simd {
namespace {

/// Prepares the registers for the words, and says where they go.
void place_words(const HeldWrite& held, MicroOp& op, SectionRows& rows) {
  const bool is_long = held.width == Width::long_word;
  if (held.t) {
    rows.spread(held.rows.rows());
  } else {
    rows.take_layout(held.rows, held.width, held.whole);
    rows.remove_uniform(held.rows.rows());
  }
  op.run = moves::commit;
  op.to[0].high = row_place(held.rows.first);
  op.to[0].low = is_long ? row_place(held.rows.first + 1) : kNowhere;
  op.to[0].element_step = held.rows.step * kRowWords;
  if (!held.t) return;
  if (!is_long) {  // T has a low plane, which is zero
    op.a.low = place::kZero;
    op.to[0].low = row_place(held.rows.first + 1);
  }
  rows.complete_t(held.rows.elements);
}

}  // namespace

void commit(const HeldWrite& held, OpWriter& writer, SectionRows& rows, std::uint32_t moved) {
  MicroOp op = held.commit;
  op.a.high += moved;
  if (op.a.low != kNowhere) op.a.low += moved;
  if (op.to[0].mask_slot != kNowhere) op.to[0].mask_slot += moved;
  switch (held.kind) {
    case HeldWrite::Kind::words:
      place_words(held, op, rows);
      break;
    case HeldWrite::Kind::flag:
      op.run = moves::commit_flag;
      break;
    case HeldWrite::Kind::indirect_words:
      op.run = moves::scatter;
      op.b.high += moved;
      op.count = rows.lm_holds_longs() ? 1 : 0;
      break;
    case HeldWrite::Kind::store:
      op.run = moves::commit_store;
      break;
  }
  writer.add(op);
  if (held.kind == HeldWrite::Kind::words && !held.t) rows.keep_pinned(held.rows);
}

void commit(const std::vector<HeldWrite>& held, OpWriter& writer, SectionRows& rows, std::uint32_t moved) {
  for (const HeldWrite& write : held) commit(write, writer, rows, moved);
}

}  // namespace gdr::emulator::simd
