#include "generate.hpp"

#include <algorithm>

#include "trace/otf2_write.hpp"

namespace {

using namespace ww;

constexpr int rounds_per_allreduce = 10;
// In the archive: two for each call and one for what it did.
constexpr double events_a_round = 3 + 3 + 4 + 4.0 / rounds_per_allreduce;

enum Region : std::uint16_t { init, irecv, isend, waitall, allreduce, finalize };

// The same for a rank and a round wherever it is asked for (splitmix64).
std::uint64_t varied(std::uint64_t rank, std::uint64_t round, std::uint64_t what, std::uint64_t below) {
  std::uint64_t z = (rank << 40 ^ round << 4 ^ what) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % below;
}

struct Writing {
  otf2::LocationWriter& location;
  std::int64_t now_ns;

  void call(Region region, std::int64_t took_ns, std::span<const CallAction> actions) {
    RecordedCall call;
    call.enter_ns = now_ns;
    call.leave_ns = now_ns += took_ns;
    call.region = region;
    call.actions = actions;
    location.call(call);
  }
};

CallAction action(ActionKind kind, std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                  std::uint64_t operation) {
  CallAction out;
  out.kind = kind;
  out.peer = peer;
  out.tag = tag;
  out.bytes = bytes;
  out.operation = operation;
  out.arrives = kind == ActionKind::irecv;
  out.arrived_bytes = bytes;
  return out;
}

}  // namespace

Result<std::uint64_t> generate(const std::filesystem::path& dir, int ranks, double events, int hosts) {
  std::filesystem::create_directories(dir);
  const std::vector<std::string> regions{"MPI_Init",    "MPI_Irecv",     "MPI_Isend",
                                         "MPI_Waitall", "MPI_Allreduce", "MPI_Finalize"};
  Comm world{"MPI_COMM_WORLD", {}, 0};
  for (int r = 0; r < ranks; ++r) world.ranks.push_back(r);
  const std::vector<Comm> comms{world};
  const UserNames user;
  std::vector<CallMeaning> meanings;
  for (const std::string& region : regions) meanings.push_back(meaning_by_name(region));
  const otf2::Names names{regions, meanings, comms, user};
  WW_TRY(const auto archive, otf2::ArchiveWriter::create(dir, names));
  const auto rounds = static_cast<std::uint64_t>(events / ranks / events_a_round);
  // The wait of a round is as long as the slower of the two computed longer; every tenth round all meet.
  const auto computed = [](std::int64_t rank, std::uint64_t round) {
    return static_cast<std::int64_t>(2'000 + varied(static_cast<std::uint64_t>(rank), round, 0, 50'000));
  };
  constexpr std::int64_t round_ns = 80'000;
  for (int r = 0; r < ranks; ++r) {
    WW_TRY(auto location, archive->open(static_cast<OTF2_LocationRef>(r), static_cast<std::uint32_t>(r),
                                        "rank " + std::to_string(r)));
    const int before = (r + ranks - 1) % ranks, after = (r + 1) % ranks;
    const auto rank = static_cast<std::uint64_t>(r);
    Writing out{*location, 0};
    out.call(init, 1000, {});
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const auto tag = static_cast<std::int32_t>(i % 4);
      const std::int64_t begin_ns = 2000 + static_cast<std::int64_t>(i) * round_ns;
      const std::uint64_t bytes = 1000 + i % 1000;
      const CallAction receive = action(ActionKind::irecv, before, tag, bytes, 2 * i + 1),
                       send = action(ActionKind::isend, after, tag, bytes, 2 * i + 2);
      out.now_ns = begin_ns;
      out.call(irecv, 40 + static_cast<std::int64_t>(varied(rank, i, 1, 200)), {&receive, 1});
      const std::int64_t mine = computed(r, i);
      out.now_ns = begin_ns + 300 + mine;
      out.call(isend, 300 + static_cast<std::int64_t>(varied(rank, i, 2, 500)), {&send, 1});
      out.now_ns += 30;
      const std::int64_t there_ns = begin_ns + 300 + computed(before, i) + 3'000;
      CallAction done[2] = {receive, send};
      done[0].kind = ActionKind::irecv_done;
      done[1].kind = ActionKind::isend_done;
      out.call(waitall,
               std::max<std::int64_t>(500, there_ns - out.now_ns) +
                   static_cast<std::int64_t>(varied(rank, i, 3, 300)),
               done);
      if (i % rounds_per_allreduce != 0) continue;
      CallAction all = action(ActionKind::collective, -1, 0, 8, 0);
      all.bytes_received = 8;
      out.now_ns += 100;
      out.call(allreduce, begin_ns + 65'000 + static_cast<std::int64_t>(varied(rank, i, 4, 900)) - out.now_ns,
               {&all, 1});
    }
    out.now_ns = 2000 + static_cast<std::int64_t>(rounds) * round_ns;
    out.call(finalize, 1000, {});
    WW_CHECK(archive->close(std::move(location)));
  }
  otf2::ArchiveDefinitions definitions;
  for (int r = 0; r < ranks; ++r)
    definitions.hosts.push_back(hosts == 1 ? "synthetic" : "synthetic" + std::to_string(r % hosts));
  return archive->finish(definitions);
}
