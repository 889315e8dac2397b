// The types that host and device exchange. Both compilers read this file: the C++ compiler as an include, the OpenCL
// compiler as the first lines of machine.cl. Fields of 64 bits come first, so that there is no padding.

/// Where a word is: X(name) for each kind of place. Host and device make their enumerators and their dispatch of this
/// list.
#define GDR_PLACES(X) X(nothing) X(registers) X(t) X(bm) X(record) X(constant) X(pe_id) X(block_id)

/// A word that a unit takes; corresponds to isa::UnitOperand.
struct OperandCode {
  ulong constant_high;
  ulong constant_low;
  uint place;  // of GDR_PLACES
  uint first;  // row of element 0; in BM and records the short word
  uint step;
  uint is_long;
  uint indirect;
  uint negated;
};

/// Where a result goes; corresponds to a write of isa::Access.
struct DestinationCode {
  uint place;  // registers, t, bm or record
  uint first;
  uint step;
  uint is_long;
  uint indirect;
  uint flag;
  uint inverted;
  uint jvalid;
};

/// Corresponds to isa::UnitWork.
struct UnitCode {
  struct OperandCode a;
  struct OperandCode b;
  struct DestinationCode destinations[3];
  uint destination_count;
  uint unit;
  uint op;  // of BM: 0, the word is moved
  uint is_long;
  uint one_pe;
  uint pe;
  uint flag;
  uint condition;
  uint predicate;
  uint inverted;
  uint jvalid;
  uint padding;
};

/// Corresponds to isa::LineWork, without units that compute nothing.
struct LineCode {
  struct UnitCode units[4];
  uint unit_count;
  uint number;  // index among the section's lines
  uint elements;
  uint mask;
  uint mask_inverted;
  uint in_order;  // elements write to the same word, so they land one after the other
};

/// A step of a section: a line, a collect of words of BM, or nothing.
struct StepCode {
  uint kind;
  uint place;  // index of the line; for a collect the first short word
  uint words;  // long words of a collect
  uint not_first;
};

/// The steps of all sections, one section after the other.
struct SectionsCode {
  uint begin[4];
  uint end[4];
  uint record_words;
  uint padding;
};

/// Some turns of a block.
struct TaskCode {
  ulong record;           // record of block 0 in turn 0 of the piece, in long words of all external memories
  ulong records;          // number of records of the piece
  ulong run;              // for events and faults
  ulong first_iteration;  // also for events and faults: iteration of turn 0
  ulong first_turn;
  ulong end_turn;
  ulong collected;  // place of the next word that the block sends to the tree
  uint place;       // index of the block among those of all chips
  uint block;
  uint live_pes;
  uint opens;   // 1 + the section that runs before the turns; 0: none
  uint ends;    // loop termination runs after the turns
  uint begins;  // the piece is the first of its run
};

/// Event counts of a PE, and its first events: run; section and iteration; line, element, unit and kind.
struct PeEvents {
  ulong counts[3];
  ulong kept;
  ulong keys[8][3];
};

/// The first fault of a PE: a key as for events, the address without T, and T.
struct PeFault {
  ulong found;
  ulong key[3];
  ulong address;
  ulong t_high;
  ulong t_low;
};

/// A field of the host's records: the place of its words in PEs, and their reduction in the tree.
struct FieldCode {
  uint row;
  uint of_pe;  // number of words of a PE
  uint is_long;
  uint reduction;  // 0: none, the words of one block are taken
  uint node_is_long;
  uint block;  // this one
};
