/* The C interface that programs made by `gdr cc --goose` call. It runs a marked loop on a device and receives the data
   record by record. GDR_MACHINE, GDR_BOARDS, GDR_CLOCK, GDR_ENGINE and GDR_THREADS choose the device; GDR_PROFILE and
   GDR_TRACE work as in runtime.h. The first events of each loop are told on standard error, unless GDR_EVENTS=off. With
   GDR_GOOSE=host the host computes the loops as they were written. No exception crosses this interface. After a call
   has failed, the calls that follow do nothing, and gdr_goose_run() returns the failure. */
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

/* One loop of a program. The program keeps it from one execution of the loop to the next. */
typedef struct gdr_goose gdr_goose;

enum { GDR_GOOSE_HOST = 0, GDR_GOOSE_BOARD = 1, GDR_GOOSE_FAILED = 2 };

/* Begins the loop at `place` (FILE:LINE). Its kernel is the object file `object` of `bytes` bytes. *loop is null before
   the first call. Returns where the loop is to be computed; after GDR_GOOSE_FAILED, gdr_goose_message() gives the
   reason. */
int gdr_goose_begin(gdr_goose** loop, const char* place, const unsigned char* object, size_t bytes);

/* Appends an i- or j-record and returns it; the caller fills it. */
gdr_goose_word* gdr_goose_i(gdr_goose* loop);
gdr_goose_word* gdr_goose_j(gdr_goose* loop);
/* Number of i- or j-records so far. */
size_t gdr_goose_count_i(const gdr_goose* loop);
size_t gdr_goose_count_j(const gdr_goose* loop);

/* Sets a parameter. `number` is its place in the kernel's list of parameters, from 0 on. */
void gdr_goose_parameter(gdr_goose* loop, unsigned number, double value);

/* Tell the loop which memory the results of the last i-record go to, and which memory data of the last i- or j-record
   were read from. If data are also results of another i, they depend on the order of the loop: gdr_goose_run() refuses
   them. */
void gdr_goose_writes(gdr_goose* loop, const void* address, size_t bytes, const char* name);
void gdr_goose_reads_i(gdr_goose* loop, const void* address, size_t bytes, const char* name);
void gdr_goose_reads_j(gdr_goose* loop, const void* address, size_t bytes, const char* name);

/* Computes the loop. Returns 0, or another number if anything has failed since gdr_goose_begin(). */
int gdr_goose_run(gdr_goose* loop);

/* Emulated seconds of the board and its host of 2009 that the latest gdr_goose_run() added to the loop's; those of the
   first one include what opened it. 0 if the loop had no i or no j. */
double gdr_goose_seconds(const gdr_goose* loop);

/* The results of the next i, in declaration order; null after the last i. */
const gdr_goose_word* gdr_goose_result(gdr_goose* loop);

/* FILE:LINE and the reason why the last call on this thread failed; valid until the next call on this thread. */
const char* gdr_goose_message(void);

#ifdef __cplusplus
}
#endif

#endif
