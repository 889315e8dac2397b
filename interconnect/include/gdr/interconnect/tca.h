/* Emulated PEACH2 boards in C, to plan with: bytes really move between the memories of emulated nodes, and modelled
 * times come back. One process emulates all nodes of a sub-cluster; an argument selects the node that acts. Programs
 * that were written for HA-PACS/TCA, whose nodes are MPI ranks, include tca_api.h instead: its functions have the
 * papers' names.
 *
 * Functions return 0, or 1 if they refuse the call; gdr_tca_error() then gives the reason, with the numbers. No data
 * have moved in that case. Only one thread at a time may use a machine. */
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

/* Where a chain's descriptors lie: in the chip (1,024 for all channels of a node) or in the host's memory. */
typedef enum { GDR_TCA_OWN_DESCRIPTORS, GDR_TCA_HOST_DESCRIPTORS } gdr_tca_descriptors;

/* Pinned memory, named in the same way by every node; handles may be copied freely between nodes. */
typedef struct {
  uint64_t address; /* in the window that all nodes share */
  uint64_t bytes;
} gdr_tca_handle;

/* `nodes` is 2, 4, 8 or 16; boards are as machines/peach2.toml and machines/ha-pacs-tca.toml say. */
int gdr_tca_open(int nodes, gdr_tca** tca);
void gdr_tca_close(gdr_tca* tca);
/* What was wrong in the latest call that returned 1; with NULL, in the latest gdr_tca_open() of this thread. */
const char* gdr_tca_error(const gdr_tca* tca);

/* Allocates pinned, zeroed memory on a device of a node. It belongs to the machine. */
int gdr_tca_malloc(gdr_tca* tca, int node, gdr_tca_device device, size_t bytes, void** memory);
int gdr_tca_free(gdr_tca* tca, void* memory);
int gdr_tca_pin(gdr_tca* tca, void* memory);
int gdr_tca_unpin(gdr_tca* tca, void* memory);
int gdr_tca_create_handle(gdr_tca* tca, const void* memory, gdr_tca_handle* handle);

/* The descriptor chain of one of the node's four channels (0 to 3). Offsets and sizes are bytes. */
int gdr_tca_chain_descriptors(gdr_tca* tca, int node, int channel, gdr_tca_descriptors where);
int gdr_tca_chain_put(gdr_tca* tca, int node, int channel, gdr_tca_handle destination, uint64_t destination_offset,
                      gdr_tca_handle source, uint64_t source_offset, uint64_t bytes);
/* Block stride: `rows` bursts; a pitch is the distance between the beginnings of bursts (burst + gap). */
int gdr_tca_chain_put_blocks(gdr_tca* tca, int node, int channel, gdr_tca_handle destination,
                             uint64_t destination_offset, uint64_t destination_pitch, gdr_tca_handle source,
                             uint64_t source_offset, uint64_t source_pitch, uint64_t burst, uint64_t rows);
int gdr_tca_chain_clear(gdr_tca* tca, int node, int channel);

/* A chain may be started any number of times. Chains that are started before the first of them is waited for run at the
 * same time. `seconds` (may be NULL): modelled time from start to the arrival of the last byte. */
int gdr_tca_start(gdr_tca* tca, int node, int channel);
int gdr_tca_wait(gdr_tca* tca, int node, int channel, double* seconds);
/* Waits for everything that has been started towards the node; `clock` (may be NULL): the node's modelled clock. */
int gdr_tca_wait_receive(gdr_tca* tca, int node, double* clock);

/* Stores by the CPU into remote memory. */
int gdr_tca_write(gdr_tca* tca, int node, gdr_tca_handle destination, uint64_t destination_offset, const void* data,
                  size_t bytes, double* seconds);
/* Reads remote memory by proxy, through an interrupt, because PEACH2 forwards only writes. */
int gdr_tca_read(gdr_tca* tca, int node, gdr_tca_handle destination, uint64_t destination_offset, gdr_tca_handle source,
                 uint64_t source_offset, uint64_t bytes, double* seconds);

/* Takes the cable between two neighbours out of service: chains over it are refused, and the error gives the route. */
int gdr_tca_drop_link(gdr_tca* tca, int a, int b);

#ifdef __cplusplus
}
#endif

#endif
