// The object behind the handle of the C interface.
#pragma once

#include <string>

#include "gdr/interconnect/tca.h"
#include "gdr/interconnect/tca_machine.h"

struct gdr_tca {
  explicit gdr_tca(int nodes)
      : machine(gdr::interconnect::load_peach2(), gdr::interconnect::load_ha_pacs_tca(), nodes) {}
  gdr::interconnect::TcaMachine machine;
  std::string error;
};
