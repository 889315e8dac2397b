/* What libgdrblas tells a program beside BLAS's own names: who computed a call, and how long the board would have
   taken. Link with -lgdrblas, or look the function up with dlsym() where the library is preloaded. */
#ifndef GDR_HOSTLIB_BLAS_H
#define GDR_HOSTLIB_BLAS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A finished call of dgemm or dtrsm. Calls with an empty C or B, which compute nothing, are not told. */
typedef struct gdr_blas_call {
  const char* routine;     /* "dgemm" or "dtrsm" */
  long long m, n, k;       /* as the caller gave them, column major; k of dtrsm is the order of the triangle */
  int boards;              /* most boards that worked on it at a time; 0: the host computed all of it */
  double emulated_seconds; /* of the boards, by the model of the machine; 0 for what the host computed */
  double board_seconds;    /* that this host took to emulate them */
  double host_seconds;     /* of the host's own BLAS */
} gdr_blas_call;

typedef void (*gdr_blas_hook)(const gdr_blas_call* call, void* context);

/* Calls `hook` at the end of every call from now on, on the caller's thread, before the routine returns; null ends
   that. Calls from several threads reach it at the same time. The hook may call BLAS, and is told of that call too. */
void gdr_blas_on_call(gdr_blas_hook hook, void* context);

#ifdef __cplusplus
}
#endif

#endif
