// Compiles a pair function in C++ to a kernel: source for the assembler, or messages at positions in the function.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"

namespace gdr::compiler {

/// A message about a position in the user's file; line 0: about the file as a whole.
struct Diagnostic {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;  // lower case, no full stop
  /// For a position in a function that the user's function calls: the calls that lead there, the innermost first.
  std::vector<Diagnostic> notes{};
};

struct CompileOptions {
  unsigned effort = 2;               // 1 to 3: the number of schedules that are compared grows with it
  std::uint64_t seed = 1;            // seed of the search for schedules; the same seed gives the same lines
  std::string function;              // name of the pair function; may be empty if there is only one
  bool fast = false;                 // shorter forms of functions, which are not those of IEEE 754 at 0 and infinity
  bool components = true;            // values of j alone that differ in the component are computed side by side
  bool hoist = true;                 // values that do not change from one iteration to the next are computed once
  std::vector<std::string> clang{};  // further arguments for clang, such as -I and -D
};

/// A floating-point operation of the loop body, and whether it rounds to a short word.
struct PrecisionRow {
  std::string name;  // the variable in the source; may be empty
  unsigned line = 0;
  bool is_short = false;
  std::string operation;  // mnemonic
};

/// A place in the user's program.
using assembler::WrittenPlace;

/// Two words of the result record: a least or greatest key, and the number that came with it. Blocks and chips reduce
/// word by word, so the second word holds both on the board: the number is its lower 28 bits, which the host gets.
struct NumberedResult {
  std::string name;  // name of the number, as the kernel's results are called
  std::size_t word = 0;
  std::size_t key_word = 0;
  bool least = true;
};

/// Numbers that fit beside a key: 0 to this, which the host also gets if no pair had a number.
inline constexpr std::int64_t kLargestNumber = 0xfffffff;

struct CompileResult {
  std::string source;  // assembly; empty if there are errors
  // For lines of `source`, by number from 1: the places of the operations in the user's program, each line once for
  // each call of its function. Lines of the compiler's own, such as constants in registers, have the place of the
  // function.
  std::map<std::uint32_t, std::vector<WrittenPlace>> places;
  std::vector<Diagnostic> diagnostics;  // errors, in the order of the source
  // Members of the records that no pair reads, and results that no path changes, at their places. Members whose name
  // begins with `unused`, `pad` or `reserved` are not told of.
  std::vector<Diagnostic> warnings;
  std::string clang;  // messages of clang, errors and warnings
  std::string kernel;
  unsigned lines = 0;        // of the loop body
  unsigned least_lines = 0;  // lower limit from the units and the longest chain of the chosen operations
  std::vector<PrecisionRow> precision;
  std::vector<NumberedResult> numbered;
};

/// True if the library that reads LLVM IR is available.
[[nodiscard]] bool available();

/// True if a file of this name can be compiled here: .cc, .cpp, .cxx, .ll, .bc or .lsump.
[[nodiscard]] bool is_source(std::string_view name);

/// Compiles a C++ file with the program clang++-19, or the one that GDR_CLANG names; or LLVM IR as text (.ll) or
/// bitcode (.bc); or a kernel in LSUMP's language (.lsump). Throws gdr::Error if the file cannot be read, clang is not
/// found, or the library gdr_import is missing.
[[nodiscard]] CompileResult compile_file(const std::filesystem::path& path, const CompileOptions& options = {});

/// The same for LLVM IR in memory, text or bitcode.
[[nodiscard]] CompileResult compile_ir(std::string_view code, std::string_view name,
                                       const CompileOptions& options = {});

/// Compiles a kernel in the language of LSUMP (docs/kernels/compiler.md); this needs neither clang nor LLVM. The kernel
/// gets its name from the file name `name`.
[[nodiscard]] CompileResult compile_lsump(std::string_view text, std::string_view name,
                                          const CompileOptions& options = {});

/// Each diagnostic as `FILE:LINE:COL: error: text`, its notes behind it, with the source line where that can be read.
[[nodiscard]] std::string format_diagnostics(const CompileResult& result);

}  // namespace gdr::compiler
