// pvm3.h has pvm_catchout only behind stdio.h.
// clang-format off
#include <stdio.h>
#include <pvm3.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "mpi_by_pvm/mpi.h"

namespace {

// A message's tag is its communicator's number and its own tag. What is multicast has a tag of its own: it goes by way of the daemons, and what its
// sender sends after it from task to task may be there before.
constexpr int tags = 4096, collective_tag = tags - 1, barrier_tag = tags - 2, multicast_tag = tags - 3,
              route_tag = tags - 4, start_tag = 1 << 30, end_tag = start_tag + 1;

struct Comm {
  std::vector<int> tids;  // by rank
  int rank = 0;
  int number = 0;
};

struct Request {
  enum class Kind { none, done, receive, barrier } kind = Kind::none;
  void* data = nullptr;
  int count = 0, type = MPI_BYTE, from = 0, tag = 0, comm = 0;
  int came = 0;  // of a barrier at its root: how many ranks
};

struct Blank {
  const char* begin;
  size_t bytes;
};

struct State {
  int tid = 0, master = 0;                               // master's tid, where it is none of the ranks
  bool direct = false, catches = false, beside = false;  // beside: started by ww_pvm_task_beside
  std::vector<Comm> comms;
  std::vector<Request> requests;  // MPI_Request is the place and 1
  std::vector<Blank> blanks;
  std::map<size_t, int> packed;  // of blank buffers: bytes to PVM's buffer
  bool packed_is_active = false;
};
State state;

[[noreturn]] void fail(const char* call, int code) {
  std::fprintf(stderr, "PVM: %s: error %d\n", call, code);
  pvm_exit();
  exit(1);
}

int checked(const char* call, int code) {
  if (code < 0) fail(call, code);
  return code;
}

size_t size_of(int type) {
  return type == MPI_BYTE || type == MPI_CHAR ? 1 : type == MPI_INT ? sizeof(int) : 8;
}

bool is_blank(const void* data) {
  return std::any_of(state.blanks.begin(), state.blanks.end(),
                     [&](const Blank& one) { return data >= one.begin && data < one.begin + one.bytes; });
}

char* part(void* data, int at, int type) {
  return static_cast<char*>(data) + static_cast<size_t>(at) * size_of(type);
}
const char* part(const void* data, int at, int type) {
  return static_cast<const char*>(data) + static_cast<size_t>(at) * size_of(type);
}

void pack(const void* data, int count, int type) {
  if (count == 0) return;
  char* at = const_cast<char*>(static_cast<const char*>(data));  // PVM reads it only
  if (type == MPI_DOUBLE)
    checked("pvm_pkdouble", pvm_pkdouble(reinterpret_cast<double*>(at), count, 1));
  else if (type == MPI_INT)
    checked("pvm_pkint", pvm_pkint(reinterpret_cast<int*>(at), count, 1));
  else
    checked("pvm_pkbyte", pvm_pkbyte(at, static_cast<int>(static_cast<size_t>(count) * size_of(type)), 1));
}

void unpack(void* data, int count, int type) {
  if (count == 0) return;
  char* at = static_cast<char*>(data);
  if (type == MPI_DOUBLE)
    checked("pvm_upkdouble", pvm_upkdouble(reinterpret_cast<double*>(at), count, 1));
  else if (type == MPI_INT)
    checked("pvm_upkint", pvm_upkint(reinterpret_cast<int*>(at), count, 1));
  else
    checked("pvm_upkbyte", pvm_upkbyte(at, static_cast<int>(static_cast<size_t>(count) * size_of(type)), 1));
}

// A new active send buffer with the data in it; of a blank one that which was made before.
void make_active(const void* data, int count, int type) {
  if (state.packed_is_active) checked("pvm_setsbuf", pvm_setsbuf(0));
  state.packed_is_active = false;
  if (!is_blank(data)) {
    checked("pvm_initsend", pvm_initsend(PvmDataRaw));
    return pack(data, count, type);
  }
  const auto [known, is_new] = state.packed.emplace(static_cast<size_t>(count) * size_of(type), 0);
  if (is_new) known->second = checked("pvm_mkbuf", pvm_mkbuf(PvmDataRaw));
  checked("pvm_setsbuf", pvm_setsbuf(known->second));
  state.packed_is_active = true;
  if (is_new) pack(data, count, type);
}

Comm& comm_of(int comm) {
  return state.comms[static_cast<size_t>(comm)];
}

int tag_in(const Comm& comm, int tag) {
  return comm.number * tags + tag;
}

void send(const Comm& comm, const void* data, int count, int type, int to, int tag) {
  make_active(data, count, type);
  checked("pvm_send", pvm_send(comm.tids[static_cast<size_t>(to)], tag_in(comm, tag)));
}

void receive(const Comm& comm, void* data, int count, int type, int from, int tag) {
  checked("pvm_recv", pvm_recv(comm.tids[static_cast<size_t>(from)], tag_in(comm, tag)));
  if (!is_blank(data)) unpack(data, count, type);
}

// To all others of the communicator, in one call.
void multicast(const Comm& comm, const void* data, int count, int type, int tag) {
  std::vector<int> to;
  for (const int tid : comm.tids)
    if (tid != state.tid) to.push_back(tid);
  if (to.empty()) return;
  make_active(data, count, type);
  checked("pvm_mcast", pvm_mcast(to.data(), static_cast<int>(to.size()), tag_in(comm, tag)));
}

int new_request(const Request& request) {
  auto free = std::find_if(state.requests.begin(), state.requests.end(),
                           [](const Request& one) { return one.kind == Request::Kind::none; });
  if (free == state.requests.end()) free = state.requests.insert(free, Request{});
  *free = request;
  return static_cast<int>(free - state.requests.begin()) + 1;
}

// Whether it is done now; with `wait` it is.
bool progress(Request& request, bool wait) {
  if (request.kind == Request::Kind::done) return true;
  const Comm& comm = comm_of(request.comm);
  const auto came = [&](int from, int tag) {
    const int tid = comm.tids[static_cast<size_t>(from)];
    return checked("pvm_recv or pvm_nrecv", wait ? pvm_recv(tid, tag) : pvm_nrecv(tid, tag)) > 0;
  };
  if (request.kind == Request::Kind::receive) {
    if (!came(request.from, tag_in(comm, request.tag))) return false;
    if (!is_blank(request.data)) unpack(request.data, request.count, request.type);
  } else if (comm.rank == 0) {
    while (request.came + 1 < static_cast<int>(comm.tids.size())) {
      if (!came(request.came + 1, tag_in(comm, barrier_tag))) return false;
      ++request.came;
    }
    multicast(comm, nullptr, 0, MPI_BYTE, barrier_tag);
  } else if (!came(0, tag_in(comm, barrier_tag))) {
    return false;
  }
  request.kind = Request::Kind::done;
  return true;
}

bool complete(MPI_Request& request, bool wait) {
  if (request == MPI_REQUEST_NULL) return true;
  Request& one = state.requests[static_cast<size_t>(request) - 1];
  if (!progress(one, wait)) return false;
  one.kind = Request::Kind::none;
  request = MPI_REQUEST_NULL;
  return true;
}

template <class T>
void combine(T* all, const T* with, int count, MPI_Op op) {
  for (int i = 0; i < count; ++i)
    all[i] = op == MPI_SUM   ? all[i] + with[i]
             : op == MPI_MAX ? std::max(all[i], with[i])
                             : std::min(all[i], with[i]);
}

void combine(void* all, const void* with, int count, int type, MPI_Op op) {
  if (op == MPI_BOR) {
    char* bytes = static_cast<char*>(all);
    for (size_t i = 0; i < static_cast<size_t>(count) * size_of(type); ++i)
      bytes[i] = static_cast<char>(bytes[i] | static_cast<const char*>(with)[i]);
  } else if (type == MPI_DOUBLE) {
    combine(static_cast<double*>(all), static_cast<const double*>(with), count, op);
  } else if (type == MPI_INT) {
    combine(static_cast<int*>(all), static_cast<const int*>(with), count, op);
  } else if (type == MPI_INT64_T) {
    combine(static_cast<int64_t*>(all), static_cast<const int64_t*>(with), count, op);
  } else {
    combine(static_cast<uint64_t*>(all), static_cast<const uint64_t*>(with), count, op);
  }
}

// The names of the hosts of the virtual machine, this task's first.
std::vector<std::string> hosts() {
  int count = 0, architectures = 0;
  pvmhostinfo* all = nullptr;
  checked("pvm_config", pvm_config(&count, &architectures, &all));
  std::vector<std::string> names;
  const int own = pvm_tidtohost(state.tid);
  for (int i = 0; i < count; ++i)
    names.insert(all[i].hi_tid == own ? names.begin() : names.end(), all[i].hi_name);
  return names;
}

bool is_set(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' && strcmp(value, "0") != 0;
}

// Connections are made one after the other before the first message. While two tasks make one, PVM sends
// what they have for each other by way of the daemons, and what they send as soon as it is there overtakes
// that: two messages with one tag come in the wrong order (PVM 3.4.6, an alltoall of four tasks).
void connect(const Comm& comm, int other) {
  const bool asks = comm.rank < other;
  if (asks) send(comm, nullptr, 0, MPI_BYTE, other, route_tag);
  receive(comm, nullptr, 0, MPI_BYTE, other, route_tag);
  if (!asks) send(comm, nullptr, 0, MPI_BYTE, other, route_tag);
}

void choose_route(int direct) {
  state.direct = direct != 0;
  if (direct == 0) return;
  checked("pvm_setopt", pvm_setopt(PvmRoute, PvmRouteDirect));
  const Comm& world = state.comms.front();
  for (int other = 0; other < static_cast<int>(world.tids.size()); ++other)
    if (other != world.rank) connect(world, other);
}

std::string own_program() {
  char program[4096] = {};
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) fail("readlink", -1);
  return program;
}

