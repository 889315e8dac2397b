/* Programs for HA-PACS/TCA under mpirun: tca_program NAME runs one of them. Times are computed by hand from the
 * machine's description: a chain starts in 2.0 us (2.3 us with descriptors in the host), data take 3,300 MB/s in full
 * packets of 256 bytes, a packet has 24 bytes beside its data on a wire of 4,000 MB/s, and a hop beyond the first takes
 * 0.2 us. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tca-api.h"

enum { kFlags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify, kTag = 0x100, kMost = 64 };

static int me = 0;
static int ranks = 0;
static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "rank %d, line %d: does not hold: %s\n", me, line, what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static void succeed(tcaresult result, const char* call, int line) {
  if (result == TCA_SUCCESS) return;
  fprintf(stderr, "rank %d, line %d: %s: %s\n", me, line, call, tcaGetErrorString(result));
  MPI_Abort(MPI_COMM_WORLD, 1); /* the others would wait for it */
}
#define TCA(call) succeed(call, #call, __LINE__)

/* The call is refused with this code and a text that has these words. */
static void refuse(tcaresult result, tcaresult code, const char* words, const char* call, int line) {
  if (result == code && strstr(tcaGetErrorString(result), words) != NULL) return;
  fprintf(stderr, "rank %d, line %d: %s gives %d: %s; expected %d: %s\n", me, line, call, result,
          tcaGetErrorString(result), code, words);
  ++failures;
}
#define REFUSED(call, code, words) refuse(call, code, words, #call, __LINE__)

static void near(double seconds, double by_hand, int line) {
  if (fabs(seconds - by_hand) <= 0.01 * by_hand) return;
  fprintf(stderr, "rank %d, line %d: %.6f us, by hand %.6f us\n", me, line, 1e6 * seconds, 1e6 * by_hand);
  ++failures;
}
#define NEAR(seconds, by_hand) near(seconds, by_hand, __LINE__)

/* Memory of this rank and the handles of all ranks' memory. */
static void* shared_memory(size_t bytes, tcaMemoryType kind, tcaHandle* all) {
  void* memory = NULL;
  tcaHandle mine;
  TCA(tcaMalloc(&memory, bytes, kind));
  TCA(tcaCreateHandle(&mine, memory, bytes, kind));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return memory;
}

/* One way of a ping-pong of `bytes` bytes, `turns` times; the bytes are checked, too. */
static double one_way(size_t bytes, int turns, int flags) {
  tcaHandle send[kMost];
  tcaHandle receive[kMost];
  unsigned char* out = shared_memory(bytes, tcaMemoryGPU, send);
  const unsigned char* in = shared_memory(bytes, tcaMemoryGPU, receive);
  const int other = 1 - me;
  for (size_t i = 0; i < bytes; ++i) out[i] = (unsigned char)(7 * i + (size_t)me + 1);
  tcaDesc* desc = tcaDescNew();
  TCA(tcaDescSetMemcpy(desc, &receive[other], 0, &send[me], 0, bytes, flags, 0, kTag));
  TCA(tcaDescSet(desc, 0));
  TCA(tcaDescFree(desc)); /* the channel has a copy */
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int turn = 0; turn < turns; ++turn) {
    if (me == 0) TCA(tcaStartDMADesc(0));
    TCA(tcaWaitDMARecvDesc(&receive[other], 0, kTag));
    if (me == 1) TCA(tcaStartDMADesc(0));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = (MPI_Wtime() - began) / turns / 2;
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; ++i) wrong += in[i] != (unsigned char)(7 * i + (size_t)other + 1);
  EXPECT(wrong == 0);
  EXPECT(MPI_Wtime() == gdr_tca_clock());
  MPI_Barrier(MPI_COMM_WORLD); /* before memory goes that the other rank may still read */
  TCA(tcaFree(out, tcaMemoryGPU));
  TCA(tcaFree((void*)in, tcaMemoryGPU));
  return seconds;
}

