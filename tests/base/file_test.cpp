// Files survive what happens to disks and processes: every call of the system that writes fails once, at every place.
#include "gdr/base/file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/own_files.h"

namespace {

// Calls until one fails; negative: none does.
int calls_left = -1;
int failure = ENOSPC;
int interruptions = 0;  // calls that a signal interrupts first
std::string order;      // f: a file is flushed to the disk, d: a folder, r: a file takes its name
bool knows_nameless_files = true;
bool names_nameless_files = true;  // as with /proc

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
  struct stat status{};
  order += fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode) ? 'd' : 'f';
  return fails() ? -1 : original(descriptor);
}
ssize_t read(int descriptor, void* bytes, size_t count) {
  static const auto original = real<ssize_t (*)(int, void*, size_t)>("read");
  return fails() ? -1 : original(descriptor, bytes, count);
}
int fchmod(int descriptor, mode_t mode) noexcept {
  static const auto original = real<int (*)(int, mode_t)>("fchmod");
  return fails() ? -1 : original(descriptor, mode);
}
int ftruncate(int descriptor, off_t size) noexcept {
  static const auto original = real<int (*)(int, off_t)>("ftruncate");
  return fails() ? -1 : original(descriptor, size);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static const auto original = real<int (*)(int, const char*, int, const char*, int)>("linkat");
  if (!names_nameless_files) {
    errno = ENOENT;
    return -1;
  }
  return fails() ? -1 : original(from_folder, from, to_folder, to, flags);
}
int open(const char* path, int flags, ...) {
  static const auto original = real<int (*)(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!knows_nameless_files && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return original(path, flags, mode);
}
int rename(const char* from, const char* to) noexcept {
  static const auto original = real<int (*)(const char*, const char*)>("rename");
  order += 'r';
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
    knows_nameless_files = true;
    names_nameless_files = true;
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
  for (const bool nameless : {true, false}) {
    knows_nameless_files = nameless;
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
    EXPECT_GE(failed, nameless ? 5 : 4);  // write, fchmod, fsync, linkat, rename
  }
}

TEST_F(Files, AreWrittenWhereNamelessOnesGetNoName) {
  names_nameless_files = false;  // in a sandbox without /proc
  for (const char* content : {"first", "second"}) {
    EXPECT_EQ(message_of([&] { write_file(folder_ / "a", content); }), "nothing was thrown");
    EXPECT_EQ(read_file(folder_ / "a"), content);
    EXPECT_EQ(entries(), 1U);
  }
}

TEST_F(Files, ThatArePrivateAreThisUsersAlone) {
  const mode_t mask = umask(0);
  write_private_file(folder_ / "a", "first");
  EXPECT_EQ(mode_of(folder_ / "a"), 0600U);
  std::filesystem::permissions(folder_ / "a", std::filesystem::perms(0666));
  write_private_file(folder_ / "a", "second");
  umask(mask);
  EXPECT_EQ(mode_of(folder_ / "a"), 0600U);
  EXPECT_EQ(read_file(folder_ / "a"), "second");
}

TEST_F(Files, ThatAreReadAreNotOverwritten) {
  const std::filesystem::path input = folder_ / "input";
  write_file(input, "data");
  std::filesystem::create_symlink("input", folder_ / "link");
  std::filesystem::create_hard_link(input, folder_ / "other");
  const std::vector<NamedFile> inputs{{"--none", folder_ / "none"}, {"--in", input}};
  for (const char* name : {"input", "link", "other", "./input"}) {
    const std::vector<NamedFile> outputs{{"--json", folder_ / "fresh"}, {"--log", folder_ / name}};
    EXPECT_THAT(message_of([&] { refuse_lost_files(outputs, inputs); }),
                HasSubstr(std::string(name) +
                          ": named for an output and for an input, which it would replace: --log and --in"));
  }
  const std::vector<NamedFile> apart{{"--log", folder_ / "none"}, {"--json", folder_ / "fresh"}, {"--out", ""}};
  EXPECT_NO_THROW(refuse_lost_files(apart, inputs));
  const std::vector<NamedFile> devices{{"--log", "/dev/null"}};
  EXPECT_NO_THROW(refuse_lost_files(devices, devices));
  const std::vector<NamedFile> going_on{{"--log", input, "--in"}};
  EXPECT_NO_THROW(refuse_lost_files(going_on, inputs)) << "an input that the output may replace";
}

TEST_F(Files, ThatAreLinksToOneFileAreNoTwoOutputs) {
  write_file(folder_ / "there", "data");
  std::filesystem::create_hard_link(folder_ / "there", folder_ / "other");
  const auto refusal = [&](const char* by) {
    const std::vector<NamedFile> outputs{{"--log", folder_ / "there"}, {by, folder_ / "other"}};
    return message_of([&] { refuse_lost_files(outputs); });
  };
  EXPECT_THAT(refusal("--json"),
              HasSubstr("other: named for two outputs, of which one would replace the other: --log and "
                        "--json"));
  EXPECT_EQ(refusal("--log"), "nothing was thrown") << "the copy that the option keeps";
}

TEST_F(Files, ThatOthersMakeLaterAreNoOutputs) {
  write_file(folder_ / "there", "data");
  std::filesystem::create_hard_link(folder_ / "there", folder_ / "other");
  std::filesystem::create_symlink("stop", folder_ / "link");
  std::filesystem::create_symlink(".", folder_ / "here");
  const std::vector<NamedFile> outputs{
      {"--log", folder_ / "stop"}, {"--json", folder_ / "there"}, {"--output", folder_ / "s.csv", "", true}};
  const auto refusal = [&](const char* name) {
    const std::vector<NamedFile> awaited{{.by = "--stop-file", .path = folder_ / name, .awaited = true}};
    return message_of([&] { refuse_lost_files(outputs, awaited); });
  };
  for (const auto& [name, by] : {std::pair{"stop", "--log"},
                                 {"./stop", "--log"},
                                 {"link", "--log"},
                                 {"here/stop", "--log"},
                                 {"other", "--json"},
                                 {"s-0001.csv", "--output"}}) {
    EXPECT_THAT(refusal(name), HasSubstr(std::string(name) +
                                         ": named for an output and for a file that another program "
                                         "makes: " +
                                         by + " and --stop-file"));
  }
  for (const char* name : {"stopped", "s-1.csv", "s.csv"}) EXPECT_EQ(refusal(name), "nothing was thrown") << name;
}

TEST_F(Files, WithNumbersReplaceNoOutputsAndNoInputs) {
  const auto refusal = [&](const std::filesystem::path& output, const std::filesystem::path& input) {
    const std::vector<NamedFile> outputs{{"--output", folder_ / "s.csv"},
                                         {"--output", folder_ / "s.csv", "", true},
                                         {"--json", output.empty() ? output : folder_ / output}};
    const std::vector<NamedFile> inputs{{"--in", folder_ / input}};
    return message_of([&] { refuse_lost_files(outputs, inputs); });
  };
  EXPECT_EQ(numbered_path(folder_ / "s.csv", 1), folder_ / "s-0001.csv");
  EXPECT_EQ(numbered_path("s", 12345), "s-12345");
  EXPECT_EQ(numbered_path(folder_ / ".csv", 1), folder_ / "-0001.csv");
  std::filesystem::create_symlink("s-0007.csv", folder_ / "link");
  for (const char* name : {"s-0001.csv", "s-12345.csv", "./s-0001.csv", "link"}) {
    EXPECT_THAT(refusal(name, "none"), HasSubstr("named for two outputs, of which one would replace the other: "
                                                 "--output and --json"))
        << name;
  }
  for (const char* name : {"s-001.csv", "s-000x.csv", "s-0001.txt", "t-0001.csv", "s-.csv", "0001.csv"}) {
    EXPECT_EQ(refusal(name, "none"), "nothing was thrown") << name;
  }
  write_file(folder_ / "s-0001.csv", "x");
  write_file(folder_ / "in", "x");
  EXPECT_THAT(refusal("", "s-0001.csv"), HasSubstr("which it would replace: --output and --in"));
  EXPECT_EQ(refusal("", "in"), "nothing was thrown");
  std::filesystem::create_symlink("in", folder_ / "s-0002.csv");
  EXPECT_THAT(refusal("", "in"), HasSubstr("s-0002.csv: named for an output and for an input"));
  EXPECT_THAT(refusal("in", "none"), HasSubstr("in: named for two outputs"));
}

TEST_F(Files, ThatAreToBeReplacedAreNotReadBefore) {
  const std::filesystem::path old = folder_ / "old";
  write_file(old, "data");
  std::filesystem::create_hard_link(old, folder_ / "other");
  const std::vector<std::filesystem::path> outputs{old, folder_ / "none", "/dev/null"};
  expect_outputs(outputs);
  const char* const kWhy = "read as an input, and named for an output, which would replace it";
  EXPECT_THAT(message_of([&] { static_cast<void>(read_file(folder_ / "other")); }), HasSubstr(kWhy));
  EXPECT_THAT(message_of([&] { refuse_expected_output(old); }), HasSubstr(kWhy));
  EXPECT_EQ(read_file("/dev/null"), "");
  EXPECT_NO_THROW(refuse_expected_output(folder_ / "none"));
  write_file(folder_ / "none", "fresh");
  EXPECT_EQ(read_file(folder_ / "none"), "fresh");
  write_file(old, "new");
  EXPECT_EQ(read_file(old), "new");
  EXPECT_EQ(read_file(folder_ / "other"), "data");
}

TEST_F(Files, AreOnTheDiskBeforeTheirNameIsAndThenTheNameIs) {
  order.clear();
  write_file(folder_ / "a", "content");
  EXPECT_EQ(order, "frd");
}

TEST_F(Files, ThatCannotBeReadToTheirEndAreRefused) {
  write_file(folder_ / "a", "content");
  for (const int calls : {0, 1}) {  // the content, and the look for more
    calls_left = calls;
    EXPECT_THAT(message_of([&] { static_cast<void>(read_file(folder_ / "a")); }), HasSubstr("cannot be read"));
    calls_left = -1;
  }
}

TEST_F(Files, AreFoundFromTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  write_file("a", "here");
  require_writable("b");
  EXPECT_EQ(read_file("a"), "here");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(folder_ / "a"), "here");
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
  std::filesystem::create_symlink(folder_ / "target", folder_ / "absolute");
  write_file(folder_ / "absolute", "4");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "absolute"));
  EXPECT_EQ(read_file(folder_ / "target"), "4");
  write_file(folder_ / "target", "2");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "2");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(read_file(folder_ / "new"), "3");
  EXPECT_THAT(message_of([&] { write_file(folder_ / "round", "x"); }), HasSubstr("symbolic links"));
}

