// A program that multiplies and does to its process what programs do: forks, ends, is interrupted, runs out of memory.
// It knows BLAS alone; blas_process_test.py runs it with libgdrblas preloaded and reads what it prints.
//
//     blas_process SCENE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                       const int*, const double*, const int*, const double*, double*, const int*);

namespace {

/// Whole numbers, so that boards and hosts give the same C. True if it is right.
bool multiply(int n = 40, int k = 300) {
  std::vector<double> a(static_cast<std::size_t>(n * k));
  std::vector<double> b(a.size());
  for (std::size_t at = 0; at < a.size(); ++at) {
    a[at] = static_cast<double>(at * 37 % 11) - 5;
    b[at] = static_cast<double>(at * 53 % 7) - 3;
  }
  std::vector<double> c(static_cast<std::size_t>(n * n), -1);
  const double one = 1;
  const double zero = 0;
  dgemm_("N", "N", &n, &n, &k, &one, a.data(), &n, b.data(), &k, &zero, c.data(), &n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[static_cast<std::size_t>(i + l * n)] * b[static_cast<std::size_t>(l + j * k)];
      if (c[static_cast<std::size_t>(i + j * n)] != sum) return false;
    }
  }
  return true;
}

int ended(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A child that hangs is ended by its alarm.
template <class Body>
pid_t forked(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    std::abort();
  }
  return child;
}

void say(bool right, const char* what) { std::printf("%s %s\n", what, right ? "right" : "WRONG"); }

void child_that_only_ends() {
  say(multiply(), "parent");
  std::fflush(stdout);
  int bad = 0;
  for (int n = 0; n < 1000; ++n) bad += ended(forked([] { std::exit(0); })) != 0;
  std::printf("%d children did not end well\n", bad);
}

void child_that_multiplies() {
  say(multiply(), "parent");
  std::fflush(stdout);
  const int status = ended(forked([] {
    const bool first = multiply();
    const int grandchild = ended(forked([] { std::exit(multiply() ? 0 : 1); }));
    std::exit(first && multiply() && grandchild == 0 ? 0 : 1);
  }));
  std::printf("child ended with %d\n", status);
  say(multiply(), "parent afterwards");
}

/// fork() while another thread is in the middle of a product.
void fork_beside_a_product() {
  say(multiply(), "parent");
  std::fflush(stdout);
  bool right = true;
  std::thread other([&] {
    for (int n = 0; n < 30; ++n) right = multiply(64, 2000) && right;
  });
  int bad = 0;
  for (int n = 0; n < 20; ++n) {
    usleep(5000);
    bad += ended(forked([] { std::exit(multiply() ? 0 : 1); })) != 0;
  }
  other.join();
  say(right, "other thread");
  std::printf("%d children did not end well\n", bad);
}

void vfork_and_exec() {
  say(multiply(), "parent");
  std::fflush(stdout);
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(127);
  }
  std::printf("child ended with %d\n", ended(child));
  std::printf("system gave %d\n", std::system("exit 3") >> 8);
  say(multiply(), "parent afterwards");
}

/// What a daemon does: the parent ends at once, the child goes on.
void daemonised() {
  const bool before = multiply();
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const char answer = before && multiply() ? 'r' : 'w';
    if (write(pipe_ends[1], &answer, 1) != 1) std::abort();
    std::exit(0);
  }
  char answer = '?';
  if (read(pipe_ends[0], &answer, 1) != 1) std::abort();
  say(answer == 'r', "daemon");
  ended(child);
}

void at_exit() {
  // Before the first product, so it runs after whatever the library leaves to atexit.
  std::atexit([] {
    say(multiply(), "atexit");
    std::fflush(stdout);
  });
  say(multiply(), "main");
}

struct MultipliesAtItsEnd {
  ~MultipliesAtItsEnd() {
    if (!wanted) return;
    say(multiply(), "static destructor");
    std::fflush(stdout);
  }
  bool wanted = false;
};
MultipliesAtItsEnd last;

void static_destructor() {
  last.wanted = true;
  say(multiply(), "main");
}

void thread_that_outlives_main() {
  say(multiply(), "main");
  static std::atomic<unsigned> multiplied = 0;
  std::thread([] {
    while (true) {
      multiply();
      ++multiplied;
    }
  }).detach();
  while (multiplied < 3) usleep(1000);
}

void threads_that_end() {
  bool right[8] = {};
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (bool& mine : right) threads.emplace_back([&mine] { mine = multiply() && multiply(24, 100); });
    for (std::thread& thread : threads) thread.join();
  }
  bool all = true;
  for (const bool mine : right) all = all && mine;
  say(all, "8 threads");
}

void interrupted() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, nullptr);  // without SA_RESTART
  const itimerval often{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  bool right = true;
  for (int n = 0; n < 20; ++n) right = multiply() && right;
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  say(right, "under signals");
}

