// The GRAPE-6 library as Fortran programs call it: every argument by reference, INTEGER is int, REAL*8 is double.
#include "fortran_face.h"
#include "g6.h"

namespace g6 = gdr::grape::g6;
using g6::ConstVectors;
using g6::Vectors;
using gdr::grape::value_of;

GDR_FORTRAN(g6_open, (const int* cluster)) { return g6::open(value_of(cluster)); }
GDR_FORTRAN(g6_close, (const int* cluster)) { return g6::close(value_of(cluster)); }
GDR_FORTRAN(g6_reset, (const int* cluster)) { return g6::reset(value_of(cluster)); }
GDR_FORTRAN(g6_reset_fofpga, (const int* cluster)) { return g6::reset(value_of(cluster)); }
GDR_FORTRAN(g6_reinitialize, (const int* cluster)) { return g6::reset(value_of(cluster)); }
GDR_FORTRAN(g6_npipes, ()) { return g6::pipelines(); }
GDR_FORTRAN(g6_get_number_of_pipelines, ()) { return g6::pipelines(); }
GDR_FORTRAN(g6_getnjmax, (const int* cluster)) { return g6::j_capacity(value_of(cluster)); }

// Scales of GRAPE-6's fixed-point numbers (some headers call them double: they are not looked at), hints for its
// buffers and its overflow flags: this board has none of these.
GDR_FORTRAN(g6_set_tunit, (const void*)) { return 0; }
GDR_FORTRAN(g6_set_xunit, (const void*)) { return 0; }
GDR_FORTRAN(g6_initialize_jp_buffer, (const int*, const int*)) { return 0; }
GDR_FORTRAN(g6_flush_jp_buffer, (const int*)) { return 0; }
GDR_FORTRAN(g6_set_overflow_flag_test_mode, (const int*, const int*, const int*)) { return 0; }
GDR_FORTRAN(g6_changed_index, ()) { return 0; }
GDR_FORTRAN(g6_print_chip_status, (const int*)) { return 0; }

GDR_FORTRAN(g6_set_ti, (const int* cluster, const double* t)) { return g6::set_ti(value_of(cluster), *t); }
GDR_FORTRAN(g6_set_j_particle, (const int* cluster, const int* address, const int* index, const double* t,
                                const double*, const double* mass, const double* a2by18, const double* a1by6,
                                const double* aby2, const double* v, const double* x)) {
  return g6::set_j_particle(value_of(cluster), {*address, *index, *t, *mass, a2by18, a1by6, aby2, v, x});
}
GDR_FORTRAN(g6_set_j_particle_mxonly,
            (const int* cluster, const int* address, const int* index, const double* mass, const double* x)) {
  return g6::set_j_particle(value_of(cluster), {*address, *index, 0, *mass, nullptr, nullptr, nullptr, nullptr, x});
}
GDR_FORTRAN(g6_set_njp, (const int* cluster, const int* nj)) { return g6::set_nj(value_of(cluster), *nj); }
GDR_FORTRAN(g6_setup_njdata, (const int* cluster, const int* nj)) { return g6::set_nj(value_of(cluster), *nj); }

GDR_FORTRAN(g6calc_firsthalf,
            (const int* cluster, const int* nj, const int* ni, const int* index, ConstVectors x, ConstVectors v,
             ConstVectors, ConstVectors, const double*, const double* eps2, const double* h2)) {
  return g6::first_half("g6calc_firsthalf_", value_of(cluster), {*nj, *ni, index, x, v, eps2, false, h2});
}
GDR_FORTRAN(g6calc_firsthalf0,
            (const int* cluster, const int* nj, const int* ni, const int* index, ConstVectors x, ConstVectors v,
             ConstVectors, ConstVectors, const double*, const double* eps2, const double* h2, const int*)) {
  return g6::first_half("g6calc_firsthalf0_", value_of(cluster), {*nj, *ni, index, x, v, eps2, true, h2});
}

