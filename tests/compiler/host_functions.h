// C++ sources compiled twice: by the host's compiler into a library, and to LLVM's code for the compiler under test.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>

namespace gdr::compiler_testing {

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// A folder of its own that goes away with it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Who compiles for the host: clang with -O2, or the compiler of this build without optimisation.
enum class HostCompiler : std::uint8_t { clang, plain };

class HostFunctions {
 public:
  /// Throws gdr::Error if a compiler refuses `source`.
  explicit HostFunctions(const std::string& source, HostCompiler compiler = HostCompiler::clang);
  HostFunctions(const HostFunctions&) = delete;
  HostFunctions& operator=(const HostFunctions&) = delete;
  ~HostFunctions();

  /// Bitcode for the compiler under test, as gdr cc has clang make it.
  [[nodiscard]] const std::string& bitcode() const { return bitcode_; }
  /// The variable `name` of the host's library; throws gdr::Error if there is none.
  [[nodiscard]] void* symbol(const std::string& name) const;

 private:
  Folder folder_;
  std::string bitcode_;
  void* library_ = nullptr;
};

/// LLVM's code of `source`, as text or bitcode.
[[nodiscard]] std::string llvm_code(const std::string& source, bool text);

}  // namespace gdr::compiler_testing
