#include "gdr/base/plugin.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "scratch_directory.h"

namespace gdr::tests {
namespace {

/// Runs `program`, which calls itself `name`, with one test alone. Returns its wait status.
int run_test(std::string name, const std::filesystem::path& program, std::string test) {
  std::string filter = "--gtest_filter=" + test;
  const std::array<char*, 3> arguments{name.data(), filter.data(), nullptr};
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ), 0);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(Plugins, AreLookedForBesideTheProgram) {
  const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe");
  EXPECT_THAT(base::library_folders(), testing::Contains(program.parent_path() / "../lib"));
  EXPECT_THAT(base::library_folders(),
              testing::Contains(program.parent_path() / "../lib/gdr"));  // as they are installed
}

// The same, in a process whose first argument does not say where its program is.
TEST(Plugins, AreLookedForBesideAProgramThatTheShellHasFound) {
  EXPECT_EQ(run_test("gdr", "/proc/self/exe", "Plugins.AreLookedForBesideTheProgram"), 0);
}

#ifdef GDR_FOLDERS_LIBRARY  // not where the component is a library by itself
// A module of Python or a library in somebody's program: the data are those of the tree that it is installed in.
TEST(DataFiles, AreThoseOfTheTreeOfTheLibrary) {
  const ScratchDirectory scratch;
  const std::filesystem::path tree = std::filesystem::canonical(scratch.path());
  for (const char* folder : {"lib/python3/dist-packages/grapedr", "share/gdr"}) {
    std::filesystem::create_directories(tree / folder);
  }
  const std::filesystem::path file = tree / "lib/python3/dist-packages/grapedr/module.so";
  std::filesystem::copy(GDR_FOLDERS_LIBRARY, file);
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto first_folder = reinterpret_cast<const char* (*)()>(dlsym(library, "gdr_first_data_folder"));
  ASSERT_NE(first_folder, nullptr);
  ASSERT_EQ(unsetenv("GDR_DATA_DIR"), 0);
  EXPECT_EQ(std::filesystem::path(first_folder()), tree / "share/gdr");
}

// Shows the folders as a library in `lib` finds them that was loaded by the name `lib/...`, with another folder named
// `lib` in the folder that the process has changed to since.
TEST(Plugins, AreLookedForWhereTheLibraryWasWhenItWasLoaded) {
  const ScratchDirectory scratch;
  for (const char* folder : {"own/lib", "strangers/lib"}) std::filesystem::create_directories(scratch.path() / folder);
  for (const char* folder : {"own/lib", "strangers/lib"}) {
    std::filesystem::copy(GDR_FOLDERS_LIBRARY, scratch.path() / folder / "libgdr_folders.so");
  }
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path() / "own");
  void* const library = dlopen("lib/libgdr_folders.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  std::filesystem::current_path(scratch.path() / "strangers");
  const auto first_folder = reinterpret_cast<const char* (*)()>(dlsym(library, "gdr_first_folder"));
  ASSERT_NE(first_folder, nullptr);
  EXPECT_EQ(std::filesystem::canonical(first_folder()), std::filesystem::canonical(scratch.path() / "own" / "lib"));
  std::filesystem::current_path(before);
}
#endif

// The test copies its program between two libraries of one name, and runs there again.
TEST(Plugins, OfAnotherVersionArePassedOver) {
  constexpr const char* kAmongLibraries = "GDR_TEST_AMONG_LIBRARIES";
  constexpr const char* kLibrary = "libgdr_tried.so";
  if (std::getenv(kAmongLibraries) != nullptr) {
    EXPECT_NE(base::plugin_function(kLibrary, "gdr_tried_1"), nullptr);
    EXPECT_NE(base::plugin_function(kLibrary, "gdr_tried_2"), nullptr);
    EXPECT_EQ(base::plugin_function(kLibrary, "gdr_tried_3"), nullptr);
    return;
  }
  const ScratchDirectory scratch;
  const std::filesystem::path bin = scratch.path() / "bin";
  const std::filesystem::path lib = scratch.path() / "lib";
  std::filesystem::create_directory(bin);
  std::filesystem::create_directory(lib);
  std::filesystem::copy("/proc/self/exe", bin / "program");
  std::filesystem::copy(GDR_TRIED_1, bin / kLibrary);
  std::filesystem::copy(GDR_TRIED_2, lib / kLibrary);
  setenv(kAmongLibraries, "1", 1);
  EXPECT_EQ(run_test("program", bin / "program", "Plugins.OfAnotherVersionArePassedOver"), 0);
  unsetenv(kAmongLibraries);
}

}  // namespace
}  // namespace gdr::tests
