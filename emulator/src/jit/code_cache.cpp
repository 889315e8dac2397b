#include "code_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>

#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/base/own_files.h"
#include "gdr/base/plugin.h"
#include "gdr/base/user_cache.h"
#include "gdr/emulator/loop_cache.h"
#include "jit/plugin/compile.h"

namespace gdr::emulator::jit {
namespace {

// First bytes of an entry. The number must change with everything that the IR text does not show: the layout of entries
// and the arguments that the code is given.
constexpr std::string_view kMagic = "gdr loop body 4\n";
constexpr const char* kExtension = ".body";
constexpr std::size_t kDigestDigits = 64;
// Bytes before the code, where sanitizers look for a function's type. A multiple of the code's alignment.
constexpr std::size_t kBefore = 64;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

std::string digest(std::string_view text) { return base::sha256_hex(std::as_bytes(std::span(text))); }

/// Loaded once and never unloaded, which LLVM does not tolerate.
auto compiler() {
  static const auto found = GDR_PLUGIN_FUNCTION("libgdr_jit.so", GDR_JIT_COMPILE);
  return found;
}

using Entries = std::array<std::uint64_t, 2>;

std::string body_of(std::string_view key, const CodeBytes& code) {
  const Entries entries{code.uniform, code.turns};
  std::string body(key);
  body.append(std::bit_cast<std::array<char, sizeof entries>>(entries).data(), sizeof entries);
  return body + code.bytes;
}

std::string key_of(std::string_view ir, std::string_view cpu) {
  return digest(fmt::format("{}{}\n{}", kMagic, cpu, ir));
}

}  // namespace

bool can_compile() { return compiler() != nullptr; }

CodeBytes compile(std::string_view ir, const char* cpu, bool with_object) {
  const auto run = compiler();
  if (run == nullptr) throw Error("loop bodies cannot be compiled: the library gdr_jit is not found");
  CodeBytes code;
  const std::array names{"uniform", "turns"};
  Entries entries{};
  std::array<char, 1024> why{};
  const auto take = [](void* receiver, const char* bytes, std::size_t size) {
    static_cast<CodeBytes*>(receiver)->bytes.assign(bytes, size);
  };
  const GdrJitTake take_object = [](void* receiver, const char* bytes, std::size_t size) {
    static_cast<CodeBytes*>(receiver)->object.assign(bytes, size);
  };
  if (run(ir.data(), ir.size(), cpu, names.data(), names.size(), entries.data(), take,
          with_object ? take_object : nullptr, &code, why.data(), why.size()) != 0) {
    throw Error(fmt::format("loop body is not compiled: {}", why.data()));
  }
  code.uniform = entries[0];
  code.turns = entries[1];
  return code;
}

CodeCache CodeCache::of_user() { return CodeCache(base::user_cache()); }

std::filesystem::path CodeCache::path_of(std::string_view ir, std::string_view cpu) const {
  return folder_ ? *folder_ / (key_of(ir, cpu) + kExtension) : std::filesystem::path();
}

std::optional<CodeBytes> CodeCache::find(std::string_view ir, std::string_view cpu) const {
  if (!folder_ || !base::is_private_folder(*folder_)) return std::nullopt;
  const std::optional<std::string> entry = base::read_private_file(path_of(ir, cpu), kMostBytes);
  const std::string key = key_of(ir, cpu);
  const std::size_t head = kMagic.size() + kDigestDigits;
  CodeBytes code;
  Entries entries{};
  const std::size_t fixed = head + key.size() + sizeof entries;
  if (!entry || entry->size() <= fixed || !entry->starts_with(kMagic)) return std::nullopt;
  const std::string_view body = std::string_view(*entry).substr(head);
  if (std::string_view(*entry).substr(kMagic.size(), kDigestDigits) != digest(body) || !body.starts_with(key)) {
    return std::nullopt;
  }
  std::memcpy(entries.data(), body.data() + key.size(), sizeof entries);
  code.bytes = body.substr(key.size() + sizeof entries);
  for (const std::uint64_t entry_point : entries) {
    if (entry_point >= code.bytes.size()) return std::nullopt;
  }
  code.uniform = entries[0];
  code.turns = entries[1];
  return code;
}

void CodeCache::keep(std::string_view ir, std::string_view cpu, const CodeBytes& code) const {
  if (!folder_) return;
  try {
    if (!base::make_private_folder(*folder_)) return;
    const std::string body = body_of(key_of(ir, cpu), code);
    // Written in one step, because other processes may write the same entry. find() takes no entry that others may
    // write, as they may where the umask is 002.
    base::write_private_file(path_of(ir, cpu), fmt::format("{}{}{}", kMagic, digest(body), body));
    base::remove_oldest_entries(*folder_, kExtension, kMostEntries);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next process compiles again
  }
}

LoadedCode::LoadedCode(const CodeBytes& code) : size_(kBefore + code.bytes.size()) {
  memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw Error(fmt::format("no memory for a loop body: {}", std::strerror(errno)));
  auto* const first = static_cast<char*>(memory_) + kBefore;
  std::ranges::copy(code.bytes, first);
  // The instruction caches of ARM processors do not see stores.
#ifndef __wasm__  // where code is never in memory
  __builtin___clear_cache(first, first + code.bytes.size());
#endif
  if (mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) {
    const std::string why = std::strerror(errno);
    munmap(memory_, size_);
    throw Error(fmt::format("a loop body may not be run: {}", why));
  }
  uniform = reinterpret_cast<Uniform>(first + code.uniform);
  turns = reinterpret_cast<Turns>(first + code.turns);
}

const void* LoadedCode::begin() const { return static_cast<const char*>(memory_) + kBefore; }

LoadedCode::~LoadedCode() { munmap(memory_, size_); }

}  // namespace gdr::emulator::jit

namespace gdr::emulator {

LoopCache loop_cache() {
  const std::optional<std::filesystem::path> folder = jit::CodeCache::of_user().folder();
  if (!folder) return {{}, "none of GDR_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder by an absolute path", 0};
  LoopCache cache{*folder, "", 0};
  struct stat about{};
  if (lstat(folder->c_str(), &about) != 0) {
    if (errno != ENOENT) cache.refusal = std::strerror(errno);
    return cache;  // the first entry makes the folder
  }
  if (!S_ISDIR(about.st_mode)) {
    cache.refusal = "it is not a folder";
  } else if (!base::is_private_folder(*folder)) {
    cache.refusal = "other users can write to it";
  } else if (access(folder->c_str(), R_OK | W_OK | X_OK) != 0) {
    cache.refusal = std::strerror(errno);
  }
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, none)) {
    cache.entries += entry.path().extension() == jit::kExtension ? 1 : 0;
  }
  return cache;
}

}  // namespace gdr::emulator
