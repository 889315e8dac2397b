// A third implementation of the machine, beside the reference and the vector engine, and written from the pages of
// docs/ alone: a scalar interpreter of one block, one PE, one element and one switch at a time, with 128-bit integers
// for the arithmetic. It shares the decoder of single lines with the engines and nothing else.
//
// Its two users have two needs: tests compare the engines with it and want every rule; a benchmark measures the engine
// against it and wants it as fast as such an interpreter can be. `Landing` says which.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::tests {

enum class Landing : std::uint8_t {
  in_order,  // every result lands when the machine's rules say so
  at_once    // fast, for programs that read nothing early; no events, no stores to BM, loads into one PE or indirect
             // addresses
};

/// A program's lines taken apart once, for all blocks.
class NaiveCode {
 public:
  /// Throws Error for a word that does not decode, and for a line that `landing` excludes.
  NaiveCode(const isa::Program& program, Landing landing);

  /// Operations of units in one iteration of the body, times elements and PEs.
  [[nodiscard]] std::uint64_t pe_operations_per_iteration() const { return operations_ * emulator::kPesPerBlock; }

 private:
  friend class NaiveInterpreter;

  enum class Base : std::uint8_t { pe, bm, record, immediate };
  struct Place {
    Base base = Base::pe;
    isa::Width width = isa::Width::long_word;
    std::uint16_t address = 0;
    std::uint16_t step = 0;  // short words per element
    bool indirect = false;   // T of the element is added
  };
  struct Operation {
    isa::Op op = isa::Op::NOP;
    isa::Width width = isa::Width::long_word;
    bool negate_a = false;
    bool negate_b = false;
    Place a;
    Place b;
    isa::FlagWrite flag;
    bool in_one_pe = false;
    std::uint8_t pe = 0;
  };
  struct Write {
    std::uint8_t operation = 0;
    bool to_t = false;
    Place place;
    isa::Predicate predicate;
  };
  struct TakenApart {
    unsigned elements = 1;
    isa::Mask mask;
    std::array<std::uint64_t, 2> immediate{};
    std::vector<Operation> operations;
    std::vector<Write> writes;
    bool writes_flags = false;
  };

  [[nodiscard]] static TakenApart taken_apart(const isa::Line& line);
  [[nodiscard]] static Place place_of(const isa::Line& line, isa::Source source, isa::Width asked);
  static void add_writes(const isa::Line& line, isa::Unit unit, std::uint8_t operation, std::vector<Write>& writes);

  isa::Program program_;
  Landing landing_;
  using Step = std::variant<TakenApart, isa::CollectStep>;
  std::array<std::vector<Step>, isa::kSections> sections_;
  std::uint64_t operations_ = 0;
};

/// One block. It may be copied while no run is under way.
class NaiveInterpreter {
 public:
  /// State is zero.
  NaiveInterpreter(std::shared_ptr<const NaiveCode> code, unsigned block);

  /// Other code for the state as it is.
  void patch(std::shared_ptr<const NaiveCode> code) { code_ = std::move(code); }

  void write_pe(unsigned pe, const emulator::PeWords& where, std::span<const isa::LongWord> words);
  void write_bm(unsigned address, std::span<const isa::LongWord> words);
  [[nodiscard]] std::vector<isa::LongWord> read_pe(unsigned pe, const emulator::PeWords& where) const;
  [[nodiscard]] std::vector<isa::LongWord> read_bm(unsigned address, unsigned count) const;
  [[nodiscard]] emulator::PeRegisters registers(unsigned pe) const;
  void set_registers(unsigned pe, const emulator::PeRegisters& registers);
  [[nodiscard]] const emulator::FpEvents& events() const { return events_; }
  /// The first ones with their places, in the order in which they happened.
  [[nodiscard]] const std::vector<emulator::PlacedEvent>& first_events() const { return first_events_; }

  /// Section `initialization`. Throws Fault for an indirect address outside LM.
  void initialize();
  /// The loop sections on this block's share of the records. Throws Fault as initialize().
  void run(const emulator::LoopRun& run);

 private:
  using Base = NaiveCode::Base;
  using Place = NaiveCode::Place;
  using Operation = NaiveCode::Operation;
  using TakenApart = NaiveCode::TakenApart;
  using Write = NaiveCode::Write;

  // The words of a PE, all short: GPR, LM, T, the numbers of PE and block, flags (0 or 1 each).
  static constexpr unsigned kLm = isa::kGprShortWords;
  static constexpr unsigned kT = kLm + isa::kLmShortWords;
  static constexpr unsigned kPeNumber = kT + isa::kTShortWords;
  static constexpr unsigned kBlockNumber = kPeNumber + 2;
  static constexpr unsigned kFlags = kBlockNumber + 2;
  static constexpr unsigned kPeWords = kFlags + isa::kFlags * isa::kVectorElements;
  using Pe = std::array<std::uint64_t, kPeWords>;

  friend class NaiveCode;  // which knows the places in a PE

  /// A write on its way, of one short word or one flag.
  struct Underway {
    std::uint64_t lands_before;  // the first line to read it, counted through all sections of a run
    std::uint64_t* at;
    std::uint64_t value;
  };
  /// A line's place in the program, for faults.
  struct At {
    isa::Section section;
    std::size_t line;
  };

  void section(isa::Section section, unsigned live_pes, bool first_turn);
  void collect(const isa::CollectStep& collect);
  /// What this line finds, and a record or a collect that comes with it.
  void land(std::uint64_t line);
  template <Landing landing>
  void execute(const TakenApart& line, unsigned pe_number, At at);
  [[nodiscard]] unsigned indirect_address(const Place& place, unsigned pe, unsigned element, At at) const;
  [[nodiscard]] emulator::PePlace place_of(unsigned pe, unsigned element, At at) const;
  void note(isa::Op op, const emulator::FpEvents& events, const emulator::PePlace& place);

  std::shared_ptr<const NaiveCode> code_;
  unsigned block_;
  std::array<Pe, emulator::kPesPerBlock> pes_{};
  std::array<std::uint64_t, isa::kBmShortWords> bm_{};
  emulator::FpEvents events_;
  std::vector<emulator::PlacedEvent> first_events_;

  // Of a run.
  std::uint64_t run_ = 0;
  std::uint64_t iteration_ = 0;
  unsigned record_base_ = 0;
  bool jvalid_ = true;
  std::uint64_t line_ = 0;
  std::vector<Underway> underway_;
  std::span<isa::LongWord> collected_;
};

/// What a node of the reduction tree makes of two words, short ones in the upper half.
[[nodiscard]] isa::LongWord naive_node(isa::Op op, isa::LongWord a, isa::LongWord b, isa::Width width,
                                       emulator::FpEvents& events);

}  // namespace gdr::tests
