/* The GRAPE-5 library, for programs that include its header.
 * Arrays are not const, as in the library's own headers, so that every program of its time compiles.
 * docs/nbody/grape6.md says what the functions do here. Link -lg5. */
#ifndef GDR_GRAPE_GP5UTIL_H
#define GDR_GRAPE_GP5UTIL_H

#ifdef __cplusplus
extern "C" {
#endif

/* The size of programs' arrays, as the GRAPE-5 header has it; a device holds more: g5_get_jmemsize(). */
#define JMEMSIZE (1 << 16)

void g5_open(void);
void g5_close(void);
int g5_get_number_of_pipelines(void);
int g5_get_jmemsize(void);
void g5_set_range(double xmin, double xmax, double mmin);
void g5_set_eta(double eta);
void g5_set_cards(int* cards);
void g5_get_cards(int* cards);
int g5_get_number_of_cards(void);
int g5_get_number_of_boards(void);
int g5_get_number_of_pipelines_per_board(void);
int g5_get_firstcluster(void);
void g5_set_eps_to_all(double eps);
void g5_set_eps2_to_all(double eps2);
void g5_set_jp(int adr, int nj, double* mj, double (*xj)[3]);
void g5_set_n(int n);
void g5_set_xmj(int adr, int nj, double (*xj)[3], double* mj);
void g5_set_xj(int adr, int nj, double (*xj)[3]);
void g5_set_mj(int adr, int nj, double* mj);
void g5_set_xi(int ni, double (*xi)[3]);
void g5_set_xei(int ni, double (*xi)[3], double* eps2);
void g5_set_eps(int ni, double* eps);
void g5_run(void);
void g5_get_force(int ni, double (*a)[3], double* p);
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xe(double (*x)[3], double* eps2, double (*a)[3], double* p, int ni);

/* The same on one of several devices, 0 to 63. */
void g5_openMC(int device);
void g5_closeMC(int device);
int g5_get_number_of_pipelinesMC(int device);
int g5_get_jmemsizeMC(int device);
void g5_set_rangeMC(int device, double xmin, double xmax, double mmin);
void g5_set_etaMC(int device, double eta);
void g5_set_eps_to_allMC(int device, double eps);
void g5_set_eps2_to_allMC(int device, double eps2);
void g5_set_jpMC(int device, int adr, int nj, double* mj, double (*xj)[3]);
void g5_set_xjMC(int device, int adr, int nj, double (*xj)[3]);
void g5_set_mjMC(int device, int adr, int nj, double* mj);
void g5_set_nMC(int device, int n);
void g5_set_xmjMC(int device, int adr, int nj, double (*xj)[3], double* mj);
void g5_set_xiMC(int device, int ni, double (*xi)[3]);
void g5_set_xeiMC(int device, int ni, double (*xi)[3], double* eps2);
void g5_set_epsMC(int device, int ni, double* eps);
void g5_runMC(int device);
void g5_get_forceMC(int device, int ni, double (*a)[3], double* p);
void g5_calculate_force_on_xMC(int device, double (*x)[3], double (*a)[3], double* p, int ni);
void g5_calculate_force_on_xeMC(int device, double (*x)[3], double* eps2, double (*a)[3], double* p, int ni);

#ifdef __cplusplus
}
#endif

#endif
