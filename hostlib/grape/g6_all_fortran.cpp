// The functions of g6_all_c.cpp as Fortran programs call them: every argument by reference.
#include "fortran_face.h"
#include "g6.h"

namespace g6 = gdr::grape::g6;
using g6::ConstVectors;
using g6::Vectors;
using gdr::grape::value_of;

namespace {
constexpr int kAll = 0;  // cluster
}

GDR_FORTRAN(g6_open_all, ()) { return g6::open(kAll); }
GDR_FORTRAN(g6_close_all, ()) { return g6::close(kAll); }
GDR_FORTRAN(g6_reset_all, ()) { return g6::reset(kAll); }
GDR_FORTRAN(g6_reset_fofpga_all, ()) { return g6::reset(kAll); }
GDR_FORTRAN(g6_reinitialize_all, ()) { return g6::reset(kAll); }
GDR_FORTRAN(g6_getnjmax_all, ()) { return g6::j_capacity(kAll); }
GDR_FORTRAN(g6_initialize_jp_buffer_all, (const int*)) { return 0; }
GDR_FORTRAN(g6_flush_jp_buffer_all, ()) { return 0; }

GDR_FORTRAN(g6_set_ti_all, (const double* t)) { return g6::set_ti(kAll, *t); }
GDR_FORTRAN(g6_set_j_particle_all,
            (const int* address, const int* index, const double* t, const double*, const double* mass,
             const double* a2by18, const double* a1by6, const double* aby2, const double* v, const double* x)) {
  return g6::set_j_particle(kAll, {*address, *index, *t, *mass, a2by18, a1by6, aby2, v, x});
}
GDR_FORTRAN(g6_set_j_particle_mxonly_all, (const int* address, const int* index, const double* mass, const double* x)) {
  return g6::set_j_particle(kAll, {*address, *index, 0, *mass, nullptr, nullptr, nullptr, nullptr, x});
}
GDR_FORTRAN(g6_set_njp_all, (const int* nj)) { return g6::set_nj(kAll, *nj); }
GDR_FORTRAN(g6_setup_njdata_all, (const int* nj)) { return g6::set_nj(kAll, *nj); }

GDR_FORTRAN(g6calc_firsthalf_all, (const int* nj, const int* ni, const int* index, ConstVectors x, ConstVectors v,
                                   ConstVectors, ConstVectors, const double*, const double* eps2, const double* h2)) {
  return g6::first_half("g6calc_firsthalf_all_", kAll, {*nj, *ni, index, x, v, eps2, false, h2});
}
GDR_FORTRAN(g6calc_lasthalf_all, (const int*, const int* ni, const int*, ConstVectors, ConstVectors, const double*,
                                  const double*, Vectors acc, Vectors jerk, double* pot)) {
  return g6::last_half("g6calc_lasthalf_all_", kAll, *ni, {acc, jerk, pot});
}
GDR_FORTRAN(g6calc_lasthalf2_all, (const int*, const int* ni, const int*, ConstVectors, ConstVectors, const double*,
                                   const double*, Vectors acc, Vectors jerk, double* pot, int* nearest)) {
  return g6::last_half("g6calc_lasthalf2_all_", kAll, *ni, {acc, jerk, pot, nearest});
}

GDR_FORTRAN(g6_read_neighbour_list_all, ()) { return g6::read_neighbour_list(kAll); }
GDR_FORTRAN(g6_get_neighbour_list_all, (const int* pipe, const int* most, int* length, int* list)) {
  return g6::get_neighbour_list(kAll, *pipe, *most, length, list);
}
GDR_FORTRAN(g6_get_predicted_j_particles_all, (const int* nj, Vectors x, Vectors v)) {
  return g6::predicted(kAll, *nj, x, v);
}

GDR_FORTRAN(g6_set_nip_all, (const int* ni)) { return g6::set_ni(kAll, *ni); }
GDR_FORTRAN(g6_set_i_particle_all, (const int* address, const int* index, const double* x, const double* v,
                                    const double* eps2, const double* h2)) {
  return g6::set_i_particle(kAll, *address, *index, x, v, *eps2, value_of(h2));
}
GDR_FORTRAN(g6_set_i_particle_scales_from_real_value_all,
            (const int*, const double*, const double*, const double*, const double*, const double*)) {
  return 0;  // exponents of GRAPE-6's block floating point
}
GDR_FORTRAN(g6_get_force_all, (Vectors acc, Vectors jerk, double* pot, int* flag)) {
  return g6::get_force("g6_get_force_all_", kAll, acc, jerk, pot, nullptr, flag);
}
GDR_FORTRAN(g6_get_force_etc_all, (Vectors acc, Vectors jerk, double* pot, int* nearest, int* flag)) {
  return g6::get_force("g6_get_force_etc_all_", kAll, acc, jerk, pot, nearest, flag);
}
