// Where the words of registers are while a section is translated.
#pragma once

#include <bitset>

#include "line_facts.h"
#include "op_writer.h"
#include "scheduler.h"

namespace gdr::emulator::simd {

/// An operand's place, and whether a short word is there.
struct Value {
  Operand at;
  bool is_short = false;
};

/// The part of translation that is carried from line to line: for each register the layout of its pair, and whether its
/// value is in its row or, equal in all PEs, in one word. Functions that are not const add the operations that move
/// words where the caller needs them.
///
/// Example: after `fadd $r0 $r2 $r8`, whose operands are equal in all PEs, row 8 is `uniform`, and its value is in
/// one word. When a PE writes to $r8 under a mask, `spread` first copies this word to the whole row.
///
/// Invariant between two lines: after the operations added so far, every word has the value that it has in the machine,
/// but for writes that the last line left pending. It is found as layout(), short elements of T and uniform() say.
class SectionRows {
 public:
  /// `common`: the layout that all sections have at their ends. `invariant`: rows that are uniform all the time.
  SectionRows(OpWriter& writer, Arithmetic arithmetic, const PairLayouts& common, const RowSet& invariant,
              bool lm_layout_pinned)
      : writer_(writer),
        arithmetic_(arithmetic),
        common_(common),
        invariant_(invariant),
        lm_layout_pinned_(lm_layout_pinned),
        layouts_(common) {}

  // ---- layouts ----
  [[nodiscard]] const PairLayouts& layouts() const { return layouts_; }
  [[nodiscard]] bool lm_holds_longs() const { return layouts_[kLmRow / 2]; }
  /// True if indirect accesses rely on the layout of LM.
  [[nodiscard]] bool lm_layout_pinned() const { return lm_layout_pinned_; }
  /// True if a pair must change its layout before this write or change it back afterwards. `whole`: the write reaches
  /// every PE.
  [[nodiscard]] bool changes_layout(const RowPattern& access, Width width, bool whole) const;
  /// Gives the rows the layout of a write in this width.
  void take_layout(const RowPattern& access, Width width, bool whole);
  /// Gives pairs that must keep the common layout this layout again after a write.
  void keep_pinned(const RowPattern& access);
  /// Gives all pairs the common layout, and every element of T its low plane.
  void restore_layouts();

  // ---- T ----
  /// Gives the elements of T a low plane, if a short word has left it out.
  void complete_t(unsigned elements);
  /// Gives one element of T its low plane; false if it has it.
  bool complete_t_element(unsigned element);
  [[nodiscard]] bool t_is_short(unsigned element) const { return t_short_[element]; }
  void set_t(unsigned elements, bool is_short);

  // ---- rows that are equal in all PEs ----
  [[nodiscard]] const RowSet& uniform() const { return uniform_; }
  void add_uniform(const RowRange& rows) { uniform_.add(rows); }
  void remove_uniform(const RowRange& rows) { uniform_.remove(rows); }
  /// Copies uniform words to their rows.
  void spread(const RowRange& rows);
  void spread(const RowSet& rows);

  // ---- operands ----
  /// Words of GPR or LM; a copy in the reader's layout if one of them is in the other.
  Value read(const RowPattern& access, Width width, bool takes_doubles);
  Value read_t(unsigned elements, Width width, bool takes_doubles);

 private:
  Operand copy_in_layout(const RowPattern& access, Width width, bool takes_doubles);
  void set_layout(unsigned pair, bool is_long);
  void spread_row(unsigned row);
  void clear_low_plane_of_t(unsigned element);
  [[nodiscard]] bool pinned(unsigned pair) const { return lm_layout_pinned_ && pair >= kLmRow / 2; }
  [[nodiscard]] bool is_uniform(const RowRange& rows) const { return RowSet::all_within(rows, uniform_, invariant_); }

  OpWriter& writer_;
  Arithmetic arithmetic_;
  PairLayouts common_;
  RowSet invariant_;
  bool lm_layout_pinned_;
  PairLayouts layouts_;
  std::bitset<isa::kVectorElements> t_short_;  // elements of T whose low plane is zero and not stored
  RowSet uniform_;
};

}  // namespace gdr::emulator::simd