// PVM's error, below 0, where it could not be started.
int spawn(char** arguments, std::string host) {
  std::string program = own_program();
  int tid = 0;
  return pvm_spawn(program.data(), arguments, PvmTaskHost, host.data(), 1, &tid) == 1 ? tid
                                                                                      : std::min(tid, -1);
}

// The first message of tasks that were started: whom `comm` is of, which is their MPI_COMM_WORLD.
void tell(std::vector<int> started, const Comm& comm, int master, int direct) {
  if (started.empty()) return;
  std::vector<int> tids = comm.tids;
  if (state.packed_is_active) checked("pvm_setsbuf", pvm_setsbuf(0));
  state.packed_is_active = false;
  checked("pvm_initsend", pvm_initsend(PvmDataDefault));
  int about[] = {master, static_cast<int>(tids.size()), direct, comm.number};
  pvm_pkint(about, 4, 1);
  pvm_pkint(tids.data(), about[1], 1);
  checked("pvm_mcast", pvm_mcast(started.data(), static_cast<int>(started.size()), start_tag));
}

// Starts the others, and tells all who they are. Of a master this does not come back.
void start_others(char** arguments) {
  const bool masters = is_set("MASTER");
  if (state.catches || masters) checked("pvm_catchout", pvm_catchout(stdout));
  std::vector<std::string> on = hosts();
  const char* wanted = getenv("TASKS");
  const int count =
      wanted != nullptr && atoi(wanted) > 0 ? atoi(wanted) : std::max(2, static_cast<int>(on.size()));
  std::vector<int> tids;
  if (!masters) tids.push_back(state.tid);
  // its host is left to a master where there are enough others
  if (masters && static_cast<int>(on.size()) > count) on.erase(on.begin());
  for (int rank = static_cast<int>(tids.size()); rank < count; ++rank) {
    tids.push_back(spawn(arguments, on[static_cast<size_t>(rank) % on.size()]));
    checked("pvm_spawn", tids.back());
  }
  state.comms.push_back({tids, 0, 0});
  const int direct = state.direct || is_set("DIRECT") ? 1 : 0;
  tell({tids.begin() + (masters ? 0 : 1), tids.end()}, state.comms.front(), masters ? state.tid : 0, direct);
  if (!masters) return choose_route(direct);
  for (int i = 0; i < count; ++i) checked("pvm_recv", pvm_recv(-1, end_tag));
  pvm_exit();
  exit(0);
}

