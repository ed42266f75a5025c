// replay_bench make PATTERN RANKS ROUNDS FILE.goal|FILE.ti|FILE.wws   the same program for all tools
// replay_bench play FILE.goal|FILE.wws [REPEATS]                      one line of JSON: times and rates
// replay_bench batch PATTERN RANKS ROUNDS MACHINES [THREADS]          many machines side by side, and one by one
// replay_bench closed-forms [LOG2]                                    patterns beside their formulas, to 2^20
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "machine/presets.hpp"
#include "patterns.hpp"
#include "simulate/schedule/batch.hpp"
#include "simulate/schedule/file.hpp"
#include "simulate/schedule/goal.hpp"
#include "simulate/schedule/maxplus.hpp"
#include "simulate/schedule/windows.hpp"

namespace {

using namespace ww;

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[noreturn]] void die(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) die(to_string(result.error()));
  return *std::move(result);
}

class ToBuilder : public bench::Sink {
 public:
  explicit ToBuilder(std::uint32_t ranks) : builder_(ranks) {}
  void begin_rank() override { builder_.begin_rank(); }
  std::uint32_t compute(std::uint64_t ns) override { return builder_.compute(ns); }
  std::uint32_t send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag) override {
    return builder_.send(to, bytes, tag);
  }
  std::uint32_t receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag) override {
    return builder_.receive(from, bytes, tag);
  }
  void require(std::uint32_t op, std::uint32_t before) override { builder_.require(op, before); }
  schedule::Schedule finish() { return need(builder_.finish()); }

 private:
  schedule::Builder builder_;
};

class ToGoal : public bench::Sink {
 public:
  ToGoal(std::uint32_t ranks, std::FILE* out) : out_(out) { fmt::print(out_, "num_ranks {}\n", ranks); }
  ~ToGoal() override { fmt::print(out_, "{}", rank_ >= 0 ? "}\n" : ""); }
  void begin_rank() override {
    fmt::print(out_, "{}rank {} {{\n", rank_ >= 0 ? "}\n" : "", rank_ + 1);
    ++rank_;
    next_ = 0;
  }
  std::uint32_t compute(std::uint64_t ns) override {
    fmt::print(out_, "l{}: calc {}\n", next_ + 1, ns);
    return next_++;
  }
  std::uint32_t send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag) override {
    fmt::print(out_, "l{}: send {}b to {} tag {}\n", next_ + 1, bytes, to, tag);
    return next_++;
  }
  std::uint32_t receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag) override {
    fmt::print(out_, "l{}: recv {}b from {} tag {}\n", next_ + 1, bytes, from, tag);
    return next_++;
  }
  void require(std::uint32_t op, std::uint32_t before) override {
    fmt::print(out_, "l{} requires l{}\n", op + 1, before + 1);
  }

 private:
  std::FILE* out_;
  std::int64_t rank_ = -1;
  std::uint32_t next_ = 0;
};

// SimGrid's time-independent traces: a file a rank in FILE.d, named in FILE; a call after the other; a wait
// for all stands where a computation needs what came before it, and before a send where that needs a receive.
// A nanosecond is 1000 flops.
class ToTi : public bench::Sink {
 public:
  ToTi(std::FILE* list, const std::string& file)
      : list_(list), directory_(std::filesystem::absolute(file + ".d")) {
    std::filesystem::create_directories(directory_);
  }
  ~ToTi() override { end_rank(); }
  void begin_rank() override {
    end_rank();
    ++rank_;
    next_ = 0;
    const std::string name = directory_ / std::to_string(rank_);
    fmt::print(list_, "{}\n", name);
    out_ = std::fopen(name.c_str(), "w");
    if (!out_) die("cannot write " + name);
    fmt::print(out_, "{} init\n", rank_);
  }
  std::uint32_t compute(std::uint64_t ns) override {
    wait();
    fmt::print(out_, "{} compute {}\n", rank_, ns * 1000);
    return next_++;
  }
  std::uint32_t send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag) override {
    if (received_) wait();
    fmt::print(out_, "{} isend {} {} {}\n", rank_, to, tag, bytes);
    open_ = true;
    return next_++;
  }
  std::uint32_t receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag) override {
    fmt::print(out_, "{} irecv {} {} {}\n", rank_, from, tag, bytes);
    open_ = true;
    received_ = waits_;
    return next_++;
  }
  void require(std::uint32_t, std::uint32_t) override {}
  void receives_are_waited_for() { waits_ = true; }

 private:
  void wait() {
    if (open_) fmt::print(out_, "{} waitall\n", rank_);
    open_ = received_ = false;
  }
  void end_rank() {
    if (rank_ < 0) return;
    wait();
    fmt::print(out_, "{} finalize\n", rank_);
    std::fclose(out_);
  }
  std::FILE* list_;
  std::filesystem::path directory_;
  std::FILE* out_ = nullptr;
  std::int64_t rank_ = -1;
  std::uint32_t next_ = 0;
  bool open_ = false, received_ = false, waits_ = false;
};

