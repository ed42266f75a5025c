#include "interpose/mpi/lifecycle.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/mpi/call_names.hpp"
#include "interpose/mpi/clock_exchange.hpp"
#include "interpose/mpi/other_worlds.hpp"

namespace ww::interpose {

namespace {

ClockPair first_pair;  // at the entry of MPI_Init
#ifdef OPEN_MPI
constexpr const char* mpi_name = "openmpi";
constexpr bool wtime_after_finalize = true;
#else
constexpr const char* mpi_name = "mpich";
constexpr bool wtime_after_finalize = false;  // it would end the program
#endif
MPI_Comm private_comm = MPI_COMM_NULL;
double factor = 1;
const char* spawned_by = nullptr;  // of environment.hpp; nullptr: by the launcher
bool real_clock = false;

void write_process(const ClockPair& now, double ticks_per_s, int thread_level) {
  char host[256] = {}, boot_id[64] = {}, program[1024] = {}, version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  gethostname(host, sizeof host - 1);
  read_boot_id(boot_id, sizeof boot_id);
  read_program_name(program, sizeof program);
  int length = 0;
  PMPI_Get_library_version(version, &length);
  Line line("process");
  if (spawned_by != nullptr) line.text("spawned_by", spawned_by);
  line.number("rank", world_comm.rank)
      .number("size", world_comm.size)
      .text("host", host)
      .text("boot_id", boot_id)
      .number("pid", getpid())
      .text("program", program)
      .text("mpi", mpi_name)
      .text("mpi_version", version)
      .number("thread_level", thread_level)
      .text("clock", counter_is_clock ? "tsc" : "monotonic")
      .real("ticks_per_s", ticks_per_s)
      .number("ticks", static_cast<int64_t>(now.ticks))
      .number("monotonic_ns", static_cast<int64_t>(now.monotonic_ns))
      .number("realtime_ns", static_cast<int64_t>(real_ns(CLOCK_REALTIME)))
      .real("dilation", factor)
      .number("format", 1)
      .write();
}

// A receive whose message is there already, by sending to oneself: the least of several, for each size.
void measure_ready_receives(double ticks_per_s) {
  constexpr size_t largest = 1u << 22;
  auto* memory = static_cast<char*>(malloc(2 * largest));
  if (memory == nullptr) return;
  memset(memory, 1, 2 * largest);
  double latest_s = 0;
  for (int log = 0; log < ready_sizes; ++log) {
    const size_t bytes = 1ull << log;
    if (bytes > largest) {
      latest_s *= 2;  // beyond what was measured the copy doubles with the size
    } else {
      uint64_t least = ~0ull;
      const int repeats = bytes > 65536 ? 3 : 10;
      for (int i = 0; i < repeats; ++i) {
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Isend(memory, static_cast<int>(bytes), MPI_BYTE, world_comm.rank, 1, private_comm, &request);
        const uint64_t before = ticks();
        PMPI_Recv(memory + largest, static_cast<int>(bytes), MPI_BYTE, world_comm.rank, 1, private_comm,
                  MPI_STATUS_IGNORE);
        const uint64_t took = ticks() - before;
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        if (took < least) least = took;
      }
      latest_s = static_cast<double>(least) / ticks_per_s;
    }
    set_ready_cost(log, latest_s);
  }
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

void after_init() {
  if (active) return;
  const Wishes wishes = read_wishes();
  if (!wishes.any()) return;
  int rank = 0, thread_level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Query_thread(&thread_level);
  // Collective, so it is done by every rank that was given the wish, whether or not its files can be made.
  PMPI_Comm_dup(MPI_COMM_WORLD, &private_comm);
  MPI_Comm parents = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parents);
  // A program that was spawned may itself start others, which inherit the variable.
  spawned_by = parents != MPI_COMM_NULL ? getenv(environment::spawned) : nullptr;
  int world = 0;
  if (rank == 0 && wishes.spool_dir != nullptr) world = claim_world(wishes.spool_dir, spawned_by != nullptr);
  PMPI_Bcast(&world, 1, MPI_INT, 0, private_comm);
  set_world_number(world);
  const ClockPair now = clock_pair();
  const double ticks_per_s = rate(first_pair, now);
  factor = wishes.dilation;
  real_clock = wishes.real_clock;
  keep_world_ranks = factor > 1;
  start(wishes, world, rank, thread_level == MPI_THREAD_MULTIPLE);
  if (factor > 1) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    learn_hosts(private_comm, host);
    set_dilation(factor, getenv(environment::inject_inter), getenv(environment::inject_intra), ticks_per_s);
  }
  if (recording) select(wishes.selection, {call_names, call_classes, calls_count}, ticks(), ticks_per_s);
  Line("calls").raw("names", call_names_json).write();
  define_predefined_comms();
  write_process(now, ticks_per_s, thread_level);
  exchange_clocks(private_comm, "init");
  if (injecting) measure_ready_receives(ticks_per_s);
  begin_usage();
}

void start_clocks_of_program() {
  if (!dilating || real_clock) return;
  start_program_clock(factor);
  start_program_wtime(PMPI_Wtime());
}

void before_finalize() {
  end_usage();
  exchange_clocks(private_comm, "finalize");
  if (private_comm != MPI_COMM_NULL) PMPI_Comm_free(&private_comm);
}

void after_finalize() {
  if (dilating) {
    if (wtime_after_finalize) stop_program_wtime(PMPI_Wtime());  // before the rate is 1 again
    stop_program_clock();
  }
  dilating = false;
  finish("finalize");
  close_all_spools();
  this_thread = nullptr;
}

}  // namespace ww::interpose
