// gdr net: networks between nodes. Each subcommand stands in a file of its own, net_*.cpp.
#include "command.h"

namespace gdr::cli {

void add_net(CLI::App& program) {
  CLI::App* net = program.add_subcommand("net", "networks between nodes: messages, matrix products, task mapping");
  net->require_subcommand(1);
}

}  // namespace gdr::cli
