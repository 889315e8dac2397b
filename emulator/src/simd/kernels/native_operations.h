// The floating-point operations of the native engine: those of the host, on the top 64 bits of long words. The
// functions have the names that Semantics calls.
#pragma once

#include "float_batch.h"

namespace gdr::emulator::simd {
namespace {

struct NativeBatch {
  Doubles value;
};

inline NativeBatch fadd(NativeBatch a, NativeBatch b, Width) { return {a.value + b.value}; }
inline NativeBatch fsub(NativeBatch a, NativeBatch b, Width) { return {a.value - b.value}; }
inline NativeBatch fpassa(NativeBatch a, Width) { return a; }
inline NativeBatch fmax(NativeBatch a, NativeBatch b, Width) { return {select(a.value < b.value, b.value, a.value)}; }
inline NativeBatch fmin(NativeBatch a, NativeBatch b, Width) { return {select(b.value < a.value, b.value, a.value)}; }
inline NativeBatch fmul(NativeBatch a, NativeBatch b, Width) { return {a.value * b.value}; }

/// The result as registers hold it, in either width. Numbers that are too small for a word become zero.
inline Bits native_word(NativeBatch result) {
  const Bits word = Host::bits(result.value);
  return select((word << 1) < Bits(widths::bit(widths::kDouble)), Bits{}, word);
}

}  // namespace
}  // namespace gdr::emulator::simd
