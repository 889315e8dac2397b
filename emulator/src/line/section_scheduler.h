// Translates one section to micro-operations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gdr/base/error.h"
#include "scheduler.h"

namespace gdr::emulator::simd {

/// The immediates of a program, without duplicates.
class Constants {
 public:
  /// Place of the value's high plane; the low one follows.
  std::uint32_t place_of(isa::LongWord value);
  [[nodiscard]] const std::vector<isa::LongWord>& values() const { return values_; }

 private:
  std::vector<isa::LongWord> values_;
};

/// A list of at most `most` values, without dynamic memory.
template <class Value, std::size_t most>
class Few {
 public:
  void push_back(const Value& value) {
    GDR_ASSERT(count_ < most, "a unit has so many ports");
    values_[count_++] = value;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.begin() + count_; }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.begin() + count_; }

 private:
  std::array<Value, most> values_{};
  std::uint8_t count_ = 0;
};

/// The context for which a section is scheduled.
struct SectionFrame {
  isa::Section section = isa::Section::initialization;
  bool jvalid = true;
  bool leaves_writes = false;        // to the section that runs next; otherwise they land at the end of this one
  bool leaves_splats = false;        // to its own next iteration
  std::span<const LineFacts> facts;  // of its lines
  LineFacts before;                  // of the lines that may run before the first
  LineFacts after;                   // of the lines that may run after the last
  PairForms long_pairs;              // on entry and at the end
  bool lm_form_pinned = false;       // an indirect access may use any word of LM
  RowSet invariant;                  // rows that an earlier section left equal in all PEs and this one never writes
  const isa::Program* program = nullptr;  // for the addresses of collects
};

class SectionScheduler {
 public:
  SectionScheduler(KernelSet kernels, Constants& constants, const SectionFrame& frame);

  SectionCode run(const std::vector<DecodedStep>& steps);
  /// Rows of GPR and LM that are equal in all PEs at the end. Their uniform word holds the value as well as the row.
  [[nodiscard]] const RowSet& finally_uniform() const { return finally_uniform_; }
  /// Layout of the pairs after the last line, before the common layout is restored.
  [[nodiscard]] const PairForms& final_long_pairs() const { return final_long_pairs_; }

 private:
  enum class Landing { direct, own_line, next_line };

  struct Target {  // a write to registers
    const isa::Access* write = nullptr;
    RowPattern access;  // empty if it is indirect
    Landing landing = Landing::direct;
    [[nodiscard]] bool is_t() const { return write->storage == isa::Storage::t; }
  };

  struct Action {  // one unit's work in a line, and when its results become visible
    const isa::UnitWork* work = nullptr;
    bool has_flag = false;     // that may be written here
    Few<Target, 3> targets;    // T, GPR, LM
    Few<RowPattern, 2> reads;  // of operands
    Landing flag_landing = Landing::direct;
    Landing store_landing = Landing::direct;

    /// True if an operand reads one of the rows.
    [[nodiscard]] bool reads_of(const RowRange& rows) const;
  };

  struct Held {  // a write that waits in a bank
    enum class Kind { words, flag, indirect_words, store } kind = Kind::words;
    MicroOp commit;
    RowPattern access;
    Width width = Width::long_word;
    bool whole = false;
    bool t = false;
    unsigned flag = 0;
    isa::Unit unit = isa::Unit::none;
  };

  struct Value {  // an operand
    Operand at;
    bool is_short = false;
  };

  /// What would see a line's results too early if they were not held back: the next line, and the words that are
  /// collected before it.
  struct Followers {
    const LineFacts& line;
    bool read_bm = false;
  };
  [[nodiscard]] Followers after(const std::vector<DecodedStep>& steps, std::size_t at) const;
  void line(const DecodedLine& decoded, const Followers& next);
  void finish();

