// The GRAPE-6 library as C programs call it: arguments by value. In an object file of its own, so that a program which
// defines these names itself, around the Fortran ones, links the static library.
#include "g6.h"

#define GDR_G6_C extern "C" [[gnu::visibility("default")]] int

namespace g6 = gdr::grape::g6;
using g6::ConstVectors;
using g6::Vectors;

GDR_G6_C g6_open(int cluster) { return g6::open(cluster); }
GDR_G6_C g6_open_special(int count, const int* list) { return g6::open(count > 0 ? list[0] : 0); }
GDR_G6_C g6_open_special2(int count, const int* list, int) { return g6::open(count > 0 ? list[0] : 0); }
GDR_G6_C g6_close(int cluster) { return g6::close(cluster); }
GDR_G6_C g6_reset(int cluster) { return g6::reset(cluster); }
GDR_G6_C g6_reset_fofpga(int cluster) { return g6::reset(cluster); }
GDR_G6_C g6_reinitialize(int cluster) { return g6::reset(cluster); }
GDR_G6_C g6_npipes() { return g6::pipelines(); }
GDR_G6_C g6_get_number_of_pipelines() { return g6::pipelines(); }
GDR_G6_C g6_getnjmax(int cluster) { return g6::j_capacity(cluster); }

// Scales of GRAPE-6's fixed-point numbers, hints for its buffers and its overflow flags: this board has none of these.
GDR_G6_C g6_set_tunit(int) { return 0; }
GDR_G6_C g6_set_xunit(int) { return 0; }
GDR_G6_C g6_initialize_jp_buffer(int, int) { return 0; }
GDR_G6_C g6_flush_jp_buffer(int) { return 0; }
GDR_G6_C g6_set_overflow_flag_test_mode(int, int, int) { return 0; }
GDR_G6_C g6_changed_index() { return 0; }
GDR_G6_C g6_print_chip_status(int) { return 0; }

GDR_G6_C g6_set_ti(int cluster, double t) { return g6::set_ti(cluster, t); }
GDR_G6_C g6_set_j_particle(int cluster, int address, int index, double t, double, double mass, const double* a2by18,
                           const double* a1by6, const double* aby2, const double* v, const double* x) {
  return g6::set_j_particle(cluster, {address, index, t, mass, a2by18, a1by6, aby2, v, x});
}
GDR_G6_C g6_set_j_particle_mxonly(int cluster, int address, int index, double mass, const double* x) {
  return g6::set_j_particle(cluster, {address, index, 0, mass, nullptr, nullptr, nullptr, nullptr, x});
}
GDR_G6_C g6_set_njp(int cluster, int nj) { return g6::set_nj(cluster, nj); }
GDR_G6_C g6_setup_njdata(int cluster, int nj) { return g6::set_nj(cluster, nj); }

GDR_G6_C g6calc_firsthalf(int cluster, int nj, int ni, const int* index, ConstVectors x, ConstVectors v, ConstVectors,
                          ConstVectors, const double*, double eps2, const double* h2) {
  return g6::first_half("g6calc_firsthalf", cluster, {nj, ni, index, x, v, &eps2, false, h2});
}
GDR_G6_C g6calc_firsthalf0(int cluster, int nj, int ni, const int* index, ConstVectors x, ConstVectors v, ConstVectors,
                           ConstVectors, const double*, const double* eps2, const double* h2, int) {
  return g6::first_half("g6calc_firsthalf0", cluster, {nj, ni, index, x, v, eps2, true, h2});
}

// The second half repeats what the first was given, which GRAPE-6 needed to calculate again after an overflow.
#define GDR_G6_LAST_HALF(name)                                                                                        \
  GDR_G6_C name(int cluster, int, int ni, const int*, ConstVectors, ConstVectors, double, const double*, Vectors acc, \
                Vectors jerk, double* pot) {                                                                          \
    return g6::last_half(#name, cluster, ni, {acc, jerk, pot});                                                       \
  }
#define GDR_G6_LAST_HALF_NEAREST(name)                                                                                \
  GDR_G6_C name(int cluster, int, int ni, const int*, ConstVectors, ConstVectors, double, const double*, Vectors acc, \
                Vectors jerk, double* pot, int* nearest) {                                                            \
    return g6::last_half(#name, cluster, ni, {acc, jerk, pot, nearest});                                              \
  }
#define GDR_G6_LAST_HALF_DISTANCE(name)                                                                               \
  GDR_G6_C name(int cluster, int, int ni, const int*, ConstVectors, ConstVectors, double, const double*, Vectors acc, \
                Vectors jerk, double* pot, int* nearest, float* distance) {                                           \
    return g6::last_half(#name, cluster, ni, {acc, jerk, pot, nearest, distance});                                    \
  }
GDR_G6_LAST_HALF(g6calc_lasthalf)
GDR_G6_LAST_HALF(g6calc_lasthalfn)
GDR_G6_LAST_HALF_NEAREST(g6calc_lasthalf2)
GDR_G6_LAST_HALF_NEAREST(g6calc_lasthalf2n)
GDR_G6_LAST_HALF_DISTANCE(g6calc_lasthalf2p)
GDR_G6_LAST_HALF_DISTANCE(g6calc_lasthalf2np)

GDR_G6_C g6calc_lasthalf0(int cluster, int, int ni, const int*, ConstVectors, ConstVectors, const double*,
                          const double*, Vectors acc, Vectors jerk, double* pot, int) {
  return g6::last_half("g6calc_lasthalf0", cluster, ni, {acc, jerk, pot});
}

GDR_G6_C g6_read_neighbour_list(int cluster) { return g6::read_neighbour_list(cluster); }
GDR_G6_C g6_read_neighbour_list_old(int cluster) { return g6::read_neighbour_list(cluster); }
GDR_G6_C g6_get_neighbour_list(int cluster, int pipe, int most, int* length, int* list) {
  return g6::get_neighbour_list(cluster, pipe, most, length, list);
}
GDR_G6_C g6_set_neighbour_list_sort_mode(int mode) { return g6::set_sort_mode(mode); }
GDR_G6_C g6_get_neighbour_list_sort_mode() { return g6::sort_mode(); }
GDR_G6_C g6_get_predicted_j_particles(int cluster, int nj, Vectors x, Vectors v) {
  return g6::predicted(cluster, nj, x, v);
}

GDR_G6_C g6_set_nip(int cluster, int ni) { return g6::set_ni(cluster, ni); }
GDR_G6_C g6_set_i_particle(int cluster, int address, int index, const double* x, const double* v, double eps2,
                           double h2) {
  return g6::set_i_particle(cluster, address, index, x, v, eps2, h2);
}
GDR_G6_C g6_set_i_particle_scales_from_real_value(int, int, const double*, const double*, double, double, double) {
  return 0;  // exponents of GRAPE-6's block floating point
}
GDR_G6_C g6_get_force(int cluster, Vectors acc, Vectors jerk, double* pot, int* flag) {
  return g6::get_force("g6_get_force", cluster, acc, jerk, pot, nullptr, flag);
}
GDR_G6_C g6_get_force_etc(int cluster, Vectors acc, Vectors jerk, double* pot, int* nearest, int* flag) {
  return g6::get_force("g6_get_force_etc", cluster, acc, jerk, pot, nearest, flag);
}
