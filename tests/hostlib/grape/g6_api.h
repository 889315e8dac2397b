/* Prototypes of the GRAPE-6 library as its clients write them for themselves; gdr installs none. */
#ifndef G6_API_H
#define G6_API_H
#ifdef __cplusplus
extern "C" {
#endif
int g6_open(int);
int g6_close(int);
int g6_reset(int);
int g6_reset_fofpga(int);
int g6_npipes(void);
int g6_getnjmax(int);
int g6_set_tunit(int);
int g6_set_xunit(int);
int g6_set_ti(int, double);
int g6_set_j_particle(int, int, int, double, double, double, double[3], double[3], double[3], double[3], double[3]);
int g6_set_j_particle_mxonly(int, int, int, double, double[3]);
int g6_set_njp(int, int);
void g6calc_firsthalf(int, int, int, int[], double[][3], double[][3], double[][3], double[][3], double[], double,
                      double[]);
int g6calc_lasthalf(int, int, int, int[], double[][3], double[][3], double, double[], double[][3], double[][3],
                    double[]);
int g6calc_lasthalf2(int, int, int, int[], double[][3], double[][3], double, double[], double[][3], double[][3],
                     double[], int[]);
int g6calc_lasthalf2p(int, int, int, int[], double[][3], double[][3], double, double[], double[][3], double[][3],
                      double[], int[], float[]);
void g6calc_firsthalf0(int, int, int, int[], double[][3], double[][3], double[][3], double[][3], double[], double[],
                       double[], int);
int g6calc_lasthalf0(int, int, int, int[], double[][3], double[][3], double[], double[], double[][3], double[][3],
                     double[], int);
int g6_read_neighbour_list(int);
int g6_get_neighbour_list(int, int, int, int*, int[]);
void g6_set_neighbour_list_sort_mode(int);
int g6_get_neighbour_list_sort_mode(void);
int g6_get_predicted_j_particles(int, int, double[][3], double[][3]);
int g6_set_nip(int, int);
int g6_set_i_particle(int, int, int, double[3], double[3], double, double);
int g6_get_force_etc(int, double[][3], double[][3], double[], int[], int[]);
int g6_open_all(void);
int g6_close_all(void);
int g6_getnjmax_all(void);
int g6_set_ti_all(double);
int g6_set_j_particle_all(int, int, double, double, double, double[3], double[3], double[3], double[3], double[3]);
int g6_set_njp_all(int);
int g6calc_firsthalf_all(int, int, int[], double[][3], double[][3], double[][3], double[][3], double[], double,
                         double[]);
int g6calc_lasthalf2_all(int, int, int[], double[][3], double[][3], double, double[], double[][3], double[][3],
                         double[], int[]);
int g6_read_neighbour_list_all(void);
int g6_get_neighbour_list_all(int, int, int*, int[]);
int g6calc_firsthalf_all_(int*, int*, int[], double[][3], double[][3], double[][3], double[][3], double[], double*,
                          double[]);
int g6calc_lasthalf_all_(int*, int*, int[], double[][3], double[][3], double*, double[], double[][3], double[][3],
                         double[]);
int g6_npipes_(void);
int g6_npipes__(void);
void g6_open_(int*);
int g6_close_(int*);
int g6_set_ti_(int*, double*);
int g6_set_j_particle_mxonly_(int*, int*, int*, double*, double[3]);
int g6calc_lasthalf_(int*, int*, int*, int[], double[][3], double[][3], double*, double[], double[][3], double[][3],
                     double[]);
#ifdef __cplusplus
}
#endif
#endif
