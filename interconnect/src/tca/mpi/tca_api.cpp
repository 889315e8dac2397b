// The C interface of TCA programs. No exception leaves it.
#include "tca_api.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>

#include "tca_rank.h"

using gdr::interconnect::invalid;
using gdr::interconnect::RankPut;
using gdr::interconnect::TcaRank;
using gdr::interconnect::TcaRefusal;

struct tcaDesc {
  std::vector<RankPut> puts;
};

namespace {

/// What the program has made in this process. MPI makes a rank one process, so there is one of them.
struct Program {
  std::unique_ptr<TcaRank> rank;
  std::set<const tcaDesc*> chains;
  std::map<int, std::vector<std::optional<RankPut>>> numbered;  // the older form
  int next_number = 0;
  tcaresult code = TCA_SUCCESS;  // of the latest refusal
  std::string text;
};

Program& program() {
  static Program one;
  return one;
}

tcaresult refuse(tcaresult code, const char* what) noexcept {
  program().code = code;
  try {
    program().text = what;
  } catch (...) {
    program().text.clear();
  }
  return code;
}

/// Runs `call` and gives the code of what it throws.
template <class Call>
tcaresult guarded(Call call) noexcept {
  try {
    if (program().rank == nullptr) return refuse(TCA_ERROR_NOT_INITIALIZED, "tcaInit() has not been called");
    call(*program().rank);
    return TCA_SUCCESS;
  } catch (const TcaRefusal& refusal) {
    return refuse(refusal.code(), refusal.what());
  } catch (const gdr::Error& error) {
    return refuse(TCA_ERROR_INVALID_VALUE, error.what());
  } catch (const std::bad_alloc&) {
    return refuse(TCA_ERROR_OUT_OF_MEMORY, "the host has no memory left");
  } catch (const std::exception& error) {
    return refuse(TCA_ERROR_SYSTEM, error.what());
  }
}

template <class Pointer>
void require(const Pointer* pointer, const char* argument) {
  if (pointer == nullptr) throw invalid(fmt::format("{} = NULL is refused", argument));
}

void require_chain(const tcaDesc* desc) {
  if (!program().chains.contains(desc)) {
    throw invalid(fmt::format("desc {} is refused: tcaDescNew() did not give it, or it is freed",
                              static_cast<const void*>(desc)));
  }
}

std::uint64_t offset_of(off_t offset, const char* argument) {
  if (offset < 0) throw invalid(fmt::format("{} = {} is refused: it must be 0 or more", argument, offset));
  return static_cast<std::uint64_t>(offset);
}

std::vector<std::optional<RankPut>>& numbered_chain(int id) {
  const auto found = program().numbered.find(id);
  if (found == program().numbered.end()) {
    throw invalid(fmt::format("chain {} is refused: tcaCreateDMADesc() did not give it, or it is destroyed", id));
  }
  return found->second;
}

RankPut checked_put(const TcaRank& rank, const tcaHandle* to, off_t to_offset, size_t to_pitch, const tcaHandle* from,
                    off_t from_offset, size_t from_pitch, size_t width, size_t rows, int flags, int slot, int tag) {
  require(to, "to");
  require(from, "from");
  const RankPut put{*to,
                    *from,
                    offset_of(to_offset, "to_offset"),
                    to_pitch,
                    offset_of(from_offset, "from_offset"),
                    from_pitch,
                    width,
                    rows,
                    flags,
                    slot,
                    tag};
  rank.check(put);
  return put;
}

}  // namespace

tcaresult tcaInit(void) {
  if (program().rank != nullptr) return TCA_SUCCESS;
  try {
    int started = 0;
    int ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started == 0 || ended != 0) return refuse(TCA_ERROR_SYSTEM, "tcaInit() is refused: it follows MPI_Init()");
    program().rank = TcaRank::join();
    return TCA_SUCCESS;
  } catch (const TcaRefusal& refusal) {
    return refuse(refusal.code(), refusal.what());
  } catch (const std::exception& error) {
    return refuse(TCA_ERROR_SYSTEM, error.what());
  }
}

tcaresult tcaReset(void) {
  return guarded([](TcaRank& rank) { rank.reset(); });
}

tcaresult tcaDMADescInt_Init(void) {
  return guarded([](TcaRank&) {});
}

