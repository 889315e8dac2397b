/* The C interface under programs that `gdr cc --goose` makes: one marked loop on one device, record after record. The
   device is chosen by GDR_MACHINE, GDR_BOARDS, GDR_CLOCK, GDR_ENGINE, GDR_THREADS; GDR_PROFILE and GDR_TRACE as in
   runtime.h. GDR_GOOSE=host has the host compute the loops as they were written. No exception crosses this interface;
   once a call has failed the ones that follow do nothing, and gdr_goose_run() says so. */
#ifndef GDR_HOSTLIB_GOOSE_H
#define GDR_HOSTLIB_GOOSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A field of a record. */
typedef union gdr_goose_word {
  double number;
  int64_t integer;
} gdr_goose_word;

/* One loop of a program; kept from call to call. */
typedef struct gdr_goose gdr_goose;

enum { GDR_GOOSE_HOST = 0, GDR_GOOSE_BOARD = 1, GDR_GOOSE_FAILED = 2 };

/* Begins the loop at `place` (FILE:LINE), whose kernel is the object file of `bytes` bytes. *loop is null before the
   first call. Returns where to compute it; on GDR_GOOSE_FAILED gdr_goose_message() says why. */
int gdr_goose_begin(gdr_goose** loop, const char* place, const unsigned char* object, size_t bytes);

/* The next i- or j-record to fill. */
gdr_goose_word* gdr_goose_i(gdr_goose* loop);
gdr_goose_word* gdr_goose_j(gdr_goose* loop);
/* How many of them there are. */
size_t gdr_goose_count_i(const gdr_goose* loop);
size_t gdr_goose_count_j(const gdr_goose* loop);

/* The parameter with this number, in the order of the kernel. */
void gdr_goose_parameter(gdr_goose* loop, unsigned number, double value);

/* Memory that the last i-record's results go to, and memory that data of the last i- or j-record were read from. Data
   that are results of another i would depend on the order of the loop: gdr_goose_run() refuses them. */
void gdr_goose_writes(gdr_goose* loop, const void* address, size_t bytes, const char* name);
void gdr_goose_reads_i(gdr_goose* loop, const void* address, size_t bytes, const char* name);
void gdr_goose_reads_j(gdr_goose* loop, const void* address, size_t bytes, const char* name);

/* Computes. 0, or another number if anything failed since gdr_goose_begin(). */
int gdr_goose_run(gdr_goose* loop);

/* The results of the next i, in their order; null behind the last one. */
const gdr_goose_word* gdr_goose_result(gdr_goose* loop);

/* FILE:LINE and why the last call on this thread failed; valid until the next call on this thread. */
const char* gdr_goose_message(void);

#ifdef __cplusplus
}
#endif

#endif
