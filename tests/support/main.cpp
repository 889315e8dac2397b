// What every test program begins with. Without a filter it runs what is tested after every change: suites with Nightly
// or Soak in their names are for scripts/nightly and scripts/soak, which name them.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  std::string& filter = testing::GTEST_FLAG(filter);
  if (filter == "*") filter = "-*Nightly*:*Soak*";
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