TEST_F(Files, OnePathForTwoOutputsIsRefusedHoweverItIsWritten) {
  const auto refusal = [](const std::vector<std::filesystem::path>& paths) {
    std::vector<NamedFile> outputs;
    for (const std::filesystem::path& path : paths) outputs.push_back({"--o" + std::to_string(outputs.size()), path});
    return message_of([&] { refuse_lost_files(outputs); });
  };
  std::filesystem::create_symlink("same", folder_ / "link");
  for (const bool there : {false, true}) {
    if (there) write_file(folder_ / "same", "x");
    for (const char* other : {"same", "./same", "link"}) {
      EXPECT_THAT(refusal({folder_ / "same", folder_ / "a", folder_ / other}),
                  HasSubstr(std::string(other) +
                            ": named for two outputs, of which one would replace the other: --o0 and --o2"));
    }
    EXPECT_EQ(refusal({folder_ / "same", folder_ / "a"}), "nothing was thrown");
  }
  EXPECT_EQ(refusal({"/dev/null", "/dev/null"}), "nothing was thrown");
  const std::filesystem::path long_name = folder_ / std::string(5000, 'n');
  EXPECT_EQ(refusal({long_name, long_name}), "nothing was thrown") << "who writes to it tells why it cannot be";
}

TEST(Endings, AreAllFromTheLastDotOn) {
  for (const auto& [name, ending] : {std::pair{"run.CSV", ".csv"},
                                     {".csv", ".csv"},
                                     {"a.b/c", ""},
                                     {"a.tar.gz", ".gz"},
                                     {"a/.hidden", ".hidden"},
                                     {"", ""},
                                     {"a.", "."}}) {
    EXPECT_EQ(ending_of(name), ending) << name;
  }
}

