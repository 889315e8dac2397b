// Operations on words, chosen at run time.
#include <fmt/format.h>

#include "semantics.h"

namespace gdr::emulator {
namespace {

WordResult word_result(const FpResult& result, Width) {
  return {result.value, result.negative, result.zero, false, result.event};
}
WordResult word_result(const AluResult& result, Width width) {
  const LongWord value = width == Width::long_word ? LongWord::from_bits(result.value)
                                                   : isa::widen(ShortWord{static_cast<std::uint64_t>(result.value)});
  return {value, result.negative, result.zero, result.carry, FpEvent::none};
}

}  // namespace

WordResult compute(isa::Op op, LongWord a, LongWord b, Width width) {
  if (!isa::info_of(op).computes()) {
    throw Error(
        fmt::format("compute: operation '{}' is refused: it has no result of its own", isa::info_of(op).mnemonic));
  }
  return with_operation(op, [&]<Op operation>() {
    if constexpr (Semantics<operation>::on_integers) {
      const auto integer = [&](LongWord word) {
        return width == Width::long_word ? word.bits() : uint128{word.upper().bits};
      };
      return word_result(Semantics<operation>::apply(integer(a), integer(b), width), width);
    } else {
      return word_result(Semantics<operation>::apply(a, b, width), width);
    }
  });
}

}  // namespace gdr::emulator
