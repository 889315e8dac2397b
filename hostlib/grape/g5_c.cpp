// The GRAPE-5 library as C programs call it.
#include "g5.h"

#define GDR_G5_C extern "C" [[gnu::visibility("default")]] void
#define GDR_G5_C_INT extern "C" [[gnu::visibility("default")]] int

namespace g5 = gdr::grape::g5;
using g5::ConstVectors;
using g5::Vectors;

GDR_G5_C g5_open() { g5::open(0); }
GDR_G5_C g5_close() { g5::close(); }
GDR_G5_C_INT g5_get_number_of_pipelines() { return g5::pipelines(); }
GDR_G5_C_INT g5_get_jmemsize() { return g5::j_capacity(0); }
GDR_G5_C g5_set_range(double, double, double) {}  // of GRAPE-5's fixed-point positions
GDR_G5_C g5_set_eta(double eta) { g5::set_eta(eta); }
GDR_G5_C g5_set_cards(const int*) {}  // which cards of a host are used: here all GDR_BOARDS boards of a device
GDR_G5_C g5_get_cards(int* cards) {
  if (cards != nullptr) *cards = 1;
}
GDR_G5_C_INT g5_get_number_of_cards() { return 1; }
GDR_G5_C_INT g5_get_number_of_boards() { return 1; }
GDR_G5_C_INT g5_get_number_of_pipelines_per_board() { return g5::pipelines(); }
GDR_G5_C_INT g5_get_firstcluster() { return 0; }
GDR_G5_C g5_set_eps_to_all(double eps) { g5::set_eps2(eps * eps); }
GDR_G5_C g5_set_eps2_to_all(double eps2) { g5::set_eps2(eps2); }
GDR_G5_C g5_set_n(int n) { g5::set_nj(0, n); }
GDR_G5_C g5_set_xmj(int address, int n, ConstVectors x, const double* m) { g5::set_j(0, address, n, x, m); }
GDR_G5_C g5_set_jp(int address, int n, const double* m, ConstVectors x) { g5::set_j(0, address, n, x, m); }
GDR_G5_C g5_set_xj(int address, int n, ConstVectors x) { g5::set_j_positions(0, address, n, x); }
GDR_G5_C g5_set_mj(int address, int n, const double* m) { g5::set_j_masses(0, address, n, m); }
GDR_G5_C g5_set_xi(int n, ConstVectors x) { g5::set_i(0, n, x); }
GDR_G5_C g5_set_xei(int n, ConstVectors x, const double* eps2) { g5::set_i(0, n, x, eps2); }
GDR_G5_C g5_set_eps(int n, const double* eps) { g5::set_eps(0, n, eps); }
GDR_G5_C g5_run() { g5::run(0); }
GDR_G5_C g5_get_force(int n, Vectors a, double* p) { g5::get_force(0, n, a, p); }
GDR_G5_C g5_calculate_force_on_x(ConstVectors x, Vectors a, double* p, int n) { g5::force_on(0, x, a, p, n); }
GDR_G5_C g5_calculate_force_on_xe(ConstVectors x, const double* eps2, Vectors a, double* p, int n) {
  g5::force_on(0, x, eps2, a, p, n);
}

GDR_G5_C g5_openMC(int device) { g5::open(device); }
GDR_G5_C g5_closeMC(int device) { g5::close(device); }
GDR_G5_C_INT g5_get_number_of_pipelinesMC(int) { return g5::pipelines(); }
GDR_G5_C_INT g5_get_jmemsizeMC(int device) { return g5::j_capacity(device); }
GDR_G5_C g5_set_rangeMC(int, double, double, double) {}
GDR_G5_C g5_set_etaMC(int, double eta) { g5::set_eta(eta); }
GDR_G5_C g5_set_eps_to_allMC(int device, double eps) { g5::set_eps2(device, eps * eps); }
GDR_G5_C g5_set_eps2_to_allMC(int device, double eps2) { g5::set_eps2(device, eps2); }
GDR_G5_C g5_set_jpMC(int device, int address, int n, const double* m, ConstVectors x) {
  g5::set_j(device, address, n, x, m);
}
GDR_G5_C g5_set_xjMC(int device, int address, int n, ConstVectors x) { g5::set_j_positions(device, address, n, x); }
GDR_G5_C g5_set_mjMC(int device, int address, int n, const double* m) { g5::set_j_masses(device, address, n, m); }
GDR_G5_C g5_set_nMC(int device, int n) { g5::set_nj(device, n); }
GDR_G5_C g5_set_xmjMC(int device, int address, int n, ConstVectors x, const double* m) {
  g5::set_j(device, address, n, x, m);
}
GDR_G5_C g5_set_xiMC(int device, int n, ConstVectors x) { g5::set_i(device, n, x); }
GDR_G5_C g5_set_xeiMC(int device, int n, ConstVectors x, const double* eps2) { g5::set_i(device, n, x, eps2); }
GDR_G5_C g5_set_epsMC(int device, int n, const double* eps) { g5::set_eps(device, n, eps); }
GDR_G5_C g5_runMC(int device) { g5::run(device); }
GDR_G5_C g5_get_forceMC(int device, int n, Vectors a, double* p) { g5::get_force(device, n, a, p); }
GDR_G5_C g5_calculate_force_on_xMC(int device, ConstVectors x, Vectors a, double* p, int n) {
  g5::force_on(device, x, a, p, n);
}
GDR_G5_C g5_calculate_force_on_xeMC(int device, ConstVectors x, const double* eps2, Vectors a, double* p, int n) {
  g5::force_on(device, x, eps2, a, p, n);
}
