// An assembled kernel: code of the four sections, variables, parameters, line table. This is all that the assembler
// passes to the emulator and the host library.
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

#include "gdr/isa/host_integer.h"
#include "gdr/isa/line.h"

namespace gdr::isa {

enum class Section : std::uint8_t { initialization, loop_initialization, loop_body, loop_termination };
inline constexpr std::size_t kSections = 4;

/// The name as written in a source file: `loop body`.
[[nodiscard]] std::string_view name_of(Section section);
/// The name as a JSON key: `loop_body`.
[[nodiscard]] std::string_view key_of(Section section);

/// A place in a source file; `line` and `column` count from 1.
struct SourcePosition {
  std::uint32_t file = 0;  // index into Program::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t origin = 0;  // the expansion that made the line: 1 + index into Program::origins; 0: none
  // The function of a program in another language that holds the place: 1 + index into Program::functions; 0: none.
  std::uint32_t function = 0;
  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

/// A use of a macro, or one turn of a repeat. The same source text gives different lines in each of them.
struct Origin {
  std::string macro;        // its name; empty: a turn of a repeat
  std::string what;         // as in a diagnostic: `macro 'exp' is used here`, `with k = 3`
  SourcePosition position;  // of the use or the repeat; if this has an origin itself, it is one before this one
  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A function of a program in another language from which a compiler made lines. One that is put in where it is called
/// is an entry of its own for each call.
struct SourceFunction {
  std::string name;
  std::optional<SourcePosition> call;  // in a function before this one; none: no function of the program calls it
  friend bool operator==(const SourceFunction&, const SourceFunction&) = default;
};

/// A place and the function that holds it, which has no name if it is not known.
struct SourceFrame {
  std::string_view function;
  SourcePosition position;
};

/// The text of a line with braces and macro parameters replaced; only where it differs from the source.
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

/// A `transfer` line of a kernel of Type II: the EIT starts to stream the next j-record of every block into the half of
/// the record window that no line reads. It first waits for the previous transfer to end.
struct TransferStep {
  static constexpr std::string_view kName = "transfer";
  SourcePosition position;
  friend bool operator==(const TransferStep&, const TransferStep&) = default;
};

/// What the reduction tree does with the words of the 16 blocks in a collect: combines them, or passes the words of one
/// block, or of each block in turn, as they are. Words that are passed stay apart beyond the chip, too.
struct BlockChoice {
  enum class Kind : std::uint8_t { reduced, one, each };
  Kind kind = Kind::reduced;
  std::uint8_t block = 0;  // of Kind::one, 0..15; else 0
  /// True if words of different blocks and chips are never combined.
  [[nodiscard]] bool is_separate() const { return kind != Kind::reduced; }
  /// Number of words that leave the chip for each word of a block.
  [[nodiscard]] unsigned blocks_out() const { return kind == Kind::each ? kBlocks : 1; }
  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};

/// A `collect` line of a kernel of Type II: the COC starts to move words of a result from broadcast memory through the
/// reduction tree to ODP. It first waits for the previous collect to end.
struct CollectStep {
  static constexpr std::string_view kName = "collect";
  std::uint16_t variable = 0;  // index into Program::variables, a result in BM
  std::uint16_t first = 0;     // first entry of the variable that leaves; `entries` leave
  std::uint16_t entries = 0;
  bool not_first = false;  // skipped in the first iteration of the loop body
  SourcePosition position;
  BlockChoice blocks = {};

