// The types that host and device exchange. Both compilers read this file: the C++ compiler as an include, the OpenCL
// compiler as the first lines of machine.cl. Fields of 64 bits come first, so that there is no padding.

/// Corresponds to isa::ReadPort.
struct PortCode {
  uint address;  // row; for BM in short words
  uint is_long;
  uint is_vector;
  uint indirect;
};

/// Corresponds to isa::WritePort, and the predicate to isa::Predicate.
struct WriteCode {
  uint source;
  uint row;
  uint is_long;
  uint is_vector;
  uint indirect;
  uint flag;
  uint inverted;
  uint jvalid;
};

/// Corresponds to isa::Slot.
struct SlotCode {
  uint op;  // 0: nothing to compute
  uint unit;
  uint a;
  uint b;
  uint negate_a;
  uint negate_b;
  uint is_long;
  uint flag;
  uint condition;
  uint predicate;
  uint inverted;
  uint jvalid;
};

/// A decoded line; corresponds to isa::Line.
struct LineCode {
  ulong immediate_high;
  ulong immediate_low;
  uint number;  // index among the section's lines
  uint elements;
  uint mask;
  uint mask_inverted;
  struct PortCode gpr_a;
  struct PortCode gpr_b;
  struct PortCode lm;
  struct PortCode bm;
  uint bm_mode;
  uint bm_record;
  uint bm_source;
  uint bm_one_pe;
  uint bm_pe;
  uint padding;
  struct WriteCode t_write;
  struct WriteCode gpr_write;
  struct WriteCode lm_write;
  struct SlotCode slots[3];
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
  uint reduction;  // 0: none, the words of block 0 are taken
  uint node_is_long;
  uint padding;
};
