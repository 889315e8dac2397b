// What every test program begins with. Without a filter it runs what is tested after every change: suites with Nightly
// or Soak in their names are for scripts/nightly and scripts/soak, which name them.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, "-*Nightly*:*Soak*");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
