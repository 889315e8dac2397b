// Files survive what happens to disks and processes: every call of the system that writes fails once, at every place.
#include "gdr/base/file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gdr/base/error.h"

namespace {

// Calls until one fails; negative: none does.
int calls_left = -1;
int failure = ENOSPC;
int interruptions = 0;  // calls that a signal interrupts first

bool fails() {
  if (interruptions > 0) {
    --interruptions;
    errno = EINTR;
    return true;
  }
  if (calls_left < 0 || calls_left-- > 0) return false;
  errno = failure;
  return true;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// In place of the C library's, for this program alone.
extern "C" {
ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto original = real<ssize_t (*)(int, const void*, size_t)>("write");
  return fails() ? -1 : original(descriptor, bytes, count);
}
int fsync(int descriptor) {
  static const auto original = real<int (*)(int)>("fsync");
  return fails() ? -1 : original(descriptor);
}
int rename(const char* from, const char* to) noexcept {
  static const auto original = real<int (*)(const char*, const char*)>("rename");
  return fails() ? -1 : original(from, to);
}
}

namespace gdr::base {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = testing::TempDir() + "/gdr-files-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Files() override {
    calls_left = -1;
    interruptions = 0;
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  static std::string message_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  static unsigned mode_of(const std::filesystem::path& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }

  std::filesystem::path folder_;
};

TEST_F(Files, WhicheverCallFailsTheOldFileStaysOrTheNewOneIsWhole) {
  const std::filesystem::path path = folder_ / "a";
  const std::string old = "old";
  const std::string fresh(300000, 'x');
  int failed = 0;
  for (int calls = 0; calls < 20; ++calls) {
    write_file(path, old);
    calls_left = calls;
    const std::string message = message_of([&] { write_file(path, fresh); });
    const bool all_worked = calls_left >= 0;
    calls_left = -1;
    const std::string content = read_file(path);
    if (message == "nothing was thrown") {
      EXPECT_EQ(content, fresh);
    } else {
      ++failed;
      EXPECT_EQ(content, old);
      EXPECT_THAT(message, HasSubstr(path.string()));
      EXPECT_THAT(message, HasSubstr("No space left"));
    }
    EXPECT_EQ(entries(), 1U) << "something is left after call " << calls;
    if (all_worked) break;
  }
  EXPECT_GE(failed, 3);  // write, fsync, rename
}

TEST_F(Files, InterruptedCallsAreRepeated) {
  interruptions = 5;
  write_file(folder_ / "a", "content");
  EXPECT_EQ(interruptions, 0);
  EXPECT_EQ(read_file(folder_ / "a"), "content");
}

TEST_F(Files, PermissionsOfTheOldFileStay) {
  const std::filesystem::path path = folder_ / "a";
  write_file(path, "1");
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(mode_of(path), 0666 & ~mask);
  for (const mode_t mode : {0600, 0640, 0755}) {
    chmod(path.c_str(), mode);
    write_file(path, "2");
    EXPECT_EQ(mode_of(path), mode);
  }
}

TEST_F(Files, ReadOnlyFilesAndFoldersAreRefused) {
  const std::filesystem::path path = folder_ / "a";
  write_file(path, "kept");
  chmod(path.c_str(), 0444);
  EXPECT_THAT(message_of([&] { write_file(path, "lost"); }), HasSubstr("Permission denied"));
  EXPECT_THAT(message_of([&] { require_writable(path); }), HasSubstr("Permission denied"));
  EXPECT_EQ(read_file(path), "kept");
  EXPECT_THAT(message_of([&] { write_file(folder_, "x"); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([&] { require_writable(folder_); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([&] { static_cast<void>(read_file(folder_)); }), HasSubstr("Is a directory"));
}

TEST_F(Files, PathsThatLeadNowhereAreNamedWithTheirReason) {
  const std::filesystem::path nowhere = folder_ / "no" / "a";
  EXPECT_THAT(message_of([&] { write_file(nowhere, "x"); }), HasSubstr("No such file"));
  EXPECT_THAT(message_of([&] { require_writable(nowhere); }), HasSubstr("No such file"));
  EXPECT_THAT(message_of([&] { static_cast<void>(read_file(nowhere)); }), HasSubstr(nowhere.string()));
  write_file(folder_ / "a", "x");
  EXPECT_THAT(message_of([&] { require_writable(folder_ / "a" / "b"); }), HasSubstr("Not a directory"));
  const std::string long_name(5000, 'n');
  EXPECT_THAT(message_of([&] { static_cast<void>(read_file(folder_ / long_name)); }), HasSubstr("name too long"));
  EXPECT_THAT(message_of([&] { write_file(folder_ / long_name, "x"); }), HasSubstr("name too long"));
}

TEST_F(Files, LinksKeepBeingLinks) {
  write_file(folder_ / "target", "1");
  std::filesystem::create_symlink("target", folder_ / "link");
  std::filesystem::create_symlink("new", folder_ / "dangling");
  std::filesystem::create_symlink("round", folder_ / "round");
  write_file(folder_ / "link", "2");
  write_file(folder_ / "dangling", "3");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "2");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(read_file(folder_ / "new"), "3");
  EXPECT_THAT(message_of([&] { write_file(folder_ / "round", "x"); }), HasSubstr("symbolic links"));
}

TEST_F(Files, DevicesAndFilesWithoutSizeAreReadAndWritten) {
  write_file("/dev/null", "x");
  require_writable("/dev/null");
  EXPECT_FALSE(read_file("/proc/self/status").empty());
  EXPECT_THAT(message_of([&] { write_file("/dev/full", "x"); }), HasSubstr("No space left"));
}

TEST_F(Files, WhatKilledProcessesLeftIsRemoved) {
  const auto make = [&](const char* name, std::chrono::seconds age) {
    write_file(folder_ / name, "begun");
    std::filesystem::last_write_time(folder_ / name, std::filesystem::file_time_type::clock::now() - age);
    return folder_ / name;
  };
  constexpr std::chrono::seconds kLong{3600};
  const auto left = make("a.123-0.tmp", kLong);
  const auto locked = make("a.123-1.tmp", kLong);
  const auto kept = {make("a.124-0.tmp", std::chrono::seconds(0)),
                     locked,
                     make("ab.123-0.tmp", kLong),
                     make("a.x-0.tmp", kLong),
                     make("a.123-0.txt", kLong),
                     make("a..tmp", kLong)};
  const int descriptor = open(locked.c_str(), O_RDONLY);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  write_file(folder_ / "a", "whole");
  EXPECT_EQ(read_file(folder_ / "a"), "whole");
  EXPECT_FALSE(std::filesystem::exists(left));
  for (const auto& path : kept) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  close(descriptor);
  write_file(folder_ / "a", "whole");
  EXPECT_FALSE(std::filesystem::exists(locked));
}

TEST_F(Files, LinesGrowAndAFailureCutsOffWhatWasBegun) {
  const std::filesystem::path path = folder_ / "log";
  {
    LineFile log(path);
    log.append("one\n");
    calls_left = 0;
    EXPECT_THAT(message_of([&] { log.append("two\n"); }), HasSubstr("No space left"));
    calls_left = -1;
    log.append("three\n");
    log.flush();
    EXPECT_EQ(log.size(), 10U);
  }
  EXPECT_EQ(read_file(path), "one\nthree\n");
  {
    LineFile log(path, 4);  // goes on after the first line
    log.append("four\n");
  }
  EXPECT_EQ(read_file(path), "one\nfour\n");
  EXPECT_THAT(message_of([&] { LineFile log(path, 100); }), HasSubstr("has 9 bytes where 100 are to be kept"));
  EXPECT_THAT(message_of([&] { LineFile log(folder_ / "no" / "log"); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace gdr::base
