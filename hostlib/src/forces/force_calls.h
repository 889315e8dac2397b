// What every force engine refuses of its caller, in the same words: nothing is written before all of a call is checked.
#pragma once

#include <cstddef>
#include <span>

#include "gdr/hostlib/force_backend.h"

namespace gdr::hostlib {

/// Throws gdr::Error as ForceBackend::set_j_particles() does.
void require_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles,
                         std::size_t j_count);
/// Throws gdr::Error as ForceBackend::set_time() does.
void require_time(double t);
/// Throws gdr::Error as ForceBackend::evaluate() does.
void require_i_particles(std::span<const IParticle> particles, double eps2);

}  // namespace gdr::hostlib
