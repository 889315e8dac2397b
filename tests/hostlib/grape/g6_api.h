/* The header that comes with libg6, and prototypes of Fortran's names as clients write them for themselves. */
#ifndef G6_API_H
#define G6_API_H
#include "grape6.h"

#ifdef __cplusplus
extern "C" {
#endif
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
