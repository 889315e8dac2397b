// Checkpoints: the complete state of an integration in a file. A restart from it continues with the same bits.
#pragma once

#include <filesystem>
#include <string>

#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {

struct Checkpoint {
  HermiteState state;
  double initial_energy = 0.0;  // E at time 0, to which energy errors refer
  std::string context;          // further data of the program that writes the file, UTF-8; see nbody_run.h

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// Writes the file atomically and durably: magic, version, context, the state as little-endian 64-bit words, and the
/// SHA-256 of all these in hex digits (layout in docs/nbody/nbody.md). When the new one is on the disk, an earlier
/// checkpoint at `path` becomes previous_checkpoint(), unless a file is there that is no checkpoint. Throws gdr::Error
/// if the file cannot be written; both old checkpoints are as they were then.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// The name of the checkpoint before: `path` with `~` appended.
[[nodiscard]] std::filesystem::path previous_checkpoint(const std::filesystem::path& path);
/// Throws gdr::Error if something is there that is no checkpoint, and would be lost.
void require_room_for_previous(const std::filesystem::path& path);

/// Reads a checkpoint. Throws gdr::Error with file and reason if the file is not a checkpoint, has another version, is
/// truncated or damaged (checksum), or holds a state that breaks the integrator's rules.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace gdr::hostlib