static void pingpong(void) {
  NEAR(one_way(8, 500, kFlags), 2.0e-6 + 8 * (32.0 / 8 * 256 / 280) / 3300e6);
  NEAR(one_way(4096, 100, kFlags), 2.0e-6 + 4096 / 3300e6);
  NEAR(one_way(1 << 20, 20, kFlags), 2.0e-6 + 1048576 / 3300e6);
  NEAR(one_way(8, 100, kFlags & ~tcaDMAUseInternal), 2.3e-6 + 8 * (32.0 / 8 * 256 / 280) / 3300e6);
  /* The same time in every run, to the last bit: later clocks round differently, so the runs begin at one clock. */
  double first = 0;
  for (int run = 0; run < 10; ++run) {
    const double seconds = one_way(256, 3, kFlags);
    if (run == 0) first = seconds;
    EXPECT(fabs(seconds - first) < 1e-15);
  }
}

/* 3 rows of 5 doubles, 7 apart, to word 65: words 65 to 69, 72 to 76, 79 to 83 change. */
static void rows(void) {
  tcaHandle all[kMost];
  double* array = shared_memory(128 * sizeof *array, tcaMemoryGPU, all);
  const int other = 1 - me;
  for (int n = 0; n < 128; ++n) array[n] = 1000 * me + n;
  tcaDesc* desc = tcaDescNew();
  TCA(tcaDescSetMemcpy2D(desc, &all[other], 65 * 8, 56, &all[me], 0, 56, 40, 3, kFlags, 1, 7));
  TCA(tcaDescSet(desc, 3));
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = gdr_tca_clock();
  TCA(tcaStartDMADesc(3));
  EXPECT(gdr_tca_clock() == began); /* a start does not wait */
  TCA(tcaWaitDMARecvDesc(&all[other], 1, 7));
  NEAR(gdr_tca_clock() - began, 2.0e-6 + 120 * (64.0 / 40 * 256 / 280) / 3300e6);
  for (int n = 0; n < 128; ++n) {
    const int row = (n - 65) / 7;
    const int inside = n >= 65 && row < 3 && (n - 65) % 7 < 5;
    EXPECT(array[n] == (inside ? 1000 * other + n - 65 : 1000 * me + n));
  }
  TCA(tcaWaitDMAC(3));
}

/* Four ranks of one ring: the farther the later. */
static void ring(void) {
  tcaHandle all[kMost];
  double* array = shared_memory(64 * sizeof *array, tcaMemoryCPU, all);
  for (int n = 0; n < 64; ++n) array[n] = 100 * me + n;
  tcaDesc* desc = tcaDescNew();
  /* To each of the three others 16 words, at a place of this rank's own, in one chain. */
  for (int step = 1; step < ranks; ++step) {
    const int to = (me + step) % ranks;
    TCA(tcaDescSetMemcpy(desc, &all[to], 128 * me, &all[me], 128 * me, 128, kFlags | tcaDMANotifySelf, step, me));
  }
  TCA(tcaDescSet(desc, 0));
  MPI_Barrier(MPI_COMM_WORLD);   /* before anybody writes into another's array */
  TCA(gdr_tca_spend(1e-6 * me)); /* ranks do not start at one time */
  const double started = gdr_tca_clock();
  TCA(tcaStartDMADesc(0));
  const double put = 128 * (152.0 / 128 * 256 / 280) / 3300e6;
  double latest = 0;
  for (int step = 1; step < ranks; ++step) {
    /* This rank's own notifications come when the bytes arrive; the first hop is in the 2.0 us. */
    TCA(tcaWaitDMARecvDesc(&all[me], step, me));
    const double arrival = 2.0e-6 + step * put + (abs((me + step) % ranks - me) - 1) * 0.2e-6;
    latest = arrival > latest ? arrival : latest; /* clocks do not go back */
    NEAR(gdr_tca_clock() - started, latest);
  }
  for (int step = 1; step < ranks; ++step) {
    const int from = (me + ranks - step) % ranks;
    TCA(tcaWaitDMARecvDesc(&all[from], step, from));
    for (int n = 16 * from; n < 16 * from + 16; ++n) EXPECT(array[n] == 100 * from + n);
  }
  TCA(tcaWaitDMAC(0));
  MPI_Barrier(MPI_COMM_WORLD);
  double clocks[kMost];
  const double mine = gdr_tca_clock();
  MPI_Allgather(&mine, 1, MPI_DOUBLE, clocks, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; ++rank) EXPECT(clocks[rank] == mine);
  EXPECT(mine >= 1e-6 * (ranks - 1) + 2.0e-6);
}

