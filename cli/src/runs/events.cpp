#include "events.h"

#include <fmt/format.h>

#include "gdr/hostlib/run_rules.h"

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

void print_events(std::FILE* out, const Device& device, const TakenEvents& taken) {
  emulator::Counters untaken;
  std::optional<std::vector<emulator::PlacedEvent>> first;
  if (taken) untaken.fp = taken->untaken, first = taken->first;
  for (const std::string& text : hostlib::event_texts(device, untaken, first)) {
    fmt::print(out, "{}{}\n", text.starts_with(' ') ? "" : "gdr run: ", text);
  }
}

}  // namespace gdr::cli