  /// Number of long words of the result in each block.
  [[nodiscard]] unsigned words() const { return kVectorElements * unsigned{entries}; }
  /// Number of long words that leave the chip. With BlockChoice::Kind::each they are the words of block 0, then those
  /// of block 1, and so on.
  [[nodiscard]] unsigned words_out() const { return blocks.blocks_out() * words(); }
  friend bool operator==(const CollectStep&, const CollectStep&) = default;
};

/// One step that the control processor issues. Transfers and collects have no instruction word, take no time of the
/// PEs, and continue while the lines after them run. Code that uses steps visits them with a Visitor of all kinds, so
/// that it does not compile if a kind is missing.
using Step = std::variant<ProgramLine, TransferStep, CollectStep>;

/// Combines functions, one for each kind of a variant, for std::visit.
template <class... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

[[nodiscard]] const SourcePosition& position_of(const Step& step);

enum class Memory : std::uint8_t { gpr, lm, bm };

/// A declared variable. It occupies `elements` consecutive entries from `address` (in short words) on. An entry has
/// four words if `vector` is set (one per vector element), else one word. In BM, each entry of an `elt` variable is one
/// long word of the j-record, with a short value in its upper half (unless packed), and `address` counts from the start
/// of the record.
struct Variable {
  std::string name;
  Memory memory = Memory::lm;
  std::uint16_t address = 0;
  Width width = Width::long_word;
  bool vector = false;
  std::uint16_t elements = 1;  // product of the dimensions
  std::vector<std::uint16_t> dimensions;
  bool packed = false;  // BM only: one short entry at every short address, two in a long word
  Transfer transfer = Transfer::none;
  std::optional<Conversion> conversion;
  std::optional<Op> reduction;  // over the 16 blocks; none: one block is read (`select`)
  SourcePosition position;
  std::uint8_t block = 0;    // the block that is read if there is no reduction, 0..15; else 0
  HostInteger integer = {};  // of i-, j-data: whole numbers that are accepted; of a result: lower bits for the host
  friend bool operator==(const Variable&, const Variable&) = default;
};

/// A value that the host sets before a run. It is in every block's BM at `address` (short words, absolute).
struct Parameter {
  std::string name;
  std::uint16_t address = 0;
  Width width = Width::long_word;
  Conversion conversion = Conversion::FLT64TO72;
  double default_value = 0;  // an integer conversion accepts it if it is a whole number
  SourcePosition position;
  HostInteger integer = {};  // of a whole number
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// Another name for words: for a register, or a view of broadcast memory. Used only by debuggers and listings.
struct Alias {
  std::string name;
  std::optional<Memory> memory;  // none: T
  bool record = false;           // BM only: the address counts from the current j-record
  std::uint16_t address = 0;     // in short words; 0 for T
  Width width = Width::long_word;
  bool vector = false;  // steps by one word of `width` per element
  SourcePosition position;
  friend bool operator==(const Alias&, const Alias&) = default;
};

/// Units of a PE as bits: `1 << Unit`.
using UnitBits = std::uint8_t;
[[nodiscard]] constexpr UnitBits bit_of(Unit unit) { return static_cast<UnitBits>(1U << static_cast<unsigned>(unit)); }

/// The value of a variable of another language's source that an operation computes. Used only by debuggers.
struct ComputedValue {
  Section section = Section::initialization;
  std::uint32_t line = 0;  // index into the section's lines, without transfers and collects
  Unit unit = Unit::none;
  std::string name;
  bool integer = false;  // else a floating-point number
  // Of an integer of the source: how many of the word's lowest bits are its own (0: all of them), and whether it has no
  // sign. What the bits above them are is not said.
  std::uint8_t bits = 0;
  bool is_unsigned = false;
  friend bool operator==(const ComputedValue&, const ComputedValue&) = default;
};

/// An operation that the scheduler moved into a line from another line of the source.
struct MovedOperation {
  Section section = Section::initialization;
  std::uint32_t line = 0;  // index into the section's lines, without transfers and collects
  SourcePosition position;
  UnitBits units = 0;  // that work on operations of this place; 0: not known
  friend bool operator==(const MovedOperation&, const MovedOperation&) = default;
};

struct Program {
  std::string kernel;  // names the generated functions
  std::vector<std::string> files;
  std::array<std::vector<Step>, kSections> sections;
  std::vector<Variable> variables;  // in declaration order
  std::vector<Parameter> parameters;
  std::vector<Alias> aliases;             // in declaration order
  std::vector<MovedOperation> moved;      // in the order of sections and lines
  std::vector<ComputedValue> values;      // in the order of sections and lines
  std::vector<Origin> origins;            // each after the origin of its own position
  std::vector<SourceFunction> functions;  // each after the one that calls it
  std::vector<ExpandedText> expanded;     // sorted by origin, file, line and column
  std::uint16_t record_words = 0;         // long words of one j-record
  double flops = 0;                       // per interaction, as usually counted in the field; 0: not stated
  friend bool operator==(const Program&, const Program&) = default;

