// The GRAPE-6 library's functions under one set of names; the C and the Fortran face call these and nothing else, so
// that a program which defines some of the public names itself does not come between. Kawai & Fukushige's and Makino's
// user's guides describe the functions; docs/nbody/grape6.md says what is particular here.
//
// A cluster is one device (GDR_BOARDS boards) with a number of the caller's; if only one is open, every number means
// it. Outputs that are null are not written. Nothing here throws, prints more than one line for each kind of failure,
// or ends the process. Calls may come from several threads and take turns.
#pragma once

namespace gdr::grape::g6 {

/// Three doubles a particle, one after the other.
using Vectors = double (*)[3];
using ConstVectors = const double (*)[3];

/// Status 0 is success, a negative one a failure that standard error tells once.
int open(int cluster) noexcept;
int close(int cluster) noexcept;
/// Drops a force calculation under way.
int reset(int cluster) noexcept;

/// i-particles of a call as the caller should plan them; GDR_G6_NPIPES, otherwise 48. Calls take any number.
int pipelines() noexcept;
/// j-particles that the memory of a cluster holds.
int j_capacity(int cluster) noexcept;

int set_ti(int cluster, double t) noexcept;

struct JData {
  int address;
  int index;
  double t;
  double mass;
  const double* snap_by_18;  // [3] each; null: 0
  const double* jerk_by_6;
  const double* a_by_2;
  const double* v;
  const double* x;
};
int set_j_particle(int cluster, const JData& j) noexcept;
/// Forgets the particles at addresses from `nj` on.
int set_nj(int cluster, int nj) noexcept;

struct IData {
  int nj;
  int ni;
  const int* index;    // [ni]
  ConstVectors x;      // [ni]
  ConstVectors v;      // [ni]
  const double* eps2;  // [ni], or [1] for all
  bool eps2_of_each;
  const double* h2;  // [ni]; null: no lists
};
/// Copies what it is given, begins the calculation and returns.
int first_half(const char* function, int cluster, const IData& i) noexcept;

struct Results {
  Vectors acc;  // [ni]
  Vectors jerk;
  double* pot;
  int* nearest = nullptr;             // [ni] index of the nearest neighbour, -1 for none
  float* nearest_distance = nullptr;  // [ni]
};
/// Waits for the calculation that first_half() began and writes acc, jerk, pot, in this order. After a failure the
/// results are NaN and -1, and the status is -1.
int last_half(const char* function, int cluster, int ni, const Results& results) noexcept;

/// Lists of the last calculation. 0: they are there; 1: one is longer than GDR_G6_LIST_CAPACITY; -1: failure.
int read_neighbour_list(int cluster) noexcept;
/// 0; 1 if the list has `most` entries or more, of which `most` are written; -1 if there is none.
int get_neighbour_list(int cluster, int pipe, int most, int* length, int* list) noexcept;
/// Other than 0: ascending indices; 0: in the order of addresses.
int set_sort_mode(int mode) noexcept;
int sort_mode() noexcept;

/// Positions and velocities of addresses 0 .. nj - 1 at the time of set_ti().
int predicted(int cluster, int nj, Vectors x, Vectors v) noexcept;

/// Particle by particle: how many, each of them, then the forces, which calculates.
int set_ni(int cluster, int ni) noexcept;
int set_i_particle(int cluster, int address, int index, const double* x, const double* v, double eps2,
                   double h2) noexcept;
/// `flag` [ni] is 0 for each; `nearest` may be null.
int get_force(const char* function, int cluster, Vectors acc, Vectors jerk, double* pot, int* nearest,
              int* flag) noexcept;

}  // namespace gdr::grape::g6