int make(const std::string& pattern, std::uint32_t ranks, std::uint32_t rounds, const std::string& file) {
  if (file.ends_with(".wws")) {
    ToBuilder sink(ranks);
    bench::make(pattern, ranks, rounds, sink);
    if (const auto saved = schedule::save(sink.finish(), {}, file); !saved) die(to_string(saved.error()));
    return 0;
  }
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (!out) die("cannot write " + file);
  if (file.ends_with(".ti")) {
    ToTi sink(out, file);
    if (pattern == "dissemination" || pattern == "ring") sink.receives_are_waited_for();
    bench::make(pattern, ranks, rounds, sink);
  } else {
    ToGoal sink(ranks, out);
    bench::make(pattern, ranks, rounds, sink);
  }
  return std::fclose(out) == 0 ? 0 : 1;
}

int play(const std::string& file, int repeats, const std::string& which, unsigned threads) {
  const double start_s = cpu_s();
  const schedule::Schedule loaded =
      schedule::is_schedule(file) ? need(schedule::map(file)).schedule : need(schedule::read_goal(file));
  const double load_s = cpu_s() - start_s;
  const schedule::LogGopsTicks machine = need(schedule::in_ticks(*find_preset("loggops-default")->loggops));
  double check_s = -cpu_s();
  if (const auto good = schedule::check(loaded); !good) die(to_string(good.error()));
  check_s += cpu_s();
  double events_s = 1e9, wall_s = 1e9, maxplus_s = 1e9;
  schedule::Ticks events_finish = 0, maxplus_finish = 0;
  for (int i = 0; i < repeats; ++i) {
    if (which != "maxplus") {
      const double before_s = cpu_s();
      const auto before = std::chrono::steady_clock::now();
      events_finish = need(schedule::play_windows(loaded, machine, schedule::Rule::created, threads)).finish;
      events_s = std::min(events_s, cpu_s() - before_s);
      wall_s =
          std::min(wall_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    }
    if (which != "events") {
      const double before_s = cpu_s();
      maxplus_finish = need(schedule::evaluate(loaded, machine)).finish;
      maxplus_s = std::min(maxplus_s, cpu_s() - before_s);
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"operations\": {}, \"events\": {}, \"load_s\": {:.6f}, \"check_s\": {:.6f}, \"events_s\": {:.6f}, "
      "\"events_wall_s\": {:.6f}, "
      "\"maxplus_s\": {:.6f}, \"events_finish_ns\": {}, \"maxplus_finish_ns\": {}, \"rss_bytes\": {}}}\n",
      loaded.size(), loaded.events(), load_s, check_s, events_s, wall_s, maxplus_s,
      events_finish / schedule::ticks_per_ns, maxplus_finish / schedule::ticks_per_ns,
      usage.ru_maxrss * 1024);
  return 0;
}

double wall_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Operations of a schedule times machines a second, one machine after the other (of at most 50, which take long
// enough) and side by side, by each set of instructions; all finishing times must be equal.
int batch(const std::string& pattern, std::uint32_t ranks, std::uint32_t rounds, std::size_t count,
          unsigned threads) {
  ToBuilder sink(ranks);
  bench::make(pattern, ranks, rounds, sink);
  const schedule::Schedule made = sink.finish();
  const schedule::LogGopsTicks usual = need(schedule::in_ticks(*find_preset("loggops-default")->loggops));
  std::vector<schedule::LogGopsTicks> machines(count, usual);
  for (std::size_t i = 0; i < count; ++i) {
    machines[i].L = usual.L / 10 * static_cast<schedule::Ticks>(1 + i % 37);
    machines[i].G = usual.G / 10 * static_cast<schedule::Ticks>(1 + i % 29);
    machines[i].o = usual.o / 10 * static_cast<schedule::Ticks>(1 + i % 23);
  }
  const auto rate = [&](std::size_t of, double took_s) {
    return static_cast<double>(made.size()) * static_cast<double>(of) / took_s;
  };
  const std::size_t singly = std::min<std::size_t>(count, 50);
  std::uint64_t wrong = 0;
  std::vector<schedule::Ticks> finish;
  double before_s = cpu_s();
  for (std::size_t i = 0; i < singly; ++i)
    finish.push_back(need(schedule::evaluate(made, machines[i])).finish);
  fmt::print("{{\"operations\": {}, \"events\": {}, \"machines\": {}, \"threads\": {}, ", made.size(),
             made.events(), count, threads);
  fmt::print("\"one_by_one_per_s\": {:.4g}", rate(singly, cpu_s() - before_s));
  before_s = cpu_s();
  for (std::size_t i = 0; i < std::min<std::size_t>(singly, 10); ++i)
    need(schedule::explain(made, machines[i]));
  fmt::print(", \"one_by_one_slopes_per_s\": {:.4g}",
             rate(std::min<std::size_t>(singly, 10), cpu_s() - before_s));
  for (const schedule::Instructions by : schedule::instructions_here())
    for (const bool slopes : {false, true}) {
      before_s = cpu_s();
      const double start_s = wall_s();
      const auto runs = need(schedule::evaluate_batch(
          made, machines, {.slopes = slopes, .threads = threads, .instructions = by}));
      const double took_s = cpu_s() - before_s, lasted_s = wall_s() - start_s;
      for (std::size_t i = 0; i < singly; ++i) wrong += runs[i].finish != finish[i];
      fmt::print(", \"{}{}\": {{\"per_s_and_core\": {:.4g}, \"cpu_s\": {:.3f}, \"wall_s\": {:.3f}}}",
                 schedule::to_string(by), slopes ? " slopes" : "", rate(count, took_s), took_s, lasted_s);
    }
  fmt::print(", \"wrong\": {}}}\n", wrong);
  return wrong == 0 ? 0 : 1;
}

// The time that LogGP (Alexandrov et al. 1995) gives a pattern, where a message's gap is within 2 o + L.
schedule::Ticks closed_form(const std::string& pattern, schedule::Ticks ranks, schedule::Ticks rounds,
                            const schedule::LogGopsTicks& m) {
  const schedule::Ticks byte = 2 * m.o + m.L;
  const schedule::Ticks levels = std::bit_width(static_cast<std::uint64_t>(ranks)) - 1;
  if (pattern == "token") return ranks * (byte + 7 * m.G);
  if (pattern == "ping-pong") return rounds * (byte + 99 * m.G);
  if (pattern == "incast") return m.o + m.L + (ranks - 1) * (m.o + 999 * m.G);
  return levels * byte;  // binomial, dissemination
}

// Every pattern at every power of two, by both evaluators, to the last femtosecond.
int closed_forms(std::uint32_t most_log) {
  // LogGOPSim's machine, and one whose parameters are odd numbers of femtoseconds.
  schedule::LogGopsTicks odd = need(schedule::in_ticks(*find_preset("loggops-default")->loggops)),
                         usual = odd;
  odd.L = 2'718'281'829;
  odd.o = 1'414'213'563;
  odd.g = 1'000'000'007;
  odd.G = 3'141'593;
  constexpr std::uint32_t rounds = 20;
  std::uint64_t checked = 0, wrong = 0;
  for (const char* pattern : {"binomial", "dissemination", "token", "ping-pong", "incast"})
    for (std::uint32_t log = 1; log <= most_log; ++log) {
      const std::uint32_t ranks = 1u << log;
      ToBuilder sink(ranks);
      bench::make(pattern, ranks, rounds, sink);
      const schedule::Schedule made = sink.finish();
      for (const schedule::LogGopsTicks& machine : {usual, odd}) {
        const schedule::Ticks expected = closed_form(pattern, ranks, rounds, machine);
        const schedule::Ticks events = need(schedule::play_windows(made, machine)).finish;
        const schedule::Ticks maxplus = need(schedule::evaluate(made, machine)).finish;
        checked += 2;
        wrong += (events != expected) + (maxplus != expected);
        if (events == expected && maxplus == expected) continue;
        fmt::print("{}, {} ranks: {} and {} fs instead of {}\n", pattern, ranks, events, maxplus, expected);
      }
      if (log == most_log) fmt::print("{}: 2 to {} ranks, {} events\n", pattern, ranks, made.events());
    }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} times checked, {} wrong; {:.1f} GB of memory\n", checked, wrong,
             static_cast<double>(usage.ru_maxrss) / 1048576);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "make" && argc == 6)
    return make(argv[2], static_cast<std::uint32_t>(std::atoi(argv[3])),
                static_cast<std::uint32_t>(std::atoi(argv[4])), argv[5]);
  if (mode == "play" && argc >= 3)
    return play(argv[2], argc > 3 ? std::atoi(argv[3]) : 1, argc > 4 ? argv[4] : "",
                argc > 5 ? static_cast<unsigned>(std::atoi(argv[5])) : 1);
  if (mode == "batch" && (argc == 6 || argc == 7))
    return batch(argv[2], static_cast<std::uint32_t>(std::atoi(argv[3])),
                 static_cast<std::uint32_t>(std::atoi(argv[4])), static_cast<std::size_t>(std::atoi(argv[5])),
                 argc > 6 ? static_cast<unsigned>(std::atoi(argv[6])) : 1);
  if (mode == "closed-forms" && argc <= 3)
    return closed_forms(argc > 2 ? static_cast<std::uint32_t>(std::clamp(std::atoi(argv[2]), 1, 20)) : 20);
  fmt::print(stderr,
             "replay_bench make PATTERN RANKS ROUNDS FILE.goal|FILE.ti|FILE.wws\n"
             "replay_bench play FILE.goal|FILE.wws [REPEATS] [events|maxplus [THREADS]]\n"
             "replay_bench batch PATTERN RANKS ROUNDS MACHINES [THREADS]\n"
             "replay_bench closed-forms [MOST_LOG2_OF_RANKS]\n");
  return 2;
}
