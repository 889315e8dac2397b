// Gravity in CUDA, one thread for each i-particle: nvcc gravity.cu -o gravity && ./gravity I.CSV J.CSV, with eps2 = 0.0625.
#include <cstdio>
#include <vector>

constexpr int kThreads = 128;

struct Row {
  double x, y, z, w;  // w is the mass or the potential
};

__global__ void gravity(int ni, int nj, const Row* i, const Row* j, Row* f) {
  __shared__ Row tile[kThreads];  // j-particles that all threads of a block read: GRAPE-DR's broadcast memory
  const int own = blockIdx.x * kThreads + threadIdx.x;
  const Row x = own < ni ? i[own] : Row{};
  Row sum{};
  for (int first = 0; first < nj; first += kThreads) {
    if (first + threadIdx.x < nj) tile[threadIdx.x] = j[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(kThreads, nj - first); ++k) {
      const double dx = tile[k].x - x.x, dy = tile[k].y - x.y, dz = tile[k].z - x.z;
      const double y = rsqrt(dx * dx + dy * dy + dz * dz + 0.0625);
      const double my = tile[k].w * y, my3 = my * y * y;
      sum.x += my3 * dx;
      sum.y += my3 * dy;
      sum.z += my3 * dz;
      sum.w -= my;
    }
    __syncthreads();
  }
  if (own < ni) f[own] = sum;
}

// Rows of `columns` numbers behind a line of names.
std::vector<Row> read(const char* name, int columns) {
  std::vector<Row> rows;
  std::FILE* file = std::fopen(name, "r");
  if (file == nullptr || std::fscanf(file, "%*[^\n]") != 0) return rows;
  for (Row row{}; std::fscanf(file, "%lf,%lf,%lf", &row.x, &row.y, &row.z) == 3; rows.push_back(row)) {
    if (columns == 4 && std::fscanf(file, ",%lf", &row.w) != 1) break;
  }
  std::fclose(file);
  return rows;
}

int main(int, char** arguments) {
  const std::vector<Row> i = read(arguments[1], 3), j = read(arguments[2], 4);
  Row *on_i, *on_j, *on_f;
  cudaMalloc(&on_i, i.size() * sizeof(Row));
  cudaMalloc(&on_j, j.size() * sizeof(Row));
  cudaMalloc(&on_f, i.size() * sizeof(Row));
  cudaMemcpy(on_i, i.data(), i.size() * sizeof(Row), cudaMemcpyHostToDevice);
  cudaMemcpy(on_j, j.data(), j.size() * sizeof(Row), cudaMemcpyHostToDevice);
  gravity<<<(i.size() + kThreads - 1) / kThreads, kThreads>>>(i.size(), j.size(), on_i, on_j, on_f);
  std::vector<Row> f(i.size());
  if (cudaMemcpy(f.data(), on_f, f.size() * sizeof(Row), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (const Row& row : f) std::printf("%.5f,%.5f,%.5f,%.5f\n", row.x, row.y, row.z, row.w);
}
