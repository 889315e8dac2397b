/* The C interface that the generated stubs call: one kernel on one device. Functions return a status, 0 for success; no
   exception crosses the interface. Only one thread at a time may use a runtime. GDR_MACHINE, GDR_BOARDS, GDR_CLOCK,
   GDR_ENGINE and GDR_THREADS choose the device. GDR_PROFILE names a file (.html or .json) for a profile, which shows
   what limits the program. GDR_TRACE names a file (.json) for a trace of emulated time, which Chrome's and Perfetto's
   viewers read. In these names %k stands for the name of the kernel. gdr_runtime_finish() writes both files. With
   GDR_EVENTS=tell it also tells on standard error of floating-point events and of those of conversions, once. */
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
  GDR_ERROR_ARGUMENT = 2, /* a null pointer, or a number outside its range */
  GDR_ERROR_REFUSED = 3,  /* the machine or the library refused it; gdr_runtime_message() says why */
  GDR_ERROR_STATE = 4,    /* calls in the wrong order */
  GDR_ERROR_MEMORY = 5    /* the host's memory is exhausted */
};

typedef struct gdr_runtime gdr_runtime;

/* Opens a device and loads the object file `object` of `bytes` bytes. Refused if a file that GDR_PROFILE or GDR_TRACE
   names could not be written later. On failure *runtime is null. */
int gdr_runtime_open(const unsigned char* object, size_t bytes, gdr_runtime** runtime);
/* The parameter keeps the value until it is set again. */
int gdr_runtime_set_parameter(gdr_runtime* runtime, const char* name, double value);

/* Records are the structs of the generated stubs: one 8-byte field for each element of the kernel's variables, in
   declaration order. send_i replaces all i-particles: places on the board that get none are as after open. send_j
   writes j-particles first .. first + n - 1. Both copy the records. If a call is refused, runs that would use its
   records (or, of set_parameter, the parameter) are refused until they are sent, so that nothing is computed with those
   of earlier calls. */
int gdr_runtime_send_i(gdr_runtime* runtime, const void* records, int n);
int gdr_runtime_send_j(gdr_runtime* runtime, int first, const void* records, int n);

/* start runs the loop over j-particles 0 .. nj - 1, all of which must have been sent, in the background; wait returns
 * when the loop has ended. */
int gdr_runtime_start(gdr_runtime* runtime, int nj);
int gdr_runtime_wait(gdr_runtime* runtime);

/* Copies the results of the first `n` i-particles of the last run to `records`. A run that was refused has none. */
int gdr_runtime_get_result(gdr_runtime* runtime, void* records, int n);

/* For kernels of Type II, whose number of turns is nj of gdr_runtime_start(): copies the first `n` words (8 bytes
   each) of the last run, in the order of the kernel's `collect` lines. */
int gdr_runtime_get_words(gdr_runtime* runtime, void* words, int n);

/* For kernels of experiments: runs one for each of `n` starts, of at most `most_steps` steps, and writes a result
   for each, in the order of the starts. A result has 8-byte fields for the kernel's results, then two integers: the
   number of steps, and 0 if the experiment was not done after them. */
int gdr_runtime_experiments(gdr_runtime* runtime, const void* starts, int n, int64_t most_steps, void* results);

/* Emulated time of the board and its host of 2009 since the kernel was loaded. */
int gdr_runtime_emulated_seconds(const gdr_runtime* runtime, double* seconds);
/* Floating-point events since the kernel was loaded whose values a result may have taken: counts[0] invalid operations,
   [1] overflows, [2] underflows. */
int gdr_runtime_events(const gdr_runtime* runtime, int64_t* counts);
/* Writes to `text` what `gdr run` would tell of the events since the kernel was loaded: their sums, then the first ones
   with their places, a line each; empty if there were none. Valid until the next call on this thread. */
int gdr_runtime_event_text(const gdr_runtime* runtime, const char** text);

/* Writes the files that GDR_PROFILE and GDR_TRACE name, for all runs so far, and tells of events if GDR_EVENTS asks for
   it. If any of these is set, first waits for a run that is under way. */
int gdr_runtime_finish(gdr_runtime* runtime);
/* Closes the device; `runtime` may be null. Waits for a run that is under way, and writes no file. */
void gdr_runtime_close(gdr_runtime* runtime);

/* Text of a status; never null. */
const char* gdr_runtime_strerror(int status);
/* The full reason why the last call on this thread failed; empty if it did not fail. Valid until the next call on this
   thread. */
const char* gdr_runtime_message(void);

#ifdef __cplusplus
}
#endif

#endif
