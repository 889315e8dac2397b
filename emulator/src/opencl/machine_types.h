// What host and device hand to each other, as both compilers read it: the C++ compiler as an include, the OpenCL
// compiler as the first lines of machine.cl. Fields of 64 bits stand first, so that nothing is padded.

/// As isa::ReadPort.
struct PortCode {
  uint address;  // row, or of BM: short words
  uint is_long;
  uint is_vector;
  uint indirect;
};

/// As isa::WritePort; the predicate as isa::Predicate.
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

/// As isa::Slot.
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

/// A line, taken apart as isa::Line.
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
  uint place;  // index of the line; of a collect the first short word
  uint words;  // long ones, of a collect
  uint not_first;
};

/// Steps of the sections, one section after the other.
struct SectionsCode {
  uint begin[4];
  uint end[4];
  uint record_words;
  uint padding;
};

/// Some turns of a block.
struct TaskCode {
  ulong record;           // of turn 0 of the piece and block 0, in long words of all external memories
  ulong records;          // of the piece
  ulong run;              // for events and faults
  ulong first_iteration;  // the same, of turn 0
  ulong first_turn;
  ulong end_turn;
  ulong collected;  // where the next word that the block sends to the tree goes
  uint place;       // of the block among those of all chips
  uint block;
  uint live_pes;
  uint opens;   // 1 + the section that runs before the turns; 0: none
  uint ends;    // loop termination runs behind them
  uint begins;  // the piece is the first of its run
};

/// What a PE counted, and the first of it: run; section and iteration; line, element, unit and kind.
struct PeEvents {
  ulong counts[3];
  ulong kept;
  ulong keys[8][3];
};

/// The first fault of a PE: key as of events, the address without T, and T.
struct PeFault {
  ulong found;
  ulong key[3];
  ulong address;
  ulong t_high;
  ulong t_low;
};

/// A field of the host's records: where its words stand in PEs, and how the tree adds them.
struct FieldCode {
  uint row;
  uint of_pe;  // words of a PE
  uint is_long;
  uint reduction;  // 0: block 0 passes
  uint node_is_long;
  uint padding;
};
