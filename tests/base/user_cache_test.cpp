#include "gdr/base/user_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace gdr::base {
namespace {

class UserCache : public testing::Test {
 protected:
  UserCache() { std::filesystem::create_directory(folder_); }
  ~UserCache() override { std::filesystem::remove_all(folder_); }

  void write(const std::filesystem::path& name, std::string_view content = "content") const {
    std::ofstream(folder_ / name) << content;
    ASSERT_EQ(chmod((folder_ / name).c_str(), 0600), 0);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("gdr_user_cache_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(UserCache, FilesThatOthersCanWriteAreNotRead) {
  write("a");
  EXPECT_EQ(read_private_file(folder_ / "a", 7), "content");
  ASSERT_EQ(chmod((folder_ / "a").c_str(), 0620), 0);
  EXPECT_EQ(read_private_file(folder_ / "a", 7), std::nullopt);
  ASSERT_EQ(chmod((folder_ / "a").c_str(), 0602), 0);
  EXPECT_EQ(read_private_file(folder_ / "a", 7), std::nullopt);
}

TEST_F(UserCache, LinksFoldersAndLongFilesAreNotRead) {
  write("a");
  std::filesystem::create_symlink("a", folder_ / "link");
  EXPECT_EQ(read_private_file(folder_ / "link", 7), std::nullopt);
  EXPECT_EQ(read_private_file(folder_, 1 << 20), std::nullopt);
  EXPECT_EQ(read_private_file(folder_ / "a", 6), std::nullopt);
  EXPECT_EQ(read_private_file(folder_ / "missing", 7), std::nullopt);
}

TEST_F(UserCache, MissingFoldersAreMadeForThisUserOnly) {
  const std::filesystem::path made = folder_ / "one" / "two";
  EXPECT_FALSE(is_private_folder(made));
  EXPECT_TRUE(make_private_folder(made));
  EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(make_private_folder(made));
}

TEST_F(UserCache, FoldersOfOthersAreNoCaches) {
  const std::filesystem::path shared = folder_ / "shared";
  ASSERT_TRUE(make_private_folder(shared));
  std::filesystem::create_directory_symlink("shared", folder_ / "link");
  EXPECT_FALSE(make_private_folder(folder_ / "link"));
  ASSERT_EQ(chmod(shared.c_str(), 0777), 0);
  EXPECT_FALSE(make_private_folder(shared));
  write("file");
  EXPECT_FALSE(make_private_folder(folder_ / "file"));
  EXPECT_FALSE(make_private_folder(folder_ / "file" / "below"));
}

TEST_F(UserCache, OnlyTheOldestEntriesAreRemoved) {
  const auto entry = [](char digit) { return std::string(64, digit) + ".body"; };
  const std::filesystem::file_time_type now = std::filesystem::file_time_type::clock::now();
  int age = 0;
  for (const char digit : {'1', 'a', '0'}) {
    write(entry(digit));
    std::filesystem::last_write_time(folder_ / entry(digit), now - std::chrono::hours(++age));
  }
  const std::vector<std::string> others{"notes.body", std::string(64, 'g') + ".body", std::string(64, '1') + ".other"};
  for (const std::string& other : others) {
    write(other);
    std::filesystem::last_write_time(folder_ / other, now - std::chrono::hours(100));
  }
  remove_oldest_entries(folder_, ".body", 2);
  EXPECT_TRUE(std::filesystem::exists(folder_ / entry('1')));
  EXPECT_TRUE(std::filesystem::exists(folder_ / entry('a')));
  EXPECT_FALSE(std::filesystem::exists(folder_ / entry('0')));
  for (const std::string& other : others) EXPECT_TRUE(std::filesystem::exists(folder_ / other)) << other;
  remove_oldest_entries(folder_ / "missing", ".body", 2);
}

TEST_F(UserCache, IsWhereTheEnvironmentNamesIt) {
  const auto set = [](const char* cache, const char* xdg, const char* home) {
    setenv("GDR_CACHE_DIR", cache, 1);
    setenv("XDG_CACHE_HOME", xdg, 1);
    setenv("HOME", home, 1);
    return user_cache();
  };
  EXPECT_EQ(set("/a/b", "/x", "/h"), "/a/b");
  EXPECT_EQ(set("", "/x", "/h"), "/x/gdr");
  EXPECT_EQ(set("", "x", "/h"), "/h/.cache/gdr");
  EXPECT_EQ(set("", "", "h"), std::nullopt);
}

}  // namespace
}  // namespace gdr::base
