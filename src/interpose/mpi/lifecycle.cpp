#include "interpose/mpi/lifecycle.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/call_names.hpp"
#include "interpose/core/clock_threads.hpp"
#include "interpose/core/code_files.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/message_curves.hpp"
#include "interpose/core/own_dilation.hpp"
#include "interpose/core/process_facts.hpp"
#include "interpose/core/program_threads.hpp"
#include "interpose/mpi/clock_exchange.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/far_departures.hpp"
#include "interpose/mpi/other_worlds.hpp"
#include "interpose/mpi/own_library.hpp"
#include "interpose/mpi/virtual_collectives.hpp"
#include "interpose/mpi/virtual_messages.hpp"

namespace ww::interpose {

namespace {

ClockPair first_pair;  // at the entry of MPI_Init
MPI_Comm private_comm = MPI_COMM_NULL;
double factor = 1;
const char* spawned_by = nullptr;  // of environment.hpp; nullptr: by the launcher
bool real_clock = false;

int ranks_per_host = 0;

void write_process(const ClockPair& now, double ticks_per_s, int thread_level) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(version, &length);
  DefinitionLine line("process");
  if (spawned_by != nullptr) line.text("spawned_by", spawned_by);
  line.number("rank", world_comm.rank).number("size", world_comm.size).number("thread_level", thread_level);
  add_process(line, {.library = own_library.name,
                     .version = version,
                     .now = now,
                     .ticks_per_s = ticks_per_s,
                     .dilation = factor,
                     .virtual_host = ranks_per_host > 0 ? world_comm.rank / ranks_per_host : -1});
  line.write();
}

// A receive whose message is there already, by sending to oneself: the least of several, for each size.
void measure_ready_receives(double ticks_per_s) {
  constexpr size_t largest = 1u << 22;
  auto* memory = static_cast<char*>(malloc(2 * largest));
  if (memory == nullptr) return;
  memset(memory, 1, 2 * largest);
  measure_ready_costs(largest, ticks_per_s, [&](size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Isend(memory, static_cast<int>(bytes), MPI_BYTE, world_comm.rank, 1, private_comm, &request);
    const uint64_t before = ticks();
    PMPI_Recv(memory + largest, static_cast<int>(bytes), MPI_BYTE, world_comm.rank, 1, private_comm,
              MPI_STATUS_IGNORE);
    const uint64_t took = ticks() - before;
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return took;
  });
  free(memory);
}

}  // namespace

double dilation_factor() {
  return factor;
}

void before_init() {
  choose_clock();
  first_pair = clock_pair();
}

namespace {

// A wait for nothing: the library looks after all its open operations.
void make_progress() {
  const InsideLibrary inside;
  int found = 0;
  if (private_comm != MPI_COMM_NULL)
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, private_comm, &found, MPI_STATUS_IGNORE);
}

int level = MPI_THREAD_SINGLE;

int uses = 0;          // MPI_Init, and sessions, that have not ended
bool ended = false;    // the last use was, and what comes after it is not recorded
int world_number = 0;  // claim_world's

// Communicates over MPI_COMM_WORLD, so it is done by every rank that was given the wish, whether or not its
// files can be made or a session began to record before.
void meet_the_world(const Wishes& wishes) {
  PMPI_Comm_dup(MPI_COMM_WORLD, &private_comm);
  PMPI_Bcast(&world_number, 1, MPI_INT, 0, private_comm);
  if (wishes.emulates()) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    learn_hosts(private_comm, host);
  }
}

void start_recording(const Wishes& wishes, int rank, int ranks, int thread_level) {
  level = thread_level;
  factor = wishes.dilation;
  real_clock = wishes.real_clock;
  ranks_per_host = wishes.virtual_time ? wishes.ranks_per_host : 0;
  keep_world_ranks = wishes.emulates() || wishes.stamps;
  set_world_number(world_number);
  start(wishes, world_number, rank, ranks, thread_level == MPI_THREAD_MULTIPLE);
  const double ticks_per_s = rate(first_pair, clock_pair());
  if (wishes.emulates()) {
    set_stretch(wishes.stretch, ticks_per_s, make_progress);
    know_collectives();
  }
  if (wishes.injects) {
    read_costs(ranks);
    target_costs.inter.acknowledged = own_library.handshake_crossings > 2;
    set_injection(factor, ticks_per_s);
  }
  if (factor > 1 && !wishes.virtual_time) allow_own_dilation(factor, wishes.wire_follows);
  if (recording) {
    touch_requests();
    touch_own_code();
  }
  if (recording) select(wishes.selection, {call_names, call_classes, calls_count}, ticks(), ticks_per_s);
  DefinitionLine("calls").raw("names", call_names_json).raw("meanings", call_meanings_json).write();
}

