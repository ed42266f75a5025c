// MPI from C++: initialised before main by a static object and finalised after it by its destructor;
// communicators and requests that free themselves; calls inside of callbacks (attributes, operations, error
// handlers); error handlers that throw; threads of the standard library, which call also while they end.
#include <array>
#include <atomic>
#include <csetjmp>
#include <fstream>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "suite.h"

namespace {

int exit_code = 0;

struct Session {
  Session() {
    int before = 1, provided = 0;
    MPI_Initialized(&before);  // before MPI_Init: not recorded
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::ifstream line("/proc/self/cmdline");
    std::string program, prefix;
    std::getline(line, program, '\0');
    std::getline(line, prefix, '\0');
    suite_counts = fopen((prefix + "." + std::to_string(rank)).c_str(), "w");
    if (suite_counts == nullptr) exit(4);
    fprintf(suite_counts, "call MPI_Init_thread\ncall MPI_Comm_rank\ncall MPI_Comm_size\n");
    HOLDS(before == 0 && provided == MPI_THREAD_MULTIPLE);
    DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  }
  ~Session() {
    DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
    fclose(suite_counts);
    printf("rank %d: %d failures\n", rank, failures);
    fflush(stdout);
    MPI_Finalize();
    if (failures > 0) _exit(1);
    if (rank == ranks - 1) usleep(300000);  // the launcher ends the other ranks when one returns an error
  }
};

const Session session;

class Communicator {
 public:
  explicit Communicator(MPI_Comm of) { DO(Comm_dup, of, &comm_), collective("communicator", 0, 0); }
  ~Communicator() { DO(Comm_free, &comm_), collective("communicator", 0, 0); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

class Pending {  // waits when it goes
 public:
  Pending() = default;
  Pending(Pending&& other) noexcept : request_(other.request_) { other.request_ = MPI_REQUEST_NULL; }
  ~Pending() {
    if (request_ != MPI_REQUEST_NULL) DO(Wait, &request_, MPI_STATUS_IGNORE);
  }
  Pending& operator=(Pending&&) = delete;
  MPI_Request* operator&() { return &request_; }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

const Communicator early(MPI_COMM_WORLD);  // made before main, freed after it

int right() {
  return (rank + 1) % ranks;
}
int left() {
  return (rank + ranks - 1) % ranks;
}

void exchange(MPI_Comm comm, int tag, int bytes) {
  std::vector<char> out(static_cast<size_t>(bytes) + 1, static_cast<char>(rank)),
      in(static_cast<size_t>(bytes) + 1);
  {
    Pending receive, send;
    DO(Irecv, in.data(), bytes, MPI_BYTE, left(), tag, comm, &receive);
    DO(Isend, out.data(), bytes, MPI_BYTE, right(), tag, comm, &send), sent(right(), tag, bytes);
  }
  received(left(), tag, bytes);
  HOLDS(bytes == 0 || in[0] == left());
}

// Deeper in the stack than whoever calls it.
__attribute__((noinline)) void exchange_below(int depth, MPI_Comm comm, int tag, int bytes) {
  std::array<char, 256> room{};
  asm volatile("" : : "r"(room.data()) : "memory");
  if (depth == 0)
    exchange(comm, tag, bytes);
  else
    exchange_below(depth - 1, comm, tag, bytes);
  asm volatile("" : : "r"(room.data()) : "memory");
}

void owners() {
  for (int round = 0; round < 3; ++round) {
    const Communicator first(MPI_COMM_WORLD);
    const Communicator second(static_cast<MPI_Comm>(first));
    std::vector<Pending> sends;
    for (int i = 0; i < 4; ++i) {
      sends.emplace_back();
      DO(Isend, &i, 1, MPI_INT, rank, i, second, &sends.back()), sent(rank, i, 4);
      int got = -1;
      DO(Recv, &got, 1, MPI_INT, rank, i, second, MPI_STATUS_IGNORE), received(rank, i, 4);
      HOLDS(got == i);
    }
    exchange(first, 1, 100 + round);
  }
}

// A library that hangs its own communicator on the program's: it goes with it, inside of the call that frees
// the other.
int delete_hidden(MPI_Comm, int, void* value, void*) {
  auto* hidden = static_cast<MPI_Comm*>(value);
  MPI_Comm_free(hidden);  // inside of a call: not counted
  delete hidden;
  return MPI_SUCCESS;
}

void hidden_communicators() {
  int keyval = MPI_KEYVAL_INVALID;
  DO(Comm_create_keyval, MPI_COMM_NULL_COPY_FN, delete_hidden, &keyval, nullptr);
  for (int round = 0; round < 4; ++round) {  // handles are given again, to communicators of other sizes
    MPI_Comm whole, part;
    DO(Comm_dup, MPI_COMM_WORLD, &whole), collective("communicator", 0, 0);
    DO(Comm_split, MPI_COMM_WORLD, round % 2 == 0 ? 0 : rank, -rank, &part), collective("communicator", 0, 0);
    DO(Comm_set_attr, whole, keyval, new MPI_Comm(part));
    int me = -1, many = 0, got = -1;
    DO(Comm_rank, part, &me);
    DO(Comm_size, part, &many);
    // to the next of the part, in whose order the ranks run backwards
    DO(Sendrecv, &rank, 1, MPI_INT, (me + 1) % many, round, &got, 1, MPI_INT, (me + many - 1) % many, round,
       part, MPI_STATUS_IGNORE);
    sent(many == 1 ? rank : left(), round, 4), received(many == 1 ? rank : right(), round, 4);
    HOLDS(got == (many == 1 ? rank : right()));
    DO(Comm_free, &whole), collective("communicator", 0, 0);
  }
  DO(Comm_free_keyval, &keyval);
}

void longest(void* in, void* inout, int* count, MPI_Datatype*) {
  int size = 0;
  MPI_Type_size(MPI_INT, &size);  // inside of a call: not counted
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] = std::max(static_cast<int*>(in)[i], static_cast<int*>(inout)[i]);
}

void operations() {
  MPI_Op op;
  DO(Op_create, longest, 1, &op);
  int most[2] = {rank, -rank}, all[2];
  DO(Allreduce, most, all, 2, MPI_INT, op, MPI_COMM_WORLD), collective("Allreduce", 8, 8);
  HOLDS(all[0] == ranks - 1 && all[1] == 0);
  DO(Op_free, &op);
}

struct Failure : std::runtime_error {
  explicit Failure(int code) : std::runtime_error("MPI"), error_class(MPI_SUCCESS) {
    MPI_Error_class(code, &error_class);
  }
  int error_class;
};
void throws(MPI_Comm*, int* code, ...) {
  throw Failure(*code);
}
std::jmp_buf way_out;
void jumps(MPI_Comm*, int*, ...) {
  std::longjmp(way_out, 1);
}

// Rank 0 sends more than rank 1 has room for. What rank 1 calls is left from inside of the call, without a
// return.
__attribute__((noinline)) void too_long(MPI_Comm comm, int tag) {
  int data[8] = {};
  if (rank == 0) DO(Send, data, 8, MPI_INT, 1, tag, comm), sent(1, tag, 32);
  if (rank == 1) {
    fprintf(suite_counts, "left MPI_Recv 0 %d\n", tag);
    MPI_Recv(data, 2, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
    HOLDS(false);
  }
}

void ways_out(bool by_jump) {
  const Communicator comm(MPI_COMM_WORLD);
  MPI_Errhandler handler;
  DO(Comm_create_errhandler, by_jump ? jumps : throws, &handler);
  DO(Comm_set_errhandler, comm, handler);
  DO(Errhandler_free, &handler);
  for (int round = 0; round < 3; ++round) {
    volatile bool caught = false;
    if (by_jump) {
      if (setjmp(way_out) == 0)
        too_long(comm, 70 + round);
      else
        caught = true;
    } else {
      try {
        too_long(comm, 70 + round);
      } catch (const Failure& failure) {
        caught = failure.error_class == MPI_ERR_TRUNCATE;
      }
    }
    HOLDS(caught == (rank == 1));
    exchange_below(round == 0 ? 0 : 20, comm, 80 + round,
                   8 * round);  // as deep as the call that was left, or deeper
    exchange(comm, 90 + round, 5);
  }
}

std::atomic<int> threads_gone{0};
struct LastWord {  // a call while the thread ends
  int tag = 0;
  ~LastWord() {
    if (tag > 0) exchange(MPI_COMM_WORLD, tag, 3);
    ++threads_gone;
  }
};
thread_local LastWord last_word;

void threads() {
  std::vector<std::thread> some;
  for (int i = 0; i < 4; ++i)
    some.emplace_back([i] {
      last_word.tag = 500 + i;
      for (int round = 0; round < 10; ++round) exchange(MPI_COMM_WORLD, 100 + i, 10 * round);
    });
  for (int round = 0; round < 10; ++round) exchange(early, 100, 7);
  for (auto& thread : some) thread.join();
  HOLDS(threads_gone == 4);
  auto later = std::async(std::launch::async, [] {
    exchange(early, 7, 77);
    return 42;
  });
  HOLDS(later.get() == 42);
  // one begins, another completes
  MPI_Request requests[2];
  int in = -1;
  DO(Irecv, &in, 1, MPI_INT, left(), 9, MPI_COMM_WORLD, &requests[0]);
  std::thread([&] {
    DO(Isend, &rank, 1, MPI_INT, right(), 9, MPI_COMM_WORLD, &requests[1]), sent(right(), 9, 4);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE), received(left(), 9, 4);
  }).join();
  DO(Wait, &requests[1], MPI_STATUS_IGNORE);
  HOLDS(in == left());
}

#if defined(WITH_BINDINGS)  // MPI-2's own classes, which Debian still ships
void classes() {
  int in = -1;
  MPI::Request request = MPI::COMM_WORLD.Irecv(&in, 1, MPI::INT, MPI::ANY_SOURCE, 11);
  fprintf(suite_counts, "call MPI_Irecv\ncall MPI_Send\ncall MPI_Wait\ncall MPI_Barrier\n");
  MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, right(), 11), sent(right(), 11, 4);
  request.Wait(), received(left(), 11, 4);
  HOLDS(in == left());
  MPI::COMM_WORLD.Barrier(), collective("Barrier", 0, 0);
}
#endif

}  // namespace

int main() {
  owners();
  hidden_communicators();
  operations();
#ifdef WITH_BINDINGS
  classes();
#endif
#ifdef OPEN_MPI  // MPICH calls error handlers with a lock held
  ways_out(false);
  ways_out(true);
#endif
  threads();
  exchange(early, 3, 1000);
  return rank == ranks - 1 ? 9 : 0;
}
