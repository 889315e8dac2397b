// A device with the machine's kernels, and a program in the form that they read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver.h"
#include "gdr/emulator/opencl.h"
#include "line/decoded_program.h"
#include "line/micro_op.h"

namespace gdr::emulator::opencl {

using uint = std::uint32_t;
using ulong = std::uint64_t;
#include "machine_types.h"

#define GDR_PLACE(name) name,
enum class Place : uint { GDR_PLACES(GDR_PLACE) };
#undef GDR_PLACE

/// Layout of a block's state in words: rows of registers, then BM.
inline constexpr unsigned kBmPlace = simd::kRegisterRows * kPesPerBlock;
inline constexpr unsigned kBlockWords = kBmPlace + isa::kBmShortWords;
inline constexpr unsigned kWordBytes = sizeof(ulong);

/// Calls `work`; failures of the driver are thrown as gdr::Error.
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

/// An open device with the kernels of machine.cl. All sessions on a device share one. Thread safe.
class Machine {
 public:
  /// The machine of a device. Throws gdr::Error as choose_opencl_device() does, and if the kernels do not compile.
  [[nodiscard]] static std::shared_ptr<Machine> of_device(std::string_view name);
  explicit Machine(std::size_t number);

  const OpenClDevice device;
  std::unique_ptr<Context> context;
  std::unique_ptr<Code> kernels;
};

/// Types and definitions from the instruction set that machine.cl uses, followed by its text.
[[nodiscard]] std::string machine_source();

/// The lines of a program as data.
struct ProgramCode {
  SectionsCode sections{};
  std::vector<StepCode> steps;
  std::vector<LineCode> lines;
};
[[nodiscard]] ProgramCode make_program_code(const DecodedProgram& program);

enum class StepKind : uint { nothing, line, collect };

}  // namespace gdr::emulator::opencl