  // The parts of a line.
  void collect(const isa::CollectStep& collect);
  void prepare_indirect(const std::vector<Action>& actions);
  void fetch_bm(const std::vector<Action>& actions);
  [[nodiscard]] std::vector<Action> actions_of() const;
  void add_accesses(Action& action) const;
  void decide_landing(std::vector<Action>& actions, const Followers& next) const;
  [[nodiscard]] Landing landing_of(const Action& action, const Target& target, const LineFacts& next) const;
  void emit_in_order(std::vector<Action>& actions);
  void emit(const Action& action);
  void emit_unit(const Action& action);
  void emit_store(const Action& action);
  void turn_elements_into_lanes(MicroOp& op) const;
  Destination destination_of(const Action& action, const Target& target, bool uniform);
  FlagDestination flag_destination_of(const Action& action);

  // Operands.
  Value value_of(const isa::UnitOperand& operand);
  Value word_of(const isa::Access& read);
  Value register_value(const RowPattern& access, Width width);
  Value t_value(Width width);
  [[nodiscard]] bool host_doubles() const { return kernels_.arithmetic == Arithmetic::host; }
  /// Kernel that takes the upper half of a long word; for floating-point numbers of the engine native, the whole
  /// double.
  [[nodiscard]] Kernel upper_half() const { return takes_doubles_ ? moves::copy_words : moves::upper_of_long; }
  Operand view(const RowPattern& access, Width width);
  /// Makes the rows hold their values in every PE.
  void spread(unsigned row);
  void spread(const RowRange& rows);
  void spread(const RowSet& rows);
  [[nodiscard]] bool uniform(const RowRange& rows) const {
    return RowSet::all_within(rows, uniform_, frame_.invariant);
  }

  // Landing.
  [[nodiscard]] bool whole(const Action& action, const Target& target) const;
  [[nodiscard]] bool changes_form(const RowPattern& access, Width width, bool whole) const;
  void take_form(const RowPattern& access, Width width, bool whole);
  void hold(const Held& held, Landing landing);
  void commit(const Held& held, std::uint32_t moved);
  void commit_all(const std::vector<Held>& held, std::uint32_t moved = 0);
  void set_form(unsigned pair, bool is_long);
  void restore_forms();

  // Emission.
  MicroOp& push(Kernel kernel);
  std::uint32_t reserve(std::uint32_t words);
  [[nodiscard]] Gate gate_of(const isa::Predicate& predicate) const;
  [[nodiscard]] Gate line_gate() const;
  [[nodiscard]] bool pinned(unsigned pair) const { return frame_.lm_form_pinned && pair >= kLmRow / 2; }

  // Invariant between two lines: after the operations of code_ every word has the value that it has in the machine,
  // with three exceptions. Writes in late_ are still in the bank of the last line (bank_, used_); landing_late_ has
  // their words, and before the first line those of the lines that may have run before. A pair of rows has the layout
  // that long_pairs_ gives. A row in uniform_ has its value in only one word, for all PEs. own_ and next_late_ are
  // empty. work_, bm_ and the members for indirect accesses belong to the last line and are no longer used.
  KernelSet kernels_;
  Constants& constants_;
  SectionFrame frame_;
  SectionCode code_;

  PairForms long_pairs_;
  PairForms final_long_pairs_;
  std::bitset<isa::kVectorElements> t_short_;  // elements of T whose low plane is zero and not stored
  RowSet uniform_;                             // rows whose value is only in one word
  RowSet finally_uniform_;
  RowSet dead_at_entry_;

  const isa::LineWork* work_ = nullptr;  // of the current line
  bool takes_doubles_ = false;           // the current unit takes host doubles, for short words, too
  std::size_t at_ = 0;
  std::uint32_t bank_ = place::kBanks;
  std::uint32_t used_ = 0;  // used words of the bank
  Operand indirect_read_;
  std::uint32_t write_rows_ = 0;   // row numbers of an indirect write
  std::uint32_t write_lanes_ = 0;  // and its lanes
  Operand bm_;
  std::vector<Held> late_;       // of the line before
  std::vector<Held> next_late_;  // of this line
  std::vector<Held> own_;
  LineFacts landing_late_;  // facts of the writes in late_
};

}  // namespace gdr::emulator::simd
