// What ranks ask of MPI, behind an interface, so that programs of one process need no MPI.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdr::cluster {

/// Calls of all ranks must follow one another in the same order. Not thread-safe.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual unsigned rank() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;

  /// Puts counts[r] bytes of each rank r into `all`, one after another. `own` has counts[rank()] bytes, `all` the sum
  /// of all counts; they do not overlap.
  virtual void allgatherv(std::span<const std::byte> own, std::span<const std::size_t> counts,
                          std::span<std::byte> all) = 0;
  /// `data` of `root` to all others, which give as many bytes.
  virtual void bcast(std::span<std::byte> data, unsigned root) = 0;

  struct Outgoing {
    unsigned to = 0;
    std::span<const std::byte> data;
  };
  struct Incoming {
    unsigned from = 0;
    std::span<std::byte> data;
  };
  /// Sends and receives all of these at once: at most one message to and one from each rank, with the bytes that the
  /// other side expects. Messages to oneself are allowed. They travel while the caller goes on; all are there once
  /// end_exchange() has returned, before which no other call may be made than spend().
  virtual void begin_exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
  virtual void end_exchange() = 0;
  /// Both.
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) {
    begin_exchange(sends, receives);
    end_exchange();
  }
  virtual void barrier() = 0;

  /// Emulated time of this rank that passes before its next message. Simulated ranks alone know of it.
  virtual void spend(double seconds) { static_cast<void>(seconds); }

  /// Ends all ranks, which may be waiting for this one, with this exit status.
  [[noreturn]] virtual void abort(int status) = 0;

 protected:
  Communicator() = default;
  Communicator(const Communicator&) = default;
  Communicator& operator=(const Communicator&) = default;
};

/// The only rank.
[[nodiscard]] std::unique_ptr<Communicator> single_process();

/// How many ranks the launcher of this process started, as its environment says; nothing if there was none.
struct Launch {
  unsigned ranks = 1;
  unsigned ranks_here = 1;  // on this machine
};
[[nodiscard]] std::optional<Launch> launch_of_environment();

/// All ranks that mpirun started, over MPI, whose library is loaded by now (libgdr_mpi beside the program's libraries,
/// or the file that GDR_MPI_PLUGIN names); without mpirun single_process(). MPI ends with the communicator. Throws
/// gdr::Error if the library is not there or MPI does not start.
[[nodiscard]] std::unique_ptr<Communicator> start_communicator();

/// Every rank's text, by rank.
[[nodiscard]] std::vector<std::string> all_texts(Communicator& communicator, const std::string& own);

}  // namespace gdr::cluster
