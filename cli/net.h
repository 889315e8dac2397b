// What the subcommands of gdr net share: the platform and how it is simulated.
#pragma once

#include <string>

#include "command.h"
#include "gdr/interconnect/platform.h"

namespace gdr::cli {

/// Options of every subcommand that runs on a platform of Urino 2020, or on one described in a file.
struct PlatformArguments {
  std::string topology = "hub";
  std::string network;  // a description instead of the topology's own
  std::uint32_t nodes = 0;
  std::string tie = "plus";
  std::string routing = "destination";

  void add_to(CLI::App& command);
  [[nodiscard]] interconnect::Platform load() const;
};

// One function a subcommand; each adds itself to `net`.
void add_net_halo(CLI::App& net);
void add_net_pingpong(CLI::App& net);
void add_net_routes(CLI::App& net);
void add_net_stencils(CLI::App& net);  // laplace and himeno
void add_net_map(CLI::App& net);

}  // namespace gdr::cli
