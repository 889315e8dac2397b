#include "gadget.h"

#include <fmt/format.h>

#include <cmath>

namespace gdr::hostlib {
namespace {

std::optional<std::string> why_a_part(const GadgetHeader& header) {
  constexpr std::string_view kWayOut = "write it into one";
  if (header.files > 1) return fmt::format("the snapshot is in {} files: {}", header.files, kWayOut);
  for (std::size_t type = 0; type < header.here.size() && type < header.everywhere.size(); ++type) {
    if (header.everywhere[type] <= header.here[type]) continue;
    return fmt::format("the snapshot has {} particles of type {}, and this file {} of them: {}",
                       header.everywhere[type], type, header.here[type], kWayOut);
  }
  return std::nullopt;
}

struct Sign {
  std::string found;
  std::string way_out;
};

/// What tells that the run was cosmological. Gadget writes a redshift only for such runs [Springel 2005, Gadget-2's
/// io.c]; at the redshift 0 its time, the scale factor, is 1.
std::optional<Sign> sign_of_expansion(const GadgetHeader& header) {
  constexpr double kNearNow = 1e-6;
  if (header.is_comoving) {
    if (!*header.is_comoving) return std::nullopt;
    return Sign{fmt::format("{} = 1", header.comoving_name), fmt::format("{} = 0", header.comoving_name)};
  }
  if (header.redshift != 0) return Sign{fmt::format("Redshift = {}", header.redshift), "Redshift = 0"};
  if (header.omega0 > 0 && std::abs(header.time - 1) < kNearNow) {
    return Sign{fmt::format("Omega0 = {} at Time = {}", header.omega0, header.time), "Omega0 = 0"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_refused(const GadgetHeader& header) {
  if (std::optional<std::string> part = why_a_part(header)) return part;
  const std::optional<Sign> sign = sign_of_expansion(header);
  if (!sign) return std::nullopt;
  return fmt::format(
      "the snapshot is cosmological ({}): coordinates are comoving, velocities are without the expansion, and the time "
      "is the scale factor, but gdr integrates physical coordinates in a space that does not expand: convert the "
      "particles, and write a header with {}",
      sign->found, sign->way_out);
}

std::string note_without_units(const GadgetHeader& header) {
  return fmt::format("the file states no units{}: numbers are taken as they are, with G = 1, or in those of --units",
                     has_hubble(header) ? fmt::format(", and HubbleParam = {}, by which Gadget divides its units of "
                                                      "mass and length",
                                                      header.hubble)
                                        : "");
}

}  // namespace gdr::hostlib
