/* Two units with prototypes that contradict each other, as clients' own headers do: functions as void or int, scales as
 * int or double *, arrays as rows or flat, const or not. Linked together they must work on one board.
 *
 * UNIT is 1 (rows, int) or 2 (flat, void, by reference). */
#if UNIT == 1
#include <stdio.h>

int g6_open(int id);
int g6_close(int id);
int g6_set_tunit(int newtunit);
int g6_set_xunit(int newxunit);
int g6_set_ti(int id, double ti);
int g6_set_j_particle(int cluster_id, int address, int index, double tj, double dtj, double mass, double k18[3],
                      double j6[3], double a2[3], double v[3], double x[3]);
void g6calc_firsthalf(int cluster_id, int nj, int ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                      double jold[][3], double phiold[], double eps2, double h2[]);
int g6calc_lasthalf(int cluster_id, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                    double h2[], double acc[][3], double jerk[][3], double pot[]);
double pull_through_other_header(void);

int main(void) {
  double zero[3] = {0, 0, 0}, x[3] = {2, 0, 0}, xi[1][3] = {{0}}, vi[1][3] = {{0}}, acc[1][3], jerk[1][3], pot[1],
         h2[1] = {0};
  int index[1] = {7};
  g6_open(0);
  g6_set_tunit(45);
  g6_set_xunit(51);
  g6_set_ti(0, 0.0);
  g6_set_j_particle(0, 0, 1, 0.0, 0.0, 1.0, zero, zero, zero, zero, x);
  g6calc_firsthalf(0, 1, 1, index, xi, vi, acc, jerk, pot, 0.0, h2);
  if (g6calc_lasthalf(0, 1, 1, index, xi, vi, 0.0, h2, acc, jerk, pot) != 0) return 1;
  const double other = pull_through_other_header();
  g6_close(0);
  printf("%.9f %.9f %.9f\n", acc[0][0], pot[0], other);
  return acc[0][0] > 0.249999 && acc[0][0] < 0.250001 && pot[0] < -0.499999 && pot[0] > -0.500001 && acc[0][0] == other
             ? 0
             : 2;
}
#else
void g6_set_tunit_(double* newtunit);
void g6_set_xunit_(double* newxunit);
void g6_set_ti_(int* id, double* ti);
void g6calc_firsthalf_(int* cluster_id, int* nj, int* ni, int* index, double* xi, double* vi, double* fold,
                       double* jold, double* phiold, double* eps2, double* h2);
void g6calc_lasthalf_(int* cluster_id, int* nj, int* ni, int* index, double* xi, double* vi, double* eps2, double* h2,
                      double* acc, double* jerk, double* pot);
double pull_through_other_header(void);

double pull_through_other_header(void) {
  int id = 0, one = 1, index = 7;
  double unit = 51, t = 0, eps2 = 0, h2 = 0, x[3] = {0}, v[3] = {0}, acc[3], jerk[3], pot;
  g6_set_tunit_(&unit);
  g6_set_xunit_(&unit);
  g6_set_ti_(&id, &t);
  g6calc_firsthalf_(&id, &one, &one, &index, x, v, acc, jerk, &pot, &eps2, &h2);
  g6calc_lasthalf_(&id, &one, &one, &index, x, v, &eps2, &h2, acc, jerk, &pot);
  return acc[0];
}
#endif
