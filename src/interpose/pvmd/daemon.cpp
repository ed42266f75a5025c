#include "interpose/pvmd/daemon.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "interpose/core/code_range.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/peers.hpp"
#include "interpose/core/preload.hpp"
#include "interpose/core/process_facts.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/thread.hpp"
#include "library/pvm.hpp"

namespace ww::interpose {

namespace {

const char* wanted_dir = nullptr;  // where to record, until that was tried
ClockPair first_pair;
CodeRange own_code;
bool socket_told = false;

bool is_daemon(const char* program) {
  const char* const slash = strrchr(program, '/');
  const char* const name = slash == nullptr ? program : slash + 1;
  return strcmp(name, library::pvm.daemon) == 0 || strcmp(name, "pvmd3") == 0;
}

__attribute__((constructor)) void look_where_loaded() {
  char program[1024] = {};
  read_program_name(program, sizeof program);
  if (!is_daemon(program)) return;       // a shell that starts one
  leave_preload("libwhatwire-pvmd.so");  // what it starts (tasks, remote shells) has its daemon
  const char* const dir = getenv(environment::daemon_spool_dir);
  if (dir == nullptr || dir[0] != '/') return;
  wanted_dir = strdup(dir);
  own_code = code_around(reinterpret_cast<const void*>(getauxval(AT_ENTRY)));
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
  DefinitionLine line("process");
  line.number("size", 1);
  add_process(line, {.library = library::pvm.name, .now = now, .ticks_per_s = rate(first_pair, now)});
  line.write();
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
  return own_code.holds(code);
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
