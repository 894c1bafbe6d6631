// Preloaded into gpucheck: one call of the system's fails, by its name and position.
//
//   GPUCHECK_TEST_FAILS      "supervisor write 3 28": in that process the third call of write
//                            fails, with errno 28
//   GPUCHECK_TEST_COUNTS     a file to which each process adds "supervisor write 17" for each
//                            function that it called, when it ends by itself
//
// A process is the supervisor, or (by its first argument) a worker or a child of a case.
// The functions are defined under names of their own, as the system's headers declare theirs.

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

constexpr std::array names{
    "close_range", "dup2",    "epoll_create1", "epoll_ctl",      "epoll_wait", "eventfd",        "fcntl",
    "fdatasync",   "fork",    "fsync",         "ftruncate",      "mmap",       "open",           "pipe",
    "pipe2",       "poll",    "prctl",         "pthread_create", "read",       "recv",           "rename",
    "send",        "sendmsg", "setpgid",       "sigaction",      "socketpair", "timerfd_create", "timerfd_settime",
    "unlink",      "waitpid", "write"};

constexpr std::size_t index_of(const char* name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* left = names[i];
    const char* right = name;
    while (*left != 0 && *left == *right) ++left, ++right;
    if (*left == *right) return i;
  }
  throw "not in the list";  // at compile time
}

std::array<std::atomic<int>, names.size()> counts;

/// Without a call that could be one of those counted.
struct Role {
  Role() {
    const long file = ::syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    std::array<char, 4096> words{};
    const long size = ::syscall(SYS_read, file, words.data(), words.size() - 1);
    ::syscall(SYS_close, file);
    const std::size_t program = size > 0 ? std::strlen(words.data()) : 0;
    const char* const first = size > 0 ? words.data() + program + 1 : "";
    name = std::strcmp(first, "worker") == 0 ? "worker" : std::strcmp(first, "child") == 0 ? "child" : "supervisor";
  }
  const char* name;
};

const char* role() {
  static const Role role;
  return role.name;
}

/// What is to fail here; position 0: nothing.
struct Order {
  Order() {
    const char* const text = std::getenv("GPUCHECK_TEST_FAILS");
    std::array<char, 32> in{};
    if (text == nullptr || std::sscanf(text, "%31s %31s %d %d", in.data(), function.data(), &position, &error) != 4 ||
        std::strcmp(in.data(), role()) != 0) {
      position = 0;
    }
  }
  std::array<char, 32> function{};
  int position = 0;
  int error = 0;
};

/// Counts the call. True, with errno, for the one that is to fail.
bool fails(std::size_t index) {
  static const Order order;
  const int number = ++counts[index];
  if (order.position == 0 || number != order.position || std::strcmp(order.function.data(), names[index]) != 0) {
    return false;
  }
  errno = order.error;
  return true;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct Report {
  ~Report() {
    const char* const path = std::getenv("GPUCHECK_TEST_COUNTS");
    if (path == nullptr) return;
    const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::array<char, 100> line{};
      if (counts[i] == 0) continue;
      const int size = std::snprintf(line.data(), line.size(), "%s %s %d\n", role(), names[i], counts[i].load());
      ::syscall(SYS_write, file, line.data(), size);
    }
    ::syscall(SYS_close, file);
  }
} report;

}  // namespace

/// A function `failing_NAME` that stands in for the system's NAME.
#define GPUCHECK_FAILING(NAME, RESULT, FAILURE, PARAMETERS, ARGUMENTS)                               \
  extern "C" __attribute__((visibility("default"))) RESULT failing_##NAME PARAMETERS __asm__(#NAME); \
  extern "C" RESULT failing_##NAME PARAMETERS {                                                      \
    static auto* const next = real<RESULT PARAMETERS>(#NAME);                                        \
    constexpr std::size_t index = index_of(#NAME);                                                   \
    if (fails(index)) return FAILURE;                                                                \
    return next ARGUMENTS;                                                                           \
  }

GPUCHECK_FAILING(dup2, int, -1, (int a, int b), (a, b))
GPUCHECK_FAILING(close_range, int, -1, (unsigned a, unsigned b, int c), (a, b, c))
GPUCHECK_FAILING(epoll_create1, int, -1, (int a), (a))
GPUCHECK_FAILING(epoll_ctl, int, -1, (int a, int b, int c, void* d), (a, b, c, d))
GPUCHECK_FAILING(epoll_wait, int, -1, (int a, void* b, int c, int d), (a, b, c, d))
GPUCHECK_FAILING(eventfd, int, -1, (unsigned a, int b), (a, b))
GPUCHECK_FAILING(fcntl, int, -1, (int a, int b, long c), (a, b, c))
GPUCHECK_FAILING(fork, pid_t, -1, (), ())
GPUCHECK_FAILING(fdatasync, int, -1, (int a), (a))
GPUCHECK_FAILING(fsync, int, -1, (int a), (a))
GPUCHECK_FAILING(ftruncate, int, -1, (int a, off_t b), (a, b))
GPUCHECK_FAILING(mmap, void*, reinterpret_cast<void*>(-1), (void* a, std::size_t b, int c, int d, int e, off_t f),
                 (a, b, c, d, e, f))
GPUCHECK_FAILING(open, int, -1, (const char* a, int b, mode_t c), (a, b, c))
GPUCHECK_FAILING(pipe, int, -1, (int* a), (a))
GPUCHECK_FAILING(pipe2, int, -1, (int* a, int b), (a, b))
GPUCHECK_FAILING(poll, int, -1, (void* a, unsigned long b, int c), (a, b, c))
GPUCHECK_FAILING(prctl, int, -1, (int a, unsigned long b, unsigned long c, unsigned long d, unsigned long e),
                 (a, b, c, d, e))
GPUCHECK_FAILING(pthread_create, int, EAGAIN, (void* a, const void* b, void* (*c)(void*), void* d), (a, b, c, d))
GPUCHECK_FAILING(read, ssize_t, -1, (int a, void* b, std::size_t c), (a, b, c))
GPUCHECK_FAILING(recv, ssize_t, -1, (int a, void* b, std::size_t c, int d), (a, b, c, d))
GPUCHECK_FAILING(rename, int, -1, (const char* a, const char* b), (a, b))
GPUCHECK_FAILING(send, ssize_t, -1, (int a, const void* b, std::size_t c, int d), (a, b, c, d))
GPUCHECK_FAILING(sendmsg, ssize_t, -1, (int a, const void* b, int c), (a, b, c))
GPUCHECK_FAILING(setpgid, int, -1, (pid_t a, pid_t b), (a, b))
GPUCHECK_FAILING(sigaction, int, -1, (int a, const void* b, void* c), (a, b, c))
GPUCHECK_FAILING(socketpair, int, -1, (int a, int b, int c, int* d), (a, b, c, d))
GPUCHECK_FAILING(timerfd_create, int, -1, (int a, int b), (a, b))
GPUCHECK_FAILING(timerfd_settime, int, -1, (int a, int b, const void* c, void* d), (a, b, c, d))
GPUCHECK_FAILING(unlink, int, -1, (const char* a), (a))
GPUCHECK_FAILING(waitpid, pid_t, -1, (pid_t a, int* b, int c), (a, b, c))
GPUCHECK_FAILING(write, ssize_t, -1, (int a, const void* b, std::size_t c), (a, b, c))
