// Runs kernels/tutorial.vsm through the C interface, from an object file in memory.
#include <gdr/hostlib/kernel_program.h>
#include <gdr/hostlib/runtime.h>
#include <gdr/isa/program.h>

#include <cstddef>
#include <cstdio>
#include <vector>

// The kernel's records: a double for each variable, in the order of the declarations.
struct JRecord {
  double xj, mj;
};
struct IRecord {
  double xi;
};

int main() {
  const std::vector<std::byte> object = gdr::isa::serialize(gdr::hostlib::kernel_program("tutorial"));
  gdr_runtime* runtime = nullptr;
  if (gdr_runtime_open(reinterpret_cast<const unsigned char*>(object.data()), object.size(), &runtime) != GDR_OK) {
    std::printf("%s\n", gdr_runtime_message());
    return 1;
  }
  const JRecord j_records[] = {{1, 2}, {3, 2}, {5, 2}};
  const IRecord i_records[] = {{0}, {1}, {2}};
  double sums[3];
  gdr_runtime_send_j(runtime, 0, j_records, 3);
  gdr_runtime_send_i(runtime, i_records, 3);
  const int status = gdr_runtime_get_result(runtime, sums, 3);  // too early: nothing has run yet
  std::printf("%s (status %d)\n", gdr_runtime_message(), status);

  gdr_runtime_start(runtime, 3);  // in the background; 3 is the number of j-particles
  gdr_runtime_wait(runtime);
  gdr_runtime_get_result(runtime, sums, 3);
  for (const double sum : sums) std::printf("%g\n", sum);
  gdr_runtime_close(runtime);
}
