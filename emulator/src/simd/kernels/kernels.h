// The kernels: one operation over all elements and PEs of a block. This header is compiled once for each instruction
// set, after the header that defines Host for it; everything is local to that translation unit.
#pragma once

#include <algorithm>
#include <array>

#include "float_operations.h"
#include "integer_operations.h"
#include "native_operations.h"
#include "word/semantics.h"

namespace gdr::emulator::simd {
namespace {

// What the forms demand of the widths.
static_assert(kWidths.spare_low >= 0 && kWidths.spare_high >= 2);
static_assert(exactly::kGuards >= 3, "the integers of a difference have a guard bit, one to round and a sticky one");
static_assert(2 * widths::kPort >= widths::kHigh, "the product in integers fills a word");
static_assert(kLowPlane >= widths::kHigh + widths::kLow, "the largest count of a shift shifts everything out");
static_assert(kBelowInteger == kShortShift);

/// Addresses of the lanes of the current host vector.
struct Rows {
  const std::uint64_t* a_high;
  const std::uint64_t* a_low;
  const std::uint64_t* b_high;
  const std::uint64_t* b_low;
  bool a_single;  // one word for all lanes
  bool b_single;

  [[nodiscard]] static Bits lanes(const std::uint64_t* at, bool single) { return single ? Bits(*at) : Host::load(at); }
};

struct Result {
  Bits high;
  Bits low;
  Mask carry;
  Mask uncovered;  // lanes that are wrong and must be computed again
};

/// Operands of one host vector; the lower bits of a short word are zero.
struct Operands {
  Planes a;
  Planes b;
};

/// Operands that are kept because some of their lanes must be computed again.
struct Leftover {
  Operands operands;
  Mask lanes;
  unsigned element;
  unsigned lane;  // PE of the first lane
};

struct Redone {
  Result result;
  Events events;
  Mask in_integers;  // slow lanes: computed in integers
};

template <Op op, Width width>
[[gnu::noinline]] ExactBatch exact_result(const Operands& of) {
  return Semantics<op>::apply(ExactBatch{of.a.high, of.a.low, Events{}}, ExactBatch{of.b.high, of.b.low, Events{}},
                              width);
}

/// Computes lanes again. There is only one function for all shapes of an operation, since it is large and rarely runs.
template <Op op, Width width>
[[gnu::noinline]] Redone redo_lanes(const Operands& of, Mask wanted) {
  RobustBatch robust =
      Semantics<op>::apply(RobustBatch{of.a.high, of.a.low, Mask{}}, RobustBatch{of.b.high, of.b.low, Mask{}}, width);
  // Accumulators begin with zeros, and padded vectors end with zeros.
  ZeroBatch zeros =
      Semantics<op>::apply(ZeroBatch{of.a.high, of.a.low, Mask{}}, ZeroBatch{of.b.high, of.b.low, Mask{}}, width);
  Redone redone{};
  redone.result.high = select(zeros.covered, zeros.high, robust.high);
  redone.result.low = select(zeros.covered, zeros.low, robust.low);
  redone.in_integers = robust.uncovered & ~zeros.covered & wanted;
  if (Host::any(redone.in_integers)) {
    ExactBatch exact = exact_result<op, width>(of);
    redone.result.high = select(redone.in_integers, exact.high, redone.result.high);
    redone.result.low = select(redone.in_integers, exact.low, redone.result.low);
    redone.events = exact.events;
  }
  return redone;
}

template <Op op, Width width, bool a_short, bool b_short, bool negated>
struct FloatStep {
  static constexpr Width kWidth = width;
  static constexpr bool kMayLeave = true;

  [[gnu::always_inline]] static Operands operands(const MicroOp& micro, const Rows& rows) {
    Operands of{{Rows::lanes(rows.a_high, rows.a_single), Bits{}}, {Rows::lanes(rows.b_high, rows.b_single), Bits{}}};
    if constexpr (!a_short) of.a.low = Rows::lanes(rows.a_low, rows.a_single);
    if constexpr (!b_short) of.b.low = Rows::lanes(rows.b_low, rows.b_single);
    if constexpr (negated) {
      of.a.high ^= Bits(micro.flip_a);
      of.b.high ^= Bits(micro.flip_b);
    }
    return of;
  }

