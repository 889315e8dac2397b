// Micro-operations that move words.
#include <fmt/format.h>

#include <optional>

#include <algorithm>
#include <bit>

#include "line/micro_op.h"

namespace gdr::emulator::simd::moves {
namespace {

/// The row of an operand or a destination.
std::uint64_t* row(Lanes& lanes, std::uint32_t high, std::uint32_t step, unsigned element) {
  return lanes.state + high + element * step;
}

std::uint32_t gated(const Gate& gate, const Lanes& lanes, unsigned element) {
  return static_cast<std::uint32_t>(lanes.state[gate.flag + element]) ^ gate.flip;
}

std::uint32_t bm_address(const MicroOp& op, const Lanes& lanes, unsigned element) {
  return op.a.high + element * op.a.element_step + (op.record ? lanes.record_base : 0);
}

/// The lower short word of a long word, left-justified.
std::uint64_t lower(std::uint64_t high, std::uint64_t low) { return (high << isa::kShortBits) | (low << kShortShift); }

/// High plane of an upper and a lower short word, both left-justified. In the engine native, bits of a double below the
/// upper short word are dropped.
std::uint64_t joined_high(std::uint64_t up, std::uint64_t down) {
  return (up & kShortBitsMask) | (down >> isa::kShortBits);
}
std::uint64_t joined_low(std::uint64_t down) { return (down >> kShortShift) & 0xff; }

template <class Function>
void for_lanes(std::uint32_t selected, Function function) {
  for (; selected != 0; selected &= selected - 1) function(static_cast<unsigned>(std::countr_zero(selected)));
}

// The effect of each micro-operation on one block.
namespace one_block {

void fetch_bm(const MicroOp& op, Lanes& lanes) {
  const std::uint64_t* bm = lanes.state + place::kBm;
  for (unsigned element = 0; element < op.elements; ++element) {
    const std::uint32_t address = bm_address(op, lanes, element);
    std::uint64_t high = bm[address] << kShortShift;
    if (op.width == Width::long_word) {
      const std::uint64_t down = bm[address + 1];
      high |= down >> 8;
      *row(lanes, op.to[0].low, op.to[0].element_step, element) = down & 0xff;
    }
    *row(lanes, op.to[0].high, op.to[0].element_step, element) = high;
  }
}

void longs_to_shorts(const MicroOp& op, Lanes& lanes) {
  for (unsigned pair = 0; pair < op.count; ++pair) {
    std::uint64_t* high = row(lanes, op.a.high, 2 * kRowWords, pair);
    std::uint64_t* low = high + kRowWords;
    for (unsigned pe = 0; pe < kRowWords; ++pe) {
      low[pe] = lower(high[pe], low[pe]);
      high[pe] &= kShortBitsMask;
    }
  }
}

void shorts_to_longs(const MicroOp& op, Lanes& lanes) {
  for (unsigned pair = 0; pair < op.count; ++pair) {
    std::uint64_t* high = row(lanes, op.a.high, 2 * kRowWords, pair);
    std::uint64_t* low = high + kRowWords;
    for (unsigned pe = 0; pe < kRowWords; ++pe) {
      high[pe] = joined_high(high[pe], low[pe]);
      low[pe] = joined_low(low[pe]);
    }
  }
}

void upper_of_long(const MicroOp& op, Lanes& lanes) {
  const std::uint64_t* high = lanes.state + op.a.high;
  std::uint64_t* to = lanes.state + op.to[0].high;
  for (unsigned word = 0; word < op.count; ++word) to[word] = high[word] & kShortBitsMask;
}

void lower_of_long(const MicroOp& op, Lanes& lanes) {
  const std::uint64_t* high = lanes.state + op.a.high;
  const std::uint64_t* low = lanes.state + op.a.low;
  std::uint64_t* to = lanes.state + op.to[0].high;
  for (unsigned word = 0; word < op.count; ++word) to[word] = lower(high[word], low[word]);
}

void long_of_shorts(const MicroOp& op, Lanes& lanes) {
  const std::uint64_t* up = lanes.state + op.a.high;
  const std::uint64_t* down = lanes.state + op.a.low;
  std::uint64_t* high = lanes.state + op.to[0].high;
  std::uint64_t* low = lanes.state + op.to[0].low;
  for (unsigned word = 0; word < op.count; ++word) {
    high[word] = joined_high(up[word], down[word]);
    low[word] = joined_low(down[word]);
  }
}

void copy_words(const MicroOp& op, Lanes& lanes) {
  std::copy_n(lanes.state + op.a.high, op.count, lanes.state + op.to[0].high);
}

void clear_words(const MicroOp& op, Lanes& lanes) { std::fill_n(lanes.state + op.to[0].high, op.count, 0); }

void spread(const MicroOp& op, Lanes& lanes) {
  std::fill_n(lanes.state + op.to[0].high, kRowWords, lanes.state[op.a.high]);
}

void commit(const MicroOp& op, Lanes& lanes) {
  for (unsigned element = 0; element < op.elements; ++element) {
    const std::uint32_t selected = op.to[0].mask_slot == kNowhere
                                       ? ~std::uint32_t{0}
                                       : static_cast<std::uint32_t>(lanes.state[op.to[0].mask_slot + element]);
    const auto plane = [&](std::uint32_t from, std::uint32_t to) {
      const std::uint64_t* source = row(lanes, from, op.a.element_step, element);
      std::uint64_t* target = row(lanes, to, op.to[0].element_step, element);
      for_lanes(selected, [&](unsigned pe) { target[pe] = source[pe * op.a.lane_step]; });
    };
    plane(op.a.high, op.to[0].high);
    if (op.to[0].low != kNowhere) plane(op.a.low, op.to[0].low);
  }
}

void commit_flag(const MicroOp& op, Lanes& lanes) {
  for (unsigned element = 0; element < op.elements; ++element) {
    const std::uint64_t selected = lanes.state[op.to[0].mask_slot + element];
    std::uint64_t& flag = lanes.state[op.to[0].high + element];
    flag = (flag & ~selected) | (lanes.state[op.a.high + element] & selected);
  }
}

void indirect_rows(const MicroOp& op, Lanes& lanes) {
  const unsigned words = op.width == Width::long_word ? 2 : 1;
  std::optional<Fault> fault;  // the first in the machine's order: PE by PE, for each PE element by element
  for (unsigned element = 0; element < op.elements; ++element) {
    const std::uint32_t selected =
        gated(op.mask, lanes, element) & gated(op.to[0].gate, lanes, element) & op.lane_mask & lanes.live_bits;
    lanes.state[op.to[0].mask_slot + element] = selected;
    const std::uint32_t base = op.a.high + element * op.a.element_step;
    const std::uint64_t* t_high = lanes.state + op.b.high + element * op.b.element_step;
    const std::uint64_t* t_low = lanes.state + op.b.low + element * op.b.element_step;
    std::uint64_t* numbers = row(lanes, op.to[0].high, op.to[0].element_step, element);
    for_lanes(selected, [&](unsigned pe) {
      const isa::LongWord t{t_high[pe], static_cast<std::uint8_t>(t_low[pe])};
      const uint128 offset = op.width == Width::long_word ? t.bits() : uint128{t.upper().bits};
      if (offset >= isa::kLmShortWords || base + offset + words > isa::kLmShortWords ||
          (words == 2 && (base + offset) % 2 != 0)) {
        const PePlace place{lanes.run, lanes.section, lanes.iteration, op.line, 0, lanes.first_block, pe, element};
        if (fault && !(place < *fault->place())) return;
        fault.emplace(FaultKind::address, *lanes.program, lanes.section, op.line,
                      fmt::format("local memory address {} + T ({}) is outside 0..{} or odd for a long word", base,
                                  isa::to_hex(t), isa::kLmShortWords - 1),
                      place);
        return;
      }
      numbers[pe] = base + static_cast<std::uint64_t>(offset);
    });
  }
  if (fault) throw Fault(*fault);
}

void gather(const MicroOp& op, Lanes& lanes) {
  const bool lm_of_longs = op.count != 0;
  const std::uint64_t* lm = lanes.state + row_place(kLmRow);
  for (unsigned element = 0; element < op.elements; ++element) {
    const auto selected = static_cast<std::uint32_t>(lanes.state[op.to[0].mask_slot + element]);
    const std::uint64_t* numbers = row(lanes, op.b.high, op.b.element_step, element);
    std::uint64_t* high = row(lanes, op.to[0].high, op.to[0].element_step, element);
    std::uint64_t* low = row(lanes, op.to[0].low, op.to[0].element_step, element);
    for_lanes(selected, [&](unsigned pe) {
      const std::uint64_t first = lm[(numbers[pe] & ~std::uint64_t{1}) * kRowWords + pe];
      const std::uint64_t second = lm[(numbers[pe] | 1) * kRowWords + pe];
      const bool odd = numbers[pe] % 2 != 0;
      if (op.width == Width::long_word) {
        high[pe] = lm_of_longs ? first : joined_high(first, second);
        low[pe] = lm_of_longs ? second : joined_low(second);
      } else if (lm_of_longs) {
        high[pe] = odd ? lower(first, second) : first & kShortBitsMask;
      } else {
        high[pe] = odd ? second : first;
      }
    });
  }
}

void scatter(const MicroOp& op, Lanes& lanes) {
  const bool lm_of_longs = op.count != 0;
  std::uint64_t* lm = lanes.state + row_place(kLmRow);
  for (unsigned element = 0; element < op.elements; ++element) {
    const auto selected = static_cast<std::uint32_t>(lanes.state[op.to[0].mask_slot + element]);
    const std::uint64_t* numbers = row(lanes, op.b.high, op.b.element_step, element);
    const std::uint64_t* high = row(lanes, op.a.high, op.a.element_step, element);
    const std::uint64_t* low = row(lanes, op.a.low, op.a.element_step, element);
    for_lanes(selected, [&](unsigned pe) {
      std::uint64_t& first = lm[(numbers[pe] & ~std::uint64_t{1}) * kRowWords + pe];
      std::uint64_t& second = lm[(numbers[pe] | 1) * kRowWords + pe];
      const bool odd = numbers[pe] % 2 != 0;
      const unsigned lane = pe * op.a.lane_step;
      if (op.width == Width::long_word) {
        first = lm_of_longs ? high[lane] : high[lane] & kShortBitsMask;
        second = lm_of_longs ? low[lane] : lower(high[lane], low[lane]);
      } else if (lm_of_longs) {
        const std::uint64_t up = odd ? first & kShortBitsMask : high[lane];
        const std::uint64_t down = odd ? high[lane] : lower(first, second);
        first = joined_high(up, down);
        second = joined_low(down);
      } else {
        (odd ? second : first) = high[lane];
      }
    });
  }
}

void capture_store(const MicroOp& op, Lanes& lanes) {
  for (unsigned element = 0; element < op.elements; ++element) {
    const std::uint32_t selected = gated(op.mask, lanes, element) & lanes.live_bits;
    const std::uint64_t high = row(lanes, op.b.high, op.b.element_step, element)[op.count * op.b.lane_step];
    const std::uint64_t low = row(lanes, op.b.low, op.b.element_step, element)[op.count * op.b.lane_step];
    std::uint64_t* slot = row(lanes, op.to[0].high, kStoreSlotWords, element);
    slot[0] = high >> kShortShift;
    slot[1] = ((high << 8) | low) & isa::kShortMask;
    slot[2] = bm_address(op, lanes, element);
    slot[3] = (selected >> op.count) & 1;
  }
}

void commit_store(const MicroOp& op, Lanes& lanes) {
  std::uint64_t* bm = lanes.state + place::kBm;
  for (unsigned element = 0; element < op.elements; ++element) {
    const std::uint64_t* slot = row(lanes, op.a.high, kStoreSlotWords, element);
    if (slot[3] == 0) continue;
    bm[slot[2]] = slot[0];
    if (op.width == Width::long_word) bm[slot[2] + 1] = slot[1];
  }
}

}  // namespace one_block

template <void (*move)(const MicroOp&, Lanes&)>
void in_each_block(const MicroOp& op, Lanes& lanes) {
  Lanes one = lanes;
  for (unsigned block = 0; block < lanes.blocks; ++block) {
    move(op, one);
    one.state += lanes.block_words;
    ++one.tallies;
    ++one.first_block;
  }
}

}  // namespace

const Kernel fetch_bm = in_each_block<one_block::fetch_bm>;
const Kernel longs_to_shorts = in_each_block<one_block::longs_to_shorts>;
const Kernel shorts_to_longs = in_each_block<one_block::shorts_to_longs>;
const Kernel upper_of_long = in_each_block<one_block::upper_of_long>;
const Kernel lower_of_long = in_each_block<one_block::lower_of_long>;
const Kernel long_of_shorts = in_each_block<one_block::long_of_shorts>;
const Kernel copy_words = in_each_block<one_block::copy_words>;
const Kernel clear_words = in_each_block<one_block::clear_words>;
const Kernel spread = in_each_block<one_block::spread>;
const Kernel commit = in_each_block<one_block::commit>;
const Kernel commit_flag = in_each_block<one_block::commit_flag>;
const Kernel indirect_rows = in_each_block<one_block::indirect_rows>;
const Kernel gather = in_each_block<one_block::gather>;
const Kernel scatter = in_each_block<one_block::scatter>;
const Kernel capture_store = in_each_block<one_block::capture_store>;
const Kernel commit_store = in_each_block<one_block::commit_store>;

void collect_words(const MicroOp& op, Lanes& lanes) {
  if (op.uniform && lanes.first_turn) return;
  for (unsigned block = 0; block < lanes.blocks; ++block) {
    const std::uint64_t* bm = lanes.state + block * lanes.block_words + place::kBm + op.a.high;
    isa::LongWord* to = lanes.collected + block * lanes.collected_step;
    for (unsigned word = 0; word < op.count; ++word) {
      const std::uint64_t down = bm[2 * word + 1];
      to[word] = {(bm[2 * word] << kShortShift) | (down >> 8), static_cast<std::uint8_t>(down)};
    }
  }
  lanes.collected += op.count;
}

}  // namespace gdr::emulator::simd::moves
