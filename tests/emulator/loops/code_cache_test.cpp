// The cache of compiled loop bodies on disk: what it takes back, and what it refuses.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gdr/base/digest.h"
#include "gdr/base/file.h"
#include "jit/code_cache.h"
#include "scratch_directory.h"

namespace gdr::tests {
namespace {

using emulator::jit::CodeBytes;
using emulator::jit::CodeCache;

constexpr const char* kCpu = "some processor";
const CodeBytes kCode{"some code that is never run", 3, 7};

TEST(CodeCacheEntries, AreFoundByTheirTextAlone) {
  const ScratchDirectory folder;
  const CodeCache cache(folder.path() / "of user");
  EXPECT_FALSE(cache.find("text", kCpu));
  cache.keep("text", kCpu, kCode);
  EXPECT_EQ(cache.find("text", kCpu), kCode);
  EXPECT_FALSE(cache.find("another text", kCpu));
  struct stat about{};
  ASSERT_EQ(stat((folder.path() / "of user").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700U);
}

TEST(CodeCacheEntries, AreRefusedIfDamagedAndThenReplaced) {
  const ScratchDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  cache.keep("text", kCpu, kCode);
  const std::string whole = base::read_file(cache.path_of("text", kCpu));
  constexpr std::size_t kEach = 7;
  for (std::size_t at = 0; at < whole.size(); at += kEach) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    base::write_file(cache.path_of("text", kCpu), damaged);
    EXPECT_FALSE(cache.find("text", kCpu)) << "byte " << at;
    base::write_file(cache.path_of("text", kCpu), whole.substr(0, at));
    EXPECT_FALSE(cache.find("text", kCpu)) << at << " bytes";
  }
  base::write_file(cache.path_of("text", kCpu), whole + "x");
  EXPECT_FALSE(cache.find("text", kCpu));
  cache.keep("text", kCpu, kCode);
  EXPECT_EQ(cache.find("text", kCpu), kCode);
}

TEST(CodeCacheEntries, AreRefusedIfTheyEndBeforeTheCodeWithARightDigest) {
  const ScratchDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  cache.keep("text", kCpu, kCode);
  const std::string whole = base::read_file(cache.path_of("text", kCpu));
  const std::size_t digest = whole.find('\n') + 1;
  const std::size_t body = digest + base::sha256_hex({}).size();
  const std::size_t code = whole.size() - kCode.bytes.size();
  for (std::size_t end = body; end <= code; ++end) {
    const std::string kept = whole.substr(body, end - body);
    base::write_file(cache.path_of("text", kCpu),
                     whole.substr(0, digest) + base::sha256_hex(std::as_bytes(std::span(kept))) + kept);
    EXPECT_FALSE(cache.find("text", kCpu)) << end << " bytes";
  }
}

TEST(CodeCacheEntries, AreRefusedUnderAnotherTextsName) {
  const ScratchDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  cache.keep("text", kCpu, kCode);
  std::filesystem::copy_file(cache.path_of("text", kCpu), cache.path_of("another", kCpu));
  EXPECT_FALSE(cache.find("another", kCpu));
}

TEST(CodeCacheEntries, AreRefusedWhereOthersMayWrite) {
  const ScratchDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  cache.keep("text", kCpu, kCode);
  ASSERT_EQ(chmod(cache.path_of("text", kCpu).c_str(), 0666), 0);
  EXPECT_FALSE(cache.find("text", kCpu));
  ASSERT_EQ(chmod(cache.path_of("text", kCpu).c_str(), 0600), 0);
  ASSERT_TRUE(cache.find("text", kCpu));
  ASSERT_EQ(chmod((folder.path() / "cache").c_str(), 0777), 0);
  EXPECT_FALSE(cache.find("text", kCpu));
  const std::filesystem::path aside = folder.path() / "aside";
  ASSERT_EQ(chmod((folder.path() / "cache").c_str(), 0700), 0);
  std::filesystem::rename(cache.path_of("text", kCpu), aside);
  std::filesystem::create_symlink(aside, cache.path_of("text", kCpu));
  EXPECT_FALSE(cache.find("text", kCpu)) << "a link";
}

TEST(CodeCacheEntries, AreWholeWhileManyWriteThem) {
  const ScratchDirectory folder;
  const std::filesystem::path path = folder.path() / "cache";
  std::vector<std::thread> threads;
  std::atomic<unsigned> torn{0};
  for (unsigned n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      const CodeCache cache(path);
      for (unsigned turn = 0; turn < 20; ++turn) {
        cache.keep("text", kCpu, kCode);
        if (cache.find("text", kCpu) != kCode) ++torn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, 0U);
}

TEST(CodeCacheEntries, AreDroppedWhenThereAreMany) {
  const ScratchDirectory folder;
  const CodeCache cache(folder.path());
  for (std::size_t n = 0; n < CodeCache::kMostEntries + 5; ++n) cache.keep(std::to_string(n), kCpu, kCode);
  std::size_t left = 0;
  for (std::size_t n = 0; n < CodeCache::kMostEntries + 5; ++n) left += cache.find(std::to_string(n), kCpu) ? 1 : 0;
  EXPECT_EQ(left, CodeCache::kMostEntries);
}

}  // namespace
}  // namespace gdr::tests