void hear_who_all_are(int parent) {
  checked("pvm_recv", pvm_recv(parent, start_tag));
  int about[4] = {};
  pvm_upkint(about, 4, 1);
  state.master = about[0];
  Comm world;
  world.tids.resize(static_cast<size_t>(about[1]));
  pvm_upkint(world.tids.data(), about[1], 1);
  world.rank =
      static_cast<int>(std::find(world.tids.begin(), world.tids.end(), state.tid) - world.tids.begin());
  world.number = about[3];
  state.beside = world.number != 0;
  state.comms.push_back(world);
  choose_route(about[2]);
}

void begin(char** arguments) {
  state.tid = checked("pvm_mytid", pvm_mytid());
  const int parent = pvm_parent();
  if (parent > 0)
    hear_who_all_are(parent);
  else
    start_others(arguments);
}

}  // namespace

void ww_pvm_direct_route(int direct) {
  state.direct = direct != 0;
}

void ww_pvm_catch_output() {
  state.catches = true;
}

void ww_pvm_blank_buffer(const void* begin, size_t bytes) {
  state.blanks.push_back({static_cast<const char*>(begin), bytes});
}

void ww_pvm_no_blank_buffer(const void* begin) {
  std::erase_if(state.blanks, [&](const Blank& one) { return one.begin == begin; });
}

