#include "gdr/debugger/run_events.h"

#include <utility>

#include "gdr/hostlib/run_rules.h"

namespace gdr::debugger {
namespace {

base::Json place_json(const isa::Program& program, const emulator::PePlace& place) {
  return {{"run", place.run},
          {"section", isa::key_of(place.section)},
          {"iteration", place.section == isa::Section::loop_body ? base::Json(place.iteration) : base::Json(nullptr)},
          {"line", place.line},
          {"source", emulator::source_place(program, place.section, place.line)},
          {"chip", place.chip},
          {"block", place.block},
          {"pe", place.pe},
          {"element", place.element}};
}

constexpr std::uint64_t kMostLines = 200000;  // some seconds

}  // namespace

std::optional<Debugger::TakenEvents> taken_events_of(const Device& device, Job job) {
  const emulator::FpEvents counts = device.counters().fp;
  if (counts.invalid + counts.overflow + counts.underflow == 0) return std::nullopt;
  return Debugger(std::move(job)).taken_events(kMostLines);
}

std::vector<std::string> event_texts(const Device& device, const std::optional<Debugger::TakenEvents>& taken) {
  if (!taken) return hostlib::event_texts(device);
  emulator::Counters untaken;
  untaken.fp = taken->untaken;
  return hostlib::event_texts(device, untaken, taken->first);
}

base::Json events_json(const Device& device, const emulator::Fault* fault,
                       const std::optional<Debugger::TakenEvents>& taken) {
  const auto counts_json = [](const emulator::FpEvents& counts) {
    return base::Json{{"invalid", counts.invalid}, {"overflow", counts.overflow}, {"underflow", counts.underflow}};
  };
  base::Json json = counts_json(device.counters().fp);
  json["untaken"] = taken ? counts_json(taken->untaken) : base::Json(nullptr);
  json["first"] = base::Json::array();
  for (const emulator::PlacedEvent& event : taken ? taken->first : device.first_events()) {
    base::Json first = place_json(device.program(), event.place);
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

}  // namespace gdr::debugger
