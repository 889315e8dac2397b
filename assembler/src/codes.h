// Numbers of the diagnostics; their long texts stand in explanations.cpp.
#pragma once

namespace gdr::assembler {

enum class Code : unsigned {
  // reading
  syntax = 101,
  unknown_name = 102,
  unknown_operation = 103,
  duplicate_name = 104,
  misplaced = 105,
  expression = 106,
  block = 107,
  too_long = 108,
  include = 109,
  macro = 110,
  kernel = 111,
  // declarations
  place_of_transfer = 120,
  conversion = 121,
  reduction = 122,
  memory_full = 123,
  shape = 124,
  alias = 125,
  parameter = 126,
  register_name = 127,
  // operands
  operand_count = 140,
  operand_kind = 141,
  width = 142,
  multiplier_width = 143,
  negation = 144,
  address = 145,
  subscript = 146,
  immediate = 147,
  identity = 148,
  flag = 149,
  predicate = 150,
  sequencer = 151,
  pe_number = 152,
  destination_twice = 153,
  // ports
  unit_taken = 160,
  gpr_read_port = 161,
  lm_read_port = 162,
  write_port = 163,
  bm_port = 164,
  immediate_port = 165,
  adder_claimed = 166,
  // proof
  hazard = 180,
  not_forwarded = 181,
  t_width = 182,
  uninitialised = 183,
  result_unset = 184,
  long_product = 185,
  record_outside_body = 186,
  read_only = 187,
  overlap = 188,
  elements_collide = 189,
  move = 190,
  move_overlap = 191,
};

}  // namespace gdr::assembler
