// Compiles and runs programs with the commands of SimGrid's SMPI.
#include "gdr/interconnect/smpi_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/scratch_folder.h"
#include "gdr/base/stopping.h"
#include "gdr/interconnect/simgrid_file.h"

namespace gdr::interconnect {
namespace {

/// Ends a command and all that it started. smpirun removes its files when it is asked to end.
void end_group(pid_t leader) {
  constexpr std::chrono::seconds kPatience{2};
  constexpr std::chrono::milliseconds kPause{10};
  kill(-leader, SIGTERM);
  const auto latest = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(leader, &status, WNOHANG) == 0 && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(kPause);
  }
  kill(-leader, SIGKILL);
  while (waitpid(leader, &status, 0) < 0 && errno == EINTR) {
  }
}

/// The status of a command when it has ended. If the caller does not want it any more, ends it and all that it started.
int status_of_group(pid_t leader, const std::string& name) {
  constexpr std::chrono::milliseconds kPause{10};
  int status = 0;
  try {
    while (true) {
      const pid_t ended = waitpid(leader, &status, base::is_stoppable() ? WNOHANG : 0);
      if (ended == leader) return status;
      if (ended < 0 && errno != EINTR) throw Error(fmt::format("{}: {}", name, std::strerror(errno)));
      base::pause();
      std::this_thread::sleep_for(kPause);
    }
  } catch (const base::Stopped&) {
    end_group(leader);
    throw;
  }
}

/// Runs a command of the PATH, with its outputs in files. Returns the exit status. Throws gdr::Error if it is not
/// there.
int run_command(const std::vector<std::string>& command, const std::filesystem::path& output,
                const std::filesystem::path& messages) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  constexpr mode_t kOwnFile = 0600;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kOwnFile);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kOwnFile);
  // A group of its own, so that it can be ended with all that it starts.
  posix_spawnattr_t group;
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&group, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, &group, arguments.data(), environ);
  posix_spawnattr_destroy(&group);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw Error(fmt::format("{}: {}; it comes with SimGrid", command[0], std::strerror(failed)));
  const int status = status_of_group(child, command[0]);
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

/// SMPI's compiler for a source; throws gdr::Error for other languages.
std::string compiler_of(const std::filesystem::path& source) {
  const std::string extension = source.extension().string();
  if (extension == ".c") return "smpicc";
  if (extension == ".cc" || extension == ".cpp" || extension == ".cxx") return "smpicxx";
  if (extension == ".f90" || extension == ".F90") return "smpif90";
  if (extension == ".f" || extension == ".F") return "smpiff";
  throw Error(
      fmt::format("{}: is refused: it must be a source in C, C++ or Fortran (.c, .cc, .cpp, .cxx, .f, .F, .f90, .F90)",
                  source.string()));
}

/// A name that no compiler takes for an option.
std::string argument_of(const std::filesystem::path& source) {
  const std::string name = source.string();
  return name.starts_with('-') || name.starts_with('@') ? "./" + name : name;
}

/// Seconds that SMPI lets pass in a call that looks for a message, and in one that asks for the time: without them, a
/// loop around such a call would never end. SimGrid 3.32's own, 1e-4 and 1e-8, are longer than most messages, and its
/// shortest sleep is 1e-9. What a failed test takes grows with each one after it: a message that a loop tests for s
/// seconds long is found at most the square root of 2 s kSecondsOfTest late.
constexpr double kSecondsOfTest = 1e-11;
constexpr double kSecondsOfTime = 1e-9;

/// Begin and end of a message in SimGrid's log, which shares standard error with the program: a log file would lack its
/// last messages if a program crashes.
constexpr char kBegin = '\036';
constexpr char kEnd = '\037';
/// The form of such a message, as parse_log() reads it: "RANK CATEGORY/SEVERITY TEXT". SimGrid's %e is a blank.
constexpr std::string_view kLogFormat = "\036%a%e%c/%p%e%m\037";