int ww_pvm_routes_direct() {
  return state.direct;
}

int ww_pvm_is_beside() {
  return state.beside;
}

MPI_Comm ww_pvm_task_beside(MPI_Comm comm) {
  Comm joined = comm_of(comm);
  int tid = joined.rank == 0 ? spawn(nullptr, hosts().front()) : 0;
  MPI_Bcast(&tid, 1, MPI_INT, 0, comm);
  if (tid < 0) return MPI_COMM_NULL;
  joined.tids.push_back(tid);
  joined.number = static_cast<int>(state.comms.size());
  state.comms.push_back(joined);
  if (joined.rank == 0) tell({tid}, joined, 0, state.direct);
  if (state.direct) connect(joined, static_cast<int>(joined.tids.size()) - 1);
  return joined.number;
}

int MPI_Init(int* argc, char*** argv) {
  begin(*argc > 1 ? *argv + 1 : nullptr);
  return 0;
}

int MPI_Finalize() {
  MPI_Barrier(MPI_COMM_WORLD);
  if (state.master != 0) {
    make_active(nullptr, 0, MPI_BYTE);
    checked("pvm_send", pvm_send(state.master, end_tag));
  }
  std::fflush(stdout);
  pvm_exit();
  return 0;
}

double MPI_Wtime() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

int MPI_Get_processor_name(char* name, int* length) {
  gethostname(name, MPI_MAX_PROCESSOR_NAME - 1);
  *length = static_cast<int>(strlen(name));
  return 0;
}

int MPI_Get_library_version(char* version, int* length) {
  *length = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "PVM %s", pvm_version());
  return 0;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = comm_of(comm).rank;
  return 0;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = static_cast<int>(comm_of(comm).tids.size());
  return 0;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  const Comm of = comm_of(comm);
  int own[2] = {color, key};
  std::vector<int> all(2 * of.tids.size());
  MPI_Allgather(own, 2, MPI_INT, all.data(), 2, MPI_INT, comm);
  Comm made;
  made.number = static_cast<int>(state.comms.size());
  std::vector<std::pair<int, int>> members;  // key, tid
  for (size_t i = 0; i < of.tids.size(); ++i)
    if (all[2 * i] == color) members.emplace_back(all[2 * i + 1], of.tids[i]);
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [order, tid] : members) {
    if (tid == state.tid) made.rank = static_cast<int>(made.tids.size());
    made.tids.push_back(tid);
  }
  // one that is not there takes a number too, so that all count alike
  *out = color == MPI_UNDEFINED ? MPI_COMM_NULL : made.number;
  state.comms.push_back(made);
  return 0;
}

int MPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm* out) {
  char own[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(own, &length);
  const size_t ranks = comm_of(comm).tids.size();
  std::vector<char> all(ranks * sizeof own);
  MPI_Allgather(own, sizeof own, MPI_CHAR, all.data(), sizeof own, MPI_CHAR, comm);
  int color = 0;
  while (strcmp(&all[static_cast<size_t>(color) * sizeof own], own) != 0) ++color;
  return MPI_Comm_split(comm, color, key, out);
}

int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return 0;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (to != MPI_PROC_NULL) send(comm_of(comm), data, count, type, to, tag);
  return 0;
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status*) {
  if (from != MPI_PROC_NULL) receive(comm_of(comm), data, count, type, from, tag);
  return 0;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  MPI_Send(data, count, type, to, tag, comm);
  *request = new_request({.kind = Request::Kind::done});
  return 0;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const auto kind = from == MPI_PROC_NULL ? Request::Kind::done : Request::Kind::receive;
  *request = new_request({kind, data, count, type, from, tag, comm});
  return 0;
}

int MPI_Iprobe(int from, int, MPI_Comm comm, int* there, MPI_Status*) {
  *there = checked("pvm_probe", pvm_probe(comm_of(comm).tids[static_cast<size_t>(from)], -1)) > 0;
  return 0;
}

