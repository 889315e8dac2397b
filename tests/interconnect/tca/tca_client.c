/* The C faces from a C program: a ring of puts, a refusal, a halo exchange. */
#include <stdio.h>
#include <string.h>

#include "gdr/interconnect/halo.h"
#include "gdr/interconnect/tca.h"

#define NODES 8
#define BYTES 4096

static int failures = 0;

static void expect(int holds, const char* what) {
  if (!holds) {
    fprintf(stderr, "does not hold: %s\n", what);
    ++failures;
  }
}

static void ring(gdr_tca* tca) {
  unsigned char* memory[NODES];
  gdr_tca_handle handle[NODES];
  double seconds = 0;
  for (int node = 0; node < NODES; ++node) {
    void* place = NULL;
    expect(gdr_tca_malloc(tca, node, GDR_TCA_GPU0, 2 * BYTES, &place) == 0, "memory is allocated");
    memory[node] = place;
    memset(memory[node], node + 1, BYTES);
    expect(gdr_tca_create_handle(tca, memory[node], &handle[node]) == 0, "memory has a handle");
  }
  for (int node = 0; node < NODES; ++node) {
    const int next = (node + 1) % NODES;
    expect(gdr_tca_chain_put(tca, node, 0, handle[next], BYTES, handle[node], 0, BYTES) == 0, "a put is described");
  }
  for (int node = 0; node < NODES; ++node) expect(gdr_tca_start(tca, node, 0) == 0, "a chain starts");
  for (int node = 0; node < NODES; ++node) {
    expect(gdr_tca_wait(tca, node, 0, &seconds) == 0 && seconds > 0, "a chain ends");
  }
  for (int node = 0; node < NODES; ++node) {
    const int before = (node + NODES - 1) % NODES;
    for (int i = 0; i < BYTES; ++i) {
      if (memory[node][BYTES + i] != before + 1) {
        expect(0, "every byte arrives");
        break;
      }
    }
  }
  expect(gdr_tca_chain_put(tca, 0, 1, handle[1], BYTES, handle[0], 0, 2 * BYTES) == 1, "too much is refused");
  expect(strstr(gdr_tca_error(tca), "8192") != NULL, "the refusal names the size");
  void* beyond = NULL;
  expect(gdr_tca_malloc(tca, 0, GDR_TCA_GPU2, 8, &beyond) == 1, "memory beyond QPI is refused");
  expect(strstr(gdr_tca_error(tca), "QPI") != NULL, "the refusal says why");
  for (int node = 0; node < NODES; ++node) expect(gdr_tca_free(tca, memory[node]) == 0, "memory is freed");
  expect(gdr_tca_free(tca, memory[0]) == 1, "memory is not freed twice");
}

static void halo(gdr_tca* tca) {
  const gdr_halo_shape shape = {{8, 8, 1}, {2, 4, 1}, {1, 1, 0}, sizeof(double)};
  gdr_reflect* reflect = NULL;
  expect(gdr_reflect_init(tca, &shape, GDR_HALO_HYBRID, &reflect) == 0, "an exchange is planned");
  const int64_t elements = gdr_halo_block_elements(&shape);
  expect(elements == (4 + 2) * (2 + 2), "a block holds its halo");
  for (int rank = 0; rank < 8; ++rank) {
    double* block = gdr_reflect_block(reflect, rank);
    for (int64_t i = 0; i < elements; ++i) block[i] = rank;
  }
  expect(gdr_reflect_do(reflect) == 0, "an exchange runs");
  const double* block = gdr_reflect_block(reflect, 1); /* neighbours: 0 and 2 along j, 5 along i */
  expect(block[1 * 4 + 0] == 0 && block[1 * 4 + 3] == 2 && block[5 * 4 + 1] == 5, "halos hold the neighbours' values");
  expect(block[0 * 4 + 1] == 1, "the outer boundary is left alone");
  expect(gdr_reflect_seconds(reflect) > 0, "an exchange takes time");
  expect(strstr(gdr_reflect_describe(reflect, 1), "stride") != NULL, "a plan is told");
  gdr_reflect_free(reflect);
  const gdr_halo_shape wrong = {{8, 9, 1}, {2, 4, 1}, {1, 1, 0}, sizeof(double)};
  expect(gdr_reflect_init(tca, &wrong, GDR_HALO_HYBRID, &reflect) == 1, "splits that do not divide are refused");
  expect(strstr(gdr_reflect_error(NULL), "9") != NULL, "the refusal names the size");
}

int main(void) {
  gdr_tca* tca = NULL;
  expect(gdr_tca_open(7, &tca) == 1 && strstr(gdr_tca_error(NULL), "7") != NULL, "seven nodes are refused");
  if (gdr_tca_open(NODES, &tca) != 0) {
    fprintf(stderr, "%s\n", gdr_tca_error(NULL));
    return 1;
  }
  ring(tca);
  halo(tca);
  gdr_tca_close(tca);
  return failures == 0 ? 0 : 1;
}
