// Texts and JSON of events, for all faces.
#include "gdr/hostlib/run_events.h"

#include <fmt/format.h>

#include "gdr/hostlib/device.h"

namespace gdr::hostlib {
namespace {

using emulator::FpEvents;

FpEvents since(const FpEvents& before, const FpEvents& now) {
  return {now.invalid - before.invalid, now.overflow - before.overflow, now.underflow - before.underflow};
}

std::uint64_t number_of(const FpEvents& events) { return events.invalid + events.overflow + events.underflow; }

std::string text_of_conversions(const emulator::ConversionEvents& converted) {
  const std::uint64_t all = converted.overflow + converted.underflow + converted.saturated;
  return fmt::format("{} event{} of conversions: {} overflow, {} underflow, {} saturated", all, all == 1 ? "" : "s",
                     converted.overflow, converted.underflow, converted.saturated);
}

std::string text_of_unfollowed(std::uint64_t number, std::uint64_t untaken, std::string_view why) {
  std::string text = fmt::format(
      "  {} of these {} not followed, because {}: they may be those of blocks without a j-record, or on paths that no "
      "result takes",
      number, number == 1 ? "was" : "were", why);
  if (untaken > 0) text += fmt::format("; {} others were followed, and no result took their values", untaken);
  return text;
}

base::Json place_json(const isa::Program& program, const emulator::PePlace& place, isa::Unit unit = isa::Unit::none) {
  return {{"run", place.run},
          {"section", isa::key_of(place.section)},
          {"iteration", place.section == isa::Section::loop_body ? base::Json(place.iteration) : base::Json(nullptr)},
          {"line", place.line},
          {"source", emulator::source_place(program, place.section, place.line, unit)},
          {"chip", place.chip},
          {"block", place.block},
          {"pe", place.pe},
          {"element", place.element}};
}

base::Json counts_json(const FpEvents& counts) {
  return {{"invalid", counts.invalid}, {"overflow", counts.overflow}, {"underflow", counts.underflow}};
}

}  // namespace

bool any(const FpEvents& events) { return number_of(events) > 0; }

EventTotals event_totals(const Device& device) {
  const RunEvents events = device.events();
  return {device.counters().conversions, events.counts, events.untaken, events.unfollowed};
}

std::vector<std::string> event_texts(const Device& device, const EventTotals& before) {
  std::vector<std::string> texts;
  const emulator::ConversionEvents& conversions = device.counters().conversions;
  const emulator::ConversionEvents converted{conversions.overflow - before.conversions.overflow,
                                             conversions.underflow - before.conversions.underflow,
                                             conversions.saturated - before.conversions.saturated};
  if (converted.overflow + converted.underflow + converted.saturated > 0) {
    texts.push_back(text_of_conversions(converted));
  }
  const RunEvents events = device.events();
  const FpEvents counts = since(before.counts, events.counts);
  const std::uint64_t all = number_of(counts);
  if (all == 0) return texts;
  texts.push_back(fmt::format("{} floating-point event{}: {} invalid, {} overflow, {} underflow", all,
                              all == 1 ? "" : "s", counts.invalid, counts.overflow, counts.underflow));
  if (const FpEvents unfollowed = since(before.unfollowed, events.unfollowed); any(unfollowed)) {
    const std::uint64_t untaken = number_of(since(before.untaken, events.untaken));
    texts.push_back(text_of_unfollowed(number_of(unfollowed), untaken, events.why));
  }
  // Beyond the PEs a device keeps the first events since its kernel was loaded: those of later runs have no places.
  const bool has_earlier = any(before.counts);
  const std::vector<emulator::PlacedEvent>& first = has_earlier ? events.of_last_run : events.first;
  for (const emulator::PlacedEvent& event : first) {
    texts.push_back(fmt::format(
        "  {}: {}", emulator::source_place(device.program(), event.place.section, event.place.line, event.unit),
        emulator::text_of(event)));
  }
  const auto junctions = has_earlier ? std::vector<emulator::JunctionEvent>() : device.first_junction_events();
  for (const emulator::JunctionEvent& event : junctions) {
    texts.push_back("  " + emulator::text_of(device.program(), event));
  }
  const std::size_t told = first.size() + junctions.size();
  if (told > 0 && all > told) texts.push_back(fmt::format("  ... {} more", all - told));
  return texts;
}

base::Json events_json(const Device& device, const emulator::Fault* fault) {
  const RunEvents events = device.events();
  base::Json json = counts_json(events.counts);
  json["untaken"] = counts_json(events.untaken);
  json["unfollowed"] = counts_json(events.unfollowed);
  json["first"] = base::Json::array();
  for (const emulator::PlacedEvent& event : events.first) {
    base::Json first = place_json(device.program(), event.place, event.unit);
    first["event"] = emulator::name_of(event.event);
    first["unit"] = isa::name_of(event.unit);
    json["first"].push_back(std::move(first));
  }
  json["first_junctions"] = base::Json::array();
  for (const emulator::JunctionEvent& event : device.first_junction_events()) {
    const bool tree = event.junction == emulator::Junction::tree;
    json["first_junctions"].push_back({{"event", emulator::name_of(event.event)},
                                       {"junction", emulator::name_of(event.junction)},
                                       {"run", event.run},
                                       {"chip", event.chip},
                                       {"first_block", tree ? base::Json(event.first_block) : base::Json(nullptr)},
                                       {"blocks", tree ? base::Json(event.blocks) : base::Json(nullptr)},
                                       {"variable", device.program().variables[event.variable].name},
                                       {"result", event.result}});
  }
  json["fault"] = nullptr;
  if (fault != nullptr) {
    json["fault"] = fault->place() ? place_json(device.program(), *fault->place()) : base::Json::object();
    json["fault"]["message"] = fault->what();
  }
  return json;
}

}  // namespace gdr::hostlib