  /// The operands once more, after run(). On hosts with few registers they are read again, since keeping them would
  /// cost the loop registers.
  [[gnu::always_inline]] static Operands operands_again(const MicroOp& micro, Rows rows) {
    if constexpr (!Host::kManyRegisters) {
      const auto forget = [](const std::uint64_t*& at) { asm("" : "+r"(at)); };
      forget(rows.a_high);
      forget(rows.b_high);
      if constexpr (!a_short) forget(rows.a_low);
      if constexpr (!b_short) forget(rows.b_low);
    }
    return operands(micro, rows);
  }

  [[gnu::always_inline]] static Result run(const MicroOp& micro, const Rows& rows) {
    using Word = QuickBatch<Shape<a_short, b_short>>;
    Operands of = operands(micro, rows);
    Word result = Semantics<op>::apply(Word{of.a.high, of.a.low, Mask{}}, Word{of.b.high, of.b.low, Mask{}}, width);
    return {result.high, result.low, Mask{}, result.uncovered};
  }

  static Redone redo(Operands of, Mask wanted) {
    if constexpr (op == Op::FSUB) {
      of.b.high ^= kSign;
      return redo_lanes<Op::FADD, width>(of, wanted);
    } else {
      return redo_lanes<op, width>(of, wanted);
    }
  }
};

template <Op op, Width width>
struct NativeStep {
  static constexpr Width kWidth = width;
  static constexpr bool kMayLeave = false;

  [[gnu::always_inline]] static Result run(const MicroOp& micro, const Rows& rows) {
    const auto operand = [](const std::uint64_t* row, bool single, std::uint64_t flip) {
      return NativeBatch{Host::doubles(Rows::lanes(row, single) ^ Bits(flip))};
    };
    NativeBatch result = Semantics<op>::apply(operand(rows.a_high, rows.a_single, micro.flip_a),
                                              operand(rows.b_high, rows.b_single, micro.flip_b), width);
    return {native_word(result), Bits{}, Mask{}, Mask{}};
  }
};

template <Op op, Width width>
struct IntegerStep {
  static constexpr Width kWidth = width;
  static constexpr bool kMayLeave = false;

  [[gnu::always_inline]] static Result run(const MicroOp&, const Rows& rows) {
    IntegerBatch a{Rows::lanes(rows.a_high, rows.a_single), Bits{}, Mask{}};
    IntegerBatch b{Rows::lanes(rows.b_high, rows.b_single), Bits{}, Mask{}};
    if constexpr (width == Width::long_word) {
      a.low = Rows::lanes(rows.a_low, rows.a_single);
      b.low = Rows::lanes(rows.b_low, rows.b_single);
    }
    IntegerBatch result = Semantics<op>::apply(a, b, width);
    return {result.high, result.low, result.carry, Mask{}};
  }
};

/// Where events and lanes are counted, and with which weight.
struct EventSite {
  const MicroOp& op;
  const Lanes& lanes;
  Tally* tally;
  std::uint32_t counted;  // PEs of the element that count
  std::uint32_t weight;   // number of PEs that a lane represents
};

inline void count(const EventSite& site, const Leftover& left, const Redone& redone) {
  const Events& events = redone.events;
  const std::uint32_t counted = (site.counted >> left.lane) & Host::lane_bits(redone.in_integers);
  if (counted == 0) return;
  const auto times = [&](Mask mask) {
    return std::uint64_t{site.weight} * static_cast<unsigned>(__builtin_popcount(counted & Host::lane_bits(mask)));
  };
  site.tally->events.invalid += times(events.invalid);
  site.tally->events.overflow += times(events.overflow);
  site.tally->events.underflow += times(events.underflow);
  const EventLanes places{left.element, left.lane, counted & Host::lane_bits(events.invalid),
                          counted & Host::lane_bits(events.overflow), counted & Host::lane_bits(events.underflow)};
  if ((places.invalid | places.overflow | places.underflow) != 0) note_events(site.op, site.lanes, *site.tally, places);
  site.tally->lanes.slow += std::uint64_t{site.weight} * static_cast<unsigned>(__builtin_popcount(counted));
}

/// The leftovers of one block. They are computed after the loop, because a call inside would cost the loop its
/// registers.
class Leftovers {
 public:
  [[gnu::always_inline]] void keep(const Operands& operands, Mask lanes, unsigned element, unsigned lane) {
    Leftover& kept = kept_[count_];
    kept.operands = operands;
    kept.lanes = lanes;
    kept.element = element;
    kept.lane = lane;
    ++count_;
  }
  [[nodiscard]] bool any() const { return count_ != 0; }