/// Calls that SimGrid 3.32 gets wrong, linked with every program; a program's own take precedence. smpif90 and smpicxx
/// compile them with their own compilers.
/// - MPI_Abort does not tell the error code and ends only the rank that calls it, so that the others wait for ever or
///   end as if nothing had happened. This one writes a message of the log and ends all ranks.
/// - MPI_Wtick is 1e-5 s, whatever a call that asks for the time takes.
constexpr std::string_view kCallsSource = R"(#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __cplusplus
extern "C" {
#endif
#define WEAK __attribute__((weak))
extern void WEAK _gfortran_flush_i4(int* unit);
WEAK int MPI_Abort(MPI_Comm comm, int code) {
  int rank = 0;
  (void)comm;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (_gfortran_flush_i4) _gfortran_flush_i4(NULL);
  fflush(NULL);
  fprintf(stderr, "\036%d gdr/CRITICAL called MPI_Abort with error code %d\037", rank, code);
  _exit(1);
}
WEAK void mpi_abort_(int* comm, int* code, int* error) {
  (void)comm;
  (void)error;
  MPI_Abort(MPI_COMM_WORLD, *code);
}
WEAK double MPI_Wtick(void) { return GDR_SECONDS_OF_TIME; }
WEAK double mpi_wtick_(void) { return GDR_SECONDS_OF_TIME; }
#ifdef __cplusplus
}
#endif
)";

enum class Recorded : bool { no, yes };

void compile(const SmpiProgram& program, const base::ScratchFolder& scratch, Recorded recorded) {
  const std::string compiler = compiler_of(program.sources.at(0));
  std::vector<std::string> command{compiler, "-O1", "-o", (scratch / "program").string()};
  if (!program.mgen.empty()) command.push_back("-I" + program.mgen.string());
  for (const std::filesystem::path& source : program.sources) {
    if (compiler_of(source) != compiler)
      throw Error(
          fmt::format("{}: is refused: {} is in another language", source.string(), program.sources[0].string()));
    command.push_back(argument_of(source));
  }
  const std::filesystem::path calls = scratch / "calls.c";
  base::write_file(calls, kCallsSource);
  command.push_back(calls.string());
  command.push_back(fmt::format("-DGDR_SECONDS_OF_TIME={}", kSecondsOfTime));
  if (recorded == Recorded::yes) {
    if (compiler != "smpicc") {
      throw Error(fmt::format("{}: only programs in C are recorded under SMPI; record others under mpirun",
                              program.sources[0].string()));
    }
    command.insert(command.end(), {"-DGDR_RECORD_SMPI", program.recorder.string()});
  }
  command.push_back("-lm");
  const std::filesystem::path messages = scratch / "messages";
  if (run_command(command, scratch / "output", messages) != 0)
    throw Error(fmt::format("{} failed:\n{}", compiler, base::read_file(messages)));
}

/// SimGrid's name of itself in its log.
constexpr std::string_view kSimulator = "maestro";

/// A message of SimGrid's log.
struct Logged {
  std::string_view rank;      // whose actor wrote it, or kSimulator
  std::string_view category;  // and severity: "ker_engine/INFO"
  std::string_view text;
};

/// What a run of the program leaves.
struct Ended {
  int status = 0;        // of smpirun
  std::string output;    // standard output of the program
  std::string messages;  // its standard error
  std::string log_text;
  std::vector<Logged> log;  // parts of log_text
};

/// Takes SimGrid's log out of the program's standard error.
void parse_log(Ended& ended) {
  std::string_view rest = ended.log_text;
  while (!rest.empty()) {
    const std::size_t begin = std::min(rest.find(kBegin), rest.size());
    ended.messages += rest.substr(0, begin);
    rest.remove_prefix(begin);
    const std::string_view logged = rest.substr(0, rest.find(kEnd));
    rest.remove_prefix(std::min(rest.size(), logged.size() + 1));
    const std::size_t rank_ends = logged.find(' ');
    const std::size_t category_ends = logged.find(' ', rank_ends + 1);
    if (rank_ends == std::string_view::npos || category_ends == std::string_view::npos) continue;
    ended.log.push_back({logged.substr(1, rank_ends - 1), logged.substr(rank_ends + 1, category_ends - rank_ends - 1),
                         logged.substr(category_ends + 1)});
  }
}

/// Runs the program into `ended`, which must be new.
void run_under_smpirun(const std::vector<std::string>& command, const base::ScratchFolder& scratch, Ended& ended) {
  const std::filesystem::path output = scratch / "output";
  const std::filesystem::path messages = scratch / "messages";
  ended.status = run_command(command, output, messages);
  ended.output = base::read_file(output);
  if (ended.status != 0) {  // then smpirun itself writes a line behind the program's
    ended.output.resize(std::min(ended.output.rfind("Execution failed with code "), ended.output.size()));
  }
  ended.log_text = base::read_file(messages);
  parse_log(ended);
}

