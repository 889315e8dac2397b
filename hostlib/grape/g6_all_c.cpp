// The GRAPE-6 library's functions for all cards of a host together, as C programs call them: those of g6_c.cpp without
// a cluster's number. All cards are the boards of cluster 0 (GDR_BOARDS), which has one memory over them.
#include "g6.h"

#define GDR_G6_ALL extern "C" [[gnu::visibility("default")]] int

namespace g6 = gdr::grape::g6;
using g6::ConstVectors;
using g6::Vectors;

namespace {
constexpr int kAll = 0;  // cluster
}

GDR_G6_ALL g6_open_all() { return g6::open(kAll); }
GDR_G6_ALL g6_close_all() { return g6::close(kAll); }
GDR_G6_ALL g6_reset_all() { return g6::reset(kAll); }
GDR_G6_ALL g6_reset_fofpga_all() { return g6::reset(kAll); }
GDR_G6_ALL g6_reinitialize_all() { return g6::reset(kAll); }
GDR_G6_ALL g6_getnjmax_all() { return g6::j_capacity(kAll); }
GDR_G6_ALL g6_initialize_jp_buffer_all(int) { return 0; }
GDR_G6_ALL g6_flush_jp_buffer_all() { return 0; }

GDR_G6_ALL g6_set_ti_all(double t) { return g6::set_ti(kAll, t); }
GDR_G6_ALL g6_set_j_particle_all(int address, int index, double t, double, double mass, const double* a2by18,
                                 const double* a1by6, const double* aby2, const double* v, const double* x) {
  return g6::set_j_particle(kAll, {address, index, t, mass, a2by18, a1by6, aby2, v, x});
}
GDR_G6_ALL g6_set_j_particle_mxonly_all(int address, int index, double mass, const double* x) {
  return g6::set_j_particle(kAll, {address, index, 0, mass, nullptr, nullptr, nullptr, nullptr, x});
}
GDR_G6_ALL g6_set_njp_all(int nj) { return g6::set_nj(kAll, nj); }
GDR_G6_ALL g6_setup_njdata_all(int nj) { return g6::set_nj(kAll, nj); }

GDR_G6_ALL g6calc_firsthalf_all(int nj, int ni, const int* index, ConstVectors x, ConstVectors v, ConstVectors,
                                ConstVectors, const double*, double eps2, const double* h2) {
  return g6::first_half("g6calc_firsthalf_all", kAll, {nj, ni, index, x, v, &eps2, false, h2});
}
GDR_G6_ALL g6calc_lasthalf_all(int, int ni, const int*, ConstVectors, ConstVectors, double, const double*, Vectors acc,
                               Vectors jerk, double* pot) {
  return g6::last_half("g6calc_lasthalf_all", kAll, ni, {acc, jerk, pot});
}
GDR_G6_ALL g6calc_lasthalf2_all(int, int ni, const int*, ConstVectors, ConstVectors, double, const double*, Vectors acc,
                                Vectors jerk, double* pot, int* nearest) {
  return g6::last_half("g6calc_lasthalf2_all", kAll, ni, {acc, jerk, pot, nearest});
}

GDR_G6_ALL g6_read_neighbour_list_all() { return g6::read_neighbour_list(kAll); }
GDR_G6_ALL g6_get_neighbour_list_all(int pipe, int most, int* length, int* list) {
  return g6::get_neighbour_list(kAll, pipe, most, length, list);
}
GDR_G6_ALL g6_get_predicted_j_particles_all(int nj, Vectors x, Vectors v) { return g6::predicted(kAll, nj, x, v); }

GDR_G6_ALL g6_set_nip_all(int ni) { return g6::set_ni(kAll, ni); }
GDR_G6_ALL g6_set_i_particle_all(int address, int index, const double* x, const double* v, double eps2, double h2) {
  return g6::set_i_particle(kAll, address, index, x, v, eps2, h2);
}
GDR_G6_ALL g6_set_i_particle_scales_from_real_value_all(int, const double*, const double*, double, double, double) {
  return 0;  // exponents of GRAPE-6's block floating point
}
GDR_G6_ALL g6_get_force_all(Vectors acc, Vectors jerk, double* pot, int* flag) {
  return g6::get_force("g6_get_force_all", kAll, acc, jerk, pot, nullptr, flag);
}
GDR_G6_ALL g6_get_force_etc_all(Vectors acc, Vectors jerk, double* pot, int* nearest, int* flag) {
  return g6::get_force("g6_get_force_etc_all", kAll, acc, jerk, pot, nearest, flag);
}