/* Tags, slots and the order of notifications; more of them than a slot holds at once. */
static void notices(void) {
  tcaHandle all[kMost];
  int* array = shared_memory(64, tcaMemoryCPU, all);
  if (me == 0) {
    tcaDesc* desc = tcaDescNew();
    TCA(tcaDescSetMemcpy(desc, &all[1], 0, &all[0], 0, 4, kFlags, 5, 1));
    TCA(tcaDescSetMemcpy(desc, &all[1], 4, &all[0], 4, 4, kFlags, 5, 2));
    TCA(tcaDescSetMemcpy(desc, &all[1], 8, &all[0], 8, 4, kFlags & ~tcaDMANotify, 5, 3));
    TCA(tcaDescSetMemcpy(desc, &all[1], 12, &all[0], 12, 4, kFlags, 6, 1));
    TCA(tcaDescSet(desc, 1));
    for (int n = 0; n < 4; ++n) array[n] = n + 1;
    TCA(tcaStartDMADesc(1));
    TCA(tcaWaitDMADesc(1));
    array[0] = 9; /* the put is over */
    tcaDesc* one = tcaDescNew();
    TCA(tcaDescSetMemcpy(one, &all[1], 16, &all[0], 0, 4, kFlags, 7, 1));
    TCA(tcaDescSet(one, 0));
    for (int n = 0; n < 6000; ++n) TCA(tcaDMAStart(0));
    TCA(tcaDescFree(one));
    TCA(tcaDescFree(desc));
  } else {
    TCA(tcaWaitDMARecvDesc(&all[0], 6, 1));
    const double last = gdr_tca_clock();
    TCA(tcaDMAWaitRecv(&all[0], 5, 2));
    TCA(tcaDMAWaitRecv(&all[0], 5, 1));
    EXPECT(gdr_tca_clock() == last); /* those were there before */
    EXPECT(array[0] == 1 && array[1] == 2 && array[2] == 3 && array[3] == 4);
    for (int n = 0; n < 6000; ++n) TCA(tcaWaitDMARecvDesc(&all[0], 7, 1));
    EXPECT(array[4] == 9);
    /* 6,000 starts at one time leave one after another. */
    NEAR(gdr_tca_clock(), 2 * 2.0e-6 + (6000 + 4) * 4 * (28.0 / 4 * 256 / 280) / 3300e6);
  }
}

/* Two channels of a node share its port. */
static void channels(void) {
  const int kBytes = 1 << 20;
  tcaHandle all[kMost];
  shared_memory(2 * kBytes, tcaMemoryGPU, all);
  if (me == 0) {
    for (int channel = 0; channel < 2; ++channel) {
      tcaDesc* desc = tcaDescNew();
      TCA(tcaDescSetMemcpy(desc, &all[1], channel * kBytes, &all[0], channel * kBytes, kBytes, kFlags, channel, kTag));
      TCA(tcaDescSet(desc, channel));
    }
    TCA(tcaStartDMADesc(0));
    TCA(tcaStartDMADesc(1));
    TCA(tcaWaitDMAC(1));
    NEAR(gdr_tca_clock(), 2.0e-6 + 2.0 * kBytes / 3300e6);
    TCA(tcaWaitDMAC(0));
    NEAR(gdr_tca_clock(), 2.0e-6 + 2.0 * kBytes / 3300e6);
  }
}

