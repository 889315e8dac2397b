// Programs of MPI on SimGrid's SMPI: compiles a source with SMPI's compilers and runs it on a platform.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {

struct SmpiProgram {
  std::vector<std::filesystem::path> sources;  // .c, .cc, .cpp, .f, .f90, .F90; all in one language
  std::vector<std::string> arguments;          // of the program
  NodeId ranks = 0;
  NodeId ranks_per_node = 1;
  double eager_bytes = 65536;        // as in ReplayOptions
  std::filesystem::path mgen;        // folder of mgen.h; empty: not searched
  std::filesystem::path recorder;    // record.c, for a program in C; empty: nothing is recorded
  std::filesystem::path save_graph;  // with a recorder: where the graph goes; may be empty
  std::filesystem::path save_trace;  // with a recorder: the folder of the trace; may be empty
};

struct SmpiProgramResult {
  double seconds = 0;    // simulated, when the last rank is done
  std::string output;    // standard output of the program
  std::string messages;  // its standard error
};

/// Compiles and runs the program with smpicc, smpicxx or smpif90 and smpirun, which must be on the PATH. Messages take
/// their time on the platform, by the flow model CM02 without factors and crosstraffic; what a program computes takes
/// no time, unless it tells SMPI how many flops it computes. A recorder works in a second run, as its own messages
/// would take time. Rank r runs on node r / ranks_per_node. Throws gdr::Error with the compiler's or the program's
/// messages; for sources of several or other languages, more ranks than places, a recorder with another language than
/// C, and topologies of more than kMostNodesOfFile nodes. If base::pause() stops the caller, the programs are ended,
/// and their files removed.
[[nodiscard]] SmpiProgramResult run_smpi_program(const SmpiProgram& program, const Platform& platform);

}  // namespace gdr::interconnect
