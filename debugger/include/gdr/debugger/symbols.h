// Names of a kernel's words: variables, parameters, named registers and views, and raw registers.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/debugger/value.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"

namespace gdr::debugger {

/// One word: of GPR, LM or T of an element's PE, of BM or of the current j-record, or a flag.
struct WordPlace {
  isa::Storage storage = isa::Storage::gpr;
  unsigned address = 0;  // in short words; for a flag its number; 0 for T
  isa::Width width = isa::Width::long_word;
  unsigned element = 0;  // for T and flags
  friend bool operator==(const WordPlace&, const WordPlace&) = default;
};

/// `local`: a variable of a program in another language, which has a word only for some lines.
enum class SymbolKind : std::uint8_t { input, record, result, own, parameter, register_name, machine, local };

/// A name and its words: `entries` entries, each of four words if `vector` is set.
struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::own;
  isa::Storage storage = isa::Storage::lm;
  unsigned address = 0;
  isa::Width width = isa::Width::long_word;
  bool vector = false;
  unsigned stride = 0;  // short words from one entry to the next
  unsigned entries = 1;
  std::vector<std::uint16_t> dimensions;
  bool floating = true;
  std::uint8_t bits = 0;  // as NumberType has them
  bool is_unsigned = false;

  [[nodiscard]] NumberType type() const { return {floating, bits, is_unsigned}; }
  [[nodiscard]] WordPlace word(unsigned entry, unsigned element) const;
  /// `x[1][2]`.
  [[nodiscard]] std::string entry_name(unsigned entry) const;
};

/// Some or all words of a symbol: `x`, `x[1]`, `x[1][3]`.
struct Reference {
  Symbol symbol;
  unsigned first = 0;  // the first entry
  unsigned entries = 1;
  std::optional<unsigned> element;  // none: the element of the focus
  [[nodiscard]] bool single() const { return entries == 1; }
};

class Symbols {
 public:
  explicit Symbols(const isa::Program& program);

  /// The declared symbols in the order of declaration, then T and the flags.
  [[nodiscard]] const std::vector<Symbol>& all() const { return symbols_; }
  /// Looks up a declared name, or a register as in assembly (`$lr8v`, `$m4`, `$b0`, `$lj2`, `$t`, `$ok1`). Throws
  /// gdr::Error for an unknown name (the message has the nearest known ones) and for subscripts outside the shape.
  [[nodiscard]] Reference find(std::string_view name, const std::vector<std::uint64_t>& subscripts) const;
  /// Name of a word: `xi[0]` or `y`, or else the raw register. The element is not part of the name.
  [[nodiscard]] std::string name_of(const WordPlace& place) const;
  /// True if a conversion makes the word floating-point or some line uses it so, and also if nothing tells its type.
  [[nodiscard]] bool floating(const WordPlace& place) const;

 private:
  void note_uses(const isa::Program& program);
  void note(isa::Storage storage, const isa::WordRange& words, bool floating);
  [[nodiscard]] bool floating(const Symbol& symbol) const;
  [[nodiscard]] std::optional<Symbol> raw(std::string_view name) const;

  std::vector<Symbol> symbols_;
  // [storage][short word]: the types that lines or a conversion use the word as.
  std::array<std::vector<bool>, 6> floating_;
  std::array<std::vector<bool>, 6> integer_;
  unsigned record_words_ = 0;
};

}  // namespace gdr::debugger