  /// Computes the leftovers again. `store` takes the result, the lanes (bit 0 is the vector's first), the element, and
  /// the PE of the first lane.
  template <class Step, class Store>
  void redo(const EventSite& site, Store store) {
    for (unsigned n = 0; n < count_; ++n) {
      const Leftover& left = kept_[n];
      Redone redone = Step::redo(left.operands, left.lanes);
      count(site, left, redone);
      store(redone.result, Host::lane_bits(left.lanes), left.element, left.lane);
    }
    count_ = 0;
  }

 private:
  Leftover kept_[isa::kVectorElements * kPesPerBlock / Host::kLanes];
  unsigned count_ = 0;
};

/// Loops over the lanes of one element, one host vector after the other. All members of the micro-operation are read
/// before the loop, since the compiler must assume that a store could change them.
class LaneLoop {
 public:
  LaneLoop(const MicroOp& op, const Lanes& lanes)
      : end_(op.uniform ? op.lanes : lanes.live_pes),
        a_(op.a),
        b_(op.b),
        a_step_(op.a.lane_step * Host::kLanes),
        b_step_(op.b.lane_step * Host::kLanes) {}

  [[nodiscard]] unsigned lanes() const { return end_; }

  template <class Body>
  [[gnu::always_inline]] void run(const std::uint64_t* state, unsigned element, Body body) const {
    const std::uint64_t* a = state + element * a_.element_step;
    const std::uint64_t* b = state + element * b_.element_step;
    Rows rows{a + a_.high, a + a_.low, b + b_.high, b + b_.low, a_step_ == 0, b_step_ == 0};
    for (unsigned lane = 0; lane < end_; lane += Host::kLanes) {
      body(rows, lane);
      rows.a_high += a_step_;
      rows.a_low += a_step_;
      rows.b_high += b_step_;
      rows.b_low += b_step_;
    }
  }

 private:
  unsigned end_;
  Operand a_;
  Operand b_;
  unsigned a_step_;
  unsigned b_step_;
};

/// Addresses of the results of one element.
struct Targets {
  std::uint64_t* high[3];
  std::uint64_t* low[3];

