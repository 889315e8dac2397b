// Any text as a description of each kind: refused by gdr::Error, or a machine whose parameters are what their rules
// say.
#include <cmath>

#include "fuzz.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/peach2.h"
#include "gdr/interconnect/platform.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  const std::string_view text = fuzz::text_of(data, size);
  emulator::MachineDescription machine;
  if (!fuzz::refuses([&] { machine = emulator::parse_machine(text, "fuzz.toml"); })) {
    FUZZ_HOLDS(machine.chips >= 1 && machine.clock_mhz > 0 && machine.em_words > 0);
    for (const base::Parameter& parameter : machine.parameters) {
      FUZZ_HOLDS(std::isfinite(parameter.value) && !parameter.unit.empty() && parameter.origin.size() >= 3);
    }
  }
  static const fuzz::ScratchFile file(".toml");
  file.write(text);
  const std::string path = file.path().string();
  fuzz::refuses([&] { static_cast<void>(interconnect::load_platform(path)); });
  fuzz::refuses([&] { static_cast<void>(interconnect::load_peach2(path)); });
  fuzz::refuses([&] { static_cast<void>(interconnect::load_ha_pacs_tca(path)); });
  fuzz::refuses([&] { static_cast<void>(load_host(path)); });
  return 0;
}
