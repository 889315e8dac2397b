/* Gravity in OpenCL, one work-item for each i-particle: cc gravity_cl.c -lOpenCL -o gravity_cl && ./gravity_cl I.CSV
 * J.CSV, with eps2 = 0.0625, on the first device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const kKernel =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void gravity(int nj, global const double4* i, global const double4* j, global double4* f) {\n"
    "  const double4 x = i[get_global_id(0)];\n"
    "  double4 sum = 0;\n"
    "  for (int k = 0; k < nj; ++k) {\n"
    "    const double3 d = j[k].xyz - x.xyz;\n"
    "    const double y = rsqrt(dot(d, d) + 0.0625), my = j[k].w * y;\n"
    "    sum.xyz += my * y * y * d;\n"
    "    sum.w -= my;\n"
    "  }\n"
    "  f[get_global_id(0)] = sum;\n"
    "}\n";

enum { kMost = 4096 }; /* particles in a file */

/* Rows of `columns` numbers behind a line of names; how many. */
static int rows_of(const char* name, int columns, cl_double4* rows) {
  FILE* file = fopen(name, "r");
  int count = 0;
  if (file == NULL || fscanf(file, "%*[^\n]") != 0) exit(1);
  for (; count < kMost; ++count) {
    double* row = rows[count].s;
    if (fscanf(file, "%lf,%lf,%lf", &row[0], &row[1], &row[2]) != 3) break;
    if (columns == 4 && fscanf(file, ",%lf", &row[3]) != 1) exit(1);
  }
  fclose(file);
  return count;
}

int main(int count, char** arguments) {
  static cl_double4 i[kMost], j[kMost], f[kMost];
  if (count != 3) return 2;
  const size_t ni = (size_t)rows_of(arguments[1], 3, i);
  const cl_int nj = rows_of(arguments[2], 4, j);
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  const char* source = kKernel;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 1;
  cl_kernel kernel = clCreateKernel(program, "gravity", NULL);
  cl_mem on_i = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof i, i, NULL);
  cl_mem on_j = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof j, j, NULL);
  cl_mem on_f = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof f, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof nj, &nj);
  clSetKernelArg(kernel, 1, sizeof on_i, &on_i);
  clSetKernelArg(kernel, 2, sizeof on_j, &on_j);
  clSetKernelArg(kernel, 3, sizeof on_f, &on_f);
  if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &ni, NULL, 0, NULL, NULL) != CL_SUCCESS) return 1;
  if (clEnqueueReadBuffer(queue, on_f, CL_TRUE, 0, ni * sizeof *f, f, 0, NULL, NULL) != CL_SUCCESS) return 1;
  for (size_t n = 0; n < ni; ++n) printf("%.5f,%.5f,%.5f,%.5f\n", f[n].s[0], f[n].s[1], f[n].s[2], f[n].s[3]);
  return 0;
}