// The second half repeats what the first was given, which GRAPE-6 needed to calculate again after an overflow.
#define GDR_G6_LAST_HALF(name)                                                                              \
  GDR_FORTRAN(name, (const int* cluster, const int*, const int* ni, const int*, ConstVectors, ConstVectors, \
                     const double*, const double*, Vectors acc, Vectors jerk, double* pot)) {               \
    return g6::last_half(#name "_", value_of(cluster), *ni, {acc, jerk, pot});                              \
  }
#define GDR_G6_LAST_HALF_NEAREST(name)                                                                      \
  GDR_FORTRAN(name, (const int* cluster, const int*, const int* ni, const int*, ConstVectors, ConstVectors, \
                     const double*, const double*, Vectors acc, Vectors jerk, double* pot, int* nearest)) { \
    return g6::last_half(#name "_", value_of(cluster), *ni, {acc, jerk, pot, nearest});                     \
  }
#define GDR_G6_LAST_HALF_DISTANCE(name)                                                                              \
  GDR_FORTRAN(name,                                                                                                  \
              (const int* cluster, const int*, const int* ni, const int*, ConstVectors, ConstVectors, const double*, \
               const double*, Vectors acc, Vectors jerk, double* pot, int* nearest, float* distance)) {              \
    return g6::last_half(#name "_", value_of(cluster), *ni, {acc, jerk, pot, nearest, distance});                    \
  }
GDR_G6_LAST_HALF(g6calc_lasthalf)
GDR_G6_LAST_HALF(g6calc_lasthalfn)
GDR_G6_LAST_HALF_NEAREST(g6calc_lasthalf2)
GDR_G6_LAST_HALF_NEAREST(g6calc_lasthalf2n)
GDR_G6_LAST_HALF_DISTANCE(g6calc_lasthalf2p)
GDR_G6_LAST_HALF_DISTANCE(g6calc_lasthalf2np)

GDR_FORTRAN(g6calc_lasthalf0, (const int* cluster, const int*, const int* ni, const int*, ConstVectors, ConstVectors,
                               const double*, const double*, Vectors acc, Vectors jerk, double* pot, const int*)) {
  return g6::last_half("g6calc_lasthalf0_", value_of(cluster), *ni, {acc, jerk, pot});
}

GDR_FORTRAN(g6_read_neighbour_list, (const int* cluster)) { return g6::read_neighbour_list(value_of(cluster)); }
GDR_FORTRAN(g6_read_neighbour_list_old, (const int* cluster)) { return g6::read_neighbour_list(value_of(cluster)); }
GDR_FORTRAN(g6_get_neighbour_list, (const int* cluster, const int* pipe, const int* most, int* length, int* list)) {
  return g6::get_neighbour_list(value_of(cluster), *pipe, *most, length, list);
}
GDR_FORTRAN(g6_set_neighbour_list_sort_mode, (const int* mode)) { return g6::set_sort_mode(*mode); }
GDR_FORTRAN(g6_get_neighbour_list_sort_mode, ()) { return g6::sort_mode(); }
GDR_FORTRAN(g6_get_predicted_j_particles, (const int* cluster, const int* nj, Vectors x, Vectors v)) {
  return g6::predicted(value_of(cluster), *nj, x, v);
}

GDR_FORTRAN(g6_set_nip, (const int* cluster, const int* ni)) { return g6::set_ni(value_of(cluster), *ni); }
GDR_FORTRAN(g6_set_i_particle, (const int* cluster, const int* address, const int* index, const double* x,
                                const double* v, const double* eps2, const double* h2)) {
  return g6::set_i_particle(value_of(cluster), *address, *index, x, v, *eps2, value_of(h2));
}
GDR_FORTRAN(g6_set_i_particle_scales_from_real_value,
            (const int*, const int*, const double*, const double*, const double*, const double*, const double*)) {
  return 0;  // exponents of GRAPE-6's block floating point
}
GDR_FORTRAN(g6_get_force, (const int* cluster, Vectors acc, Vectors jerk, double* pot, int* flag)) {
  return g6::get_force("g6_get_force_", value_of(cluster), acc, jerk, pot, nullptr, flag);
}
GDR_FORTRAN(g6_get_force_etc, (const int* cluster, Vectors acc, Vectors jerk, double* pot, int* nearest, int* flag)) {
  return g6::get_force("g6_get_force_etc_", value_of(cluster), acc, jerk, pot, nearest, flag);
}
