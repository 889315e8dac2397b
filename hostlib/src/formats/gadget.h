// What the headers of Gadget's snapshots say of the particles, in its binary files and in HDF5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gdr::hostlib {

struct GadgetHeader {
  std::vector<std::uint64_t> here;        // particles of each type in this file
  std::vector<std::uint64_t> everywhere;  // in all files of the snapshot; 0 where a writer leaves it out
  std::int64_t files = 1;
  double time = 0.0;
  double redshift = 0.0;
  double omega0 = 0.0;              // density of matter over the critical density
  double hubble = 1.0;              // HubbleParam; 0 if a writer leaves it out
  std::optional<bool> is_comoving;  // as the run's parameters in the file say it ...
  std::string comoving_name;        // ... under this name
};

/// Why the particles are not those of a whole snapshot in physical coordinates; nothing if they are.
[[nodiscard]] std::optional<std::string> why_refused(const GadgetHeader& header);

/// The note for a file that states no units.
[[nodiscard]] std::string note_without_units(const GadgetHeader& header);

/// True if Gadget's units of mass and length are divided by HubbleParam.
[[nodiscard]] inline bool has_hubble(const GadgetHeader& header) { return header.hubble != 0 && header.hubble != 1; }

}  // namespace gdr::hostlib
