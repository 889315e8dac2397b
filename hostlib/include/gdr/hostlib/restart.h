// A restart continues as its checkpoint began, except for what its user names.
#pragma once

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>

#include "gdr/emulator/machine.h"
#include "gdr/emulator/transfer_mode.h"
#include "gdr/hostlib/nbody_run.h"

namespace gdr::hostlib {

/// What a checkpoint says of the run that wrote it. Throws gdr::Error as read_checkpoint() does.
[[nodiscard]] Provenance provenance_in(const std::filesystem::path& checkpoint);

/// Makes the choices of `written` those of a restart, unless `is_given` is true for the choice's name: `engine`,
/// `kernel`, `machine`, `clock`, `transfer` or `boards`. An exact engine may be continued by any other, so the usual
/// one is kept. A machine from a file that is not installed, and its clock, must be given. `Options` has the members of
/// DeviceOptions that are set here.
template <std::predicate<std::string_view> IsGiven, class Options>
void continue_as(const Provenance& written, IsGiven is_given, std::string& kernel, Options& options) {
  if (!is_given("engine") && !written.exact) options.engine = written.engine;
  if (options.engine == kDirectEngine || !written.has_board()) return;
  if (!is_given("kernel")) kernel = written.kernel;
  if (!is_given("boards")) options.boards = written.boards;
  for (const auto mode : {emulator::TransferMode::as_of_2009, emulator::TransferMode::ideal}) {
    if (!is_given("transfer") && name_of(mode) == written.transfer) options.transfer = mode;
  }
  const bool is_installed = std::ranges::count(emulator::machine_names(), written.machine) > 0;
  if (!is_given("machine") && is_installed) options.machine = written.machine;
  if (!is_given("clock") && options.machine == written.machine) options.clock_mhz = written.clock_mhz;
}

}  // namespace gdr::hostlib
