// Between which numbers a value is, as far as its operation and comparisons on the way to it tell: integers by LLVM's
// ranges, floating-point numbers by their ends. The machine has no NaN, so that one is in no extent.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <limits>
#include <optional>
#include <variant>

namespace gdr::compiler {

/// Floating-point numbers. `below` and `above`: the end itself is none of them.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;
  bool below = false;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Nothing is known of a value that is neither.
using Extent = std::variant<std::monostate, llvm::ConstantRange, Interval>;

/// All values of a type.
[[nodiscard]] Extent all_of(const llvm::Type& type);
[[nodiscard]] Extent extent_of(const llvm::Constant& constant);

/// The values of both, and those of either. Unknown extents are taken as those of all values.
[[nodiscard]] Extent common(const Extent& a, const Extent& b);
[[nodiscard]] Extent joined(const Extent& a, const Extent& b);
[[nodiscard]] bool is_empty(const Extent& extent);
[[nodiscard]] std::optional<bool> truth_of(const Extent& extent);
[[nodiscard]] Extent extent_of_truth(bool value);

/// The extent of each operand.
using ExtentOf = llvm::function_ref<Extent(const llvm::Value&)>;

/// What an operation makes of its operands. Phis, accesses of memory and unknown calls give all values.
[[nodiscard]] Extent computed_extent(const llvm::Instruction& operation, ExtentOf of);

/// Whether a comparison holds, if the extents tell.
[[nodiscard]] std::optional<bool> decided(llvm::CmpInst::Predicate predicate, const Extent& a, const Extent& b);

/// Takes what a value must be from a condition that has the value `holds`: of the operands of comparisons, and of what
/// these are made of. `narrow` is called for each.
void narrow_by(const llvm::Value& condition, bool holds, ExtentOf of,
               llvm::function_ref<void(const llvm::Value&, const Extent&)> narrow);

}  // namespace gdr::compiler