/* Register mode: 2.4 us, 2.3 us if the GPU is read. */
static void registers(void) {
  tcaHandle cpu[kMost];
  tcaHandle gpu[kMost];
  int* array = shared_memory(64, tcaMemoryCPU, cpu);
  shared_memory(64, tcaMemoryGPU, gpu);
  if (me == 0) {
    tcaDesc* desc = tcaDescNew();
    array[0] = 5;
    TCA(tcaDescSetMemcpy(desc, &cpu[1], 4, &cpu[0], 0, 4, kFlags, 0, kTag));
    TCA(gdr_tca_registers(desc, 2));
    TCA(tcaWaitDMAC(2));
    NEAR(gdr_tca_clock(), 2.4e-6 + 4 * (28.0 / 4 * 256 / 280) / 3300e6);
    for (int n = 1; n < 5; ++n) TCA(tcaDescSetMemcpy(desc, &cpu[1], 4, &cpu[0], 0, 4, kFlags, 0, kTag));
    REFUSED(gdr_tca_registers(desc, 2), TCA_ERROR_INVALID_VALUE, "5 transfers");
    tcaDesc* of_gpu = tcaDescNew();
    TCA(tcaDescSetMemcpy(of_gpu, &gpu[1], 0, &gpu[0], 0, 64, kFlags, 0, kTag));
    const double began = gdr_tca_clock();
    TCA(gdr_tca_registers(of_gpu, 2));
    TCA(tcaWaitDMAC(2));
    NEAR(gdr_tca_clock() - began, 2.3e-6 + 64 * (88.0 / 64 * 256 / 280) / 3300e6);
  } else {
    TCA(tcaWaitDMARecvDesc(&cpu[0], 0, kTag));
    EXPECT(array[1] == 5);
  }
}

/* Stores by the CPU: 0.9 us and packets of one word; the receiver looks at its memory. */
static void pio(void) {
  tcaHandle all[kMost];
  volatile unsigned long* memory = shared_memory(64, tcaMemoryCPU, all);
  tcaPIOHandle region;
  TCA(tcaSetPIORegion(&region, &all[1], 16, 32));
  if (me == 0) {
    const unsigned long data[2] = {41, 42};
    TCA(tcaSendPIO(&region, 8, data, sizeof data));
    TCA(tcaSendPIOCommit());
    NEAR(gdr_tca_clock(), 0.9e-6 + 16 / 1000e6);
    REFUSED(tcaSendPIO(&region, 24, data, sizeof data), TCA_ERROR_INVALID_VALUE, "bytes 24 to 40");
  } else {
    while (memory[4] != 42) { /* bytes 32 to 39 */
    }
    EXPECT(memory[3] == 41 && memory[2] == 0);
    EXPECT(gdr_tca_clock() == 0); /* a look at memory is no call */
    TCA(gdr_tca_wait_pio(&all[0]));
    NEAR(gdr_tca_clock(), 0.9e-6 + 16 / 1000e6);
  }
}

/* The older form of chains. */
static void older(void) {
  tcaHandle all[kMost];
  int* array = shared_memory(64, tcaMemoryCPU, all);
  for (int n = 0; n < 4; ++n) array[n] = 10 * me + n;
  int id = -1;
  int next = 0;
  const int other = 1 - me;
  TCA(tcaDMADescInt_Init());
  TCA(tcaCreateDMADesc(&id, 2));
  TCA(tcaSetDMADesc_Memcpy(id, next, &next, &all[other], 32, &all[me], 0, 4, kFlags & ~tcaDMANotify, 0, kTag));
  REFUSED(tcaSetDMAChain(0, id), TCA_ERROR_INVALID_VALUE, "descriptor 1");
  TCA(tcaSetDMADesc_Memcpy2D(id, next, &next, &all[other], 36, 8, &all[me], 4, 4, 4, 2, kFlags, 0, kTag));
  EXPECT(next == 2);
  REFUSED(tcaSetDMADesc_Memcpy(id, next, &next, &all[other], 32, &all[me], 0, 4, kFlags, 0, kTag),
          TCA_ERROR_INVALID_VALUE, "descriptor 2");
  TCA(tcaSetDMAChain(0, id));
  TCA(tcaDestroyDMADesc(id));
  REFUSED(tcaDestroyDMADesc(id), TCA_ERROR_INVALID_VALUE, "chain 0");
  REFUSED(tcaCreateDMADesc(&id, 0), TCA_ERROR_INVALID_VALUE, "count = 0");
  TCA(tcaDMAStart(0));
  TCA(tcaWaitDMARecvDesc(&all[other], 0, kTag));
  EXPECT(array[8] == 10 * other && array[9] == 10 * other + 1 && array[11] == 10 * other + 2);
}

