// The GRAPE-5 library's functions under one set of names, for its C and its Fortran face: forces of a shared time step,
// as tree codes use them. docs/nbody/grape6.md says what is particular here.
//
// A device is one emulated device (GDR_BOARDS boards) with a number from 0 to 63; the functions without a number mean
// device 0. Different devices may be used from different threads. The functions have no status: standard error tells a
// failure once, and the results are NaN.
#pragma once

namespace gdr::grape::g5 {

using Vectors = double (*)[3];
using ConstVectors = const double (*)[3];

void open(int device) noexcept;
/// Gives all devices back.
void close() noexcept;
void close(int device) noexcept;
/// i-particles of a call as the caller should plan them; GDR_G5_NPIPES, otherwise 128. Calls take any number.
int pipelines() noexcept;
/// j-particles that a device holds.
int j_capacity(int device) noexcept;

/// The scale of a cutoff function's table, which this library has none of: forces reach to any distance. Standard error
/// says so once for a scale that is not 0.
void set_eta(double eta) noexcept;
/// Of all devices, for i-particles that have none of their own.
void set_eps2(double eps2) noexcept;
/// Of one device, until the next call for all of them.
void set_eps2(int device, double eps2) noexcept;
void set_nj(int device, int nj) noexcept;
/// j-particles `address` and following from x[0 .. n - 1] and m[0 .. n - 1].
void set_j(int device, int address, int n, ConstVectors x, const double* m) noexcept;
/// One of the two only; the other one stays, and is 0 if it was never set.
void set_j_positions(int device, int address, int n, ConstVectors x) noexcept;
void set_j_masses(int device, int address, int n, const double* m) noexcept;
void set_i(int device, int n, ConstVectors x) noexcept;
/// With eps2[0 .. n - 1], a softening for each.
void set_i(int device, int n, ConstVectors x, const double* eps2) noexcept;
/// eps[0 .. n - 1] for the first n i-particles of set_i(), not squared.
void set_eps(int device, int n, const double* eps) noexcept;
void run(int device) noexcept;
/// Forces on the first n i-particles of set_i(): a = sum m d / r^3, p = sum m / r (GDR_G5_POTENTIAL=negative: minus
/// it), r^2 = d.d + eps2. A pair with r = 0 adds nothing; the particle itself, if it is among the j-particles, adds m /
/// eps to p.
void get_force(int device, int n, Vectors a, double* p) noexcept;
void force_on(int device, ConstVectors x, Vectors a, double* p, int n) noexcept;
void force_on(int device, ConstVectors x, const double* eps2, Vectors a, double* p, int n) noexcept;

}  // namespace gdr::grape::g5
