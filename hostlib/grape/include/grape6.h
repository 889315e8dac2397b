/* The GRAPE-6 library, for programs that include its header. A cluster is one emulated device.
 * Arrays are not const, as in the library's own headers, so that every program of its time compiles.
 * docs/nbody/grape6.md says what the functions do here. Link -lg6. */
#ifndef GDR_GRAPE_GRAPE6_H
#define GDR_GRAPE_GRAPE6_H

#ifdef __cplusplus
extern "C" {
#endif

int g6_open(int cluster);
int g6_close(int cluster);
int g6_reset(int cluster);
int g6_reset_fofpga(int cluster);
int g6_reinitialize(int cluster);
int g6_getnjmax(int cluster);
int g6_set_ti(int cluster, double t);
int g6_set_j_particle(int cluster, int address, int index, double tj, double dtj, double mass, double a2by18[3],
                      double a1by6[3], double aby2[3], double v[3], double x[3]);
int g6_set_j_particle_mxonly(int cluster, int address, int index, double mass, double x[3]);
int g6_set_njp(int cluster, int nj);
int g6_setup_njdata(int cluster, int nj);
int g6_initialize_jp_buffer(int cluster, int size);
int g6_flush_jp_buffer(int cluster);
int g6calc_firsthalf(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double aold[][3],
                     double jold[][3], double phiold[], double eps2, double h2[]);
int g6calc_lasthalf(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                    double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                     double acc[][3], double jerk[][3], double pot[], int nearest[]);
int g6_read_neighbour_list(int cluster);
int g6_get_neighbour_list(int cluster, int pipe, int maxlength, int* length, int list[]);
int g6_get_predicted_j_particles(int cluster, int nj, double x[][3], double v[][3]);
int g6_set_nip(int cluster, int ni);
int g6_set_i_particle(int cluster, int address, int index, double x[3], double v[3], double eps2, double h2);
int g6_set_i_particle_scales_from_real_value(int cluster, int address, double acc[3], double jerk[3], double phi,
                                             double jfactor, double ffactor);
int g6_get_force(int cluster, double acc[][3], double jerk[][3], double phi[], int flag[]);
int g6_get_force_etc(int cluster, double acc[][3], double jerk[][3], double phi[], int nearest[], int flag[]);
int g6_open_special(int count, int list[]);
int g6_open_special2(int count, int list[], int mode);
int g6_npipes(void);
int g6_get_number_of_pipelines(void);
int g6_set_tunit(int newtunit);
int g6_set_xunit(int newxunit);
int g6_set_overflow_flag_test_mode(int accuracy, int force, int jerk);
int g6_changed_index(void);
int g6_print_chip_status(int cluster);
int g6_read_neighbour_list_old(int cluster);
int g6_set_neighbour_list_sort_mode(int mode);
int g6_get_neighbour_list_sort_mode(void);
int g6calc_firsthalf0(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double aold[][3],
                      double jold[][3], double phiold[], double eps2[], double h2[], int mode);
int g6calc_lasthalf0(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2[], double h2[],
                     double acc[][3], double jerk[][3], double pot[], int mode);
int g6calc_lasthalfn(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                     double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2n(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                      double acc[][3], double jerk[][3], double pot[], int nearest[]);
int g6calc_lasthalf2p(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                      double acc[][3], double jerk[][3], double pot[], int nearest[], float distance[]);
int g6calc_lasthalf2np(int cluster, int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                       double acc[][3], double jerk[][3], double pot[], int nearest[], float distance[]);

/* The same for all cards of a host together, which are cluster 0. */
int g6_open_all(void);
int g6_close_all(void);
int g6_reset_all(void);
int g6_reset_fofpga_all(void);
int g6_reinitialize_all(void);
int g6_getnjmax_all(void);
int g6_set_ti_all(double t);
int g6_set_j_particle_all(int address, int index, double tj, double dtj, double mass, double a2by18[3], double a1by6[3],
                          double aby2[3], double v[3], double x[3]);
int g6_set_j_particle_mxonly_all(int address, int index, double mass, double x[3]);
int g6_set_njp_all(int nj);
int g6_setup_njdata_all(int nj);
int g6_initialize_jp_buffer_all(int size);
int g6_flush_jp_buffer_all(void);
int g6calc_firsthalf_all(int nj, int ni, int index[], double x[][3], double v[][3], double aold[][3], double jold[][3],
                         double phiold[], double eps2, double h2[]);
int g6calc_lasthalf_all(int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                        double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf2_all(int nj, int ni, int index[], double x[][3], double v[][3], double eps2, double h2[],
                         double acc[][3], double jerk[][3], double pot[], int nearest[]);
int g6_read_neighbour_list_all(void);
int g6_get_neighbour_list_all(int pipe, int maxlength, int* length, int list[]);
int g6_get_predicted_j_particles_all(int nj, double x[][3], double v[][3]);
int g6_set_nip_all(int ni);
int g6_set_i_particle_all(int address, int index, double x[3], double v[3], double eps2, double h2);
int g6_set_i_particle_scales_from_real_value_all(int address, double acc[3], double jerk[3], double phi, double jfactor,
                                                 double ffactor);
int g6_get_force_all(double acc[][3], double jerk[][3], double phi[], int flag[]);
int g6_get_force_etc_all(double acc[][3], double jerk[][3], double phi[], int nearest[], int flag[]);

#ifdef __cplusplus
}
#endif

#endif
