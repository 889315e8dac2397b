// Runs a schedule by MPI calls. The same source is compiled twice: against SMPI, which computes how long it takes, and
// against an MPI library, which moves real data.
#pragma once

#include <mpi.h>

#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

/// The data that the messages of a rank carry.
class Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload() = default;

  /// Address of the message's bytes, valid until the step is done.
  virtual const void* outgoing(const Message& message) = 0;
  /// Address to which the message's bytes are written, valid until the step is done.
  virtual void* place_for(const Message& message) = 0;
  /// Called when all messages of the step have been sent and received.
  virtual void finish_step(std::size_t step) = 0;
};

/// Runs the part of this process; rank r of `communicator` is rank r of the schedule. Posts all receives and sends of a
/// step, then waits for them. The schedule must satisfy check(). Throws gdr::Error if the number of processes differs
/// from that of ranks, if a message has more bytes than MPI can count (2^31 - 1), or if there are more different
/// messages between two ranks than every MPI library has tags (32768).
void run_mpi(const Schedule& schedule, MPI_Comm communicator, Payload& payload);

}  // namespace gdr::interconnect