int MPI_Wait(MPI_Request* request, MPI_Status*) {
  complete(*request, true);
  return 0;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status*) {
  for (int i = 0; i < count; ++i) complete(requests[i], true);
  return 0;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status*) {
  *done = complete(*request, false);
  return 0;
}

int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status*) {
  *done = 1;
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL &&
        !progress(state.requests[static_cast<size_t>(requests[i]) - 1], false))
      *done = 0;
  for (int i = 0; *done != 0 && i < count; ++i) complete(requests[i], true);
  return 0;
}

int MPI_Testsome(int count, MPI_Request* requests, int* some, int* which, MPI_Status*) {
  *some = 0;
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && complete(requests[i], false)) which[(*some)++] = i;
  return 0;
}

int MPI_Cancel(MPI_Request* request) {
  if (*request != MPI_REQUEST_NULL)
    state.requests[static_cast<size_t>(*request) - 1].kind = Request::Kind::done;
  return 0;
}

int MPI_Barrier(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const Comm& of = comm_of(comm);
  if (of.rank != 0) send(of, nullptr, 0, MPI_BYTE, 0, barrier_tag);
  *request = new_request({.kind = Request::Kind::barrier, .comm = comm});
  return 0;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Comm& of = comm_of(comm);
  if (of.rank == root)
    multicast(of, data, count, type, multicast_tag);
  else
    receive(of, data, count, type, root, multicast_tag);
  return 0;
}

int MPI_Gather(const void* own, int count, MPI_Datatype type, void* all, int, MPI_Datatype, int root,
               MPI_Comm comm) {
  const Comm& of = comm_of(comm);
  if (of.rank != root) {
    send(of, own, count, type, root, collective_tag);
    return 0;
  }
  for (int rank = 0; rank < static_cast<int>(of.tids.size()); ++rank) {
    char* at = part(all, rank * count, type);
    if (rank == root)
      memcpy(at, own, static_cast<size_t>(count) * size_of(type));
    else
      receive(of, at, count, type, rank, collective_tag);
  }
  return 0;
}

int MPI_Reduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const size_t ranks = comm_of(comm).tids.size(), bytes = static_cast<size_t>(count) * size_of(type);
  const bool here = comm_of(comm).rank == root;
  std::vector<char> every(here ? ranks * bytes : 0);
  MPI_Gather(own, count, type, every.data(), count, type, root, comm);
  if (!here) return 0;
  memcpy(all, every.data(), bytes);
  for (size_t rank = 1; rank < ranks; ++rank) combine(all, &every[rank * bytes], count, type, op);
  return 0;
}

int MPI_Allreduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Reduce(own, all, count, type, op, 0, comm);
  return MPI_Bcast(all, count, type, 0, comm);
}

int MPI_Allgather(const void* own, int count, MPI_Datatype type, void* all, int, MPI_Datatype,
                  MPI_Comm comm) {
  MPI_Gather(own, count, type, all, count, type, 0, comm);
  return MPI_Bcast(all, count * static_cast<int>(comm_of(comm).tids.size()), type, 0, comm);
}

// Each rank begins with the one behind it, so that not all send to one.
int MPI_Alltoallv(const void* out, const int* counts, const int* at, MPI_Datatype type, void* in,
                  const int* in_counts, const int* in_at, MPI_Datatype, MPI_Comm comm) {
  const Comm& of = comm_of(comm);
  const int ranks = static_cast<int>(of.tids.size());
  memcpy(part(in, in_at[of.rank], type), part(out, at[of.rank], type),
         static_cast<size_t>(counts[of.rank]) * size_of(type));
  for (int k = 1; k < ranks; ++k) {
    const int to = (of.rank + k) % ranks;
    send(of, part(out, at[to], type), counts[to], type, to, collective_tag);
  }
  for (int k = 1; k < ranks; ++k) {
    const int from = (of.rank - k + ranks) % ranks;
    receive(of, part(in, in_at[from], type), in_counts[from], type, from, collective_tag);
  }
  return 0;
}

int MPI_Alltoall(const void* out, int count, MPI_Datatype type, void* in, int, MPI_Datatype, MPI_Comm comm) {
  const size_t ranks = comm_of(comm).tids.size();
  std::vector<int> counts(ranks, count), at(ranks, 0);
  for (size_t i = 1; i < ranks; ++i) at[i] = at[i - 1] + count;
  return MPI_Alltoallv(out, counts.data(), at.data(), type, in, counts.data(), at.data(), type, comm);
}
