/* A TCA-like interface in C over emulated PEACH2 boards: it moves real bytes between the memories of emulated nodes and
 * returns modelled time. One process plays all nodes of a sub-cluster; the node that acts is an argument.
 *
 * Functions return 0, or 1 after a mistake of the caller; gdr_tca_error() then says which, with the numbers. Nothing
 * has moved in that case. A machine is used by one thread at a time. */
#ifndef GDR_INTERCONNECT_TCA_H
#define GDR_INTERCONNECT_TCA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdr_tca gdr_tca;

/* GPUs 2 and 3 lie beyond QPI; PEACH2 does not reach them and every call refuses them. */
typedef enum { GDR_TCA_HOST, GDR_TCA_GPU0, GDR_TCA_GPU1, GDR_TCA_GPU2, GDR_TCA_GPU3 } gdr_tca_device;

/* Where a chain's descriptors stand: in the chip (1,024 for all channels of a node) or in the host's memory. */
typedef enum { GDR_TCA_OWN_DESCRIPTORS, GDR_TCA_HOST_DESCRIPTORS } gdr_tca_descriptors;

/* Pinned memory as every node names it; copy it freely between nodes. */
typedef struct {
  uint64_t address; /* in the window that all nodes share */
  uint64_t bytes;
} gdr_tca_handle;

/* `nodes` is 2, 4, 8 or 16; boards are as machines/peach2.toml and machines/ha-pacs-tca.toml say. */
int gdr_tca_open(int nodes, gdr_tca** tca);
void gdr_tca_close(gdr_tca* tca);
/* What was wrong in the latest call that returned 1; with NULL, in the latest gdr_tca_open() of this thread. */
const char* gdr_tca_error(const gdr_tca* tca);

/* Pinned, zeroed memory of a node. It belongs to the machine. */
int gdr_tca_malloc(gdr_tca* tca, int node, gdr_tca_device device, size_t bytes, void** memory);
int gdr_tca_free(gdr_tca* tca, void* memory);
int gdr_tca_pin(gdr_tca* tca, void* memory);
int gdr_tca_unpin(gdr_tca* tca, void* memory);
int gdr_tca_create_handle(gdr_tca* tca, const void* memory, gdr_tca_handle* handle);

/* A descriptor chain of one of the node's four channels (0 to 3). Offsets and sizes are bytes. */
int gdr_tca_chain_descriptors(gdr_tca* tca, int node, int channel, gdr_tca_descriptors where);
int gdr_tca_chain_put(gdr_tca* tca, int node, int channel, gdr_tca_handle destination, uint64_t destination_offset,
                      gdr_tca_handle source, uint64_t source_offset, uint64_t bytes);
/* Block stride: `rows` bursts, pitches from one burst's beginning to the next's (burst + gap). */
int gdr_tca_chain_put_blocks(gdr_tca* tca, int node, int channel, gdr_tca_handle destination,
                             uint64_t destination_offset, uint64_t destination_pitch, gdr_tca_handle source,
                             uint64_t source_offset, uint64_t source_pitch, uint64_t burst, uint64_t rows);
int gdr_tca_chain_clear(gdr_tca* tca, int node, int channel);

/* A chain may be started again and again. Chains that are started before the first of them is waited for run at the
 * same time. `seconds` (may be NULL): modelled time from start to the arrival of the last byte. */
int gdr_tca_start(gdr_tca* tca, int node, int channel);
int gdr_tca_wait(gdr_tca* tca, int node, int channel, double* seconds);
/* Waits for everything that has been started towards the node; `clock` (may be NULL): the node's modelled clock. */
int gdr_tca_wait_receive(gdr_tca* tca, int node, double* clock);

/* Stores of the CPU. */
int gdr_tca_write(gdr_tca* tca, int node, gdr_tca_handle destination, uint64_t destination_offset, const void* data,
                  size_t bytes, double* seconds);
/* A remote read: by proxy, through an interrupt, since PEACH2 forwards writes alone. */
int gdr_tca_read(gdr_tca* tca, int node, gdr_tca_handle destination, uint64_t destination_offset, gdr_tca_handle source,
                 uint64_t source_offset, uint64_t bytes, double* seconds);

/* The cable between two neighbours is out: chains over it are refused with their route. */
int gdr_tca_drop_link(gdr_tca* tca, int a, int b);

/* The names of the papers, for those who want them. */
#ifdef GDR_TCA_PLAIN_NAMES
#define tca_malloc gdr_tca_malloc
#define tca_free gdr_tca_free
#define tca_create_handle gdr_tca_create_handle
#define tca_start gdr_tca_start
#define tca_wait gdr_tca_wait
#endif

#ifdef __cplusplus
}
#endif

#endif
