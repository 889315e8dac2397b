// A C++ user of gdr: assembles a kernel, runs it on an emulated board, checks the result, and leaves the object file
// for the C user.
//   count OBJECT_FILE
#include <gdr/assembler/assembler.h>
#include <gdr/hostlib/device.h>
#include <gdr/isa/program.h>

#include <bit>
#include <cstdint>
#include <iostream>
#include <vector>

namespace {

// sum_j (x_j - x_i)
constexpr const char* kKernel = R"(kernel count
var  vector long xi  hlt flt64to72
bvar scalar long xj  elt flt64to72
var  vector long sum rrn flt72to64 fadd
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  vlen 4
  fsub xj xi $lt
  fadd sum $lt sum
  nop
)";

std::uint64_t field(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const gdr::assembler::AssembleResult assembled = gdr::assembler::assemble(kKernel, "count.vsm");
  std::cerr << gdr::assembler::format_diagnostics(assembled);
  if (!assembled.program) return 1;
  gdr::isa::write_object(*assembled.program, argv[1]);

  gdr::Device device;
  device.load(gdr::isa::read_object(argv[1]));
  const std::vector<std::uint64_t> xj = {field(1), field(10), field(100)};
  device.write_j(0, xj);
  const std::vector<std::uint64_t> xi = {field(0), field(1), field(-2)};
  const std::vector<std::uint64_t> sums = device.run(xi, xj.size());
  const std::vector<std::uint64_t> expected = {field(111), field(108), field(117)};
  if (sums != expected) {
    for (const std::uint64_t sum : sums) std::cerr << std::bit_cast<double>(sum) << '\n';
    return 1;
  }

  try {
    device.set_parameter("none", 0);
  } catch (const gdr::Error&) {  // exceptions keep their type on the way out of the library
    return 0;
  }
  return 1;
}
