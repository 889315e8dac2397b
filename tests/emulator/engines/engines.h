// Every engine whose results are the machine's, for tests that hold for all of them.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/conversion.h"

namespace gdr::tests {

struct ExactEngine {
  /// Vector engines come once for each instruction set of the host.
  enum class Form { reference, interpreted, compiled, lockstep, naive };
  Form form;
  std::string name;
  std::function<std::unique_ptr<emulator::Chip>()> make;
};

/// The reference, the vector engine on each instruction set of the host and with compiled loop bodies, both of them in
/// lockstep, and the tests' own interpreter.
[[nodiscard]] std::vector<ExactEngine> exact_engines();

/// For names of parameterised tests.
inline std::string name_of(const ExactEngine& engine) { return engine.name; }
inline void PrintTo(const ExactEngine& engine, std::ostream* out) { *out << engine.name; }

/// A number as the machine holds it.
[[nodiscard]] inline isa::LongWord long_word_of(double value) { return emulator::flt64to72(value).value; }

}  // namespace gdr::tests
