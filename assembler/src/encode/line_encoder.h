// Encodes one line: assigns its operations to units and ports.
#pragma once

#include <optional>
#include <vector>

#include "code.h"

namespace gdr::assembler {

/// An operation with its operands looked up.
struct Resolved {
  isa::Op op = isa::Op::NOP;
  Place where;
  std::string mnemonic;
  std::vector<Value> sources;
  std::vector<Value> destinations;
  std::vector<Value> flags;
  std::optional<Value> pe;
};

/// The sequencer's part of a line.
struct Sequencer {
  unsigned elements = isa::kVectorElements;
  isa::Mask mask;
};

class LineEncoder {
 public:
  LineEncoder(isa::Section section, const Sequencer& sequencer, Place where, const Declared& declared,
              Reporter& reporter);

  /// Adds an operation. Operations must be added in the order of their units, so that the encoding of a line does not
  /// depend on their order in the text. Returns false if something is wrong, which is then reported.
  bool add(const Resolved& operation);
  [[nodiscard]] CodeLine take(std::string text) &&;

 private:
  struct Claim {
    Place where;
    std::string text;
  };
  /// Source information about an operand or result.
  struct Note {
    isa::Unit unit = isa::Unit::none;
    isa::Role role = isa::Role::mask;
    bool asserted = false;
    const Symbol* symbol = nullptr;
    const Symbol* register_name = nullptr;
    Place where;
    std::string text;
  };

  bool add_slot(const Resolved& operation);
  bool add_bm(const Resolved& operation);
  bool add_bm_load(const Resolved& operation, const Value& from);
  bool add_bm_store(const Resolved& operation, const Value& from, const Value& to);
  [[nodiscard]] static isa::BmPort bm_port(const Resolved& operation, isa::BmMode mode, const Value& word);
  bool check_sources(const Resolved& operation);
  bool check_destinations(const Resolved& operation);
  std::optional<isa::Width> result_width(const Resolved& operation);
  std::optional<isa::Source> source(const Value& value, const Resolved& operation);
  std::optional<isa::Source> gpr_source(const Value& value);
  bool claim_bm(const isa::BmPort& port, const Value& value);
  bool write(const Value& value, isa::Unit unit);
  bool write_flag(const Resolved& operation, isa::Slot& slot);
  bool may_use(const Value& value, bool writes);
  void note_collision(const Resolved& operation, const Value& destination);
  void note_overlap(const Value& destination);
  bool conflict(Code code, const Value& value, const Claim& earlier, std::string message);
  void note(isa::Role role, const Value& value);
  [[nodiscard]] CodeAccess noted(const isa::Access& access) const;

  isa::Section section_;
  const Declared& declared_;
  Reporter& reporter_;
  CodeLine code_;
  isa::Unit operation_ = isa::Unit::none;  // unit of the operation that is being added
  Claim gpr_a_, gpr_b_, lm_read_, bm_, immediate_, t_write_, gpr_write_, lm_write_;
  std::array<std::optional<Claim>, isa::kUnits + 1> units_;
  std::vector<Note> notes_;
};

}  // namespace gdr::assembler
