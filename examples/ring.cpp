// The synthetic ring of "Emulation Through Time Dilation" (Antonishek and Snelick, NISTIR 4331, 1990,
// section 3.2).
//
// The ranks form a ring. Each originates a number of messages, one after the other, or a few at a time: a
// message travels to the right, is worked on by every rank it visits, and is removed by its originator, which
// then sends its next. Receives are synchronous, sends asynchronous. Flow control: every message is
// acknowledged to the left neighbour as it arrives, and a rank has no more than `window` messages to the
// right that are not yet acknowledged. (No deadlock: there are never more messages than ranks times
// `circulating`, which is at most `window`, and a ring in which everybody waits for an acknowledgement would
// hold `window` on their way and one in hand per rank.)
//
// The work on a datum is x <- c + a (x - c), so many times, with each rank's own c. n visits therefore have a
// closed form, by which the originator verifies every datum of every message that comes back.
//   computation-bound:    mpirun -n 2 ring --length 256 --work 60000
//   communication-bound:  mpirun -n 2 ring --length 4096 --work 100
//   logical delay:        mpirun -n 2 ring --length 256 --work 60000 --originators 1
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace {

struct Options {
  int messages = 50, length = 2048, window = 1;
  int work = 8000;
  int circulating = 1, originators = 0;  // 0: all
  double time_us = 0;                    // if given, `work` is found from it
  double uneven_percent = 0;
  bool idle = false;
};

constexpr int message_tag = 1, acknowledgement_tag = 2;
constexpr double keep = 1 - 1e-5;  // the a of the work

int rank_count = 1, my_rank = 0;
long long sent_messages = 0, sent_bytes = 0;  // point-to-point

int usage(int exit_code) {
  if (my_rank == 0)
    std::fprintf(
        exit_code == 0 ? stdout : stderr,
        "usage: mpirun -n N ring [--messages M] [--length L] [--work W | --time-us T] [--window K]\n"
        "A ring of N ranks; each originates M messages, every rank works on every message.\n"
        "  --messages  messages that each rank originates (50)\n"
        "  --length    data (of 8 bytes) in a message (2048)\n"
        "  --work      steps of arithmetic on each datum at each visit (8000)\n"
        "  --time-us   microseconds of work on each datum instead; rank 0 measures how many steps that is\n"
        "  --window    messages that may wait for their acknowledgement (1)\n"
        "  --circulating  messages of a rank that are in the ring at a time, at most the window (1)\n"
        "  --originators  ranks that originate messages (all); the fewer, the more the others wait for them\n"
        "  --uneven    percent by which rank 0 works longer on each datum (0)\n"
        "  --idle      with --time-us: sleep for that time instead, so that more ranks than cores can share "
        "them\n");
  return exit_code;
}

double attractor(int rank) {
  return 1.0 / (1 + rank);
}  // the c of the work

// Eight data at a time, so that their steps overlap in the processor.
void work_on(double* data, int length, int steps, int rank) {
  const double c = attractor(rank), shift = c * (1 - keep);
  for (int first = 0; first < length; first += 8) {
    const int count = std::min(8, length - first);
    double x[8] = {};
    std::copy(data + first, data + first + count, x);
    for (int step = 0; step < steps; ++step)
      for (double& value : x) value = keep * value + shift;
    std::copy(x, x + count, data + first);
  }
}

double initial(int originator, int number, int i) {
  return 2 + originator + 0.5 * std::sin(number + 0.01 * i);
}

int steps_of(const Options& o, int rank) {
  return rank == 0 ? static_cast<int>(o.work * (1 + o.uneven_percent / 100)) : o.work;
}

// What `x` must be after a full circle that began at `originator`.
double after_circle(double x, int originator, const Options& o) {
  for (int hop = 1; hop <= rank_count; ++hop) {
    const int rank = (originator + hop) % rank_count;
    const double c = attractor(rank);
    x = c + (x - c) * std::pow(keep, steps_of(o, rank));
  }
  return x;
}

// The originators are spread evenly over the ring.
bool originates(const Options& o, int rank) {
  return o.originators == 0 || rank * o.originators % rank_count < o.originators;
}

void sleep_for(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  timespec left{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  while (nanosleep(&left, &left) != 0) {
  }
}

// The steps that take `time_us` for one datum, the same on every rank.
int calibrate(double time_us) {
  int steps = 1;
  if (my_rank == 0) {
    std::vector<double> data(1024, 1.5);
    const int probe = 2000;
    double best_s = 1;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const double start_s = MPI_Wtime();
      work_on(data.data(), 1024, probe, 0);
      best_s = std::min(best_s, MPI_Wtime() - start_s);
    }
    steps = std::max(1, static_cast<int>(time_us * 1e-6 * 1024 * probe / best_s));
  }
  MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return steps;
}

// A message: who made it, its number, its data; all of them doubles, so that it travels as one array.
struct Message {
  std::vector<double> content;
  explicit Message(int length) : content(static_cast<std::size_t>(length) + 2) {}
  int originator() const { return static_cast<int>(content[0]); }
  int number() const { return static_cast<int>(content[1]); }
  double* data() { return content.data() + 2; }
};

class Node {
 public:
  explicit Node(const Options& options) : options_(options) {}

  // Gives the number of data that came back wrong.
  long long run() {
    if (originates(options_, my_rank))
      while (originated_ < std::min(options_.circulating, options_.messages)) originate();
    Message message(options_.length);
    for (long arrival = 0; arrival < arrivals(); ++arrival) {
      MPI_Recv(message.content.data(), size(), MPI_DOUBLE, left_, message_tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      acknowledge();
      work_on(message.data(), options_.length, steps_of(options_, my_rank), my_rank);
      if (options_.idle) sleep_for(idle_s_);
      if (message.originator() != my_rank) {
        send(message);
        continue;
      }
      verify(message);
      if (originated_ < options_.messages) originate();
    }
    while (!on_the_way_.empty()) await_acknowledgement();
    MPI_Wait(&acknowledgement_, MPI_STATUS_IGNORE);
    return wrong_;
  }

 private:
  struct Sending {
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  int size() const { return options_.length + 2; }

  // Every message visits every rank once.
  long arrivals() const {
    const int originators = options_.originators == 0 ? rank_count : options_.originators;
    return static_cast<long>(originators) * options_.messages;
  }

  void originate() {
    Message message(options_.length);
    message.content[0] = my_rank;
    message.content[1] = originated_;
    for (int i = 0; i < options_.length; ++i) message.data()[i] = initial(my_rank, originated_, i);
    ++originated_;
    send(message);
  }

  void send(const Message& message) {
    if (static_cast<int>(on_the_way_.size()) == options_.window) await_acknowledgement();
    Sending& sending = on_the_way_.emplace_back(Sending{message});
    MPI_Isend(sending.message.content.data(), size(), MPI_DOUBLE, right_, message_tag, MPI_COMM_WORLD,
              &sending.request);
    ++sent_messages;
    sent_bytes += size() * static_cast<long long>(sizeof(double));
  }

  void await_acknowledgement() {
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, right_, acknowledgement_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&on_the_way_.front().request, MPI_STATUS_IGNORE);
    wrong_ += number != acknowledged_++;
    on_the_way_.pop_front();
  }

  void acknowledge() {
    MPI_Wait(&acknowledgement_, MPI_STATUS_IGNORE);
    number_ = received_++;
    MPI_Isend(&number_, 1, MPI_INT, left_, acknowledgement_tag, MPI_COMM_WORLD, &acknowledgement_);
    ++sent_messages;
    sent_bytes += static_cast<long long>(sizeof(int));
  }

  void verify(Message& message) {
    wrong_ += message.number() != removed_++;
    for (int i = 0; i < options_.length; ++i) {
      const double right = after_circle(initial(my_rank, message.number(), i), my_rank, options_);
      wrong_ += !(std::abs(message.data()[i] - right) < 1e-9);
    }
  }

  Options options_;
  int left_ = (my_rank + rank_count - 1) % rank_count, right_ = (my_rank + 1) % rank_count;
  double idle_s_ =
      1e-6 * options_.time_us * options_.length * (my_rank == 0 ? 1 + options_.uneven_percent / 100 : 1);
  int originated_ = 0, removed_ = 0, received_ = 0, acknowledged_ = 0, number_ = 0;
  long long wrong_ = 0;
  std::deque<Sending> on_the_way_;  // sent, not yet acknowledged
  MPI_Request acknowledgement_ = MPI_REQUEST_NULL;
};

bool parse(int argc, char** argv, Options& o) {
  const std::map<std::string, int*> whole{
      {"--messages", &o.messages}, {"--length", &o.length},           {"--work", &o.work},
      {"--window", &o.window},     {"--circulating", &o.circulating}, {"--originators", &o.originators}};
  const std::map<std::string, double*> real{{"--time-us", &o.time_us}, {"--uneven", &o.uneven_percent}};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--idle") == 0) {
      o.idle = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const char* name = argv[i++];
    if (const auto option = whole.find(name); option != whole.end())
      *option->second = std::atoi(argv[i]);
    else if (const auto fraction = real.find(name); fraction != real.end())
      *fraction->second = std::atof(argv[i]);
    else
      return false;
  }
  return o.messages > 0 && o.length > 0 && o.work >= 0 && o.window > 0 && o.circulating > 0 &&
         o.circulating <= o.window && o.originators >= 0 && o.originators <= rank_count && o.time_us >= 0 &&
         o.uneven_percent >= 0 && (!o.idle || o.time_us > 0);
}

int run(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--help") == 0) return usage(0);
  Options o;
  if (!parse(argc, argv, o)) return usage(2);
  if (o.idle)
    o.work = 1;
  else if (o.time_us > 0)
    o.work = calibrate(o.time_us);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  const long long wrong = Node(o).run();
  MPI_Barrier(MPI_COMM_WORLD);
  const double time_s = MPI_Wtime() - start_s;

  long long all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (my_rank == 0)
    std::printf(
        "ring: %d ranks, %d messages of %d data each, %d steps of work a datum, window %d\ntime %.6f s\n",
        rank_count, o.messages, o.length, o.work, o.window, time_s);
  const long long own[2] = {sent_messages, sent_bytes};
  std::vector<long long> all(2 * static_cast<std::size_t>(rank_count));
  MPI_Gather(own, 2, MPI_LONG_LONG, all.data(), 2, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  for (std::size_t rank = 0; my_rank == 0 && rank < static_cast<std::size_t>(rank_count); ++rank)
    std::printf("rank %zu sent %lld messages %lld bytes\n", rank, all[2 * rank], all[2 * rank + 1]);
  if (my_rank == 0 && all_wrong == 0) std::puts("verified");
  if (my_rank == 0 && all_wrong != 0) std::printf("WRONG: %lld data or acknowledgements\n", all_wrong);
  return all_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  const int exit_code = run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