  Targets(const MicroOp& op, std::uint64_t* state, unsigned element) {
    for (unsigned n = 0; n < 3; ++n) {
      std::uint64_t* row = state + element * op.to[n].element_step;
      high[n] = row + op.to[n].high;
      low[n] = op.to[n].low == kNowhere ? nullptr : row + op.to[n].low;
    }
  }
};

/// Computes one host vector. Its operands are kept if the quick form does not cover all wanted lanes.
template <class Step>
[[gnu::always_inline]] inline Result step(const MicroOp& op, const Rows& rows, unsigned element, unsigned lane,
                                          Leftovers& left, std::uint32_t wanted) {
  Result result = Step::run(op, rows);
  if constexpr (Step::kMayLeave) {
    if (Host::any(result.uncovered)) [[unlikely]] {
      result.uncovered = result.uncovered & Host::lanes(wanted);
      if (Host::any(result.uncovered)) left.keep(Step::operands_again(op, rows), result.uncovered, element, lane);
    }
  }
  return result;
}

template <class Step>
[[gnu::noinline]] void redo_plain(Leftovers& left, const MicroOp& op, const Lanes& lanes, std::uint64_t* state,
                                  Tally& tally) {
  const EventSite site{op, lanes, &tally, lanes.live_bits, 1};
  left.redo<Step>(site, [&](const Result& result, std::uint32_t of_these, unsigned element, unsigned lane) {
    std::uint64_t* row = state + element * op.to[0].element_step + lane;
    Host::store(row + op.to[0].high, result.high, of_these);
    if constexpr (Step::kWidth == Width::long_word) Host::store(row + op.to[0].low, result.low, of_these);
  });
}

/// Copies the results from the first destination to the others.
template <Width width>
[[gnu::noinline]] void copy_to_others(const MicroOp& op, std::uint64_t* state, unsigned lanes) {
  const Destination& first = op.to[0];
  for (unsigned n = 1; n < op.destinations; ++n) {
    const Destination& other = op.to[n];
    for (unsigned element = 0; element < op.elements; ++element) {
      const std::uint64_t* from = state + element * first.element_step;
      std::uint64_t* to = state + element * other.element_step;
      for (unsigned lane = 0; lane < lanes; lane += Host::kLanes) {
        Host::store(to + other.high + lane, Host::load(from + first.high + lane));
        if constexpr (width == Width::long_word) {
          Host::store(to + other.low + lane, Host::load(from + first.low + lane));
        }
      }
    }
  }
}

/// Stores every lane and writes no flag. No element reads a result of an earlier one, so leftovers and further
/// destinations can wait until all elements are computed.
template <class Step>
void run_plain(const MicroOp& op, Lanes& lanes) {
  const LaneLoop loop(op, lanes);
  const unsigned elements = op.elements;
  const unsigned blocks = lanes.blocks;
  const std::size_t block_words = lanes.block_words;
  const std::uint32_t live = lanes.live_bits;
  const std::uint32_t to_high = op.to[0].high;
  const std::uint32_t to_low = op.to[0].low;
  const std::uint32_t to_step = op.to[0].element_step;
  Leftovers left;
  std::uint64_t* state = lanes.state;
  for (unsigned block = 0; block < blocks; ++block, state += block_words) {
    for (unsigned element = 0; element < elements; ++element) {
      loop.run(state, element, [&](const Rows& rows, unsigned lane) {
        Result result = step<Step>(op, rows, element, lane, left, live >> lane);
        std::uint64_t* row = state + element * to_step + lane;
        Host::store(row + to_high, result.high);
        if constexpr (Step::kWidth == Width::long_word) Host::store(row + to_low, result.low);
      });
    }
    if constexpr (Step::kMayLeave) {
      if (left.any()) [[unlikely]]
        redo_plain<Step>(left, op, lanes, state, lanes.tallies[block]);
    }
    if (op.destinations > 1) copy_to_others<Step::kWidth>(op, state, loop.lanes());
  }
}

inline std::uint32_t lanes_of(const Gate& gate, const std::uint64_t* state, unsigned element) {
  return static_cast<std::uint32_t>(state[gate.flag + element]) ^ gate.flip;
}

/// The lanes of one element that a general kernel writes.
struct Selection {
  std::uint32_t written = 0;     // to any destination or the flag
  std::uint32_t stored[3] = {};  // by destination
  std::uint32_t flag = 0;

