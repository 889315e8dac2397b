// Snapshots of other codes in HDF5.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {

/// Ids in a dataset of integers. Numbers of 64 bits without a sign, as AMUSE's random keys are, count the particles
/// from 0 on if one of them can be no id on every engine.
[[nodiscard]] std::vector<std::int64_t> ids_in(hid_t group, const char* name);

/// Gadget's third form, as Gadget 2 to 4, Arepo, SWIFT and Gizmo write it: a group Header, and groups PartType0, ...
[[nodiscard]] bool is_gadget(hid_t file);
[[nodiscard]] LoadedSnapshot gadget_snapshot(hid_t file);
/// The bytes of such a file, in which all particles are of type 1.
[[nodiscard]] std::string gadget_image(const Snapshot& snapshot);

/// Snapshots of NBODY6++GPU (`snap.40_*.h5part`, by its source of 2021 and later): groups Step#0, Step#1, ... The last
/// one is read.
[[nodiscard]] bool is_h5part(hid_t file);
[[nodiscard]] LoadedSnapshot h5part_snapshot(hid_t file);

}  // namespace gdr::hostlib
