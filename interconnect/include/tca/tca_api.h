/* The interface of programs for HA-PACS/TCA, with the names of IPSJ ACS 8(4), 2015, and of public programs, on emulated
 * PEACH2 boards. Every rank of MPI_COMM_WORLD is a node. Bytes really move between the ranks' memories, and every rank
 * has an emulated clock that follows the model of PEACH2: it does not depend on the host, so that a program gives the
 * same times in every run.
 *
 * Functions return TCA_SUCCESS or the code of an error; tcaGetErrorString() then tells what was refused, with the
 * numbers. A call that is refused has moved no byte and no clock. No function ends the program. Only one thread at a
 * time may call them. Sizes, offsets and pitches are bytes, times are seconds. */
#ifndef TCA_API_H
#define TCA_API_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TCA_LIB_VERSION "gdr 1.0"

typedef int tcaresult;

enum {
  TCA_SUCCESS = 0,
  TCA_ERROR_NOT_INITIALIZED, /* tcaInit() has not succeeded */
  TCA_ERROR_INVALID_VALUE,   /* an argument is outside its range, or handles and chains that are gone */
  TCA_ERROR_OUT_OF_MEMORY,   /* the device's memory, the chip's descriptors or the host's memory are full */
  TCA_ERROR_UNREACHABLE,     /* PEACH2 does not join the two nodes */
  TCA_ERROR_TIMEOUT,         /* nothing came for GDR_TCA_TIMEOUT seconds of the host */
  TCA_ERROR_SYSTEM           /* MPI or the operating system refused something */
};

/* Whose memory it is. Memory of the GPU is memory of the host here, which the CPU may read and write; the model takes
 * it for that of the GPU beside PEACH2. */
typedef int tcaMemoryType;
enum { tcaMemoryCPU, tcaMemoryGPU };

/* Pinned memory of one node. Plain data, to be passed between ranks by MPI; the fields belong to the library. */
typedef struct {
  int node; /* rank in MPI_COMM_WORLD */
  int kind; /* tcaMemoryType */
  int file;
  unsigned mark;
  unsigned long long serial;
  size_t place;
  size_t bytes;
} tcaHandle;

/* A region of a node's memory for stores by the CPU. Plain data. */
typedef struct {
  tcaHandle region;
} tcaPIOHandle;

/* A chain of puts that is being built. */
typedef struct tcaDesc tcaDesc;

/* What a put asks for; flags are added by |. */
enum {
  tcaDMAUseInternal = 1,       /* descriptors in the chip, at most 1,024 of all channels; without it in the host */
  tcaDMAUseNotifyInternal = 2, /* where the chip keeps the notification: no effect here */
  tcaDMANotify = 4,            /* the node that is written is notified when the last byte is there */
  tcaDMANotifySelf = 8,        /* the node that puts is notified at that time */
  tcaDMAPipeline = 16          /* puts of a chain follow one another without a gap: always so here */
};

/* Slots that notifications of one node at another are told apart by, 0 to TCA_SLOTS - 1, and DMA channels of a chip. */
#define TCA_SLOTS 64
#define TCA_CHANNELS 4

/* Joins the ranks to one machine; all ranks of MPI_COMM_WORLD call it after MPI_Init(), and all succeed or none does.
 */
tcaresult tcaInit(void);
/* All ranks call it: chains of channels and notifications that nobody waited for are forgotten. Clocks and memory stay.
 */
tcaresult tcaReset(void);
/* Prepares the chip's memory for descriptors, which is always ready here. */
tcaresult tcaDMADescInt_Init(void);

/* Pinned, zeroed memory of this node. `kind` of tcaFree() is that of tcaMalloc(). */
tcaresult tcaMalloc(void** memory, size_t bytes, tcaMemoryType kind);
tcaresult tcaFree(void* memory, tcaMemoryType kind);
/* A handle of `bytes` bytes from `memory` on, which may lie anywhere in memory that tcaMalloc() gave. */
tcaresult tcaCreateHandle(tcaHandle* handle, void* memory, size_t bytes, tcaMemoryType kind);
tcaresult tcaDestroyHandle(tcaHandle* handle);

