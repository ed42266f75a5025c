#include "patterns/algorithms.hpp"
#include "patterns/choice.hpp"

namespace ww::patterns {
namespace {

constexpr uint64_t any = ~uint64_t{0};
constexpr uint64_t ki = 1024, mi = 1024 * 1024;

struct BySize {
  uint64_t below_bytes;
  const Algorithm* algorithm;
};
struct ByMembers {
  uint64_t below_members;
  BySize sizes[10];  // the last one of any size
};

// Facts of ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, v4.1.4. Without a segment size, which is what
// these rules ask for, a pipeline is a chain, a segmented ring is a ring, and a synchronised linear exchange
// is a linear one.
constexpr ByMembers barrier_rules[]{{4, {{any, &barrier_recursive_doubling}}},
                                    {8, {{any, &barrier_linear}}},
                                    {64, {{any, &barrier_recursive_doubling}}},
                                    {256, {{any, &barrier_bruck}}},
                                    {512, {{any, &barrier_tree}}},
                                    {1024, {{any, &barrier_bruck}}},
                                    {4096, {{any, &barrier_tree}}},
                                    {any, {{any, &barrier_bruck}}}};

constexpr ByMembers bcast_rules[]{
    {4,
     {{32, &bcast_chain},
      {256, &bcast_binary_tree},
      {512, &bcast_chain},
      {1 * ki, &bcast_knomial_tree},
      {32 * ki, &bcast_linear},
      {128 * ki, &bcast_binary_tree},
      {256 * ki, &bcast_chain},
      {512 * ki, &bcast_linear},
      {1 * mi, &bcast_binomial_tree},
      {any, &bcast_binary_tree}}},
    {8,
     {{64, &bcast_binary_tree},
      {128, &bcast_binomial_tree},
      {2 * ki, &bcast_binary_tree},
      {8 * ki, &bcast_binomial_tree},
      {1 * mi, &bcast_linear},
      {any, &bcast_chain}}},
    {16,
     {{8, &bcast_knomial_tree},
      {64, &bcast_binary_tree},
      {4 * ki, &bcast_knomial_tree},
      {16 * ki, &bcast_binary_tree},
      {32 * ki, &bcast_binomial_tree},
      {any, &bcast_linear}}},
    {32, {{4 * ki, &bcast_knomial_tree}, {1 * mi, &bcast_binomial_tree}, {any, &bcast_scatter_allgather}}},
    {64, {{2 * ki, &bcast_binomial_tree}, {any, &bcast_knomial_tree}}},
    {128, {{any, &bcast_knomial_tree}}},
    {256,
     {{2, &bcast_binomial_tree},
      {16 * ki, &bcast_binary_tree},
      {32 * ki, &bcast_linear},
      {64 * ki, &bcast_binary_tree},
      {any, &bcast_knomial_tree}}},
    {1024, {{16 * ki, &bcast_knomial_tree}, {32 * ki, &bcast_split_binary_tree}, {any, &bcast_knomial_tree}}},
    {2048, {{512 * ki, &bcast_knomial_tree}, {any, &bcast_scatter_allgather}}},
    {4096, {{256 * ki, &bcast_knomial_tree}, {any, &bcast_scatter_allgather}}},
    {any,
     {{8 * ki, &bcast_knomial_tree},
      {16 * ki, &bcast_binary_tree},
      {256 * ki, &bcast_knomial_tree},
      {any, &bcast_scatter_allgather}}}};

constexpr ByMembers reduce_rules[]{{4,
                                    {{8, &reduce_rabenseifner},
                                     {16, &reduce_binary_tree},
                                     {32, &reduce_chain},
                                     {256 * ki, &reduce_linear},
                                     {any, &reduce_chain}}},
                                   {8,
                                    {{4 * ki, &reduce_binary_tree},
                                     {64 * ki, &reduce_chain},
                                     {256 * ki, &reduce_binomial_tree},
                                     {512 * ki, &reduce_linear},
                                     {1 * mi, &reduce_binomial_tree},
                                     {any, &reduce_linear}}},
                                   {16, {{8 * ki, &reduce_binary_tree}, {any, &reduce_binomial_tree}}},
                                   {32, {{4 * ki, &reduce_binary_tree}, {any, &reduce_binomial_tree}}},
                                   {any, {{any, &reduce_binomial_tree}}}};

constexpr ByMembers allreduce_rules[]{
    {4,
     {{8, &allreduce_ring},
      {4 * ki, &allreduce_recursive_doubling},
      {8 * ki, &allreduce_ring},
      {16 * ki, &allreduce_recursive_doubling},
      {256 * ki, &allreduce_ring},
      {any, &allreduce_rabenseifner}}},
    {8, {{16, &allreduce_ring}, {8 * ki, &allreduce_recursive_doubling}, {any, &allreduce_rabenseifner}}},
    {16, {{8 * ki, &allreduce_recursive_doubling}, {any, &allreduce_rabenseifner}}},
    {32, {{64, &allreduce_ring}, {4 * ki, &allreduce_recursive_doubling}, {any, &allreduce_rabenseifner}}},
    {64, {{128, &allreduce_ring}, {any, &allreduce_rabenseifner}}},
    {128, {{256 * ki, &allreduce_recursive_doubling}, {any, &allreduce_rabenseifner}}},
    {256,
     {{128 * ki, &allreduce_reduce_then_bcast},
      {256 * ki, &allreduce_recursive_doubling},
      {any, &allreduce_rabenseifner}}},
    {512, {{4 * ki, &allreduce_reduce_then_bcast}, {any, &allreduce_rabenseifner}}},
    {2048,
     {{2 * ki, &allreduce_reduce_then_bcast},
      {16 * ki, &allreduce_recursive_doubling},
      {any, &allreduce_rabenseifner}}},
    {4096,
     {{2 * ki, &allreduce_reduce_then_bcast},
      {4 * ki, &allreduce_ring},
      {16 * ki, &allreduce_recursive_doubling},
      {any, &allreduce_rabenseifner}}},
    {any,
     {{2 * ki, &allreduce_reduce_then_bcast},
      {16 * ki, &allreduce_ring},
      {32 * ki, &allreduce_recursive_doubling},
      {any, &allreduce_rabenseifner}}}};

constexpr ByMembers allgather_rules[]{
    {3, {{any, &allgather_pairwise}}},
    {32, {{any, &allgather_recursive_doubling}}},
    {64,
     {{1 * ki, &allgather_recursive_doubling},
      {64 * ki, &allgather_neighbor_exchange},
      {any, &allgather_ring}}},
    {128,
     {{512, &allgather_recursive_doubling}, {64 * ki, &allgather_neighbor_exchange}, {any, &allgather_ring}}},
    {256,
     {{512, &allgather_recursive_doubling},
      {128 * ki, &allgather_neighbor_exchange},
      {512 * ki, &allgather_ring},
      {1 * mi, &allgather_neighbor_exchange},
      {any, &allgather_ring}}},
    {512,
     {{32, &allgather_recursive_doubling},
      {128, &allgather_bruck},
      {1 * ki, &allgather_recursive_doubling},
      {128 * ki, &allgather_neighbor_exchange},
      {512 * ki, &allgather_ring},
      {1 * mi, &allgather_neighbor_exchange},
      {any, &allgather_ring}}},
    {1024,
     {{64, &allgather_recursive_doubling},
      {256, &allgather_bruck},
      {2 * ki, &allgather_recursive_doubling},
      {any, &allgather_neighbor_exchange}}},
    {2048,
     {{4, &allgather_recursive_doubling},
      {8, &allgather_bruck},
      {16, &allgather_recursive_doubling},
      {32, &allgather_bruck},
      {256, &allgather_recursive_doubling},
      {512, &allgather_bruck},
      {4 * ki, &allgather_recursive_doubling},
      {any, &allgather_neighbor_exchange}}},
    {4096,
     {{32, &allgather_bruck},
      {128, &allgather_recursive_doubling},
      {512, &allgather_bruck},
      {4 * ki, &allgather_recursive_doubling},
      {any, &allgather_neighbor_exchange}}},
    {any,
     {{2, &allgather_recursive_doubling},
      {8, &allgather_bruck},
      {16, &allgather_recursive_doubling},
      {512, &allgather_bruck},
      {4 * ki, &allgather_recursive_doubling},
      {any, &allgather_neighbor_exchange}}}};

constexpr ByMembers allgatherv_rules[]{
    {3,
     {{2 * ki, &allgather_ring},
      {4 * ki, &allgather_pairwise},
      {8 * ki, &allgather_ring},
      {any, &allgather_pairwise}}},
    {8,
     {{256, &allgather_gather_then_bcast},
      {4 * ki, &allgather_neighbor_exchange},
      {8 * ki, &allgather_ring},
      {16 * ki, &allgather_neighbor_exchange},
      {256 * ki, &allgather_bruck},
      {any, &allgather_neighbor_exchange}}},
    {16, {{1 * ki, &allgather_gather_then_bcast}, {any, &allgather_bruck}}},
    {32, {{128, &allgather_gather_then_bcast}, {256 * ki, &allgather_bruck}, {any, &allgather_ring}}},
    {64, {{256, &allgather_gather_then_bcast}, {8 * ki, &allgather_bruck}, {any, &allgather_ring}}},
    {128, {{256, &allgather_gather_then_bcast}, {4 * ki, &allgather_bruck}, {any, &allgather_ring}}},
    {256, {{1 * ki, &allgather_bruck}, {64 * ki, &allgather_neighbor_exchange}, {any, &allgather_ring}}},
    {512, {{1 * ki, &allgather_bruck}, {any, &allgather_ring}}},
    {1024,
     {{512, &allgather_bruck},
      {1 * ki, &allgather_gather_then_bcast},
      {4 * ki, &allgather_bruck},
      {1 * mi, &allgather_neighbor_exchange},
      {any, &allgather_ring}}},
    {any, {{4 * ki, &allgather_bruck}, {any, &allgather_neighbor_exchange}}}};

// With two members linear, pairwise and the two-process exchange are the same messages.
constexpr ByMembers alltoall_rules[]{
    {3, {{any, &alltoall_pairwise}}},
    {8, {{512 * ki, &alltoall_linear}, {1 * mi, &alltoall_pairwise}, {any, &alltoall_linear}}},
    {16, {{any, &alltoall_linear}}},
    {32, {{4, &alltoall_linear}, {512, &alltoall_bruck}, {any, &alltoall_linear}}},
    {64, {{512, &alltoall_bruck}, {any, &alltoall_linear}}},
    {256, {{1 * ki, &alltoall_bruck}, {256 * ki, &alltoall_linear}, {any, &alltoall_pairwise}}},
    {512, {{1 * ki, &alltoall_bruck}, {32 * ki, &alltoall_linear}, {any, &alltoall_pairwise}}},
    {1024, {{512, &alltoall_bruck}, {256 * ki, &alltoall_linear}, {any, &alltoall_pairwise}}},
    {2048, {{512, &alltoall_bruck}, {any, &alltoall_linear}}},
    {4096, {{1 * ki, &alltoall_bruck}, {any, &alltoall_linear}}},
    {any, {{2 * ki, &alltoall_bruck}, {any, &alltoall_linear}}}};

constexpr ByMembers alltoallv_rules[]{{4, {{any, &alltoall_pairwise}}},    {64, {{any, &alltoall_linear}}},
                                      {128, {{any, &alltoall_pairwise}}},  {256, {{any, &alltoall_linear}}},
                                      {1024, {{any, &alltoall_pairwise}}}, {any, {{any, &alltoall_linear}}}};

constexpr ByMembers gather_rules[]{
    {4,
     {{2, &gather_linear_sync},
      {4, &gather_linear},
      {32 * ki, &gather_binomial_tree},
      {64 * ki, &gather_linear},
      {128 * ki, &gather_binomial_tree},
      {any, &gather_linear_sync}}},
    {8,
     {{1 * ki, &gather_binomial_tree},
      {8 * ki, &gather_linear},
      {32 * ki, &gather_binomial_tree},
      {256 * ki, &gather_linear},
      {any, &gather_linear_sync}}},
    {256, {{any, &gather_binomial_tree}}},
    {512, {{2 * ki, &gather_binomial_tree}, {8 * ki, &gather_linear}, {any, &gather_binomial_tree}}},
    {any, {{any, &gather_binomial_tree}}}};

constexpr ByMembers scatter_rules[]{
    {4,
     {{2, &scatter_linear_nonblocking},
      {128 * ki, &scatter_linear},
      {256 * ki, &scatter_linear_nonblocking},
      {any, &scatter_linear}}},
    {8,
     {{2 * ki, &scatter_binomial_tree},
      {4 * ki, &scatter_linear},
      {8 * ki, &scatter_binomial_tree},
      {32 * ki, &scatter_linear},
      {1 * mi, &scatter_linear_nonblocking},
      {any, &scatter_linear}}},
    {16, {{16 * ki, &scatter_binomial_tree}, {1 * mi, &scatter_linear_nonblocking}, {any, &scatter_linear}}},
    {32, {{16 * ki, &scatter_binomial_tree}, {32 * ki, &scatter_linear}, {any, &scatter_linear_nonblocking}}},
    {64,
     {{512, &scatter_binomial_tree},
      {8 * ki, &scatter_linear_nonblocking},
      {16 * ki, &scatter_binomial_tree},
      {any, &scatter_linear_nonblocking}}},
    {any, {{512, &scatter_binomial_tree}, {any, &scatter_linear_nonblocking}}}};

constexpr ByMembers reduce_scatter_rules[]{
    {4,
     {{64 * ki, &reduce_scatter_ring}, {128 * ki, &reduce_scatter_butterfly}, {any, &reduce_scatter_ring}}},
    {8,
     {{8, &reduce_scatter_reduce_then_scatter},
      {256 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_ring}}},
    {32, {{256 * ki, &reduce_scatter_recursive_halving}, {any, &reduce_scatter_ring}}},
    {64,
     {{64, &reduce_scatter_reduce_then_scatter},
      {2 * ki, &reduce_scatter_recursive_halving},
      {512 * ki, &reduce_scatter_butterfly},
      {any, &reduce_scatter_ring}}},
    {128,
     {{256, &reduce_scatter_reduce_then_scatter},
      {512, &reduce_scatter_recursive_halving},
      {2 * ki, &reduce_scatter_butterfly},
      {4 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}},
    {256,
     {{256, &reduce_scatter_reduce_then_scatter},
      {512, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}},
    {512,
     {{256, &reduce_scatter_reduce_then_scatter},
      {1 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}},
    {1024,
     {{512, &reduce_scatter_reduce_then_scatter},
      {2 * ki, &reduce_scatter_recursive_halving},
      {8 * ki, &reduce_scatter_butterfly},
      {16 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}},
    {2048,
     {{512, &reduce_scatter_reduce_then_scatter},
      {4 * ki, &reduce_scatter_recursive_halving},
      {16 * ki, &reduce_scatter_butterfly},
      {32 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}},
    {4096,
     {{512, &reduce_scatter_reduce_then_scatter},
      {4 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}},
    {any,
     {{1 * ki, &reduce_scatter_reduce_then_scatter},
      {8 * ki, &reduce_scatter_recursive_halving},
      {any, &reduce_scatter_butterfly}}}};

constexpr ByMembers reduce_scatter_block_rules[]{{4,
                                                  {{4, &reduce_scatter_recursive_doubling},
                                                   {8, &reduce_scatter_butterfly},
                                                   {16, &reduce_scatter_recursive_halving},
                                                   {128, &reduce_scatter_butterfly},
                                                   {256, &reduce_scatter_recursive_halving},
                                                   {4 * ki, &reduce_scatter_butterfly},
                                                   {8 * ki, &reduce_scatter_recursive_halving},
                                                   {128 * ki, &reduce_scatter_butterfly},
                                                   {any, &reduce_scatter_reduce_then_scatter}}},
                                                 {8,
                                                  {{8, &reduce_scatter_recursive_halving},
                                                   {32, &reduce_scatter_recursive_doubling},
                                                   {256, &reduce_scatter_butterfly},
                                                   {8 * ki, &reduce_scatter_recursive_halving},
                                                   {16 * ki, &reduce_scatter_butterfly},
                                                   {1 * mi, &reduce_scatter_recursive_halving},
                                                   {any, &reduce_scatter_reduce_then_scatter}}},
                                                 {16,
                                                  {{4, &reduce_scatter_reduce_then_scatter},
                                                   {32, &reduce_scatter_recursive_halving},
                                                   {128, &reduce_scatter_butterfly},
                                                   {512 * ki, &reduce_scatter_recursive_halving},
                                                   {4 * mi, &reduce_scatter_reduce_then_scatter},
                                                   {any, &reduce_scatter_butterfly}}},
                                                 {32,
                                                  {{32, &reduce_scatter_reduce_then_scatter},
                                                   {512 * ki, &reduce_scatter_recursive_halving},
                                                   {2 * mi, &reduce_scatter_reduce_then_scatter},
                                                   {4 * mi, &reduce_scatter_recursive_halving},
                                                   {any, &reduce_scatter_butterfly}}},
                                                 {any,
                                                  {{4, &reduce_scatter_recursive_halving},
                                                   {16, &reduce_scatter_reduce_then_scatter},
                                                   {64 * ki, &reduce_scatter_butterfly},
                                                   {256 * ki, &reduce_scatter_reduce_then_scatter},
                                                   {any, &reduce_scatter_butterfly}}}};

struct Rules {
  const ByMembers* rows = nullptr;
  int count = 0;
  const Algorithm* always = nullptr;  // coll/basic, which serves what coll/tuned has no rule for
};
template <int n>
constexpr Rules by(const ByMembers (&rows)[n]) {
  return {rows, n, nullptr};
}
constexpr Rules always(const Algorithm& algorithm) {
  return {nullptr, 0, &algorithm};
}

Rules rules_for(Operation operation) {
  switch (operation) {
    case Operation::barrier:
      return by(barrier_rules);
    case Operation::bcast:
      return by(bcast_rules);
    case Operation::reduce:
      return by(reduce_rules);
    case Operation::allreduce:
      return by(allreduce_rules);
    case Operation::allgather:
      return by(allgather_rules);
    case Operation::allgatherv:
      return by(allgatherv_rules);
    case Operation::alltoall:
      return by(alltoall_rules);
    case Operation::alltoallv:
      return by(alltoallv_rules);
    case Operation::gather:
      return by(gather_rules);
    case Operation::scatter:
      return by(scatter_rules);
    case Operation::reduce_scatter:
      return by(reduce_scatter_rules);
    case Operation::reduce_scatter_block:
      return by(reduce_scatter_block_rules);
    case Operation::gatherv:
      return always(gather_linear);
    case Operation::scatterv:
      return always(scatter_linear);
    case Operation::alltoallw:
      return always(alltoall_linear);
    case Operation::scan:
    case Operation::exscan:
      return always(scan_linear);
  }
  return {};
}

}  // namespace

const Algorithm* open_mpi_rule(Operation operation, int members, uint64_t rule_bytes) {
  const Rules rules = rules_for(operation);
  if (rules.always != nullptr) return rules.always;
  int row = 0;
  while (row + 1 < rules.count && static_cast<uint64_t>(members) >= rules.rows[row].below_members) ++row;
  const BySize* size = rules.rows[row].sizes;
  while (size->below_bytes != any && rule_bytes >= size->below_bytes) ++size;
  return size->algorithm;
}

const Algorithm* open_mpi_choice(Operation operation, int members, uint64_t rule_bytes, uint64_t bytes) {
  const Algorithm* const chosen = open_mpi_rule(operation, members, rule_bytes);
  const uint64_t count = elements(bytes), power = static_cast<uint64_t>(largest_power_in(members));
  if (chosen == &allreduce_ring && count < static_cast<uint64_t>(members))
    return &allreduce_recursive_doubling;
  if (chosen == &allreduce_rabenseifner && count < power) return &allreduce_reduce_then_bcast;
  if (chosen == &reduce_rabenseifner && count < power) return &reduce_linear;
  if (operation == Operation::allgather && chosen == &allgather_recursive_doubling && !power_of_two(members))
    return &allgather_bruck;
  if (chosen == &allgather_neighbor_exchange && members % 2 != 0) return &allgather_ring;
  return chosen;
}

Written write(CollectiveRules rules, const Group& group, const Asked& asked, const int* host, int* room) {
  switch (rules) {
    case CollectiveRules::open_mpi_4: {
      const Algorithm* const chosen =
          asked.nonblocking ? open_mpi_nonblocking_choice(asked.operation, group.size(), asked.bytes)
                            : open_mpi_choice(asked.operation, group.size(), asked.rule_bytes, asked.bytes);
      chosen->write(group, asked);
      return {chosen};
    }
    case CollectiveRules::mpich_4:
      return write_mpich(group, asked, host, room);
    case CollectiveRules::unknown:
      break;
  }
  return {nullptr, false, false};
}

}  // namespace ww::patterns
