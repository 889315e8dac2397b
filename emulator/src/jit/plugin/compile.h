// What the library gdr_jit does: LLVM IR text in, machine code out. It is loaded when a body is compiled for the first
// time, so that programs that compile none need not load LLVM.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GDR_JIT_COMPILE gdr_jit_compile_2
#define GDR_JIT_SHOW gdr_jit_show_1
#define GDR_JIT_HIDE gdr_jit_hide_1

/// Takes `size` bytes; called once.
typedef void (*GdrJitTake)(void* receiver, const char* bytes, size_t size);

/// Compiles `ir` for the processor that LLVM knows as `cpu`. The code needs nothing but itself and stands at any
/// address that is a multiple of 64. `entries` receives the offsets of the functions named in `names`. Returns 0, or -1
/// with a message of at most `error_size` bytes. `take_object`, if it is not null, receives the object file with the
/// same receiver, before the code: sections of the code have their offset in it as address. If it is null, two threads
/// compile, each some of the functions; a text that tells of lines must not be compiled so. Thread safe.
extern "C" __attribute__((visibility("default"))) int GDR_JIT_COMPILE(const char* ir, size_t size, const char* cpu,
                                                                      const char* const* names, size_t name_count,
                                                                      uint64_t* entries, GdrJitTake take,
                                                                      GdrJitTake take_object, void* receiver,
                                                                      char* error, size_t error_size);

/// Shows the object file, which it changes and which stays where it is, to debuggers; the code that belongs to it
/// stands at `code`. Returns what GDR_JIT_HIDE takes. Both are thread safe.
extern "C" __attribute__((visibility("default"))) void* GDR_JIT_SHOW(char* object, size_t size, const void* code);
extern "C" __attribute__((visibility("default"))) void GDR_JIT_HIDE(void* shown);