void without_memory() {
  say(multiply(8, 8), "before");
  const int n = 700;
  const std::size_t size = static_cast<std::size_t>(n) * n;
  std::vector<double> a(size, 2);
  const std::vector<double> b(size, 3);
  std::vector<double> c(size, 1);
  const double one = 1;
  const double zero = 0;
  const auto product = [&](const double& beta) {
    dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &beta, c.data(), &n);
  };
  // A product that the host computes: OpenBLAS takes its buffers now, and would wait for them for ever later.
  a[0] = std::numeric_limits<double>::infinity();
  product(zero);
  a[0] = 2;
  c.assign(size, 1);

  std::FILE* const status = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (status == nullptr || std::fscanf(status, "%lu", &pages) != 1) std::abort();
  std::fclose(status);
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const rlim_t before = limit.rlim_cur;
  // Room for nothing like a second C.
  limit.rlim_cur = pages * static_cast<unsigned long>(getpagesize()) + 1000000;
  setrlimit(RLIMIT_AS, &limit);
  product(one);
  limit.rlim_cur = before;
  setrlimit(RLIMIT_AS, &limit);
  bool right = true;
  for (const double value : c) right = right && value == 6.0 * n + 1;
  say(right, "without memory");
  say(multiply(), "afterwards");
}

// What programs do that leaves a library no time to write: each after two products.

/// After it the process is gone, by `end`.
template <class End>
void multiply_and(End end) {
  say(multiply() && multiply(), "main");
  std::fflush(stdout);
  end();
}
void ends_without_handlers() {
  multiply_and([] { _exit(0); });
}
void ends_quickly() {
  multiply_and([] { std::quick_exit(0); });
}
void terminated() {
  multiply_and([] { std::raise(SIGTERM); });
}
void killed() {
  multiply_and([] { std::raise(SIGKILL); });
}
void elsewhere() {
  multiply_and([] {
    if (chdir("/proc") != 0) std::abort();
  });
}
void without_environment() {
  multiply_and([] { clearenv(); });
}

/// The descriptors of others are closed, and their numbers given to a file of the program's own.
void closed_descriptors() {
  bool right = multiply();
  constexpr int kMostNumbers = 1024;
  for (int number = 3; number < kMostNumbers; ++number) close(number);
  char name[] = "own-XXXXXX";
  const int own = mkstemp(name);
  for (int number = own + 1; number < kMostNumbers; ++number) dup2(own, number);
  for (int n = 0; n < 3; ++n) right = multiply() && right;
  std::printf("%ld bytes in the program's own file\n", static_cast<long>(lseek(own, 0, SEEK_END)));
  unlink(name);
  say(right, "main");
}

void count_threads() {
  multiply(512, 512);
  int threads = 0;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) std::abort();
  while (const dirent* const task = readdir(tasks)) threads += task->d_name[0] != '.';
  closedir(tasks);
  std::printf("%d\n", threads);
}

/// The library opened and closed as a plug-in, named by GDR_TEST_LIBRARY.
void plugged_in() {
  bool right = true;
  for (int n = 0; n < 12; ++n) {
    void* const library = dlopen(std::getenv("GDR_TEST_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::abort();
    const auto gemm = reinterpret_cast<decltype(&dgemm_)>(dlsym(library, "dgemm_"));
    const int one = 1;
    const double two = 2;
    double c = 1;
    gemm("N", "N", &one, &one, &one, &two, &two, &one, &two, &one, &two, &c, &one);
    right = right && c == 10;
    dlclose(library);
  }
  say(right, "plug-in");
}

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, std::function<void()>> scenes{{"child_that_only_ends", child_that_only_ends},
                                                            {"child_that_multiplies", child_that_multiplies},
                                                            {"fork_beside_a_product", fork_beside_a_product},
                                                            {"vfork_and_exec", vfork_and_exec},
                                                            {"daemonised", daemonised},
                                                            {"at_exit", at_exit},
                                                            {"static_destructor", static_destructor},
                                                            {"thread_that_outlives_main", thread_that_outlives_main},
                                                            {"threads_that_end", threads_that_end},
                                                            {"interrupted", interrupted},
                                                            {"without_memory", without_memory},
                                                            {"plugged_in", plugged_in},
                                                            {"ends_without_handlers", ends_without_handlers},
                                                            {"ends_quickly", ends_quickly},
                                                            {"terminated", terminated},
                                                            {"killed", killed},
                                                            {"elsewhere", elsewhere},
                                                            {"without_environment", without_environment},
                                                            {"closed_descriptors", closed_descriptors},
                                                            {"count_threads", count_threads}};
  const auto scene = count == 2 ? scenes.find(arguments[1]) : scenes.end();
  if (scene == scenes.end()) return 2;
  scene->second();
  return 0;
}
