// Checkpoints: the complete state of an integration in a file, for a restart with the same bits.
#pragma once

#include <filesystem>
#include <string>

#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {

struct Checkpoint {
  HermiteState state;
  double initial_energy = 0.0;  // E at time 0, to which energy errors refer
  std::string context;          // what the program that writes it needs beside, UTF-8; see nbody_run.h

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// Writes atomically and durably: magic, version, context, the state as little-endian 64-bit words, SHA-256 of all
/// before it as hex digits (layout in docs/nbody.md). The checkpoint that stood there before stays as `path` with `~`
/// behind it. Throws gdr::Error if the file cannot be written.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Throws gdr::Error naming file and reason if the file is no checkpoint, of another version, truncated, damaged
/// (checksum) or holds a state that breaks the integrator's rules.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace gdr::hostlib
