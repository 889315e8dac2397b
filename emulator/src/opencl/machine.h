// A device with the machine's kernels, and a program as they take it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decoded_program.h"
#include "driver.h"
#include "gdr/emulator/opencl.h"
#include "simd/micro_op.h"

namespace gdr::emulator::opencl {

using uint = std::uint32_t;
using ulong = std::uint64_t;
#include "machine_types.h"

/// Words of a block's state: rows of registers, then BM.
inline constexpr unsigned kBmPlace = simd::kRegisterRows * kPesPerBlock;
inline constexpr unsigned kBlockWords = kBmPlace + isa::kBmShortWords;
inline constexpr unsigned kWordBytes = sizeof(ulong);

/// Failures of the driver, thrown as gdr::Error.
template <class Work>
auto as_errors(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw Error(failure.what());
  }
}

/// A device that is open, with the kernels of machine.cl. One for all sessions on a device; thread safe.
class Machine {
 public:
  /// Throws gdr::Error as choose_opencl_device(), and if the kernels do not compile.
  [[nodiscard]] static std::shared_ptr<Machine> of_device(std::string_view name);
  explicit Machine(std::size_t number);

  const OpenClDevice device;
  std::unique_ptr<Context> context;
  std::unique_ptr<Code> kernels;
};

/// Bits and names that machine.cl takes from the instruction set, and its text.
[[nodiscard]] std::string machine_source();

/// A program's lines as data.
struct ProgramCode {
  SectionsCode sections{};
  std::vector<StepCode> steps;
  std::vector<LineCode> lines;
};
[[nodiscard]] ProgramCode make_program_code(const DecodedProgram& program);

enum class StepKind : uint { nothing, line, collect };

}  // namespace gdr::emulator::opencl
