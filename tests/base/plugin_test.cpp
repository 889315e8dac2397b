#include "gdr/base/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace gdr::tests {
namespace {

TEST(Plugins, AreLookedForBesideTheProgram) {
  const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe");
  EXPECT_THAT(base::library_folders(), testing::Contains(program.parent_path() / "../lib"));
}

// The same, in a process whose first argument does not say where its program is.
TEST(Plugins, AreLookedForBesideAProgramThatTheShellHasFound) {
  std::string name = "gdr";
  std::string filter = "--gtest_filter=Plugins.AreLookedForBesideTheProgram";
  const std::array<char*, 3> arguments{name.data(), filter.data(), nullptr};
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ), 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gdr::tests
