// Ranks over an MPI library. This is a library of its own, which is loaded only under mpirun.
#include "mpi/plugin.h"

#include <dlfcn.h>

#include <cstring>

#include "mpi/mpi_communicator.h"

namespace gdr::cluster {
namespace {

struct AllFunctions : Functions {
  decltype(&MPI_Init) init;
  decltype(&MPI_Finalize) finalize;
};

/// Finds the functions of the MPI library that this library is linked with. False if one is missing.
[[nodiscard]] bool find(void* library, AllFunctions& functions) {
  const auto find_one = [&](const char* name, auto& function) {
    void* const symbol = dlsym(library, name);
    static_assert(sizeof(function) == sizeof(symbol));
    std::memcpy(&function, &symbol, sizeof(function));
    return symbol != nullptr;
  };
  return find_one("MPI_Init", functions.init) && find_one("MPI_Finalize", functions.finalize) &&
         find_one("MPI_Comm_rank", functions.comm_rank) && find_one("MPI_Comm_size", functions.comm_size) &&
         find_one("MPI_Allgatherv", functions.allgatherv) && find_one("MPI_Bcast", functions.bcast) &&
         find_one("MPI_Irecv", functions.irecv) && find_one("MPI_Isend", functions.isend) &&
         find_one("MPI_Waitall", functions.waitall) && find_one("MPI_Barrier", functions.barrier) &&
         find_one("MPI_Abort", functions.abort);
}

/// Ends MPI when it is destroyed.
class Plugged final : public Mpi {
 public:
  explicit Plugged(const AllFunctions& functions) : Mpi(functions), finalize_(functions.finalize) {}
  ~Plugged() override { finalize_(); }
  Plugged(const Plugged&) = delete;
  Plugged& operator=(const Plugged&) = delete;

 private:
  decltype(&MPI_Finalize) finalize_;
};

}  // namespace
}  // namespace gdr::cluster

extern "C" __attribute__((visibility("default"))) gdr::cluster::Communicator* gdr_mpi_communicator(int version,
                                                                                                   void* library,
                                                                                                   const char** why) {
  if (version != gdr::cluster::kPluginVersion) {
    *why = "the library belongs to another version of gdr";
    return nullptr;
  }
  gdr::cluster::AllFunctions functions{};
  if (!gdr::cluster::find(library, functions)) {
    *why = "its MPI library lacks a function";
    return nullptr;
  }
  if (functions.init(nullptr, nullptr) != MPI_SUCCESS) {
    *why = "MPI_Init fails";
    return nullptr;
  }
  return new gdr::cluster::Plugged(functions);
}
