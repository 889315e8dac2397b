// States of the integrator whose options are changed between two runs.
#include <algorithm>
#include <utility>

#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {

void change_eta(HermiteState& state, double eta) {
  const double ratio = eta / state.options.eta;
  state.options.eta = eta;
  for (HermiteBody& body : state.bodies) {
    const double wanted = static_cast<double>(body.dt) * ratio;
    while (body.dt > 1 && static_cast<double>(body.dt) > wanted && body.t + body.dt / 2 > state.time) body.dt /= 2;
  }
}

HermiteState begun_anew(ForceBackend& backend, const HermiteState& state, const Particles& particles,
                        const HermiteOptions& options) {
  HermiteState begun = HermiteIntegrator(backend, particles, options).state();
  begun.time = state.time;
  begun.counters = state.counters;
  for (HermiteBody& body : begun.bodies) {
    body.t = state.time;
    while (body.t % body.dt != 0) body.dt /= 2;  // a particle's time is a multiple of its step
  }
  return begun;
}

}  // namespace gdr::hostlib
