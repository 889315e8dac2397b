#include "events.h"

#include <fmt/format.h>

namespace gdr::cli {
namespace {

Json place_json(const isa::Program& program, const emulator::PePlace& place) {
  return {{"run", place.run},
          {"section", isa::key_of(place.section)},
          {"iteration", place.section == isa::Section::loop_body ? Json(place.iteration) : Json(nullptr)},
          {"line", place.line},
          {"source", emulator::source_place(program, place.section, place.line)},
          {"chip", place.chip},
          {"block", place.block},
          {"pe", place.pe},
          {"element", place.element}};
}

}  // namespace

Json events_json(const Device& device, const emulator::Fault* fault, const TakenEvents& taken) {
  const auto counts_json = [](const emulator::FpEvents& counts) {
    return Json{{"invalid", counts.invalid}, {"overflow", counts.overflow}, {"underflow", counts.underflow}};
  };
  Json json = counts_json(device.counters().fp);
  json["untaken"] = taken ? counts_json(taken->untaken) : Json(nullptr);
  json["first"] = Json::array();
  for (const emulator::PlacedEvent& event : taken ? taken->first : device.first_events()) {
    Json first = place_json(device.program(), event.place);
    first["event"] = emulator::name_of(event.event);
    first["unit"] = isa::name_of(event.unit);
    json["first"].push_back(std::move(first));
  }
  json["first_junctions"] = Json::array();
  for (const emulator::JunctionEvent& event : device.first_junction_events()) {
    const bool tree = event.junction == emulator::Junction::tree;
    json["first_junctions"].push_back({{"event", emulator::name_of(event.event)},
                                       {"junction", emulator::name_of(event.junction)},
                                       {"run", event.run},
                                       {"chip", event.chip},
                                       {"first_block", tree ? Json(event.first_block) : Json(nullptr)},
                                       {"blocks", tree ? Json(event.blocks) : Json(nullptr)},
                                       {"variable", device.program().variables[event.variable].name},
                                       {"result", event.result}});
  }
  json["fault"] = nullptr;
  if (fault != nullptr) {
    json["fault"] = fault->place() ? place_json(device.program(), *fault->place()) : Json::object();
    json["fault"]["message"] = fault->what();
  }
  return json;
}

namespace {

void print_conversion_events(std::FILE* out, const emulator::ConversionEvents& counts) {
  const std::uint64_t all = counts.overflow + counts.underflow + counts.saturated;
  if (all == 0) return;
  fmt::print(out, "gdr run: {} event{} of conversions: {} overflow, {} underflow, {} saturated\n", all,
             all == 1 ? "" : "s", counts.overflow, counts.underflow, counts.saturated);
}

}  // namespace

void print_events(std::FILE* out, const Device& device, const TakenEvents& taken) {
  print_conversion_events(out, device.counters().conversions);
  emulator::FpEvents counts = device.counters().fp;
  if (taken) {
    counts.invalid -= taken->untaken.invalid;
    counts.overflow -= taken->untaken.overflow;
    counts.underflow -= taken->untaken.underflow;
  }
  const std::uint64_t all = counts.invalid + counts.overflow + counts.underflow;
  if (all == 0) return;
  fmt::print(out, "gdr run: {} floating-point event{}: {} invalid, {} overflow, {} underflow\n", all,
             all == 1 ? "" : "s", counts.invalid, counts.overflow, counts.underflow);
  const auto first = taken ? taken->first : device.first_events();
  for (const emulator::PlacedEvent& event : first) {
    fmt::print(out, "  {}: {}\n", emulator::source_place(device.program(), event.place.section, event.place.line),
               emulator::text_of(event));
  }
  const auto junctions = device.first_junction_events();
  for (const emulator::JunctionEvent& event : junctions) {
    fmt::print(out, "  {}\n", emulator::text_of(device.program(), event));
  }
  const std::size_t told = first.size() + junctions.size();
  if (all > told) fmt::print(out, "  ... {} more\n", all - told);
}

}  // namespace gdr::cli
