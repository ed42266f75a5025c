// What the kernels in C++ have in common: options, counted messages, checks. The Fortran ones have nas.f90.
#pragma once
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace nas {

inline int my_rank = 0, rank_count = 1;
inline long long spoiled_receive = 0, receives = 0;

// What this rank sent: messages of its own, and what it gave to collectives (counted at their entry).
struct Sent {
  long long messages = 0, bytes = 0, collectives = 0, collective_bytes = 0;
};
inline Sent sent;

template <class T>
MPI_Datatype type_of();
template <>
inline MPI_Datatype type_of<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype type_of<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype type_of<unsigned long long>() {
  return MPI_UNSIGNED_LONG_LONG;
}

// `--spoil N` damages the first value of the N-th thing that rank 0 receives: a verification that does not
// notice is none.
inline bool spoil_now() {
  return my_rank == 0 && ++receives == spoiled_receive;
}
inline void received(double* data) {
  if (spoil_now()) *data = 1 + 2 * *data;
}
inline void received(int* data) {
  if (spoil_now()) *data ^= 1;
}

template <class T>
void count_message(std::size_t n) {
  ++sent.messages;
  sent.bytes += static_cast<long long>(n * sizeof(T));
}
template <class T>
void count_collective(std::size_t n) {
  ++sent.collectives;
  sent.collective_bytes += static_cast<long long>(n * sizeof(T));
}

template <class T>
MPI_Request begin_send(const T* data, int n, int to, int tag) {
  count_message<T>(static_cast<std::size_t>(n));
  MPI_Request request;
  MPI_Isend(data, n, type_of<T>(), to, tag, MPI_COMM_WORLD, &request);
  return request;
}
template <class T>
MPI_Request begin_receive(T* data, int n, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(data, n, type_of<T>(), from, tag, MPI_COMM_WORLD, &request);
  return request;
}
// Sends to `partner` and receives as much from it.
template <class T>
void swap_with(int partner, const T* out, int n_out, T* in, int n_in, int tag) {
  MPI_Request request = begin_receive(in, n_in, partner, tag);
  count_message<T>(static_cast<std::size_t>(n_out));
  MPI_Send(out, n_out, type_of<T>(), partner, tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  received(in);
}

inline double reduce(double own, MPI_Op op) {
  count_collective<double>(1);
  double all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return all;
}

// Uniform in [0, 1), a function of its arguments only, so that every rank can make any part of the input:
// the finaliser of SplitMix64 (Steele, Lea, Flood 2014), twice.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
inline double uniform(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(mixed(mixed(stream) ^ index) >> 11) * 0x1p-53;
}

struct Check {
  std::string what;
  double value, most;  // right if value <= most
};

// Parses and refuses: -1 to go on, else the exit code.
inline int parse(int argc, char** argv, const char* name, const char* what, char& size) {
  int code = -1;
  std::string wrong;
  for (int i = 1; i < argc && code < 0; i += 2) {
    const std::string option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--help")
      code = 0;
    else if (option == "--class" && (value == "T" || value == "S" || value == "W" || value == "Z"))
      size = value[0];
    else if (option == "--spoil" && std::atoll(value.c_str()) > 0)
      spoiled_receive = std::atoll(value.c_str());
    else
      code = 2, wrong = "no such option: " + option + " " + value;
  }
  if (code < 0 && rank_count != 2 && rank_count != 4)
    code = 2, wrong = "runs on 2 or 4 ranks, not on " + std::to_string(rank_count);
  if (code < 0 || my_rank != 0) return code;
  if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", name, wrong.c_str());
  std::fprintf(code == 0 ? stdout : stderr,
               "usage: mpirun -n 2|4 %s [--class T|S|W|Z] [--spoil N]\n%s\n"
               "  --class  T tiny, S small, W larger, Z the sizes of Zabel 1996 (S)\n"
               "  --spoil  damage the N-th thing that rank 0 receives: must end in FAIL\n",
               name, what);
  return code;
}

// The time, what each rank sent, and the verdict. All ranks call it; gives the exit code.
inline int finish(const char* name, char size, const std::string& did, double time_s,
                  const std::vector<Check>& checks) {
  std::vector<Sent> all(static_cast<std::size_t>(rank_count));
  MPI_Gather(&sent, 4, MPI_LONG_LONG, all.data(), 4, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  bool right = true;
  for (const Check& check : checks) right = right && check.value <= check.most;  // NaN is wrong
  if (my_rank != 0) return right ? 0 : 1;
  std::printf("%s: class %c on %d ranks: %s\ntime %.6f s\n", name, size, rank_count, did.c_str(), time_s);
  for (int rank = 0; rank < rank_count; ++rank) {
    const Sent& s = all[static_cast<std::size_t>(rank)];
    std::printf("rank %d sent %lld messages %lld bytes, gave %lld collectives %lld bytes\n", rank, s.messages,
                s.bytes, s.collectives, s.collective_bytes);
  }
  for (const Check& check : checks)
    std::printf("%s %s: %.3g, at most %.3g\n", check.value <= check.most ? "right" : "WRONG",
                check.what.c_str(), check.value, check.most);
  std::puts(right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}

// main() of a kernel: `run` gets the class and gives the exit code.
template <class Run>
int main_of(int argc, char** argv, const char* name, const char* what, Run run) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  char size = 'S';
  int code = parse(argc, argv, name, what, size);
  if (code < 0) code = run(size);
  MPI_Finalize();
  return code;
}

}  // namespace nas
