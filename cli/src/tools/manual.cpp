// gdr manual: a manual page for each command, made from the same data as its help.
#include "command/command.h"
#include "gdr/commandline/pages.h"

namespace gdr::cli {
namespace {

/// Sections of the page on the program as a whole. docs/reference/cli.md says more of each.
constexpr const char* kEnd = R"(.SH ENVIRONMENT
.TP
\fBGDR_DATA_DIR\fR
folder in which machines, kernels and published numbers are searched first
.TP
\fBGDR_HOST_ISA\fR
instruction set of the vector engine: \fBportable\fR, \fBsse4_2\fR, \fBavx2\fR, \fBavx512\fR or \fBneon\fR
.TP
\fBGDR_JIT\fR
whether loop bodies are compiled: \fBauto\fR, \fBon\fR or \fBoff\fR
.TP
\fBGDR_CACHE_DIR\fR
folder in which compiled loop bodies and the header of pair functions, as clang has read it, are kept
.TP
\fBGDR_OPENCL_DEVICE\fR
device of the engine \fBopencl\fR: its index in \fBgdr machine devices\fR or a part of its name
.TP
\fBGDR_CLANG\fR, \fBCC\fR, \fBCXX\fR, \fBMPICC\fR
compilers that \fBgdr cc\fR starts
.TP
\fBGDR_MPI_PLUGIN\fR
library that \fBgdr nbody \-\-split\fR loads under \fBmpirun\fR
.TP
\fBSOURCE_DATE_EPOCH\fR
date, in seconds since 1970, of the pages that \fBgdr manual\fR writes
.SH FILES
.TP
\fIPREFIX/share/gdr\fR
machines, kernels, networks, exercises and published numbers
.TP
\fI~/.cache/gdr\fR
compiled loop bodies, and the header of pair functions as clang has read it
.SH SEE ALSO
The pages of the project, below \fI/usr/share/doc/gdr\fR.
)";

}  // namespace

void add_manual(Command program, const std::string& name) {
  auto folder = std::make_shared<std::string>();
  const Command command = program.add_command(name, "write manual pages of all commands, made from their help texts",
                                              "gdr manual ~/.local/share/man/man1", [folder, program] {
                                                commandline::write_manual(kProgram, program.shape(), kEnd, *folder);
                                                return kSuccess;
                                              });
  command
      .add_option("folder=DIRECTORY", *folder,
                  "folder for the pages gdr.1, gdr-run.1 and so on; it is created if it does not exist")
      .required();
}

}  // namespace gdr::cli
