#include "totals_json.h"

#include <array>
#include <concepts>
#include <string_view>

namespace gdr::hostlib {
namespace {

using base::Json;
using base::JsonValue;

// The fields of all totals, each with its key. Writing and reading use the same list.

template <class Visit>
void visit_fields(emulator::FpEvents& events, const Visit& visit) {
  visit("invalid", events.invalid);
  visit("overflow", events.overflow);
  visit("underflow", events.underflow);
}

template <class Visit>
void visit_fields(emulator::FpLanes& lanes, const Visit& visit) {
  visit("all", lanes.all);
  visit("slow", lanes.slow);
}

template <class Visit>
void visit_fields(emulator::ConversionEvents& events, const Visit& visit) {
  visit("overflow", events.overflow);
  visit("underflow", events.underflow);
  visit("saturated", events.saturated);
}

template <class Visit>
void visit_fields(emulator::Counters& counters, const Visit& visit) {
  visit("runs", counters.runs);
  visit("iterations", counters.iterations);
  visit("lines", counters.lines);
  visit("adder_lines", counters.adder_lines);
  visit("multiplier_lines", counters.multiplier_lines);
  visit("alu_lines", counters.alu_lines);
  visit("bm_lines", counters.bm_lines);
  visit("host_bytes_in", counters.host_bytes_in);
  visit("host_bytes_out", counters.host_bytes_out);
  visit("em_words_written", counters.em_words_written);
  visit("em_words_read", counters.em_words_read);
  visit("idp_words", counters.idp_words);
  visit("odp_words", counters.odp_words);
  visit("ring_words", counters.ring_words);
  visit("fp", counters.fp);
  visit("fp_lanes", counters.fp_lanes);
  visit("conversions", counters.conversions);
}

template <class Visit>
void visit_fields(emulator::StageSeconds& seconds, const Visit& visit) {
  visit("i_send", seconds.i_send);
  visit("j_send", seconds.j_send);
  visit("compute", seconds.compute);
  visit("add", seconds.add);
  visit("host", seconds.host);
}

template <class Visit>
void visit_fields(emulator::RunClocks& clocks, const Visit& visit) {
  visit("i_load", clocks.i_load);
  visit("loop_initialization", clocks.loop_initialization);
  visit("first_record", clocks.first_record);
  visit("loop_body", clocks.loop_body);
  visit("stall", clocks.stall);
  visit("loop_termination", clocks.loop_termination);
  visit("collection", clocks.collection);
  visit("stalls", clocks.stalls);
}

template <class Visit>
void visit_fields(emulator::BoardTotals& totals, const Visit& visit) {
  visit("seconds", totals.seconds);
  visit("clocks", totals.clocks);
  visit("interactions", totals.interactions);
  visit("runs", totals.runs);
  visit("iterations", totals.iterations);
  visit("counters", totals.counters);
  visit("busy", totals.busy);
}

template <class Visit>
void visit_fields(DeviceTotals& totals, const Visit& visit) {
  visit("emulated", totals.emulated);
  visit("counters", totals.counters);
}

Json json_of(std::uint64_t count) { return count; }
Json json_of(double seconds) { return seconds; }
template <class Number, std::size_t size>
Json json_of(const std::array<Number, size>& numbers) {
  return numbers;
}
template <class Totals>
Json json_of(Totals totals) {
  Json json = Json::object();
  visit_fields(totals, [&](std::string_view key, const auto& field) { json[key] = json_of(field); });
  return json;
}

void read(const JsonValue& json, std::uint64_t& count) { count = json.whole<std::uint64_t>(); }
void read(const JsonValue& json, double& seconds) { seconds = json.number(); }
template <class Number, std::size_t size>
void read(const JsonValue& json, std::array<Number, size>& numbers) {
  for (std::size_t i = 0; i < size; ++i) read(json.at(i), numbers[i]);
}
template <class Totals>
void read(const JsonValue& json, Totals& totals) {
  visit_fields(totals, [&](std::string_view key, auto& field) { read(json.at(key), field); });
}

}  // namespace

Json to_json(const DeviceTotals& totals) { return json_of(totals); }

DeviceTotals totals_from(const JsonValue& json) {
  DeviceTotals totals;
  read(json, totals);
  return totals;
}

}  // namespace gdr::hostlib