/* The bench of 2013: CPU memory at 3.5 GB/s, GPU memory at 880 MB/s, no descriptors in the chip. */
static void bench(void) {
  const int kBytes = 8 << 20;
  tcaHandle cpu[kMost];
  tcaHandle gpu[kMost];
  shared_memory(kBytes, tcaMemoryCPU, cpu);
  shared_memory(kBytes, tcaMemoryGPU, gpu);
  if (me != 0) return;
  for (int from_gpu = 0; from_gpu < 2; ++from_gpu) {
    tcaDesc* desc = tcaDescNew();
    TCA(tcaDescSetMemcpy(desc, &cpu[1], 0, from_gpu ? &gpu[0] : &cpu[0], 0, kBytes, tcaDMANotify, 0, kTag));
    double began = gdr_tca_clock();
    TCA(gdr_tca_registers(desc, 0));
    TCA(tcaWaitDMAC(0));
    NEAR(gdr_tca_clock() - began, from_gpu ? 2.3e-6 + kBytes / 880e6 : 2.4e-6 + kBytes / 3500e6);
    TCA(tcaDescSet(desc, 0));
    began = gdr_tca_clock();
    TCA(tcaStartDMADesc(0));
    TCA(tcaWaitDMAC(0));
    NEAR(gdr_tca_clock() - began, 3.03e-6 + kBytes / (from_gpu ? 880e6 : 3500e6));
  }
  tcaDesc* internal = tcaDescNew();
  TCA(tcaDescSetMemcpy(internal, &cpu[1], 0, &cpu[0], 0, 8, kFlags, 0, kTag));
  REFUSED(tcaDescSet(internal, 0), TCA_ERROR_INVALID_VALUE, "board of 2013");
}

