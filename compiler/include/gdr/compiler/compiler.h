// From a pair function in C++ to a kernel: the source that the assembler takes, or messages at the function's places.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::compiler {

/// A message at a place of the user's file; line 0: of the file as a whole.
struct Diagnostic {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;  // lower case, no full stop
};

struct CompileOptions {
  unsigned effort = 2;               // 1 to 3: how many schedules are compared
  std::uint64_t seed = 1;            // of the search for schedules; the same seed gives the same lines
  std::string function;              // the pair function's name; may be empty if there is one alone
  bool components = true;            // values of j alone that differ in the component are computed side by side
  bool hoist = true;                 // what does not change from turn to turn is computed once
  std::vector<std::string> clang{};  // further arguments for clang, such as -I and -D
};

/// An operation of the loop body on floating-point numbers, and whether it rounds to a short word.
struct PrecisionRow {
  std::string name;  // the variable in the source; may be empty
  unsigned line = 0;
  bool is_short = false;
  std::string operation;  // mnemonic
};

/// Two words of the result record: a least or greatest key, and the number that came with it. That one's word holds
/// both, as blocks and chips reduce word by word: the number is its lower 28 bits.
struct NumberedResult {
  std::string name;  // of the number, as the kernel's results are called
  std::size_t word = 0;
  std::size_t key_word = 0;
  bool least = true;
};

/// The number of a word that comes from the board; 2^28 - 1 if no pair had one.
[[nodiscard]] constexpr std::int64_t number_of(std::int64_t word) { return word & 0xfffffff; }

struct CompileResult {
  std::string source;                   // assembly; empty if there are errors
  std::vector<Diagnostic> diagnostics;  // errors, in the order of the source
  std::string clang;                    // what clang said, errors and warnings
  std::string kernel;
  unsigned lines = 0;        // of the loop body
  unsigned least_lines = 0;  // that units and the longest chain of the chosen operations leave no way around
  std::vector<PrecisionRow> precision;
  std::vector<NumberedResult> numbered;
};

/// Whether the library that reads LLVM's code is there.
[[nodiscard]] bool available();

/// Whether a file of this name is compiled here: .cc, .cpp, .cxx, .ll, .bc or .lsump.
[[nodiscard]] bool is_source(std::string_view name);

/// Compiles a C++ file, through the program clang++-19 or what GDR_CLANG names, or LLVM's code as text (.ll) or bitcode
/// (.bc), or a kernel in LSUMP's language (.lsump). Throws gdr::Error if the file cannot be read, clang is not found,
/// or the library gdr_import is missing.
[[nodiscard]] CompileResult compile_file(const std::filesystem::path& path, const CompileOptions& options = {});

/// The same of LLVM's code in memory, text or bitcode.
[[nodiscard]] CompileResult compile_ir(std::string_view code, std::string_view name,
                                       const CompileOptions& options = {});

/// A kernel in the language of LSUMP (docs/compiler.md), which takes neither clang nor LLVM. The kernel's name is that
/// of the file, `name`.
[[nodiscard]] CompileResult compile_lsump(std::string_view text, std::string_view name,
                                          const CompileOptions& options = {});

/// `FILE:LINE:COL: error: text` for each diagnostic, with the line of the source where it can be read.
[[nodiscard]] std::string format_diagnostics(const CompileResult& result);

}  // namespace gdr::compiler
