// Main function of test programs. Without a filter it runs what is tested after every change: suites with Nightly
// or Soak in their names are for scripts/nightly and scripts/soak, which name them.
#include <gtest/gtest.h>
#include <malloc.h>

int main(int argc, char** argv) {
  // Tests make and end boards by the hundred, of megabytes each. Given back to the system, their memory would come with
  // page faults, in which some programs spent three quarters of their time.
  constexpr int kKept = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, "-*Nightly*:*Soak*");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
