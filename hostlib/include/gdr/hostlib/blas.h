/* What libgdrblas offers beside BLAS itself: a hook that reports for each call who computed it, and how long the board
   would have taken. Link with -lgdrblas, or look the function up with dlsym() where the library is preloaded. */
#ifndef GDR_HOSTLIB_BLAS_H
#define GDR_HOSTLIB_BLAS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A finished call of a routine that boards compute. Calls with an empty C or B compute nothing and are not reported. */
typedef struct gdr_blas_call {
  const char* routine;     /* "dgemm", "dtrsm", "dtrmm", "dsymm", "dsyrk", "dsyr2k", "dgemmtr", "sgemm" or "ssyrk" */
  long long m, n, k;       /* rows and columns of the result, column major, and the depth: the order of the triangle or
                              symmetric matrix for dtrsm, dtrmm and dsymm */
  int boards;              /* largest number of boards at work at a time; 0: the host computed the whole call */
  double emulated_seconds; /* emulated time of the boards; what the host computed adds nothing */
  double board_seconds;    /* time that this host took to emulate the boards */
  double host_seconds;     /* time that the host's own BLAS took */
} gdr_blas_call;

typedef void (*gdr_blas_hook)(const gdr_blas_call* call, void* context);

/* From now on `hook` is called at the end of every such call, on the caller's thread, before the routine
   returns. A null pointer removes the hook. If several threads call BLAS, the hook runs on them at the same time. The
   hook may call BLAS, which calls the hook again. */
void gdr_blas_on_call(gdr_blas_hook hook, void* context);

#ifdef __cplusplus
}
#endif

#endif