void describe_process(int thread_level) {
  const ClockPair now = clock_pair();
  write_process(now, rate(first_pair, now), thread_level);
}

}  // namespace

void after_init() {
  const Wishes wishes = read_wishes();
  if (!wishes.any()) return;
  ++uses;
  if (active || ended) {  // a session was before
    if (active) define_own_comm();
    meet_the_world(wishes);
    exchange_clocks(private_comm, ClockExchange::init, rate(first_pair, clock_pair()));
    return;
  }
  int rank = 0, ranks = 1, thread_level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Query_thread(&thread_level);
  MPI_Comm parents = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parents);
  // A program that was spawned may itself start others, which inherit the variable.
  spawned_by = parents != MPI_COMM_NULL ? getenv(environment::spawned) : nullptr;
  if (rank == 0 && wishes.spool_dir != nullptr)
    world_number = claim_world(wishes.spool_dir, spawned_by != nullptr);
  meet_the_world(wishes);
  start_recording(wishes, rank, ranks, thread_level);
  define_predefined_comms();
  describe_process(thread_level);
  exchange_clocks(private_comm, ClockExchange::init, rate(first_pair, clock_pair()));
  read_costs(ranks);
  if (wishes.stamps) {
    const bool all = share_stamps(private_comm, wishes.spool_dir, wishes.virtual_time);
    if (!all && !wishes.virtual_time) begin_far_departures(private_comm);
    if (wishes.virtual_time)
      begin_virtual_time(private_comm, {wishes.compute, wishes.ranks_per_host}, all, thread_level,
                         rate(first_pair, clock_pair()));
    else if (injecting)
      begin_dilated_messages(private_comm, all, thread_level);
  }
  attending = injecting || stamping;
  if (injecting) measure_ready_receives(rate(first_pair, clock_pair()));
  begin_usage();
}

#if MPI_VERSION >= 4
// Nothing may be exchanged: a session concerns this process alone. So clocks are only known within a host,
// and each rank takes its place in the directory by itself.
void after_session_init(MPI_Session session) {
  const Wishes wishes = read_wishes();
  if (!wishes.any()) return;
  ++uses;
  if (active || ended) return;
  MPI_Group group = MPI_GROUP_NULL;
  int rank = MPI_UNDEFINED, size = 0;
  if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS) return;
  PMPI_Group_rank(group, &rank);
  PMPI_Group_size(group, &size);
  if (rank == MPI_UNDEFINED) return;
  if (rank == 0 && wishes.spool_dir != nullptr) world_number = claim_world(wishes.spool_dir, false);
  start_recording(wishes, rank, size, MPI_THREAD_MULTIPLE);  // sessions of several threads may come and go
  define_world_of_session(group, rank, size);
  describe_process(MPI_THREAD_MULTIPLE);
  begin_usage();
}
#endif

bool this_use_is_last() {
  return uses <= 1;
}

bool last_use_ends() {
  return --uses <= 0;
}

void use_goes_on() {
  ++uses;
}

namespace {

double wtime_of_library() {
  const InsideLibrary inside;
  return PMPI_Wtime();
}

}  // namespace

void start_clocks_of_program() {
  if (dilating && !real_clock) {
    start_program_clock(factor);
    start_program_wtime(wtime_of_library);
  }
  begin_own_dilation();
}

namespace {

const char* name_of_level(int thread_level) {
  switch (thread_level) {
    case MPI_THREAD_SINGLE:
      return "single";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    default:
      return "multiple";
  }
}

}  // namespace

void before_last_end() {
  end_usage();
  if (dilating) write_code_files();
  if (dilating && !virtual_time) write_stretch(name_of_level(level));
}

void before_finalize() {
  stop_clock_threads();
  exchange_clocks(private_comm, ClockExchange::finalize, 0);
  end_far_departures();
  if (private_comm != MPI_COMM_NULL) PMPI_Comm_free(&private_comm);
}

void after_last_end() {
  if (dilating) {
    if (own_library.clock_after_end) stop_program_wtime(PMPI_Wtime());  // before the rate is 1 again
    stop_program_clock();
  }
  stop_virtual_clock();
  dilating = false;
  each_on_its_own = false;
  attending = false;
  end_stamps();
  ended = true;
  finish("finalize");
  close_all_spools();
  this_thread = nullptr;
}

}  // namespace ww::interpose
