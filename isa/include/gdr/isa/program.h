// An assembled kernel: code of the four sections, variables, parameters, line table. All that passes between assembler,
// emulator and host library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gdr/isa/line.h"

namespace gdr::isa {

enum class Section : std::uint8_t { initialization, loop_initialization, loop_body, loop_termination };
inline constexpr std::size_t kSections = 4;

/// As written in a source file: `loop body`.
[[nodiscard]] std::string_view name_of(Section section);
/// As a JSON key: `loop_body`.
[[nodiscard]] std::string_view key_of(Section section);

/// A place in a source file; `line` and `column` count from 1.
struct SourcePosition {
  std::uint32_t file = 0;  // index into Program::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t origin = 0;  // what made the line of the text there: 1 + index into Program::origins; 0: as it stands
  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

/// A use of a macro, or a turn of a repeat: the text at one place stands for other lines under each of them.
struct Origin {
  std::string macro;        // its name; empty: a turn of a repeat
  std::string what;         // as in a diagnostic: `macro 'exp' is used here`, `with k = 3`
  SourcePosition position;  // of the use or the repeat, which may come from an origin itself: one before this one
  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A line's text with braces and a macro's parameters replaced, where that differs from the source.
struct ExpandedText {
  SourcePosition position;
  std::string text;
  friend bool operator==(const ExpandedText&, const ExpandedText&) = default;
};

struct ProgramLine {
  InstructionWord word;
  SourcePosition position;
  friend bool operator==(const ProgramLine&, const ProgramLine&) = default;
};

/// A `transfer` line of a kernel of Type II: the EIT begins to stream the next j-record of every block into the half of
/// the record window that no line reads. It waits for the transfer before it.
struct TransferStep {
  static constexpr std::string_view kName = "transfer";
  SourcePosition position;
  friend bool operator==(const TransferStep&, const TransferStep&) = default;
};

/// A `collect` line of a kernel of Type II: the COC begins to bring words of a result in broadcast memory through the
/// tree to ODP. It waits for the collect before it.
struct CollectStep {
  static constexpr std::string_view kName = "collect";
  std::uint16_t variable = 0;  // index into Program::variables, a result in BM
  std::uint16_t first = 0;     // entries of the variable that leave
  std::uint16_t entries = 0;
  bool not_first = false;  // left out in the first iteration of the loop body
  SourcePosition position;

  /// Long words that leave each block.
  [[nodiscard]] unsigned words() const { return kVectorElements * unsigned{entries}; }
  friend bool operator==(const CollectStep&, const CollectStep&) = default;
};

/// What the control processor issues, in order. A transfer and a collect have no instruction word, take no time of the
/// PEs, and go on while the lines behind them run. Consumers visit a step with a Visitor that names every kind, so that
/// one that forgets a kind does not compile.
using Step = std::variant<ProgramLine, TransferStep, CollectStep>;

/// One function for each kind of a variant.
template <class... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

[[nodiscard]] const SourcePosition& position_of(const Step& step);

enum class Memory : std::uint8_t { gpr, lm, bm };

/// A declared variable. It occupies `elements` entries, each of four words if `vector` (one per vector element), else
/// of one word, from `address` (short words) on, entry after entry. In BM each entry of an `elt` variable is one long
/// word of the j-record, a short value standing in its upper half (unless packed), and `address` counts from the
/// record's start.
struct Variable {
  std::string name;
  Memory memory = Memory::lm;
  std::uint16_t address = 0;
  Width width = Width::long_word;
  bool vector = false;
  std::uint16_t elements = 1;  // product of the dimensions
  std::vector<std::uint16_t> dimensions;
  bool packed = false;  // BM alone: short entries stand at every short address, two to a long word
  Transfer transfer = Transfer::none;
  std::optional<Conversion> conversion;
  std::optional<Op> reduction;  // over the 16 blocks; none: block 0 is read (`select`)
  SourcePosition position;
  friend bool operator==(const Variable&, const Variable&) = default;
};

/// A value the host sets before a run; it stands in every block's BM at `address` (short words, absolute).
struct Parameter {
  std::string name;
  std::uint16_t address = 0;
  Width width = Width::long_word;
  Conversion conversion = Conversion::FLT64TO72;
  double default_value = 0;  // an integer conversion takes it if it is a whole number
  SourcePosition position;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// Another name of words: that of a register, or a view of broadcast memory. For debuggers and listings alone.
struct Alias {
  std::string name;
  std::optional<Memory> memory;  // none: T
  bool record = false;           // BM alone: the address counts from the current j-record
  std::uint16_t address = 0;     // short words; 0 of T
  Width width = Width::long_word;
  bool vector = false;  // steps by one word of `width` per element
  SourcePosition position;
  friend bool operator==(const Alias&, const Alias&) = default;
};

/// An operation that the scheduler brought into a line from another line of the source.
struct MovedOperation {
  Section section = Section::initialization;
  std::uint32_t line = 0;  // index into the section's lines, transfers and collects left out
  SourcePosition position;
  friend bool operator==(const MovedOperation&, const MovedOperation&) = default;
};

struct Program {
  std::string kernel;  // names the generated functions
  std::vector<std::string> files;
  std::array<std::vector<Step>, kSections> sections;
  std::vector<Variable> variables;  // in declaration order
  std::vector<Parameter> parameters;
  std::vector<Alias> aliases;          // in declaration order
  std::vector<MovedOperation> moved;   // in the order of sections and lines
  std::vector<Origin> origins;         // each behind the one that its own place comes from
  std::vector<ExpandedText> expanded;  // by origin, file, line and column
  std::uint16_t record_words = 0;      // long words of one j-record
  double flops = 0;                    // per interaction, by the field's counting; 0: not stated
  friend bool operator==(const Program&, const Program&) = default;

