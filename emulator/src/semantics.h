// What each operation does to its operands: one template for one PE and for a batch of PEs. A batch type brings its own
// fadd, fmul, ... found by its namespace; an operation without meaning here does not compile.
#pragma once

#include "gdr/base/error.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/isa.h"

namespace gdr::emulator {

using isa::Op;

template <Op op>
struct Semantics;

// on_integers: operands and result are right-aligned integers, not words.
#define GDR_SEMANTICS(OP, integers, call)                                   \
  template <>                                                               \
  struct Semantics<Op::OP> {                                                \
    static constexpr bool on_integers = integers;                           \
    template <class Word>                                                   \
    static auto apply(Word a, [[maybe_unused]] Word b, Width destination) { \
      return call;                                                          \
    }                                                                       \
  }

GDR_SEMANTICS(FADD, false, fadd(a, b, destination));
GDR_SEMANTICS(FSUB, false, fsub(a, b, destination));
GDR_SEMANTICS(FPASSA, false, fpassa(a, destination));
GDR_SEMANTICS(FMAX, false, fmax(a, b, destination));
GDR_SEMANTICS(FMIN, false, fmin(a, b, destination));
GDR_SEMANTICS(FMUL, false, fmul(a, b, destination));
GDR_SEMANTICS(FMULL, false, fmul2(a, b, destination));  // with the fmulh of the line before: the whole product
GDR_SEMANTICS(UADD, true, uadd(a, b, destination));
GDR_SEMANTICS(USUB, true, usub(a, b, destination));
GDR_SEMANTICS(UAND, true, uand(a, b, destination));
GDR_SEMANTICS(UOR, true, uor(a, b, destination));
GDR_SEMANTICS(UXOR, true, uxor(a, b, destination));
GDR_SEMANTICS(UNOT, true, unot(a, destination));
GDR_SEMANTICS(ULSL, true, ulsl(a, b, destination));
GDR_SEMANTICS(ULSR, true, ulsr(a, b, destination));
GDR_SEMANTICS(UASR, true, uasr(a, b, destination));
GDR_SEMANTICS(UPASSA, true, upassa(a, destination));
GDR_SEMANTICS(UMAX, true, umax(a, b, destination));
GDR_SEMANTICS(UMIN, true, umin(a, b, destination));
GDR_SEMANTICS(ULZC, true, ulzc(a, destination));

#undef GDR_SEMANTICS

/// Calls function.template operator()<op>() for an operation with a meaning; any other is refused by the caller before.
template <class Function>
auto with_operation(Op op, Function function) {
  switch (op) {
#define GDR_CASE(OP) \
  case Op::OP:       \
    return function.template operator()<Op::OP>()
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
  GDR_ASSERT(false, "only operations with a result of their own are applied");
}

}  // namespace gdr::emulator
