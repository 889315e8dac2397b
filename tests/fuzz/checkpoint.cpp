// Any bytes as a checkpoint, its checksum mended so that what is behind it is reached: refused by gdr::Error, or a
// state that is written and read back the same and that the integrator continues.
#include "gdr/hostlib/checkpoint.h"

#include <span>

#include "fuzz.h"
#include "gdr/base/digest.h"
#include "gdr/hostlib/direct_force.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  using namespace gdr::hostlib;
  constexpr std::size_t kDigestBytes = 64;  // SHA-256 of all before it, in hexadecimal
  std::string bytes(fuzz::text_of(data, size));
  if (bytes.size() >= kDigestBytes) {
    bytes.resize(bytes.size() - kDigestBytes);
    bytes += base::sha256_hex(std::as_bytes(std::span(bytes)));
  }
  static const fuzz::ScratchFile file(".ck");
  file.write(bytes);
  Checkpoint checkpoint;
  if (fuzz::refuses([&] { checkpoint = read_checkpoint(file.path()); })) return 0;
  write_checkpoint(file.path(), checkpoint);
  FUZZ_HOLDS(read_checkpoint(file.path()) == checkpoint);
  constexpr std::size_t kMostBodies = 8;
  if (checkpoint.state.bodies.size() > kMostBodies) return 0;
  fuzz::refuses([&] {  // numbers so large that forces are not finite, pairs with more orbits than are followed
    DirectForce force;
    HermiteIntegrator integrator(force, checkpoint.state);
    static_cast<void>(integrator.particles_at(integrator.time()));
    for (int step = 0; step < 8; ++step) integrator.step();
  });
  return 0;
}
