// The kernels: one operation over all elements and PEs of a block. This header is compiled once for each instruction
// set, after the header that defines Host for it; everything is local to that translation unit.
#pragma once

#include "float_operations.h"
#include "integer_operations.h"
#include "semantics.h"

namespace gdr::emulator::simd {
namespace {

struct Result {
  Bits high;
  Bits low;
  Mask carry;
};

template <bool first_short, bool second_short>
struct Shape {
  static constexpr bool a_short = first_short;
  static constexpr bool b_short = second_short;
};

/// Where the lanes of one element's operands stand.
struct Rows {
  const std::uint64_t* a_high;
  const std::uint64_t* a_low;
  const std::uint64_t* b_high;
  const std::uint64_t* b_low;
};

template <Op op, Width width, bool a_short, bool b_short, bool negated>
struct FloatStep {
  static constexpr Width kWidth = width;

  [[gnu::always_inline]] static Result run(const MicroOp& micro, const Rows& rows, unsigned lane,
                                           const EventSite& site) {
    using Word = FloatBatch<Shape<a_short, b_short>>;
    const unsigned a_at = lane * micro.a.lane_step;
    const unsigned b_at = lane * micro.b.lane_step;
    Word a{Host::load(rows.a_high + a_at), Bits{}, &site, lane};
    Word b{Host::load(rows.b_high + b_at), Bits{}, &site, lane};
    if constexpr (!a_short) a.low = Host::load(rows.a_low + a_at);
    if constexpr (!b_short) b.low = Host::load(rows.b_low + b_at);
    if constexpr (negated) {
      a.high ^= Host::all(micro.flip_a);
      b.high ^= Host::all(micro.flip_b);
    }
    const Word result = Semantics<op>::apply(a, b, width);
    return {result.high, result.low, Mask{}};
  }
};

template <Op op, Width width>
struct IntegerStep {
  static constexpr Width kWidth = width;

  [[gnu::always_inline]] static Result run(const MicroOp& micro, const Rows& rows, unsigned lane, const EventSite&) {
    const unsigned a_at = lane * micro.a.lane_step;
    const unsigned b_at = lane * micro.b.lane_step;
    IntegerBatch a{Host::load(rows.a_high + a_at), Bits{}, Mask{}};
    IntegerBatch b{Host::load(rows.b_high + b_at), Bits{}, Mask{}};
    if constexpr (width == Width::long_word) {
      a.low = Host::load(rows.a_low + a_at);
      b.low = Host::load(rows.b_low + b_at);
    }
    const IntegerBatch result = Semantics<op>::apply(a, b, width);
    return {result.high, result.low, result.carry};
  }
};

inline Rows rows_of(const MicroOp& op, const Lanes& lanes, unsigned element) {
  const std::uint64_t* a = lanes.state + element * op.a.element_step;
  const std::uint64_t* b = lanes.state + element * op.b.element_step;
  return {a + op.a.high, a + op.a.low, b + op.b.high, b + op.b.low};
}

/// Every lane is stored; no flag.
template <class Step>
void run_plain(const MicroOp& op, Lanes& lanes) {
  const unsigned end = op.uniform ? Host::kLanes : lanes.live_pes;
  const EventSite site{lanes.events, op.uniform ? 1 : lanes.live_bits, op.uniform ? lanes.live_pes : 1};
  for (unsigned element = 0; element < op.elements; ++element) {
    const Rows rows = rows_of(op, lanes, element);
    for (unsigned lane = 0; lane < end; lane += Host::kLanes) {
      const Result result = Step::run(op, rows, lane, site);
      for (unsigned n = 0; n < op.destinations; ++n) {
        std::uint64_t* to = lanes.state + element * op.to[n].element_step + lane;
        Host::store(to + op.to[n].high, result.high);
        if constexpr (Step::kWidth == Width::long_word) Host::store(to + op.to[n].low, result.low);
      }
    }
  }
}

inline std::uint32_t lanes_of(const Gate& gate, const Lanes& lanes, unsigned element) {
  return static_cast<std::uint32_t>(lanes.state[gate.flag + element]) ^ gate.flip;
}

/// The lanes of one element that a general kernel writes.
struct Selection {
  std::uint32_t written = 0;     // anywhere
  std::uint32_t stored[3] = {};  // per destination
  std::uint32_t flag = 0;