TEST_F(Files, OutputsNamedLikeCompressedFilesAreRefused) {
  for (const char* const name : {"log.csv.gz", "log.GZ", "a.bz2", "a.xz", "a.zst", "a.zip", "a.tar.Z", ".gz"}) {
    EXPECT_THAT(message_of([&] { require_writable(folder_ / name); }), HasSubstr("and outputs are not compressed"))
        << name;
  }
  for (const char* const name : {"log.csv", "gz", "a.gz.csv", "a.npz", "a.gz~"}) require_writable(folder_ / name);
  ASSERT_EQ(mkfifo((folder_ / "pipe.gz").c_str(), 0600), 0);
  require_writable(folder_ / "pipe.gz");  // another program compresses
}

TEST_F(Files, DevicesAndFilesWithoutSizeAreReadAndWritten) {
  write_file("/dev/null", "x");
  require_writable("/dev/null");
  EXPECT_FALSE(read_file("/proc/self/status").empty());
  EXPECT_THAT(message_of([&] { write_file("/dev/full", "x"); }), HasSubstr("No space left"));
  EXPECT_THAT(message_of([&] { (void)read_file("/dev/zero"); }),
              HasSubstr("/dev/zero: cannot be read: this device does not end within"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::filesystem::path path = folder_ / "s";
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(message_of([&] { write_file(path, "x"); }), HasSubstr("No such device or address"));
  close(listener);
}

TEST_F(Files, WhatKilledProcessesLeftIsRemoved) {
  const auto make = [&](const char* name, std::chrono::seconds age) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, "begun");
    std::filesystem::last_write_time(folder_ / name, std::filesystem::file_time_type::clock::now() - age);
    return folder_ / name;
  };
  constexpr std::chrono::seconds kLong{3600};
  const auto left = make("a.gdr-123-0.tmp", kLong);
  const auto locked = make("a.gdr-123-1.tmp", kLong);
  const auto kept = {make("a.gdr-124-0.tmp", std::chrono::seconds(0)),
                     locked,
                     make("ab.gdr-123-0.tmp", kLong),
                     make("a.gdr-x-0.tmp", kLong),
                     make("a.gdr-12-.tmp", kLong),
                     make("a.gdr-1-2-3.tmp", kLong),
                     make("a.gdr-123-0.txt", kLong),
                     make("a.gdr-.tmp", kLong),
                     make("a..tmp", kLong),
                     make("a.2024-01-31.tmp", kLong),  // of the user
                     make("a.123-0.tmp", kLong),
                     make("a.gdr-9-9.tmp/kept", kLong).parent_path()};
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

TEST_F(Files, MayHaveNamesAsLongAsTheFileSystemTakes) {
  for (const bool nameless : {true, false}) {
    knows_nameless_files = nameless;
    // Of one byte a character, and of two of which one would be cut in the middle.
    std::string umlauts = "x";
    while (umlauts.size() < 255) umlauts += "\u00e4";
    for (const std::string& name : {std::string(255, 'n'), umlauts}) {
      write_file(folder_ / name, "first");
      const auto left = folder_ / (name.substr(0, name == umlauts ? 199 : 200) + ".gdr-123-0.tmp");
      write_file(left, "begun");
      std::filesystem::last_write_time(left, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
      write_file(folder_ / name, "whole");
      EXPECT_EQ(read_file(folder_ / name), "whole");
      EXPECT_FALSE(std::filesystem::exists(left));
    }
  }
  knows_nameless_files = true;
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
  calls_left = 0;
  failure = EIO;
  EXPECT_THAT(message_of([&] { LineFile log(path, 4); }), HasSubstr("Input/output error"));
  failure = ENOSPC;
  calls_left = -1;
  EXPECT_EQ(read_file(path), "one\nfour\n");
  EXPECT_THAT(message_of([&] { LineFile log(path, 100); }), HasSubstr("has 9 bytes where 100 are to be kept"));
  EXPECT_THAT(message_of([&] { LineFile log(folder_ / "no" / "log"); }), HasSubstr("No such file"));
}

TEST_F(Files, AreStillThereWhenTheNewContentIsOnTheDisk) {
  const auto path = folder_ / "a";
  std::string seen;
  const auto look = [&] { seen = read_file(path); };
  write_file(path, "old");
  write_file(path, "new", look);
  EXPECT_EQ(std::pair(seen, read_file(path)), std::pair(std::string("old"), std::string("new")));
  seen = "not called";
  calls_left = 0;
  EXPECT_THAT(message_of([&] { write_file(path, "newer", look); }), HasSubstr("No space left"));
  calls_left = -1;
  EXPECT_EQ(std::pair(seen, read_file(path)), std::pair(std::string("not called"), std::string("new")));
  EXPECT_EQ(message_of([&] { write_file(path, "newer", [] { throw Error("not yet"); }); }), "not yet");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, LinesAreFlushedToDisksAndNotToDevices) {
  LineFile log(folder_ / "log");
  log.append("one\n");
  calls_left = 0;
  EXPECT_THAT(message_of([&] { log.flush(); }), HasSubstr("No space left"));
  for (const int harmless : {EINVAL, EROFS, ENOTSUP}) {
    calls_left = 0;
    failure = harmless;
    EXPECT_EQ(message_of([&] { log.flush(); }), "nothing was thrown");
  }
  failure = ENOSPC;
  calls_left = -1;
  LineFile device("/dev/null");
  device.append("one\n");
  device.flush();
}

TEST_F(Files, LinesGoOnInAFileThatMoves) {
  LineFile log(folder_ / "log");
  log.append("one\n");
  LineFile moved(std::move(log));
  moved.append("two\n");
  LineFile other(folder_ / "other");
  other.append("1\n");
  other = std::move(moved);
  other.append("three\n");
  EXPECT_EQ(other.size(), 14U);
  EXPECT_EQ(read_file(folder_ / "log"), "one\ntwo\nthree\n");
  EXPECT_EQ(read_file(folder_ / "other"), "1\n");
}

}  // namespace
}  // namespace gdr::base