  [[nodiscard]] const std::vector<Step>& steps(Section section) const {
    return sections[static_cast<std::size_t>(section)];
  }
  [[nodiscard]] std::vector<Step>& steps(Section section) { return sections[static_cast<std::size_t>(section)]; }
  /// The instruction words alone, for questions that transfers and collects have no part in.
  [[nodiscard]] std::vector<ProgramLine> lines(Section section) const;
  /// Those of `moved` that belong to a line.
  [[nodiscard]] std::span<const MovedOperation> moved_into(Section section, std::size_t line) const;
  /// The uses of macros that a place comes from, the innermost first; turns of repeats are left out.
  [[nodiscard]] std::vector<const Origin*> uses_around(const SourcePosition& position) const;
  /// The text of `expanded`; nothing if the source's own holds.
  [[nodiscard]] const std::string* expanded_text(const SourcePosition& position) const;
  /// Variables that travel in this way, in declaration order.
  [[nodiscard]] std::vector<const Variable*> variables_by(Transfer transfer) const;
  /// 8-byte fields of one i-record (hlt), j-record (elt) or result (rrn), in declaration order.
  [[nodiscard]] std::size_t record_fields(Transfer transfer) const;
  /// Type II: the kernel says itself when data moves. i-data differs from block to block, and results are the words
  /// that `collect` lines bring out, in their order.
  [[nodiscard]] bool is_type2() const;
  /// First short word in broadcast memory of what a collect takes.
  [[nodiscard]] unsigned address_of(const CollectStep& collect) const;
};

/// True if the tree reduces by this operation what leaves it by this conversion: floating-point operations go with
/// floating conversions, integer and bitwise ones with fixed-point conversions, bitwise ones with `none`.
[[nodiscard]] bool can_reduce(Op reduction, Conversion conversion);

/// Throws gdr::Error naming variable, parameter or step, value and allowed range unless all stands inside its memory,
/// travels by a conversion and a reduction that fit it, names files that there are, every step stands where it may, and
/// every instruction word decodes. Names are identifiers (the kernel's may be empty), and those of variables and
/// parameters differ from one another.
void validate(const Program& program);

/// Version of the object file's layout; a reader refuses a newer one. Policy: docs/versions.md.
inline constexpr std::uint32_t kObjectVersion = 1;

/// The object file (ELF64, see docs/object-file.md) as bytes; deterministic.
[[nodiscard]] std::vector<std::byte> serialize(const Program& program);

/// Throws gdr::Error naming `name` and the reason if the bytes are no undamaged object file of a version we know, if
/// an instruction word in it does not decode, or if the program is not valid.
[[nodiscard]] Program deserialize(std::span<const std::byte> bytes, std::string_view name);

/// Reads and writes whole files; writing goes through a temporary file beside `path`, so none is left half written.
/// Throw gdr::Error with path and reason.
[[nodiscard]] Program read_object(const std::filesystem::path& path);
void write_object(const Program& program, const std::filesystem::path& path);

}  // namespace gdr::isa
