// Integer sort: ranks a sequence of keys, again and again, some of which change in between (particles that
// drift into other cells). Each time: a histogram of buckets added up over all ranks (MPI_Allreduce), from
// which everybody works out which rank gets which buckets; how many keys go where (MPI_Alltoall); the keys
// themselves, of all ranks to all (MPI_Alltoallv); and counting, which gives each key its rank.
//
// Verified: the keys are sorted within each rank and from rank to rank, they are the same keys as before
// (their number, and the sum of a hash of each), and the rank of probe keys is the number of smaller keys in
// the sequence as it was before anything was sent.
//   mpirun -n 2 is --class S
#include <algorithm>
#include <numeric>

#include "nas.hpp"

namespace {

constexpr int buckets = 512, probes = 16;

struct Sizes {
  int keys, range, rounds;  // keys of all ranks; values below `range`
};

// Hump-shaped around the middle of the range: the mean of four uniform numbers.
int make_key(std::uint64_t number, int range) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 4; ++i) sum += nas::uniform(number, i);
  return static_cast<int>(sum / 4 * range);
}

unsigned long long hash_of(const std::vector<int>& keys) {
  unsigned long long sum = 0;
  for (const int key : keys) sum += nas::mixed(static_cast<std::uint64_t>(key));
  return sum;
}

struct Ranked {
  std::vector<int> keys;   // in the order of arrival
  std::vector<int> count;  // of each key from `first_key` on
  int first_key = 0;
  int smaller = 0;  // keys of all lower ranks
};

Ranked rank_keys(const std::vector<int>& keys, int range) {
  const int ranks = nas::rank_count, width = range / buckets;
  std::vector<int> own(buckets), all(buckets);
  for (const int key : keys) ++own[key / width];
  nas::count_collective<int>(buckets);
  MPI_Allreduce(own.data(), all.data(), buckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  // Buckets in order, to the next rank as soon as this one has its share.
  const int total = std::accumulate(all.begin(), all.end(), 0);
  std::vector<int> first_bucket{0}, before{0}, send(static_cast<std::size_t>(ranks)), receive(send.size());
  for (int bucket = 0, sum = 0; bucket < buckets; ++bucket) {
    sum += all[bucket];
    send[first_bucket.size() - 1] += own[bucket];
    if (static_cast<int>(first_bucket.size()) < ranks &&
        static_cast<long long>(sum) * ranks >= static_cast<long long>(first_bucket.size()) * total) {
      first_bucket.push_back(bucket + 1);
      before.push_back(sum);
    }
  }
  first_bucket.push_back(buckets);

  std::vector<int> place(buckets), outgoing(keys.size());
  std::exclusive_scan(own.begin(), own.end(), place.begin(), 0);
  for (const int key : keys) outgoing[place[key / width]++] = key;

  nas::count_collective<int>(static_cast<std::size_t>(ranks));
  MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> send_at(send.size()), receive_at(send.size());
  std::exclusive_scan(send.begin(), send.end(), send_at.begin(), 0);
  std::exclusive_scan(receive.begin(), receive.end(), receive_at.begin(), 0);

  Ranked out;
  out.keys.resize(static_cast<std::size_t>(receive_at.back()) + static_cast<std::size_t>(receive.back()));
  nas::count_collective<int>(outgoing.size());
  MPI_Alltoallv(outgoing.data(), send.data(), send_at.data(), MPI_INT, out.keys.data(), receive.data(),
                receive_at.data(), MPI_INT, MPI_COMM_WORLD);
  if (!out.keys.empty()) nas::received(out.keys.data());

  out.first_key = first_bucket[nas::my_rank] * width;
  out.smaller = before[nas::my_rank];
  out.count.resize(static_cast<std::size_t>(first_bucket[nas::my_rank + 1] * width - out.first_key));
  for (const int key : out.keys) ++out.count[key - out.first_key];
  return out;
}

// How many things are wrong, over all ranks.
double verify(const std::vector<int>& input, const Ranked& ranked, int range) {
  std::vector<int> sorted;
  for (std::size_t i = 0; i < ranked.count.size(); ++i)
    sorted.insert(sorted.end(), static_cast<std::size_t>(ranked.count[i]),
                  ranked.first_key + static_cast<int>(i));
  double wrong = std::is_sorted(sorted.begin(), sorted.end()) ? 0 : 1;

  // the largest key goes up: nothing above may be smaller. A rank without keys passes on what it got.
  int from_below = -1;
  if (nas::my_rank > 0)
    MPI_Recv(&from_below, 1, MPI_INT, nas::my_rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!sorted.empty() && sorted.front() < from_below) ++wrong;
  const int largest = sorted.empty() ? from_below : sorted.back();
  if (nas::my_rank + 1 < nas::rank_count) {
    nas::count_message<int>(1);
    MPI_Send(&largest, 1, MPI_INT, nas::my_rank + 1, 1, MPI_COMM_WORLD);
  }

  // number and hash before and after; wraps around, which is the same on both sides
  const unsigned long long own[4] = {input.size(), sorted.size(), hash_of(input), hash_of(sorted)};
  unsigned long long all[4];
  nas::count_collective<unsigned long long>(4);
  MPI_Allreduce(own, all, 4, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (nas::my_rank == 0) wrong += (all[0] != all[1]) + (all[2] != all[3]);

  int counted[probes], all_counted[probes];
  for (int p = 0; p < probes; ++p) {
    const int probe = range / probes * p;
    counted[p] =
        static_cast<int>(std::count_if(input.begin(), input.end(), [&](int key) { return key < probe; }));
  }
  nas::count_collective<int>(probes);
  MPI_Allreduce(counted, all_counted, probes, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int p = 0; p < probes; ++p) {
    const int at = range / probes * p - ranked.first_key;
    if (at < 0 || at >= static_cast<int>(ranked.count.size())) continue;
    wrong +=
        std::accumulate(ranked.count.begin(), ranked.count.begin() + at, ranked.smaller) != all_counted[p];
  }
  return nas::reduce(wrong, MPI_SUM);
}

int run(char size) {
  const Sizes sizes = size == 'T'   ? Sizes{1 << 12, 1 << 11, 5}
                      : size == 'S' ? Sizes{3 << 14, 1 << 14, 20}
                      : size == 'W' ? Sizes{1 << 20, 1 << 19, 10}
                                    : Sizes{1 << 20, 1 << 20, 10};
  const int own = sizes.keys / nas::rank_count;
  const auto number = [&](int i) {
    return static_cast<std::uint64_t>(nas::my_rank) * static_cast<std::uint64_t>(own) +
           static_cast<std::uint64_t>(i);
  };
  std::vector<int> keys(static_cast<std::size_t>(own));
  for (int i = 0; i < own; ++i) keys[i] = make_key(number(i), sizes.range);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  Ranked ranked;
  for (int round = 1; round <= sizes.rounds; ++round) {
    for (int i = round; i < own; i += 64)
      keys[i] = make_key(number(i) + static_cast<std::uint64_t>(round) * sizes.keys, sizes.range);
    ranked = rank_keys(keys, sizes.range);
  }
  const double time_s = MPI_Wtime() - start_s;
  const double wrong = verify(keys, ranked, sizes.range);
  return nas::finish("is", size,
                     std::to_string(sizes.keys) + " keys, " + std::to_string(sizes.rounds) + " rounds",
                     time_s, {{"things wrong with order, keys and ranks", wrong, 0}});
}

}  // namespace

int main(int argc, char** argv) {
  return nas::main_of(argc, argv, "is", "Integer sort: a histogram for all, then keys of all ranks to all.",
                      run);
}
