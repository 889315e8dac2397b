// Any lines of `gdr fp eval`: each is refused with a reason or gives the same bits from the scalar definition of the
// arithmetic and from the vector engine.
#include "gdr/selftest/single_operations.h"

#include <vector>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  using namespace gdr::selftest;
  constexpr std::size_t kMostOperations = 256;
  std::string_view rest = fuzz::text_of(data, size);
  std::vector<FpOperation> operations;
  while (!rest.empty() && operations.size() < kMostOperations) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::string error;
    const std::optional<FpOperation> operation = parse_operation(line, error);
    FUZZ_HOLDS(operation.has_value() || !error.empty());
    if (operation) operations.push_back(*operation);
  }
  if (operations.empty()) return 0;
  static const auto reference = make_evaluator(emulator::Engine::reference);
  static const auto simd = make_evaluator(emulator::Engine::simd);
  const std::vector<isa::LongWord> expected = reference->evaluate(operations);
  const std::vector<isa::LongWord> computed = simd->evaluate(operations);
  FUZZ_HOLDS(expected.size() == operations.size() && computed.size() == operations.size());
  for (std::size_t n = 0; n < operations.size(); ++n) {
    const bool is_long = operations[n].kind.destination == isa::Width::long_word;
    FUZZ_HOLDS(is_long ? computed[n] == expected[n] : computed[n].upper() == expected[n].upper());
  }
  return 0;
}
