/* A C user of gdr: runs an object file through the C interface and checks the result.
     count_in_c OBJECT_FILE */
#include <gdr/hostlib/runtime.h>
#include <stdio.h>

static int check(int status) {
  if (status != GDR_OK) fprintf(stderr, "%s: %s\n", gdr_runtime_strerror(status), gdr_runtime_message());
  return status == GDR_OK;
}

int main(int argc, char** argv) {
  static unsigned char object[1 << 20];
  const double xj[3] = {1, 10, 100};
  const double xi[2] = {0, 1};
  double sum[2] = {0, 0};
  gdr_runtime* runtime = NULL;
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  const size_t bytes = fread(object, 1, sizeof object, file);
  fclose(file);

  const int worked = check(gdr_runtime_open(object, bytes, &runtime)) && check(gdr_runtime_send_j(runtime, 0, xj, 3)) &&
                     check(gdr_runtime_send_i(runtime, xi, 2)) && check(gdr_runtime_start(runtime, 3)) &&
                     check(gdr_runtime_wait(runtime)) && check(gdr_runtime_get_result(runtime, sum, 2));
  gdr_runtime_close(runtime);
  if (!worked) return 1;
  if (sum[0] != 111 || sum[1] != 108) {
    fprintf(stderr, "sums %g and %g\n", sum[0], sum[1]);
    return 1;
  }
  return 0;
}
