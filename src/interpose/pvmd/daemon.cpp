#include "interpose/pvmd/daemon.hpp"

#include <arpa/inet.h>
#include <link.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/peers.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/thread.hpp"
#include "library/pvm.hpp"

namespace ww::interpose {

namespace {

const char* wanted_dir = nullptr;  // where to record, until that was tried
ClockPair first_pair;
uintptr_t code_begin = 0, code_end = 0;
bool socket_told = false;

// The first that dl_iterate_phdr names is the program itself.
int find_program(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    code_begin = info->dlpi_addr + part.p_vaddr;
    code_end = code_begin + part.p_memsz;
  }
  return 1;
}

bool is_daemon(const char* program) {
  const char* const slash = strrchr(program, '/');
  const char* const name = slash == nullptr ? program : slash + 1;
  return strcmp(name, library::pvm.daemon) == 0 || strcmp(name, "pvmd3") == 0;
}

// Takes this library out of what a daemon's children (tasks, remote shells) would load: it has its daemon.
void leave_environment() {
  const char* const preload = getenv("LD_PRELOAD");
  if (preload == nullptr) return;
  char* const kept = strdup(preload);
  if (kept == nullptr) return;
  char* end = kept;
  for (const char* word = preload; *word != 0;) {
    const size_t length = strcspn(word, ": ");
    const char* const own = static_cast<const char*>(memmem(word, length, "libwhatwire-pvmd.so", 19));
    if (own == nullptr && length > 0) {
      if (end != kept) *end++ = ':';
      memmove(end, word, length);
      end += length;
    }
    word += length;
    if (*word != 0) ++word;
  }
  *end = 0;
  if (end == kept)
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", kept, 1);
  free(kept);
}

__attribute__((constructor)) void look_where_loaded() {
  char program[1024] = {};
  read_program_name(program, sizeof program);
  if (!is_daemon(program)) return;  // a shell that starts one
  leave_environment();
  const char* const dir = getenv(environment::daemon_spool_dir);
  if (dir == nullptr || dir[0] != '/') return;
  wanted_dir = strdup(dir);
  dl_iterate_phdr(find_program, nullptr);
  choose_clock();
  first_pair = clock_pair();
}

// A child of the daemon ends too, and has nothing of it.
void end_daemon() {
  if (!recording) return;
  end_usage();
  finish("exit");
  close_all_spools();
}

void write_daemon(const ClockPair& now) {
  char host[256] = {}, boot_id[64] = {}, program[1024] = {};
  gethostname(host, sizeof host - 1);
  read_boot_id(boot_id, sizeof boot_id);
  read_program_name(program, sizeof program);
  DefinitionLine("process")
      .text("host", host)
      .text("boot_id", boot_id)
      .number("pid", getpid())
      .text("program", program)
      .text("mpi", library::pvm.name)
      .text("mpi_version", "")
      .text("clock", counter_is_clock ? "tsc" : "monotonic")
      .real("ticks_per_s", rate(first_pair, now))
      .number("ticks", static_cast<int64_t>(now.ticks))
      .number("monotonic_ns", static_cast<int64_t>(now.monotonic_ns))
      .number("realtime_ns", static_cast<int64_t>(real_ns(CLOCK_REALTIME)))
      .real("dilation", 1)
      .number("size", 1)
      .number("format", 1)
      .write();
}

// IPv4, the port in the lowest 16 bits; 0: of another kind.
uint64_t number_of(const sockaddr* address) {
  if (address == nullptr || address->sa_family != AF_INET) return 0;
  sockaddr_in internet;
  memcpy(&internet, address, sizeof internet);
  return static_cast<uint64_t>(ntohl(internet.sin_addr.s_addr)) << 16 | ntohs(internet.sin_port);
}

}  // namespace

bool is_of_daemon(const void* code) {
  const auto at = reinterpret_cast<uintptr_t>(code);
  return at >= code_begin && at < code_end;
}

void begin_daemon() {
  if (wanted_dir == nullptr || recording) return;
  const char* const dir = wanted_dir;
  wanted_dir = nullptr;
  if (!start_daemon(dir) || !recording) return;
  touch_own_code();
  DefinitionLine("calls")
      .raw("names", R"(["","select","recvfrom","sendto","read","write","accept"])")
      .write();
  write_daemon(clock_pair());
  begin_usage();
  attach_thread();
  atexit(end_daemon);  // before the destructors of libraries
}

int32_t peer_of_socket(const sockaddr* address) {
  const uint64_t number = number_of(address);
  return number == 0 ? spool::no_peer : peer_index(number);
}

void tell_own_socket(int fd) {
  if (socket_told) return;
  socket_told = true;
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0) return;
  const uint64_t number = number_of(reinterpret_cast<const sockaddr*>(&own));
  if (number != 0) DefinitionLine("fact").text("name", "socket").address("address", number).write();
}

DaemonHeader DaemonHeader::in(const void* buffer) {
  uint32_t words[3];
  memcpy(words, buffer, sizeof words);
  return {ntohl(words[0]), ntohl(words[1]), ntohl(words[2]), static_cast<const uint8_t*>(buffer)[12]};
}

uint64_t DaemonHeader::of_packet() const {
  return spool::DaemonPacket{static_cast<uint16_t>(third >> 16), static_cast<uint16_t>(third), flags}
      .packed();
}

uint64_t DaemonHeader::of_fragment() const {
  return third;
}

}  // namespace ww::interpose