  [[nodiscard]] const std::vector<Step>& steps(Section section) const {
    return sections[static_cast<std::size_t>(section)];
  }
  [[nodiscard]] std::vector<Step>& steps(Section section) { return sections[static_cast<std::size_t>(section)]; }
  /// The instruction words of a section, without transfers and collects.
  [[nodiscard]] std::vector<ProgramLine> lines(Section section) const;
  /// The entries of `moved` that belong to a line.
  [[nodiscard]] std::span<const MovedOperation> moved_into(Section section, std::size_t line) const;
  /// The positions of all operations of a line, its own first.
  [[nodiscard]] std::vector<SourcePosition> positions_of(Section section, std::size_t line) const;
  /// The position of the operation that a unit works on in a line; the line's own position if that is not known.
  [[nodiscard]] SourcePosition position_of(Section section, std::size_t line, Unit unit) const;
  /// The position itself, then the calls that lead to its function, the innermost first.
  [[nodiscard]] std::vector<SourceFrame> frames_of(const SourcePosition& position) const;
  /// The lines of the source whose operations a line holds, each once: those of positions_of(), then those of the calls
  /// of their functions. Columns, origins and functions are those of the first place in the line.
  [[nodiscard]] std::vector<SourcePosition> source_lines_of(Section section, std::size_t line) const;
  /// The macro uses from which a position comes, innermost first, without turns of repeats.
  [[nodiscard]] std::vector<const Origin*> uses_around(const SourcePosition& position) const;
  /// The entry of `expanded` for a position; null if the text is that of the source.
  [[nodiscard]] const std::string* expanded_text(const SourcePosition& position) const;
  /// Variables with this kind of transfer, in declaration order.
  [[nodiscard]] std::vector<const Variable*> variables_by(Transfer transfer) const;
  /// Number of 8-byte fields of one i-record (hlt), j-record (elt) or result (rrn).
  [[nodiscard]] std::size_t record_fields(Transfer transfer) const;
  /// True for a kernel of Type II, whose source says when data moves. Its i-data differ from block to block, and its
  /// results are the words that `collect` lines bring out, in their order.
  [[nodiscard]] bool is_type2() const;
  /// True if a result or a collect names the blocks that are read. Object files of such programs have another version.
  [[nodiscard]] bool names_blocks() const;
  /// True if a collect sends words that stay apart, so that every chip sends its own.
  [[nodiscard]] bool has_separate_results() const;
  /// True if a collect sends words that blocks or chips combine.
  [[nodiscard]] bool has_combined_results() const;
  /// Address in broadcast memory of the first short word that a collect moves.
  [[nodiscard]] unsigned address_of(const CollectStep& collect) const;
};

/// True if the reduction tree can apply this operation to results with this conversion: floating-point operations with
/// floating conversions, integer and bitwise ones with fixed-point conversions, bitwise ones also with `none`.
[[nodiscard]] bool can_reduce(Op reduction, Conversion conversion);

/// Throws gdr::Error with variable, parameter or step, value and allowed range unless everything lies inside its
/// memory, conversions and reductions fit their variables, all files and origins exist, every step is in a section that
/// allows it, and every instruction word decodes. Names must be identifiers (the kernel's may be empty); those of
/// variables, parameters and aliases must be unique.
void validate(const Program& program);

/// Versions of the layout of object files that this library reads; it refuses every other one
/// (docs/reference/versions.md). A program is written in the first version, unless a result or a collect of it names
/// blocks.
inline constexpr std::uint32_t kObjectVersion = 1;
inline constexpr std::uint32_t kObjectVersionOfBlocks = 2;

/// The object file (ELF64, see docs/kernels/object-file.md) as bytes. Equal programs give equal bytes.
[[nodiscard]] std::vector<std::byte> serialize(const Program& program);

/// Reads an object file from bytes. Throws gdr::Error with `name` and the reason if the bytes are not an undamaged
/// object file of a known version, if an instruction word does not decode, or if validate() refuses the program.
[[nodiscard]] Program deserialize(std::span<const std::byte> bytes, std::string_view name);

/// Read and write object files. A file is written through a temporary one beside `path`, so that no half-written file
/// is left. Both throw gdr::Error with path and reason.
[[nodiscard]] Program read_object(const std::filesystem::path& path);
void write_object(const Program& program, const std::filesystem::path& path);

}  // namespace gdr::isa
