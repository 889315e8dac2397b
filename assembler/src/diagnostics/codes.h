// Numbers of the diagnostics; their long texts are in explanations.cpp.
#pragma once

#include <optional>

#include "gdr/assembler/assembler.h"

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
  experiment = 192,
  // data flow
  masked_definition = 200,
  overwritten_input = 201,
  short_vector = 202,
  shared_register = 203,
  width_mismatch = 204,
  start_of_reduction = 205,
  unused = 206,
  event_prone = 207,
  number_type = 208,
  short_read = 209,
  one_block = 210,
};

/// The warning that a code belongs to; nothing if the code is an error.
[[nodiscard]] constexpr std::optional<Warning> warning_of(Code code) {
  switch (code) {
    case Code::overlap:
    case Code::shared_register:
      return Warning::overlap;
    case Code::elements_collide:
      return Warning::collision;
    case Code::masked_definition:
      return Warning::masked_definition;
    case Code::overwritten_input:
      return Warning::overwritten_input;
    case Code::short_vector:
    case Code::short_read:
      return Warning::short_vector;
    case Code::width_mismatch:
      return Warning::width;
    case Code::start_of_reduction:
      return Warning::identity;
    case Code::unused:
      return Warning::unused;
    case Code::event_prone:
      return Warning::event_prone;
    case Code::number_type:
      return Warning::type;
    case Code::one_block:
      return Warning::one_block;
    case Code::syntax:
    case Code::unknown_name:
    case Code::unknown_operation:
    case Code::duplicate_name:
    case Code::misplaced:
    case Code::expression:
    case Code::block:
    case Code::too_long:
    case Code::include:
    case Code::macro:
    case Code::kernel:
    case Code::place_of_transfer:
    case Code::conversion:
    case Code::reduction:
    case Code::memory_full:
    case Code::shape:
    case Code::alias:
    case Code::parameter:
    case Code::register_name:
    case Code::operand_count:
    case Code::operand_kind:
    case Code::width:
    case Code::multiplier_width:
    case Code::negation:
    case Code::address:
    case Code::subscript:
    case Code::immediate:
    case Code::identity:
    case Code::flag:
    case Code::predicate:
    case Code::sequencer:
    case Code::pe_number:
    case Code::destination_twice:
    case Code::unit_taken:
    case Code::gpr_read_port:
    case Code::lm_read_port:
    case Code::write_port:
    case Code::bm_port:
    case Code::immediate_port:
    case Code::adder_claimed:
    case Code::hazard:
    case Code::not_forwarded:
    case Code::t_width:
    case Code::uninitialised:
    case Code::result_unset:
    case Code::long_product:
    case Code::record_outside_body:
    case Code::read_only:
    case Code::move:
    case Code::move_overlap:
    case Code::experiment:
      break;
  }
  return std::nullopt;
}

}  // namespace gdr::assembler
