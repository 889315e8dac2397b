// Evaluates single floating-point operations on words with an engine of choice.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/emulator/session.h"
#include "gdr/isa/isa.h"

namespace gdr::selftest {

/// Operation and widths: the part that a line of code fixes.
struct FpKind {
  isa::Op op = isa::Op::FADD;  // a floating-point operation; FMULL stands for the pair fmulh, fmull
  isa::Width destination = isa::Width::long_word;
  isa::Width a = isa::Width::long_word;
  isa::Width b = isa::Width::long_word;
  friend auto operator<=>(const FpKind&, const FpKind&) = default;
};

struct FpOperation {
  FpKind kind;
  isa::LongWord a;  // a short operand is in the upper half
  isa::LongWord b;
};

/// The operations that parse_operation() accepts: `fadd, fsub, ...`.
[[nodiscard]] std::string operation_names();

/// Parses `fadd.l 3ff000000000000000 3ff000000`. Returns nothing if that fails; `error` then has the reason.
[[nodiscard]] std::optional<FpOperation> parse_operation(std::string_view line, std::string& error);

class FpEvaluator {
 public:
  virtual ~FpEvaluator() = default;
  /// Results in the order of `operations`; short results are in the upper half.
  [[nodiscard]] virtual std::vector<isa::LongWord> evaluate(std::span<const FpOperation> operations) = 0;
};

/// `reference` uses the scalar definition of the arithmetic; `simd` runs a program of one operation on a chip of the
/// vector engine.
[[nodiscard]] std::unique_ptr<FpEvaluator> make_evaluator(std::string_view engine);

}  // namespace gdr::selftest
