// A schedule as real MPI calls. The one source is compiled twice: against SMPI, which tells how long it takes, and
// against an MPI library, which moves real data.
#pragma once

#include <mpi.h>

#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

/// What the messages of a rank carry.
class Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload() = default;

  /// Where the message's bytes stand until the step is done.
  virtual const void* outgoing(const Message& message) = 0;
  /// Where they shall be put, until the step is done.
  virtual void* place_for(const Message& message) = 0;
  /// All messages of the step have come and gone.
  virtual void finish_step(std::size_t step) = 0;
};

/// The part of this process, rank r of `communicator` being rank r of the schedule: all receives and sends of a step
/// are posted, then it waits for them. check() holds for the schedule. Throws gdr::Error if there are more processes
/// than ranks or fewer, if a message has more bytes than MPI counts (2^31 - 1), or if there are more different messages
/// between two ranks than every MPI library has tags (32768).
void run_mpi(const Schedule& schedule, MPI_Comm communicator, Payload& payload);

}  // namespace gdr::interconnect