tcaresult tcaMalloc(void** memory, size_t bytes, tcaMemoryType kind) {
  return guarded([&](TcaRank& rank) {
    require(memory, "memory");
    *memory = nullptr;
    *memory = rank.memory().allocate(bytes, kind);
  });
}

tcaresult tcaFree(void* memory, tcaMemoryType kind) {
  return guarded([&](TcaRank& rank) { rank.memory().release(memory, kind); });
}

tcaresult tcaCreateHandle(tcaHandle* handle, void* memory, size_t bytes, tcaMemoryType kind) {
  return guarded([&](TcaRank& rank) {
    require(handle, "handle");
    *handle = rank.memory().handle(memory, bytes, kind);
  });
}

tcaresult tcaDestroyHandle(tcaHandle* handle) {
  return guarded([&](TcaRank& rank) {
    require(handle, "handle");
    rank.memory().require(*handle, "handle");
    *handle = {};
  });
}

tcaDesc* tcaDescNew(void) {
  try {
    auto desc = std::make_unique<tcaDesc>();
    program().chains.insert(desc.get());
    return desc.release();
  } catch (const std::bad_alloc&) {
    refuse(TCA_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    return nullptr;
  }
}

tcaresult tcaDescFree(tcaDesc* desc) {
  return guarded([&](TcaRank&) {
    require_chain(desc);
    program().chains.erase(desc);
    delete desc;
  });
}

tcaresult tcaDescSetMemcpy(tcaDesc* desc, const tcaHandle* to, off_t to_offset, const tcaHandle* from,
                           off_t from_offset, size_t bytes, int flags, int slot, int tag) {
  return tcaDescSetMemcpy2D(desc, to, to_offset, bytes, from, from_offset, bytes, bytes, 1, flags, slot, tag);
}

tcaresult tcaDescSetMemcpy2D(tcaDesc* desc, const tcaHandle* to, off_t to_offset, size_t to_pitch,
                             const tcaHandle* from, off_t from_offset, size_t from_pitch, size_t width, size_t rows,
                             int flags, int slot, int tag) {
  return guarded([&](TcaRank& rank) {
    require_chain(desc);
    desc->puts.push_back(
        checked_put(rank, to, to_offset, to_pitch, from, from_offset, from_pitch, width, rows, flags, slot, tag));
  });
}

tcaresult tcaDescSet(const tcaDesc* desc, int channel) {
  return guarded([&](TcaRank& rank) {
    require_chain(desc);
    rank.set_chain(channel, desc->puts);
  });
}

tcaresult tcaCreateDMADesc(int* id, int count) {
  return guarded([&](TcaRank&) {
    constexpr int kMost = 1048576;
    require(id, "id");
    if (count < 1 || count > kMost) {
      throw invalid(fmt::format("count = {} is refused: it must be 1 to {}", count, kMost));
    }
    program().numbered[program().next_number].resize(static_cast<std::size_t>(count));
    *id = program().next_number++;
  });
}

tcaresult tcaSetDMADesc_Memcpy(int id, int at, int* next, const tcaHandle* to, off_t to_offset, const tcaHandle* from,
                               off_t from_offset, size_t bytes, int flags, int slot, int tag) {
  return tcaSetDMADesc_Memcpy2D(id, at, next, to, to_offset, bytes, from, from_offset, bytes, bytes, 1, flags, slot,
                                tag);
}

tcaresult tcaSetDMADesc_Memcpy2D(int id, int at, int* next, const tcaHandle* to, off_t to_offset, size_t to_pitch,
                                 const tcaHandle* from, off_t from_offset, size_t from_pitch, size_t width, size_t rows,
                                 int flags, int slot, int tag) {
  return guarded([&](TcaRank& rank) {
    std::vector<std::optional<RankPut>>& puts = numbered_chain(id);
    if (at < 0 || static_cast<std::size_t>(at) >= puts.size()) {
      throw invalid(fmt::format("descriptor {} of chain {} is refused: it has 0 to {}", at, id, puts.size() - 1));
    }
    puts[static_cast<std::size_t>(at)] =
        checked_put(rank, to, to_offset, to_pitch, from, from_offset, from_pitch, width, rows, flags, slot, tag);
    if (next != nullptr) *next = at + 1;
  });
}

tcaresult tcaSetDMAChain(int channel, int id) {
  return guarded([&](TcaRank& rank) {
    std::vector<RankPut> puts;
    for (const std::optional<RankPut>& put : numbered_chain(id)) {
      if (!put) {
        throw invalid(fmt::format("chain {} is refused: its descriptor {} is not set", id, puts.size()));
      }
      puts.push_back(*put);
    }
    rank.set_chain(channel, puts);
  });
}

tcaresult tcaDestroyDMADesc(int id) {
  return guarded([&](TcaRank&) {
    static_cast<void>(numbered_chain(id));
    program().numbered.erase(id);
  });
}

tcaresult tcaStartDMADesc(int channel) {
  return guarded([&](TcaRank& rank) { rank.start(channel); });
}
tcaresult tcaDMAStart(int channel) { return tcaStartDMADesc(channel); }

tcaresult tcaWaitDMAC(int channel) {
  return guarded([&](TcaRank& rank) { rank.wait_own(channel); });
}
tcaresult tcaWaitDMADesc(int channel) { return tcaWaitDMAC(channel); }

tcaresult tcaWaitDMARecvDesc(const tcaHandle* sender, int slot, int tag) {
  return guarded([&](TcaRank& rank) {
    require(sender, "sender");
    rank.wait_received(*sender, slot, tag);
  });
}
tcaresult tcaDMAWaitRecv(const tcaHandle* sender, int slot, int tag) { return tcaWaitDMARecvDesc(sender, slot, tag); }

tcaresult tcaSetPIORegion(tcaPIOHandle* pio, const tcaHandle* to, off_t offset, size_t bytes) {
  return guarded([&](TcaRank& rank) {
    require(pio, "pio");
    require(to, "to");
    const std::uint64_t begin = offset_of(offset, "offset");
    rank.check_store(*to, begin, bytes);
    pio->region = *to;
    pio->region.place += begin;
    pio->region.bytes = bytes;
  });
}

tcaresult tcaSendPIO(const tcaPIOHandle* pio, off_t offset, const void* data, size_t bytes) {
  return guarded([&](TcaRank& rank) {
    require(pio, "pio");
    if (bytes > 0) require(static_cast<const std::byte*>(data), "data");
    rank.store(pio->region, offset_of(offset, "offset"), {static_cast<const std::byte*>(data), bytes});
  });
}

tcaresult tcaSendPIOCommit(void) {
  return guarded([](TcaRank&) {});
}

const char* tcaGetErrorString(tcaresult result) {
  constexpr const char* kTexts[] = {"success",
                                    "tcaInit() has not been called",
                                    "an argument is refused",
                                    "there is no memory left",
                                    "PEACH2 does not join the nodes",
                                    "nothing came in time",
                                    "MPI or the operating system refused something"};
  if (result < 0 || result >= static_cast<tcaresult>(std::size(kTexts))) return "an unknown error code";
  const bool latest = result != TCA_SUCCESS && result == program().code && !program().text.empty();
  return latest ? program().text.c_str() : kTexts[result];
}

double gdr_tca_clock(void) { return program().rank == nullptr ? 0 : program().rank->now(); }

tcaresult gdr_tca_spend(double seconds) {
  return guarded([&](TcaRank& rank) { rank.spend(seconds); });
}

tcaresult gdr_tca_registers(const tcaDesc* desc, int channel) {
  return guarded([&](TcaRank& rank) {
    require_chain(desc);
    rank.start_by_registers(channel, desc->puts);
  });
}

tcaresult gdr_tca_wait_pio(const tcaHandle* sender) {
  return guarded([&](TcaRank& rank) {
    require(sender, "sender");
    rank.wait_store(*sender);
  });
}

// Before the MPI library's own, if libtca stands before it in the link line, as mpicc puts it.

int MPI_Barrier(MPI_Comm communicator) {
  return program().rank == nullptr ? PMPI_Barrier(communicator) : program().rank->meet(communicator);
}

double MPI_Wtime(void) {
  const char* wanted = std::getenv("GDR_WTIME");
  const bool of_host = wanted != nullptr && std::strcmp(wanted, "host") == 0;
  return program().rank == nullptr || of_host ? PMPI_Wtime() : program().rank->now();
}
