// Machine code of loop bodies: compiled by the library gdr_jit, or as an earlier process left it on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::emulator::jit {

/// Code as bytes; it needs nothing but itself and stands at any multiple of 64.
struct CodeBytes {
  std::string bytes;
  std::uint64_t uniform = 0;  // offsets of the functions of body_code.h
  std::uint64_t turns = 0;
  std::string object{};  // for debuggers, if wanted; never kept
  friend bool operator==(const CodeBytes&, const CodeBytes&) = default;
};

/// Compiles IR text for the processors that LLVM knows by this name. Throws gdr::Error: there is no library gdr_jit, or
/// LLVM refuses the text.
[[nodiscard]] CodeBytes compile(std::string_view ir, const char* cpu, bool with_object = false);
/// True if this build has the compiler and this host can run what it makes.
[[nodiscard]] bool can_compile();

/// Entries by the IR text and the processor that they were compiled from, in a folder of the user's own. What another
/// user could have written, or what is damaged, is taken for missing.
class CodeCache {
 public:
  /// The folder that GDR_CACHE_DIR names, or `gdr` in the user's cache folder. A cache without a folder keeps nothing.
  [[nodiscard]] static CodeCache of_user();
  explicit CodeCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<CodeBytes> find(std::string_view ir, std::string_view cpu) const;
  /// A folder that cannot be written to is no error. The oldest of more than kMostEntries entries are removed.
  static constexpr std::size_t kMostEntries = 64;
  void keep(std::string_view ir, std::string_view cpu, const CodeBytes& code) const;
  /// Where the entry of this text is; empty without a folder.
  [[nodiscard]] std::filesystem::path path_of(std::string_view ir, std::string_view cpu) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

/// Code that can be run.
class LoadedCode {
 public:
  using Uniform = std::uint64_t (*)(const std::uint64_t* records, const std::uint64_t* state, std::uint64_t* shared);
  using Turns = std::uint64_t (*)(const std::uint64_t* shared, std::uint64_t count, const std::uint64_t* state,
                                  std::uint64_t* results, std::uint64_t pe, std::uint64_t element, std::uint64_t ends);

  /// Throws gdr::Error if the system gives no memory to run code in.
  explicit LoadedCode(const CodeBytes& code);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  Uniform uniform = nullptr;
  Turns turns = nullptr;
  [[nodiscard]] const void* begin() const;
  /// Behind the last byte.
  [[nodiscard]] const void* end() const { return static_cast<const char*>(memory_) + size_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gdr::emulator::jit
