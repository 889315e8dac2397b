#include "totals_json.h"

#include <nlohmann/json.hpp>

namespace gdr::emulator {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FpEvents, invalid, overflow, underflow)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FpLanes, all, slow)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ConversionEvents, overflow, underflow, saturated)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counters, runs, iterations, lines, adder_lines, multiplier_lines, alu_lines,
                                   bm_lines, host_bytes_in, host_bytes_out, em_words_written, em_words_read, idp_words,
                                   odp_words, ring_words, fp, fp_lanes, conversions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageSeconds, i_send, j_send, compute, add, host)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunClocks, i_load, loop_initialization, first_record, loop_body, stall,
                                   loop_termination, collection, stalls)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BoardTotals, seconds, clocks, interactions, runs, iterations, counters, busy)

}  // namespace gdr::emulator

namespace gdr::hostlib {

nlohmann::json to_json(const DeviceTotals& totals) {
  return {{"emulated", totals.emulated}, {"counters", totals.counters}};
}

DeviceTotals totals_from(const nlohmann::json& json) {
  return {json.at("emulated").get<emulator::BoardTotals>(), json.at("counters").get<emulator::Counters>()};
}

}  // namespace gdr::hostlib