/// The seconds in SMPI's message "Simulated time: 4.5e-05 seconds. ...".
std::optional<double> simulated_seconds(const Ended& ended) {
  constexpr std::string_view kBefore = "Simulated time: ";
  for (const Logged& logged : ended.log) {
    if (!logged.text.starts_with(kBefore)) continue;
    const std::string_view number = logged.text.substr(kBefore.size());
    return base::number_in<double>(number.substr(0, number.find(' ')));
  }
  return std::nullopt;
}

/// Why ranks ended as they should not, the first of them; empty if none did. It comes before deadlock(): others may
/// wait for ranks that have ended.
std::string wrong_end(const Ended& ended) {
  constexpr std::string_view kStatus = "SMPI process did not return 0. Return value : ";  // of SimGrid 3.32
  for (const Logged& logged : ended.log) {
    if (logged.category == "gdr/CRITICAL") return fmt::format("rank {} {}", logged.rank, logged.text);
    if (logged.text.starts_with(kStatus))
      return fmt::format("rank {} ended with status {}", logged.rank, logged.text.substr(kStatus.size()));
  }
  return "";
}

/// The ranks that SimGrid lists as still waiting when nothing can go on, in its order; empty if all ended.
///
/// smpirun ends with status 0 then, and with a time, as if the program had run. Messages of SimGrid 3.32:
///     Oops! Deadlock detected, some activities are still around ...
///     Actor 1 (0@0): waiting for communication activity 0x55cc061110d0 () in state WAITING ...
/// where the first number in parentheses is the rank.
std::vector<std::string> waiting_ranks(const Ended& ended) {
  std::vector<std::string> ranks;
  bool waits = false;
  for (const Logged& logged : ended.log) {
    if (logged.text.starts_with("Oops! Deadlock detected")) waits = true;
    if (!waits || !logged.text.starts_with("Actor ")) continue;
    const std::size_t open = logged.text.find('(');
    const std::size_t host = logged.text.find('@');
    if (open < host && host != std::string_view::npos)
      ranks.emplace_back(logged.text.substr(open + 1, host - open - 1));
  }
  if (waits && ranks.empty()) ranks.emplace_back("?");
  return ranks;
}

/// Says which ranks wait for what never comes; empty if none does.
std::string deadlock(const Ended& ended) {
  std::vector<std::string> ranks = waiting_ranks(ended);
  if (ranks.empty()) return "";
  constexpr std::size_t kNamed = 8;
  const std::size_t others = ranks.size() > kNamed ? ranks.size() - kNamed : 0;
  ranks.resize(ranks.size() - others);
  const std::optional<double> seconds = simulated_seconds(ended);
  return fmt::format("rank{} {}{} wait{} for ever{}: no message that could end the waiting will come",
                     ranks.size() + others > 1 ? "s" : "", fmt::join(ranks, ", "),
                     others > 0 ? fmt::format(" and {} others", others) : "", ranks.size() + others > 1 ? "" : "s",
                     seconds ? fmt::format(", {} s after the start", *seconds) : "");
}

/// The warnings and errors in SimGrid's log, each behind a line feed.
std::string complaints(const Ended& ended) {
  std::string all;
  for (const Logged& logged : ended.log) {
    if (logged.category.ends_with("/INFO")) continue;
    all += logged.rank == kSimulator ? fmt::format("\n{}", logged.text)
                                     : fmt::format("\nrank {}: {}", logged.rank, logged.text);
  }
  return all;
}

/// The time of a run. Throws gdr::Error with the cause and all that the program printed if it has none.
double seconds_of(const SmpiProgram& program, const Ended& ended) {
  std::string cause = wrong_end(ended);
  if (cause.empty()) cause = deadlock(ended);
  const std::optional<double> seconds = simulated_seconds(ended);
  if (cause.empty() && (ended.status != 0 || !seconds))
    cause = fmt::format("smpirun ended with status {}{}", ended.status, complaints(ended));
  if (cause.empty()) return *seconds;
  std::string printed = ended.output + ended.messages;
  while (printed.ends_with('\n')) printed.pop_back();
  throw Error(
      fmt::format("{}: {}{}{}", program.sources[0].string(), cause, printed.empty() ? "" : "\nIt printed:\n", printed));
}

