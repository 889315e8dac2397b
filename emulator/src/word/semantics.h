// Applies each operation to its operands: one template serves a single PE and a batch of PEs. A batch type has its own
// fadd, fmul, ..., which are found by argument-dependent lookup. An operation without a result does not compile.
#pragma once

#include "gdr/base/error.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/isa.h"
#include "gdr/isa/operations.h"

namespace gdr::emulator {

using isa::Op;

template <Op op>
struct Semantics;

// on_integers: operands and result are right-aligned integers, not words.
#define GDR_OPERANDS_1 a
#define GDR_OPERANDS_2 a, b
#define GDR_SEMANTICS(OP, function, sources)                                                          \
  template <>                                                                                         \
  struct Semantics<Op::OP> {                                                                          \
    static constexpr bool on_integers = isa::info_of(Op::OP).kind != isa::NumberKind::floating_point; \
    template <class Word>                                                                             \
    static auto apply(Word a, [[maybe_unused]] Word b, Width destination) {                           \
      return function(GDR_OPERANDS_##sources, destination);                                           \
    }                                                                                                 \
  };
GDR_OPERATIONS(GDR_SEMANTICS)
#undef GDR_SEMANTICS
#undef GDR_OPERANDS_1
#undef GDR_OPERANDS_2

/// Calls function.template operator()<op>() for an operation with a result. The caller must have refused all others.
template <class Function>
auto with_operation(Op op, Function function) {
  switch (op) {
#define GDR_CASE(OP, name, sources) \
  case Op::OP:                      \
    return function.template operator()<Op::OP>();
    GDR_OPERATIONS(GDR_CASE)
#undef GDR_CASE
    default:
      break;
  }
  GDR_ASSERT(false, "only operations with a result of their own are applied");
}

}  // namespace gdr::emulator
