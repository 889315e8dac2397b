// Machine code of loop bodies: compiled by the library gdr_jit, or read from the disk where an earlier process left it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::emulator::jit {

/// Machine code. It refers to nothing outside itself and can be placed at any multiple of 64.
struct CodeBytes {
  std::string bytes;
  std::uint64_t uniform = 0;  // offsets of the functions described in body_code.h
  std::uint64_t turns = 0;
  std::string object{};  // for debuggers, if requested; never written to the cache
  friend bool operator==(const CodeBytes&, const CodeBytes&) = default;
};

/// Compiles IR text for `cpu`, a processor name of LLVM. `with_object`: also returns the object file. Throws gdr::Error
/// if the library gdr_jit is missing or LLVM refuses the text.
[[nodiscard]] CodeBytes compile(std::string_view ir, const char* cpu, bool with_object = false);
/// True if this build has the compiler and this host can run the code that it makes.
[[nodiscard]] bool can_compile();

/// Compiled bodies in a folder of the user's own. An entry is found by the IR text and the processor that it was
/// compiled for. Entries that another user could have written, or that are damaged, count as missing.
class CodeCache {
 public:
  /// The cache in the folder that GDR_CACHE_DIR names, or else in `gdr` in the user's cache folder. A cache without a
  /// folder keeps nothing.
  [[nodiscard]] static CodeCache of_user();
  explicit CodeCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<CodeBytes> find(std::string_view ir, std::string_view cpu) const;
  /// Keeps an entry; it is no error if the folder cannot be written to. If there are more than kMostEntries entries,
  /// the oldest ones are removed.
  static constexpr std::size_t kMostEntries = 64;
  void keep(std::string_view ir, std::string_view cpu, const CodeBytes& code) const;
  /// Path of this text's entry; empty if there is no folder.
  [[nodiscard]] std::filesystem::path path_of(std::string_view ir, std::string_view cpu) const;
  [[nodiscard]] const std::optional<std::filesystem::path>& folder() const { return folder_; }

 private:
  std::optional<std::filesystem::path> folder_;
};

/// Machine code in executable memory.
class LoadedCode {
 public:
  using Uniform = std::uint64_t (*)(const std::uint64_t* records, const std::uint64_t* state, std::uint64_t* shared);
  using Turns = std::uint64_t (*)(const std::uint64_t* shared, std::uint64_t count, const std::uint64_t* state,
                                  std::uint64_t* results, std::uint64_t pe, std::uint64_t element, std::uint64_t ends);

  /// Throws gdr::Error if the system provides no executable memory.
  explicit LoadedCode(const CodeBytes& code);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  Uniform uniform = nullptr;
  Turns turns = nullptr;
  [[nodiscard]] const void* begin() const;
  /// One past the last byte.
  [[nodiscard]] const void* end() const { return static_cast<const char*>(memory_) + size_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gdr::emulator::jit