/// A word of a line of sh that means this text.
std::string word_of_shell(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// An environment variable for the programs that are started, while this object lives.
class Environment {
 public:
  Environment(const char* name, const std::filesystem::path& value) : name_(name) {
    if (!value.empty())
      setenv(name, std::filesystem::absolute(value).c_str(), 1);
    else
      unsetenv(name);
  }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

}  // namespace

SmpiProgramResult run_smpi_program(const SmpiProgram& program, const Platform& platform) {
  const Topology& topology = platform.topology;
  const std::uint64_t places = std::uint64_t{topology.nodes()} * program.ranks_per_node;
  if (program.sources.empty()) throw Error("a program needs a source");
  if (program.ranks < 1 || program.ranks > places) {
    throw Error(fmt::format("{}: {} ranks are refused: {} has places for 1 to {}", program.sources[0].string(),
                            program.ranks, topology.name(), places));
  }
  const base::ScratchFolder scratch("gdr-net-run");
  const std::string platform_file = (scratch / "platform.xml").string();
  base::write_file(platform_file, simgrid_file(platform));
  std::string hosts;
  for (NodeId rank = 0; rank < program.ranks; ++rank) hosts += fmt::format("{}\n", rank / program.ranks_per_node);
  const std::string host_file = (scratch / "hosts").string();
  base::write_file(host_file, hosts);
  std::vector<std::string> command{"smpirun",
                                   "-np",
                                   std::to_string(program.ranks),
                                   "-platform",
                                   platform_file,
                                   "-hostfile",
                                   host_file,
                                   "-quiet",
                                   fmt::format("--log=root.fmt:{}", kLogFormat),
                                   "--log=no_loc",
                                   "--log=xbt_cfg.thres:warning",
                                   "--log=smpi_config.thres:warning",
                                   "--cfg=network/model:CM02",
                                   "--cfg=network/crosstraffic:0",
                                   "--cfg=network/optim:Full",  // the default lets links carry too much; see zone.cpp
                                   "--cfg=smpi/bw-factor:1",
                                   "--cfg=smpi/lat-factor:1",
                                   "--cfg=smpi/simulate-computation:no",
                                   "--cfg=smpi/display-timing:yes",
                                   fmt::format("--cfg=smpi/test:{}", kSecondsOfTest),
                                   fmt::format("--cfg=smpi/iprobe:{}", kSecondsOfTest),
                                   fmt::format("--cfg=smpi/wtime:{}", kSecondsOfTime),
                                   fmt::format("--cfg=smpi/send-is-detached-thresh:{:.0f}", program.eager_bytes)};
  if (!program.arguments.empty()) {
    // smpirun leaves arguments to its shell, which splits and expands them, and SimGrid takes its options from among
    // them. Its wrapper receives the whole command and adds them as they are, behind what ends SimGrid's options.
    const std::string wrapper = (scratch / "arguments.sh").string();
    std::string line = "exec \"$@\" --";
    for (const std::string& argument : program.arguments) {
      if (argument == "--") throw Error("the argument '--' is refused: SimGrid takes it out of a program's arguments");
      line += " " + word_of_shell(argument);
    }
    base::write_file(wrapper, line + "\n");
    command.insert(command.end(), {"-wrapper", "sh " + wrapper});
  }
  command.push_back((scratch / "program").string());
  const auto run = [&](Recorded recorded) -> SmpiProgramResult {
    compile(program, scratch, recorded);
    const bool records = recorded == Recorded::yes;
    const Environment graph("GDR_RECORD", records ? program.save_graph : "");
    const Environment trace("GDR_RECORD_TRACE", records ? program.save_trace : "");
    Ended ended;
    run_under_smpirun(command, scratch, ended);
    const double seconds = seconds_of(program, ended);
    // The recorder writes in MPI_Finalize. SimGrid's message, with status 0: "Stalling SMPI instance: smpirun. Do ..."
    const bool stalls = std::ranges::any_of(
        ended.log, [](const Logged& logged) { return logged.text.starts_with("Stalling SMPI instance"); });
    if (!program.recorder.empty() && stalls) {
      throw Error(
          fmt::format("{}: is not recorded: a rank ends without calling MPI_Finalize", program.sources[0].string()));
    }
    return {seconds, std::move(ended.output), std::move(ended.messages)};
  };
  SmpiProgramResult result = run(Recorded::no);
  // The recorder's own messages take time, so that a second run records.
  if (!program.recorder.empty()) result.messages = run(Recorded::yes).messages;  // also the recorder's
  return result;
}

}  // namespace gdr::interconnect
