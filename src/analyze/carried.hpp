// What collectives carry from one rank to another: the bytes that the program gave the call, whatever way the
// MPI library sends them (a tree's hops are not counted), a rank's part for itself included.
//   bcast: what each other member gets, from the root.
//   gather, gatherv, reduce: what each member gives, to the root.
//   scatter, scatterv: what each member gets, from the root.
//   alltoall: an equal part to each.  alltoallv, alltoallw: as recorded where the amounts differ
//   (ActionKind::sent_to), else the same to each.  allgather, allgatherv: what a member gives, to each.
// What allreduce, reduce_scatter, scan and exscan give is combined on its way, so that it belongs to no pair:
// it is one sum. Barriers carry nothing.
// Every figure is the member's own, so a collective that others did not record counts all the same. Archives
// of other tools do not say what an alltoallv sent to whom: of those nothing is listed.
// What goes to every rank alike makes a pair of any two ranks, so it is listed up to most_pairs_of_all.
#pragma once
#include <map>
#include <utility>

#include "analyze/selection.hpp"

namespace ww {

// The rank's part of it; nullptr: it has none.
const CollectiveMember* member_of(const Collective& collective, std::int32_t rank);

inline constexpr std::uint64_t most_pairs_of_all = std::uint64_t{1} << 20;

struct Carried {
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> bytes;  // by (source, destination), not 0
  std::uint64_t pairs_not_listed = 0;
  std::uint64_t combined_bytes = 0;  // that ranks gave to reductions whose result goes to several
};

// Of a part: what calls in its span and of its names and threads carry, whoever made them, since a receiver may
// be the one who tells what was sent to it; combined_bytes is of its ranks.
Carried carried_by_collectives(const Part& part, std::uint64_t most_of_all = most_pairs_of_all);

}  // namespace ww
