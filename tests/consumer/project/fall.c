/* A program for GRAPE-5: one particle attracts another. */
#include <g5nbutil.h>
#include <gp5util.h>

int main(void) {
  double x_j[1][3] = {{2, 0, 0}}, m[1] = {1}, x[1][3] = {{0, 0, 0}}, a[1][3], pot[1];
  g5_open();
  g5_set_eps_to_all(0);
  g5_set_n(1);
  g5_set_xmj(0, 1, x_j, m);
  g5_calculate_force_on_x(x, a, pot, 1);
  g5_close();
  return a[0][0] > 0.249999 && a[0][0] < 0.250001 ? 0 : 2;
}
