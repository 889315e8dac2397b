// The calls of MPI that ranks use, behind an interface, so that programs of one process need no MPI.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdr::cluster {

/// All ranks must make their calls in the same order. Not thread-safe.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual unsigned rank() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;

  /// Gathers counts[r] bytes of each rank r in `all`, in the order of ranks. `own` has counts[rank()] bytes, `all` the
  /// sum of all counts; the two must not overlap.
  virtual void allgatherv(std::span<const std::byte> own, std::span<const std::size_t> counts,
                          std::span<std::byte> all) = 0;
  /// Copies `data` of rank `root` to all others, whose `data` must have the same size.
  virtual void bcast(std::span<std::byte> data, unsigned root) = 0;

  struct Outgoing {
    unsigned to = 0;
    std::span<const std::byte> data;
  };
  struct Incoming {
    unsigned from = 0;
    std::span<std::byte> data;
  };
  /// Begins to send and receive all of these messages: at most one to and one from each rank, with as many bytes as the
  /// receiver expects. A rank may send to itself. The messages travel while the caller goes on, and all have arrived
  /// when end_exchange() returns. Until then, spend() is the only call allowed.
  virtual void begin_exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
  virtual void end_exchange() = 0;
  /// begin_exchange() and end_exchange().
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) {
    begin_exchange(sends, receives);
    end_exchange();
  }
  virtual void barrier() = 0;

  /// Lets emulated time pass for this rank before its next message. Only simulated ranks use it.
  virtual void spend(double seconds) { static_cast<void>(seconds); }

  /// Ends all ranks with this exit status, including those that wait for this one.
  [[noreturn]] virtual void abort(int status) = 0;

 protected:
  Communicator() = default;
  Communicator(const Communicator&) = default;
  Communicator& operator=(const Communicator&) = default;
};

/// A communicator of one rank, without MPI.
[[nodiscard]] std::unique_ptr<Communicator> single_process();

/// The number of ranks that the launcher of this process started, as the environment says.
struct Launch {
  unsigned ranks = 1;
  unsigned ranks_here = 1;  // of these on this computer
};
/// Nothing if no launcher started this process.
[[nodiscard]] std::optional<Launch> launch_of_environment();

/// Starts MPI and returns a communicator of all ranks that mpirun started; without mpirun, single_process(). Loads the
/// MPI library only now (libgdr_mpi beside the program's libraries, or the file that GDR_MPI_PLUGIN names). MPI ends
/// when the communicator is destroyed. Throws gdr::Error if the library is missing, or if MPI does not start or has
/// another number of ranks.
[[nodiscard]] std::unique_ptr<Communicator> start_communicator();

/// Gathers the text `own` of every rank, in the order of ranks.
[[nodiscard]] std::vector<std::string> all_texts(Communicator& communicator, const std::string& own);

}  // namespace gdr::cluster
