// A plug-in of QEMU's user emulation: counts the instructions that a program with one thread executes and writes their
// number to the file that its argument `out=FILE` names. bench/instructions.py loads it.
//
// Debian has no header of QEMU's plug-ins; what is used of interface version 1 is declared here
// [QEMU 7.2, docs/devel/tcg-plugins.rst].
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
typedef struct qemu_info_t qemu_info_t;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                                  void (*call)(qemu_plugin_id_t id, struct qemu_plugin_tb* block));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, enum qemu_plugin_op operation,
                                                     void* to, uint64_t value);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t id, void* data),
                                           void* data);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argument_count, char** arguments);

static uint64_t executed;
static char out[4096];

// A block of instructions is executed as a whole or, if one of them faults, counted as one.
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed, qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id_t id, void* data) {
  (void)id;
  (void)data;
  FILE* const file = fopen(out, "w");
  if (file == NULL) return;  // whoever reads it finds nothing
  fprintf(file, "%llu\n", (unsigned long long)executed);
  fclose(file);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argument_count, char** arguments) {
  static const char name[] = "out=";
  (void)info;
  for (int i = 0; i < argument_count; ++i) {
    if (strncmp(arguments[i], name, sizeof name - 1) != 0) continue;
    if (snprintf(out, sizeof out, "%s", arguments[i] + sizeof name - 1) >= (int)sizeof out) return -1;
  }
  if (out[0] == '\0') return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
