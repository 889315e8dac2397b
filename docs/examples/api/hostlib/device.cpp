// Runs kernels/tutorial.vsm on an emulated board: for each i-particle the sum over all j-particles of mj (xj - xi).
#include <gdr/base/error.h>
#include <gdr/hostlib/device.h>
#include <gdr/hostlib/kernel_program.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

std::uint64_t field(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

int main() {
  gdr::Device device;  // one board of machine model1800
  device.load(gdr::hostlib::kernel_program("tutorial"));
  std::printf("fields of a record: i %zu, j %zu, result %zu\n", device.fields(gdr::isa::Transfer::hlt),
              device.fields(gdr::isa::Transfer::elt), device.fields(gdr::isa::Transfer::rrn));

  const std::vector<std::uint64_t> j_records = {field(1), field(2),   // xj, mj of j-particle 0
                                                field(3), field(2),   // of j-particle 1
                                                field(5), field(2)};  // of j-particle 2
  device.write_j(0, j_records);
  const std::vector<std::uint64_t> i_records = {field(0), field(1), field(2), field(3), field(4)};  // xi
  const std::vector<std::uint64_t> sums = device.run(i_records, 3);
  for (const std::uint64_t sum : sums) std::printf("%g\n", std::bit_cast<double>(sum));
  std::printf("emulated time of %u chips: %.1f microseconds\n", device.chips(),
              device.emulated().seconds().total() * 1e6);

  try {
    device.write_j(3, std::vector<std::uint64_t>{field(7), field(std::nan(""))});
  } catch (const gdr::Error& error) {
    std::printf("%s\n", error.what());
  }
}