  Selection(const MicroOp& op, Lanes& lanes, unsigned element) {
    const std::uint32_t enabled = lanes_of(op.mask, lanes, element) & op.lane_mask;
    for (unsigned n = 0; n < op.destinations; ++n) {
      stored[n] = enabled & lanes_of(op.to[n].gate, lanes, element);
      written |= stored[n];
      if (op.to[n].mask_slot != kNowhere) {
        lanes.state[op.to[n].mask_slot + element] = stored[n];
        stored[n] = ~std::uint32_t{0};
      }
    }
    if (op.flag.place != kNowhere) {
      flag = enabled & lanes_of(op.flag.gate, lanes, element);
      written |= flag;
    }
  }
};

inline void write_flag(const FlagDestination& flag, Lanes& lanes, unsigned element, std::uint32_t selected,
                       std::uint32_t value) {
  if (flag.place == kNowhere) return;
  std::uint64_t& word = lanes.state[flag.place + element];
  if (flag.mask_slot != kNowhere) {
    lanes.state[flag.mask_slot + element] = selected;
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
      return Host::equal(result.high | result.low, Bits{});
    case isa::Condition::carry:
      break;
  }
  return result.carry;
}

template <class Step>
void run_general(const MicroOp& op, Lanes& lanes) {
  const unsigned end = op.uniform ? Host::kLanes : lanes.live_pes;
  for (unsigned element = 0; element < op.elements; ++element) {
    const Selection selection(op, lanes, element);
    const EventSite site{lanes.events, selection.written & (op.uniform ? 1 : lanes.live_bits),
                         op.uniform ? lanes.live_pes : 1};
    const Rows rows = rows_of(op, lanes, element);
    std::uint32_t flags = 0;
    for (unsigned lane = 0; lane < end && selection.written != 0; lane += Host::kLanes) {
      const Result result = Step::run(op, rows, lane, site);
      for (unsigned n = 0; n < op.destinations; ++n) {
        std::uint64_t* to = lanes.state + element * op.to[n].element_step + lane;
        Host::store(to + op.to[n].high, result.high, selection.stored[n] >> lane);
        if constexpr (Step::kWidth == Width::long_word) {
          Host::store(to + op.to[n].low, result.low, selection.stored[n] >> lane);
        } else if (op.to[n].low != kNowhere) {
          Host::store(to + op.to[n].low, Bits{}, selection.stored[n] >> lane);
        }
      }
      if (op.flag.place != kNowhere) flags |= Host::bits(condition(op.flag.condition, result)) << lane;
    }
    write_flag(op.flag, lanes, element, selection.flag, flags);
  }
}

// ---- choice --------------------------------------------------------------------------------------------------------

template <class Step>
Kernel choose_run(const KernelKey& key) {
  return key.general ? &run_general<Step> : &run_plain<Step>;
}

template <Op op, Width width, bool a_short, bool b_short>
Kernel choose_negated(const KernelKey& key) {
  return key.negated ? choose_run<FloatStep<op, width, a_short, b_short, true>>(key)
                     : choose_run<FloatStep<op, width, a_short, b_short, false>>(key);
}

template <Op op, Width width>
Kernel choose_shape(const KernelKey& key) {
  if (key.a_short) {
    return key.b_short ? choose_negated<op, width, true, true>(key) : choose_negated<op, width, true, false>(key);
  }
  return key.b_short ? choose_negated<op, width, false, true>(key) : choose_negated<op, width, false, false>(key);
}

template <Op op>
Kernel choose_width(const KernelKey& key) {
  if constexpr (Semantics<op>::on_integers) {
    return key.width == Width::long_word ? choose_run<IntegerStep<op, Width::long_word>>(key)
                                         : choose_run<IntegerStep<op, Width::short_word>>(key);
  } else {
    return key.width == Width::long_word ? choose_shape<op, Width::long_word>(key)
                                         : choose_shape<op, Width::short_word>(key);
  }
}

Kernel choose_kernel(const KernelKey& key) {
  switch (key.op) {
#define GDR_CASE(OP) \
  case Op::OP:       \
    return choose_width<Op::OP>(key)
    GDR_CASE(FADD);
    GDR_CASE(FSUB);
    GDR_CASE(FPASSA);
    GDR_CASE(FMAX);
    GDR_CASE(FMIN);
    GDR_CASE(FMUL);
    GDR_CASE(FMULL);
    GDR_CASE(UADD);
    GDR_CASE(USUB);
    GDR_CASE(UAND);
    GDR_CASE(UOR);
    GDR_CASE(UXOR);
    GDR_CASE(UNOT);
    GDR_CASE(ULSL);
    GDR_CASE(ULSR);
    GDR_CASE(UASR);
    GDR_CASE(UPASSA);
    GDR_CASE(UMAX);
    GDR_CASE(UMIN);
    GDR_CASE(ULZC);
#undef GDR_CASE
    case Op::FMULH:
    case Op::BM:
    case Op::NOP:
      break;
  }
  return nullptr;
}

}  // namespace
}  // namespace gdr::emulator::simd