/* A chain without puts; NULL if there is no memory. */
tcaDesc* tcaDescNew(void);
tcaresult tcaDescFree(tcaDesc* desc);
/* Appends a put from this node's memory to memory of this or another node. If `flags` ask for it, a notification with
 * `tag` arrives in `slot`. */
tcaresult tcaDescSetMemcpy(tcaDesc* desc, const tcaHandle* to, off_t to_offset, const tcaHandle* from,
                           off_t from_offset, size_t bytes, int flags, int slot, int tag);
/* The same for block stride: `rows` rows of `width` bytes; a pitch is the distance between the beginnings of rows. */
tcaresult tcaDescSetMemcpy2D(tcaDesc* desc, const tcaHandle* to, off_t to_offset, size_t to_pitch,
                             const tcaHandle* from, off_t from_offset, size_t from_pitch, size_t width, size_t rows,
                             int flags, int slot, int tag);
/* Gives a channel (0 to TCA_CHANNELS - 1) a copy of the chain, in place of the one it had. */
tcaresult tcaDescSet(const tcaDesc* desc, int channel);

/* The older form: `count` puts by their numbers. `next` (may be NULL) becomes at + 1. */
tcaresult tcaCreateDMADesc(int* id, int count);
tcaresult tcaSetDMADesc_Memcpy(int id, int at, int* next, const tcaHandle* to, off_t to_offset, const tcaHandle* from,
                               off_t from_offset, size_t bytes, int flags, int slot, int tag);
tcaresult tcaSetDMADesc_Memcpy2D(int id, int at, int* next, const tcaHandle* to, off_t to_offset, size_t to_pitch,
                                 const tcaHandle* from, off_t from_offset, size_t from_pitch, size_t width, size_t rows,
                                 int flags, int slot, int tag);
tcaresult tcaSetDMAChain(int channel, int id);
tcaresult tcaDestroyDMADesc(int id);

/* Starts a channel's chain, any number of times, and does not wait. Chains of one node leave it one after another. */
tcaresult tcaStartDMADesc(int channel);
tcaresult tcaDMAStart(int channel);
/* Waits until the last byte of the channel's chain has arrived; returns at once if none was started. */
tcaresult tcaWaitDMAC(int channel);
tcaresult tcaWaitDMADesc(int channel);
/* Waits for the next notification with `tag` that a put of the handle's node sends to `slot` of this node. With a
 * handle of this node: for that of its own put, by tcaDMANotifySelf. Each notification ends one wait. */
tcaresult tcaWaitDMARecvDesc(const tcaHandle* sender, int slot, int tag);
tcaresult tcaDMAWaitRecv(const tcaHandle* sender, int slot, int tag);

/* Stores by the CPU into another node's memory. */
tcaresult tcaSetPIORegion(tcaPIOHandle* pio, const tcaHandle* to, off_t offset, size_t bytes);
tcaresult tcaSendPIO(const tcaPIOHandle* pio, off_t offset, const void* data, size_t bytes);
tcaresult tcaSendPIOCommit(void);

/* What an error code means; for the code of the latest refusal, what was refused. Valid until the next refusal. */
const char* tcaGetErrorString(tcaresult result);

/* Beyond the papers' interface. */

/* The rank's emulated clock; 0 after tcaInit(). MPI_Wtime() gives it, too, unless GDR_WTIME=host is set. It moves with
 * the calls above; MPI_Barrier() brings the clocks of its ranks to the latest of them. Nothing else moves it. */
double gdr_tca_clock(void);
/* Adds the time of work that the model does not know, 0 or more, such as a kernel on the GPU. */
tcaresult gdr_tca_spend(double seconds);
/* Register mode: starts up to 4 puts of a chain by writes to the channel's registers, without descriptors in memory. */
tcaresult gdr_tca_registers(const tcaDesc* desc, int channel);
/* Waits for the next tcaSendPIO() of the handle's node to this one. Programs that look at their memory until a value
 * changes call it behind that loop, so that their clock follows. */
tcaresult gdr_tca_wait_pio(const tcaHandle* sender);

#ifdef __cplusplus
}
#endif

#endif
