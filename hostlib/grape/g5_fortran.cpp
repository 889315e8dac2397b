// The GRAPE-5 library as Fortran programs call it: every argument by reference, INTEGER is int, REAL*8 is double.
#include "fortran_face.h"
#include "g5.h"

namespace g5 = gdr::grape::g5;
using g5::ConstVectors;
using g5::Vectors;

// Subroutines give 0, which nobody reads.
#define GDR_G5_SUBROUTINE(name, parameters, call) \
  GDR_FORTRAN(name, parameters) {                 \
    call;                                         \
    return 0;                                     \
  }

GDR_FORTRAN(g5_get_number_of_pipelines, ()) { return g5::pipelines(); }
GDR_FORTRAN(g5_get_jmemsize, ()) { return g5::j_capacity(0); }
GDR_FORTRAN(g5_set_range, (const double*, const double*, const double*)) { return 0; }
GDR_G5_SUBROUTINE(g5_set_eta, (const double* eta), g5::set_eta(*eta))
GDR_FORTRAN(g5_set_cards, (const int*)) { return 0; }
GDR_FORTRAN(g5_get_cards, (int* cards)) {
  if (cards != nullptr) *cards = 1;
  return 0;
}
GDR_FORTRAN(g5_get_number_of_cards, ()) { return 1; }
GDR_FORTRAN(g5_get_number_of_boards, ()) { return 1; }
GDR_FORTRAN(g5_get_number_of_pipelines_per_board, ()) { return g5::pipelines(); }
GDR_FORTRAN(g5_get_firstcluster, ()) { return 0; }
GDR_G5_SUBROUTINE(g5_open, (), g5::open(0))
GDR_G5_SUBROUTINE(g5_close, (), g5::close())
GDR_G5_SUBROUTINE(g5_set_eps_to_all, (const double* eps), g5::set_eps2(*eps** eps))
GDR_G5_SUBROUTINE(g5_set_eps2_to_all, (const double* eps2), g5::set_eps2(*eps2))
GDR_G5_SUBROUTINE(g5_set_n, (const int* n), g5::set_nj(0, *n))
GDR_G5_SUBROUTINE(g5_set_xmj, (const int* address, const int* n, ConstVectors x, const double* m),
                  g5::set_j(0, *address, *n, x, m))
GDR_G5_SUBROUTINE(g5_set_jp, (const int* address, const int* n, const double* m, ConstVectors x),
                  g5::set_j(0, *address, *n, x, m))
GDR_G5_SUBROUTINE(g5_set_xj, (const int* address, const int* n, ConstVectors x),
                  g5::set_j_positions(0, *address, *n, x))
GDR_G5_SUBROUTINE(g5_set_mj, (const int* address, const int* n, const double* m), g5::set_j_masses(0, *address, *n, m))
GDR_G5_SUBROUTINE(g5_set_xi, (const int* n, ConstVectors x), g5::set_i(0, *n, x))
GDR_G5_SUBROUTINE(g5_set_xei, (const int* n, ConstVectors x, const double* eps2), g5::set_i(0, *n, x, eps2))
GDR_G5_SUBROUTINE(g5_set_eps, (const int* n, const double* eps), g5::set_eps(0, *n, eps))
GDR_G5_SUBROUTINE(g5_run, (), g5::run(0))
GDR_G5_SUBROUTINE(g5_get_force, (const int* n, Vectors a, double* p), g5::get_force(0, *n, a, p))
GDR_G5_SUBROUTINE(g5_calculate_force_on_x, (ConstVectors x, Vectors a, double* p, const int* n),
                  g5::force_on(0, x, a, p, *n))
GDR_G5_SUBROUTINE(g5_calculate_force_on_xe, (ConstVectors x, const double* eps2, Vectors a, double* p, const int* n),
                  g5::force_on(0, x, eps2, a, p, *n))

// The same on one of several devices; Fortran knows no capital letters.
GDR_FORTRAN(g5_get_number_of_pipelinesmc, (const int*)) { return g5::pipelines(); }
GDR_FORTRAN(g5_get_jmemsizemc, (const int* device)) { return g5::j_capacity(*device); }
GDR_FORTRAN(g5_set_rangemc, (const int*, const double*, const double*, const double*)) { return 0; }
GDR_G5_SUBROUTINE(g5_set_etamc, (const int*, const double* eta), g5::set_eta(*eta))
GDR_G5_SUBROUTINE(g5_openmc, (const int* device), g5::open(*device))
GDR_G5_SUBROUTINE(g5_closemc, (const int* device), g5::close(*device))
GDR_G5_SUBROUTINE(g5_set_eps_to_allmc, (const int* device, const double* eps), g5::set_eps2(*device, *eps** eps))
GDR_G5_SUBROUTINE(g5_set_eps2_to_allmc, (const int* device, const double* eps2), g5::set_eps2(*device, *eps2))
GDR_G5_SUBROUTINE(g5_set_nmc, (const int* device, const int* n), g5::set_nj(*device, *n))
GDR_G5_SUBROUTINE(g5_set_xmjmc, (const int* device, const int* address, const int* n, ConstVectors x, const double* m),
                  g5::set_j(*device, *address, *n, x, m))
GDR_G5_SUBROUTINE(g5_set_jpmc, (const int* device, const int* address, const int* n, const double* m, ConstVectors x),
                  g5::set_j(*device, *address, *n, x, m))
GDR_G5_SUBROUTINE(g5_set_xjmc, (const int* device, const int* address, const int* n, ConstVectors x),
                  g5::set_j_positions(*device, *address, *n, x))
GDR_G5_SUBROUTINE(g5_set_mjmc, (const int* device, const int* address, const int* n, const double* m),
                  g5::set_j_masses(*device, *address, *n, m))
GDR_G5_SUBROUTINE(g5_set_ximc, (const int* device, const int* n, ConstVectors x), g5::set_i(*device, *n, x))
GDR_G5_SUBROUTINE(g5_set_xeimc, (const int* device, const int* n, ConstVectors x, const double* eps2),
                  g5::set_i(*device, *n, x, eps2))
GDR_G5_SUBROUTINE(g5_set_epsmc, (const int* device, const int* n, const double* eps), g5::set_eps(*device, *n, eps))
GDR_G5_SUBROUTINE(g5_runmc, (const int* device), g5::run(*device))
GDR_G5_SUBROUTINE(g5_get_forcemc, (const int* device, const int* n, Vectors a, double* p),
                  g5::get_force(*device, *n, a, p))
GDR_G5_SUBROUTINE(g5_calculate_force_on_xmc, (const int* device, ConstVectors x, Vectors a, double* p, const int* n),
                  g5::force_on(*device, x, a, p, *n))
GDR_G5_SUBROUTINE(g5_calculate_force_on_xemc,
                  (const int* device, ConstVectors x, const double* eps2, Vectors a, double* p, const int* n),
                  g5::force_on(*device, x, eps2, a, p, *n))
