// Names of a source file and their places in memory: the data layout of its kernel.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagnostics/reporter.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/program.h"
#include "source/expand.h"

namespace gdr::assembler {

enum class SymbolKind : std::uint8_t { variable, view, register_name, parameter };

/// A name that stands for words of GPR, LM or BM. Addresses, strides and lengths are in short words.
struct Symbol {
  SymbolKind kind = SymbolKind::variable;
  std::string name;
  Place where;
  isa::Memory memory = isa::Memory::lm;
  bool record = false;  // BM: the address counts from the current j-record
  isa::Width width = isa::Width::long_word;
  bool vector = false;
  bool packed = false;
  std::vector<std::uint16_t> dimensions;
  std::uint32_t entries = 1;
  std::uint32_t address = 0;
  isa::Transfer transfer = isa::Transfer::none;
  bool result_of_experiment = false;  // in the PE; the form's lines bring it out
  bool block_chosen = false;          // a result that is declared with `select`
  std::optional<Operand> written;     // for a register name: the register that it was declared as
  std::string shown;                  // for a register of one use of a macro: its name in the macro

  /// The name used in messages.
  [[nodiscard]] const std::string& title() const { return shown.empty() ? name : shown; }

  /// Short words from one entry to the next.
  [[nodiscard]] std::uint32_t stride() const;
  [[nodiscard]] std::uint32_t length() const { return entries * stride(); }
};

class Symbols {
 public:
  [[nodiscard]] const Symbol* find(std::string_view name) const;
  [[nodiscard]] Symbol* find(std::string_view name);
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::vector<Symbol>& all() const { return symbols_; }
  [[nodiscard]] std::vector<Symbol>& all() { return symbols_; }

  /// Adds a symbol. If its name is taken, returns the symbol that has it; otherwise nothing.
  const Symbol* add(Symbol symbol);
  /// Records a name whose declaration could not be read: its uses are not reported as errors.
  void tolerate(std::string name) { tolerated_.insert(std::move(name)); }
  [[nodiscard]] bool tolerated(std::string_view name) const { return tolerated_.contains(name); }

 private:
  std::vector<Symbol> symbols_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::set<std::string, std::less<>> tolerated_;
};

/// Reads the declarations and assigns an address to every variable. Fills the program except for code and files.
struct Declared {
  isa::Program program;
  Symbols symbols;
  std::optional<Place> experiment;  // of the line `kernel NAME experiment`
};
[[nodiscard]] Declared declare(const Expansion& expansion, const AssembleOptions& options, Reporter& reporter);

}  // namespace gdr::assembler