static void errors(void) {
  tcaHandle all[kMost];
  unsigned char* memory = shared_memory(64, tcaMemoryCPU, all);
  void* other_memory = NULL;
  const tcaHandle none = {0};
  tcaHandle handle;
  tcaDesc* desc = tcaDescNew();
  tcaDesc* gone = tcaDescNew();
  const int other = 1 - me;
  const double began = gdr_tca_clock();
  TCA(tcaDescFree(gone));
  REFUSED(tcaDescFree(gone), TCA_ERROR_INVALID_VALUE, "is freed");
  REFUSED(tcaDescSet(NULL, 0), TCA_ERROR_INVALID_VALUE, "tcaDescNew()");
  REFUSED(tcaMalloc(NULL, 8, tcaMemoryCPU), TCA_ERROR_INVALID_VALUE, "memory = NULL");
  REFUSED(tcaMalloc(&other_memory, 0, tcaMemoryCPU), TCA_ERROR_INVALID_VALUE, "0 bytes");
  REFUSED(tcaMalloc(&other_memory, 8, 7), TCA_ERROR_INVALID_VALUE, "kind 7");
  REFUSED(tcaMalloc(&other_memory, (size_t)9 << 30, tcaMemoryGPU), TCA_ERROR_OUT_OF_MEMORY, "8589934592 bytes");
  REFUSED(tcaFree(memory + 1, tcaMemoryCPU), TCA_ERROR_INVALID_VALUE, "tcaMalloc()");
  REFUSED(tcaFree(memory, tcaMemoryGPU), TCA_ERROR_INVALID_VALUE, "tcaMemoryCPU");
  REFUSED(tcaCreateHandle(&handle, memory, 65, tcaMemoryCPU), TCA_ERROR_INVALID_VALUE, "1 to 64");
  REFUSED(tcaCreateHandle(&handle, &handle, 8, tcaMemoryCPU), TCA_ERROR_INVALID_VALUE, "tcaMalloc()");
  REFUSED(tcaCreateHandle(&handle, memory, 64, tcaMemoryGPU), TCA_ERROR_INVALID_VALUE, "tcaMemoryCPU");
  REFUSED(tcaDescSetMemcpy(desc, NULL, 0, &all[me], 0, 8, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE, "to = NULL");
  REFUSED(tcaDescSetMemcpy(desc, &none, 0, &all[me], 0, 8, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE, "tcaCreateHandle()");
  REFUSED(tcaDescSetMemcpy(desc, &all[other], 0, &all[other], 0, 8, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE,
          "its own memory");
  REFUSED(tcaDescSetMemcpy(desc, &all[other], 60, &all[me], 0, 8, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE,
          "to: bytes 60 to 68");
  REFUSED(tcaDescSetMemcpy(desc, &all[other], -1, &all[me], 0, 8, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE,
          "to_offset = -1");
  REFUSED(tcaDescSetMemcpy(desc, &all[other], 0, &all[me], 0, 0, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE, "0 bytes");
  REFUSED(tcaDescSetMemcpy2D(desc, &all[other], 0, 4, &all[me], 0, 8, 8, 2, kFlags, 0, 0), TCA_ERROR_INVALID_VALUE,
          "overlap");
  REFUSED(tcaDescSetMemcpy2D(desc, &all[other], 0, 32, &all[me], 0, 32, 8, (size_t)1 << 60, kFlags, 0, 0),
          TCA_ERROR_INVALID_VALUE, "the handle has 64");
  REFUSED(tcaDescSetMemcpy(desc, &all[other], 0, &all[me], 0, 8, 32, 0, 0), TCA_ERROR_INVALID_VALUE, "flags 0x20");
  REFUSED(tcaDescSetMemcpy(desc, &all[other], 0, &all[me], 0, 8, kFlags, TCA_SLOTS, 0), TCA_ERROR_INVALID_VALUE,
          "0 to 63");
  REFUSED(tcaDescSet(desc, 4), TCA_ERROR_INVALID_VALUE, "channel 4");
  REFUSED(tcaStartDMADesc(-1), TCA_ERROR_INVALID_VALUE, "channel -1");
  REFUSED(tcaStartDMADesc(2), TCA_ERROR_INVALID_VALUE, "tcaDescSet()");
  REFUSED(tcaWaitDMAC(4), TCA_ERROR_INVALID_VALUE, "0 to 3");
  TCA(tcaWaitDMAC(2)); /* nothing was started */
  REFUSED(tcaWaitDMARecvDesc(&all[other], -1, 0), TCA_ERROR_INVALID_VALUE, "slot -1");
  REFUSED(tcaWaitDMARecvDesc(&all[me], 0, 0), TCA_ERROR_INVALID_VALUE, "tcaDMANotifySelf");
  REFUSED(gdr_tca_spend(-1), TCA_ERROR_INVALID_VALUE, "-1 s");
  TCA(tcaDescSet(desc, 2)); /* no put was appended */
  TCA(tcaStartDMADesc(2));
  EXPECT(gdr_tca_clock() == began);
  for (int n = 0; n < 1025; ++n) TCA(tcaDescSetMemcpy(desc, &all[other], 0, &all[me], 8, 8, kFlags, 0, 0));
  REFUSED(tcaDescSet(desc, 0), TCA_ERROR_OUT_OF_MEMORY, "the chip holds 1024");
  EXPECT(strcmp(tcaGetErrorString(TCA_SUCCESS), "success") == 0);
  EXPECT(strstr(tcaGetErrorString(TCA_ERROR_TIMEOUT), "time") != NULL);
  EXPECT(strstr(tcaGetErrorString(99), "unknown") != NULL);
  /* Memory that its owner has freed since. */
  tcaDesc* late = tcaDescNew();
  TCA(tcaDescSetMemcpy(late, &all[other], 0, &all[me], 0, 8, kFlags, 0, 0));
  TCA(tcaDescSet(late, 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) TCA(tcaFree(memory, tcaMemoryCPU));
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    REFUSED(tcaStartDMADesc(1), TCA_ERROR_INVALID_VALUE, "memory of node 1 is freed");
    REFUSED(tcaDescSet(late, 0), TCA_ERROR_INVALID_VALUE, "its memory is freed");
  } else {
    REFUSED(tcaStartDMADesc(1), TCA_ERROR_INVALID_VALUE, "memory of node 1 is freed");
    REFUSED(tcaFree(memory, tcaMemoryCPU), TCA_ERROR_INVALID_VALUE, "is freed");
  }
}

/* GDR_TCA_TIMEOUT is set. */
static void timeout(void) {
  tcaHandle all[kMost];
  shared_memory(64, tcaMemoryCPU, all);
  if (me == 0) REFUSED(tcaWaitDMARecvDesc(&all[1], 3, 9), TCA_ERROR_TIMEOUT, "node 1 with tag 0x9 in slot 3");
  EXPECT(gdr_tca_clock() == 0);
}

/* The 17th rank is in another sub-cluster. */
static void sub_clusters(void) {
  tcaHandle all[kMost];
  shared_memory(64, tcaMemoryCPU, all);
  tcaDesc* desc = tcaDescNew();
  if (me == 0 || me == 16) {
    REFUSED(tcaDescSetMemcpy(desc, &all[me == 0 ? 16 : 0], 0, &all[me], 0, 8, kFlags, 0, 0), TCA_ERROR_UNREACHABLE,
            "sub-cluster 1");
  }
  if (me == 0) TCA(tcaDescSetMemcpy(desc, &all[15], 0, &all[me], 0, 8, kFlags, 0, 0));
  if (me == 16) REFUSED(tcaWaitDMARecvDesc(&all[3], 0, 0), TCA_ERROR_UNREACHABLE, "node 3");
}

static void reset(void) {
  tcaHandle all[kMost];
  shared_memory(64, tcaMemoryCPU, all);
  tcaDesc* desc = tcaDescNew();
  TCA(tcaDescSetMemcpy(desc, &all[1 - me], 0, &all[me], 8, 8, kFlags | tcaDMANotifySelf, 0, 0));
  TCA(tcaDescSet(desc, 0));
  TCA(tcaStartDMADesc(0));
  TCA(tcaReset());
  REFUSED(tcaWaitDMARecvDesc(&all[me], 0, 0), TCA_ERROR_INVALID_VALUE, "tcaDMANotifySelf");
  REFUSED(tcaStartDMADesc(0), TCA_ERROR_INVALID_VALUE, "tcaDescSet()");
  TCA(tcaInit()); /* again: nothing happens */
}

/* One rank's machine is wrong (GDR_TCA_MACHINE): no rank starts, and all know why. */
static void refused_start(void) {
  REFUSED(tcaInit(), TCA_ERROR_SYSTEM, "rank 1: ");
  REFUSED(tcaMalloc(NULL, 8, tcaMemoryCPU), TCA_ERROR_NOT_INITIALIZED, "tcaInit()");
  const double began = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(MPI_Wtime() > began); /* the host's clock */
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } programs[] = {{"pingpong", pingpong}, {"rows", rows},
                  {"ring", ring},         {"notices", notices},
                  {"channels", channels}, {"registers", registers},
                  {"pio", pio},           {"older", older},
                  {"bench", bench},       {"errors", errors},
                  {"timeout", timeout},   {"sub_clusters", sub_clusters},
                  {"reset", reset},       {"refused_start", refused_start}};
  REFUSED(tcaInit(), TCA_ERROR_SYSTEM, "MPI_Init()");
  REFUSED(tcaStartDMADesc(0), TCA_ERROR_NOT_INITIALIZED, "tcaInit()");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* wanted = argc > 1 ? argv[1] : "";
  int found = 0;
  for (size_t n = 0; n < sizeof programs / sizeof *programs; ++n) {
    if (strcmp(programs[n].name, wanted) != 0) continue;
    found = 1;
    if (programs[n].run != refused_start) TCA(tcaInit());
    programs[n].run();
  }
  if (!found) fprintf(stderr, "no program %s\n", wanted);
  int all = failures + !found;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