  Selection(const MicroOp& op, std::uint64_t* state, unsigned element) {
    const std::uint32_t enabled = lanes_of(op.mask, state, element) & op.lane_mask;
    for (unsigned n = 0; n < op.destinations; ++n) {
      stored[n] = enabled & lanes_of(op.to[n].gate, state, element);
      written |= stored[n];
      if (op.to[n].mask_slot != kNowhere) {
        state[op.to[n].mask_slot + element] = stored[n];
        stored[n] = ~std::uint32_t{0};
      }
    }
    if (op.flag.place != kNowhere) {
      flag = enabled & lanes_of(op.flag.gate, state, element);
      written |= flag;
    }
  }
};

inline void write_flag(const FlagDestination& flag, std::uint64_t* state, unsigned element, std::uint32_t selected,
                       std::uint32_t value) {
  if (flag.place == kNowhere) return;
  std::uint64_t& word = state[flag.place + element];
  if (flag.mask_slot != kNowhere) {
    state[flag.mask_slot + element] = selected;
    word = value;
  } else {
    word = (word & ~std::uint64_t{selected}) | (value & selected);
  }
}

inline Mask condition(isa::Condition wanted, const Result& result) {
  switch (wanted) {
    case isa::Condition::negative:
      return Host::sign(result.high);
    case isa::Condition::zero:
      return (result.high | result.low) == Bits{};
    case isa::Condition::carry:
      break;
  }
  return result.carry;
}

template <class Step>
void run_general_in(const MicroOp& op, const Lanes& lanes, std::uint64_t* state, Tally& tally) {
  const LaneLoop loop(op, lanes);
  Leftovers left;
  for (unsigned element = 0; element < op.elements; ++element) {
    const Selection selection(op, state, element);
    const Targets to(op, state, element);
    std::uint32_t flags = 0;
    const auto store = [&](const Result& result, std::uint32_t of_these, unsigned lane) {
      for (unsigned n = 0; n < op.destinations; ++n) {
        const std::uint32_t stored = (selection.stored[n] >> lane) & of_these;
        Host::store(to.high[n] + lane, result.high, stored);
        if constexpr (Step::kWidth == Width::long_word) {
          Host::store(to.low[n] + lane, result.low, stored);
        } else if (to.low[n] != nullptr) {
          Host::store(to.low[n] + lane, Bits{}, stored);
        }
      }
      if (op.flag.place != kNowhere) {
        flags |= (Host::lane_bits(condition(op.flag.condition, result)) & of_these) << lane;
      }
    };
    if (selection.written != 0) {
      loop.run(state, element, [&](const Rows& rows, unsigned lane) {
        Result result = step<Step>(op, rows, element, lane, left, selection.written >> lane);
        store(result, ~Host::lane_bits(result.uncovered), lane);
      });
      if constexpr (Step::kMayLeave) {
        if (left.any()) [[unlikely]] {
          // A lane of a uniform operation represents one element of every live PE.
          const EventSite site{op, lanes, &tally, op.uniform ? selection.written : selection.written & lanes.live_bits,
                               op.uniform ? lanes.live_pes : 1};
          left.redo<Step>(site, [&](const Result& result, std::uint32_t of_these, unsigned, unsigned lane) {
            store(result, of_these, lane);
          });
        }
      }
    }
    write_flag(op.flag, state, element, selection.flag, flags);
  }
}

template <class Step>
void run_general(const MicroOp& op, Lanes& lanes) {
  for (unsigned block = 0; block < lanes.blocks; ++block) {
    run_general_in<Step>(op, lanes, lanes.state + block * lanes.block_words, lanes.tallies[block]);
  }
}

// ---- choice --------------------------------------------------------------------------------------------------------

template <class Step>
Kernel choose_run(const KernelKey& key) {
  return key.general ? &run_general<Step> : &run_plain<Step>;
}

template <Op op, Width width, bool a_short, bool b_short>
Kernel choose_negated(const KernelKey& key) {
  if constexpr (op == Op::FSUB) {
    GDR_ASSERT(!flips_signs(key), "what flips signs adds");
  } else if (flips_signs(key)) {
    return choose_run<FloatStep<op, width, a_short, b_short, true>>(key);
  }
  return &run_plain<FloatStep<op, width, a_short, b_short, false>>;
}

template <Op op, Width width>
Kernel choose_shape(const KernelKey& key) {
  if constexpr (isa::info_of(op).sources == 1) {
    return key.a_short ? choose_negated<op, width, true, false>(key) : choose_negated<op, width, false, false>(key);
  } else if (key.a_short) {
    return key.b_short ? choose_negated<op, width, true, true>(key) : choose_negated<op, width, true, false>(key);
  } else {
    return key.b_short ? choose_negated<op, width, false, true>(key) : choose_negated<op, width, false, false>(key);
  }
}

template <Op op>
Kernel choose_width(const KernelKey& key) {
  if constexpr (Semantics<op>::on_integers) {
    return key.width == Width::long_word ? choose_run<IntegerStep<op, Width::long_word>>(key)
                                         : choose_run<IntegerStep<op, Width::short_word>>(key);
  } else if (key.native) {
    return key.width == Width::long_word ? choose_run<NativeStep<op, Width::long_word>>(key)
                                         : choose_run<NativeStep<op, Width::short_word>>(key);
  } else {
    return key.width == Width::long_word ? choose_shape<op, Width::long_word>(key)
                                         : choose_shape<op, Width::short_word>(key);
  }
}

/// Both halves of a product of long words are computed at once.
constexpr Op kernel_of(Op op) { return op == Op::FMULL ? Op::FMUL : op; }

Kernel choose_kernel(const KernelKey& key) {
  return with_operation(key.op, [&]<Op op>() { return choose_width<kernel_of(op)>(key); });
}

}  // namespace
}  // namespace gdr::emulator::simd
