/* The C interface under the generated stubs: one kernel on one device. Every function returns a status, 0 for success;
   no exception crosses it. A runtime may be used by one thread at a time. The device is chosen by GDR_MACHINE,
   GDR_BOARDS, GDR_CLOCK, GDR_ENGINE, GDR_THREADS. GDR_PROFILE names a file for what limits the program (.html or
   .json), GDR_TRACE one for its emulated time as Chrome's and Perfetto's viewers read it (.json); %k in a name stands
   for the kernel's. They are written by gdr_runtime_finish(). */
#ifndef GDR_HOSTLIB_RUNTIME_H
#define GDR_HOSTLIB_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GDR_OK = 0,
  GDR_ERROR_NOT_OPEN = 1, /* no runtime: init was not called, or failed */
  GDR_ERROR_ARGUMENT = 2, /* a null pointer or a negative count */
  GDR_ERROR_REFUSED = 3,  /* the machine or the library refused it; gdr_runtime_message() says why */
  GDR_ERROR_STATE = 4,    /* calls in the wrong order */
  GDR_ERROR_MEMORY = 5    /* the host's memory is exhausted */
};

typedef struct gdr_runtime gdr_runtime;

/* Opens a device and loads the object file of `bytes` bytes. On failure *runtime is null. */
int gdr_runtime_open(const unsigned char* object, size_t bytes, gdr_runtime** runtime);
int gdr_runtime_set_parameter(gdr_runtime* runtime, const char* name, double value);

/* Records are the kernel's structs: one 8-byte field per element of the variables in declaration order. send_i replaces
   all i-particles; send_j writes j-particles first .. first + count - 1. Records are copied. */
int gdr_runtime_send_i(gdr_runtime* runtime, const void* records, int count);
int gdr_runtime_send_j(gdr_runtime* runtime, int first, const void* records, int count);

/* Starts the loop over j-particles 0 .. nj - 1 in the background; wait ends it. */
int gdr_runtime_start(gdr_runtime* runtime, int nj);
int gdr_runtime_wait(gdr_runtime* runtime);

/* Results of the first `count` i-particles of the last run. */
int gdr_runtime_get_result(gdr_runtime* runtime, void* records, int count);

/* Kernels of Type II: nj above is the number of turns; this gives the first `count` words (8 bytes each) of the last
   run, in the order of the kernel's `collect` lines. */
int gdr_runtime_get_words(gdr_runtime* runtime, void* words, int count);

/* Emulated time since the kernel was loaded, of the board and its host of 2009. */
int gdr_runtime_emulated_seconds(const gdr_runtime* runtime, double* seconds);
/* Floating-point events since then: counts[0] invalid operations, [1] overflows, [2] underflows. */
int gdr_runtime_events(const gdr_runtime* runtime, int64_t* counts);

/* Writes what GDR_PROFILE and GDR_TRACE ask for, of all runs so far; waits for one that is under way. */
int gdr_runtime_finish(gdr_runtime* runtime);
/* Null is allowed. A run under way is waited for; nothing is written. */
void gdr_runtime_close(gdr_runtime* runtime);

/* Text of a status; never null. */
const char* gdr_runtime_strerror(int status);
/* Why the last call on this thread failed, in full; empty if none did. Valid until the next call on this thread. */
const char* gdr_runtime_message(void);

#ifdef __cplusplus
}
#endif

#endif
