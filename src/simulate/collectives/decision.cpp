#include "simulate/collectives/decision.hpp"

#include <limits>
#include <vector>

namespace ww::simulate {
namespace {

using A = Algorithm;
constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t ki = 1024, mi = 1024 * 1024;

struct BySize {
  std::uint64_t below_bytes;
  A algorithm;
};
struct ByMembers {
  std::uint64_t below_members;
  std::vector<BySize> sizes;
};
using Rules = std::vector<ByMembers>;

// Facts of ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, v4.1.4. Without a segment size, which is what
// these rules ask for, a pipeline is a chain, a segmented ring is a ring, and a synchronised linear exchange
// is a linear one.
const Rules barrier{{4, {{any, A::recursive_doubling}}},  {8, {{any, A::linear}}},
                    {64, {{any, A::recursive_doubling}}}, {256, {{any, A::bruck}}},
                    {512, {{any, A::double_tree}}},       {1024, {{any, A::bruck}}},
                    {4096, {{any, A::double_tree}}},      {any, {{any, A::bruck}}}};

const Rules bcast{
    {4,
     {{32, A::chain},
      {256, A::binary_tree},
      {512, A::chain},
      {1 * ki, A::knomial_tree},
      {32 * ki, A::linear},
      {128 * ki, A::binary_tree},
      {256 * ki, A::chain},
      {512 * ki, A::linear},
      {1 * mi, A::binomial_tree},
      {any, A::binary_tree}}},
    {8,
     {{64, A::binary_tree},
      {128, A::binomial_tree},
      {2 * ki, A::binary_tree},
      {8 * ki, A::binomial_tree},
      {1 * mi, A::linear},
      {any, A::chain}}},
    {16,
     {{8, A::knomial_tree},
      {64, A::binary_tree},
      {4 * ki, A::knomial_tree},
      {16 * ki, A::binary_tree},
      {32 * ki, A::binomial_tree},
      {any, A::linear}}},
    {32, {{4 * ki, A::knomial_tree}, {1 * mi, A::binomial_tree}, {any, A::scatter_allgather}}},
    {64, {{2 * ki, A::binomial_tree}, {any, A::knomial_tree}}},
    {128, {{any, A::knomial_tree}}},
    {256,
     {{2, A::binomial_tree},
      {16 * ki, A::binary_tree},
      {32 * ki, A::linear},
      {64 * ki, A::binary_tree},
      {any, A::knomial_tree}}},
    {1024, {{16 * ki, A::knomial_tree}, {32 * ki, A::split_binary_tree}, {any, A::knomial_tree}}},
    {2048, {{512 * ki, A::knomial_tree}, {any, A::scatter_allgather}}},
    {4096, {{256 * ki, A::knomial_tree}, {any, A::scatter_allgather}}},
    {any,
     {{8 * ki, A::knomial_tree},
      {16 * ki, A::binary_tree},
      {256 * ki, A::knomial_tree},
      {any, A::scatter_allgather}}}};

const Rules reduce{
    {4, {{8, A::rabenseifner}, {16, A::binary_tree}, {32, A::chain}, {256 * ki, A::linear}, {any, A::chain}}},
    {8,
     {{4 * ki, A::binary_tree},
      {64 * ki, A::chain},
      {256 * ki, A::binomial_tree},
      {512 * ki, A::linear},
      {1 * mi, A::binomial_tree},
      {any, A::linear}}},
    {16, {{8 * ki, A::binary_tree}, {any, A::binomial_tree}}},
    {32, {{4 * ki, A::binary_tree}, {any, A::binomial_tree}}},
    {any, {{any, A::binomial_tree}}}};

const Rules allreduce{
    {4,
     {{8, A::ring},
      {4 * ki, A::recursive_doubling},
      {8 * ki, A::ring},
      {16 * ki, A::recursive_doubling},
      {256 * ki, A::ring},
      {any, A::rabenseifner}}},
    {8, {{16, A::ring}, {8 * ki, A::recursive_doubling}, {any, A::rabenseifner}}},
    {16, {{8 * ki, A::recursive_doubling}, {any, A::rabenseifner}}},
    {32, {{64, A::ring}, {4 * ki, A::recursive_doubling}, {any, A::rabenseifner}}},
    {64, {{128, A::ring}, {any, A::rabenseifner}}},
    {128, {{256 * ki, A::recursive_doubling}, {any, A::rabenseifner}}},
    {256, {{128 * ki, A::reduce_then_bcast}, {256 * ki, A::recursive_doubling}, {any, A::rabenseifner}}},
    {512, {{4 * ki, A::reduce_then_bcast}, {any, A::rabenseifner}}},
    {2048, {{2 * ki, A::reduce_then_bcast}, {16 * ki, A::recursive_doubling}, {any, A::rabenseifner}}},
    {4096,
     {{2 * ki, A::reduce_then_bcast},
      {4 * ki, A::ring},
      {16 * ki, A::recursive_doubling},
      {any, A::rabenseifner}}},
    {any,
     {{2 * ki, A::reduce_then_bcast},
      {16 * ki, A::ring},
      {32 * ki, A::recursive_doubling},
      {any, A::rabenseifner}}}};

const Rules allgather{
    {3, {{any, A::pairwise}}},
    {32, {{any, A::recursive_doubling}}},
    {64, {{1 * ki, A::recursive_doubling}, {64 * ki, A::neighbor_exchange}, {any, A::ring}}},
    {128, {{512, A::recursive_doubling}, {64 * ki, A::neighbor_exchange}, {any, A::ring}}},
    {256,
     {{512, A::recursive_doubling},
      {128 * ki, A::neighbor_exchange},
      {512 * ki, A::ring},
      {1 * mi, A::neighbor_exchange},
      {any, A::ring}}},
    {512,
     {{32, A::recursive_doubling},
      {128, A::bruck},
      {1 * ki, A::recursive_doubling},
      {128 * ki, A::neighbor_exchange},
      {512 * ki, A::ring},
      {1 * mi, A::neighbor_exchange},
      {any, A::ring}}},
    {1024,
     {{64, A::recursive_doubling},
      {256, A::bruck},
      {2 * ki, A::recursive_doubling},
      {any, A::neighbor_exchange}}},
    {2048,
     {{4, A::recursive_doubling},
      {8, A::bruck},
      {16, A::recursive_doubling},
      {32, A::bruck},
      {256, A::recursive_doubling},
      {512, A::bruck},
      {4 * ki, A::recursive_doubling},
      {any, A::neighbor_exchange}}},
    {4096,
     {{32, A::bruck},
      {128, A::recursive_doubling},
      {512, A::bruck},
      {4 * ki, A::recursive_doubling},
      {any, A::neighbor_exchange}}},
    {any,
     {{2, A::recursive_doubling},
      {8, A::bruck},
      {16, A::recursive_doubling},
      {512, A::bruck},
      {4 * ki, A::recursive_doubling},
      {any, A::neighbor_exchange}}}};

const Rules allgatherv{{3, {{2 * ki, A::ring}, {4 * ki, A::pairwise}, {8 * ki, A::ring}, {any, A::pairwise}}},
                       {8,
                        {{256, A::gather_then_bcast},
                         {4 * ki, A::neighbor_exchange},
                         {8 * ki, A::ring},
                         {16 * ki, A::neighbor_exchange},
                         {256 * ki, A::bruck},
                         {any, A::neighbor_exchange}}},
                       {16, {{1 * ki, A::gather_then_bcast}, {any, A::bruck}}},
                       {32, {{128, A::gather_then_bcast}, {256 * ki, A::bruck}, {any, A::ring}}},
                       {64, {{256, A::gather_then_bcast}, {8 * ki, A::bruck}, {any, A::ring}}},
                       {128, {{256, A::gather_then_bcast}, {4 * ki, A::bruck}, {any, A::ring}}},
                       {256, {{1 * ki, A::bruck}, {64 * ki, A::neighbor_exchange}, {any, A::ring}}},
                       {512, {{1 * ki, A::bruck}, {any, A::ring}}},
                       {1024,
                        {{512, A::bruck},
                         {1 * ki, A::gather_then_bcast},
                         {4 * ki, A::bruck},
                         {1 * mi, A::neighbor_exchange},
                         {any, A::ring}}},
                       {any, {{4 * ki, A::bruck}, {any, A::neighbor_exchange}}}};

// With two members linear, pairwise and the two-process exchange are the same messages.
const Rules alltoall{{3, {{any, A::pairwise}}},
                     {8, {{512 * ki, A::linear}, {1 * mi, A::pairwise}, {any, A::linear}}},
                     {16, {{any, A::linear}}},
                     {32, {{4, A::linear}, {512, A::bruck}, {any, A::linear}}},
                     {64, {{512, A::bruck}, {any, A::linear}}},
                     {256, {{1 * ki, A::bruck}, {256 * ki, A::linear}, {any, A::pairwise}}},
                     {512, {{1 * ki, A::bruck}, {32 * ki, A::linear}, {any, A::pairwise}}},
                     {1024, {{512, A::bruck}, {256 * ki, A::linear}, {any, A::pairwise}}},
                     {2048, {{512, A::bruck}, {any, A::linear}}},
                     {4096, {{1 * ki, A::bruck}, {any, A::linear}}},
                     {any, {{2 * ki, A::bruck}, {any, A::linear}}}};

const Rules alltoallv{{4, {{any, A::pairwise}}}, {64, {{any, A::linear}}},     {128, {{any, A::pairwise}}},
                      {256, {{any, A::linear}}}, {1024, {{any, A::pairwise}}}, {any, {{any, A::linear}}}};

const Rules gather{{4,
                    {{2, A::linear_sync},
                     {4, A::linear},
                     {32 * ki, A::binomial_tree},
                     {64 * ki, A::linear},
                     {128 * ki, A::binomial_tree},
                     {any, A::linear_sync}}},
                   {8,
                    {{1 * ki, A::binomial_tree},
                     {8 * ki, A::linear},
                     {32 * ki, A::binomial_tree},
                     {256 * ki, A::linear},
                     {any, A::linear_sync}}},
                   {256, {{any, A::binomial_tree}}},
                   {512, {{2 * ki, A::binomial_tree}, {8 * ki, A::linear}, {any, A::binomial_tree}}},
                   {any, {{any, A::binomial_tree}}}};

const Rules scatter{{4,
                     {{2, A::linear_nonblocking},
                      {128 * ki, A::linear},
                      {256 * ki, A::linear_nonblocking},
                      {any, A::linear}}},
                    {8,
                     {{2 * ki, A::binomial_tree},
                      {4 * ki, A::linear},
                      {8 * ki, A::binomial_tree},
                      {32 * ki, A::linear},
                      {1 * mi, A::linear_nonblocking},
                      {any, A::linear}}},
                    {16, {{16 * ki, A::binomial_tree}, {1 * mi, A::linear_nonblocking}, {any, A::linear}}},
                    {32, {{16 * ki, A::binomial_tree}, {32 * ki, A::linear}, {any, A::linear_nonblocking}}},
                    {64,
                     {{512, A::binomial_tree},
                      {8 * ki, A::linear_nonblocking},
                      {16 * ki, A::binomial_tree},
                      {any, A::linear_nonblocking}}},
                    {any, {{512, A::binomial_tree}, {any, A::linear_nonblocking}}}};

const Rules reduce_scatter{
    {4, {{64 * ki, A::ring}, {128 * ki, A::butterfly}, {any, A::ring}}},
    {8, {{8, A::reduce_then_scatter}, {256 * ki, A::recursive_halving}, {any, A::ring}}},
    {32, {{256 * ki, A::recursive_halving}, {any, A::ring}}},
    {64,
     {{64, A::reduce_then_scatter},
      {2 * ki, A::recursive_halving},
      {512 * ki, A::butterfly},
      {any, A::ring}}},
    {128,
     {{256, A::reduce_then_scatter},
      {512, A::recursive_halving},
      {2 * ki, A::butterfly},
      {4 * ki, A::recursive_halving},
      {any, A::butterfly}}},
    {256, {{256, A::reduce_then_scatter}, {512, A::recursive_halving}, {any, A::butterfly}}},
    {512, {{256, A::reduce_then_scatter}, {1 * ki, A::recursive_halving}, {any, A::butterfly}}},
    {1024,
     {{512, A::reduce_then_scatter},
      {2 * ki, A::recursive_halving},
      {8 * ki, A::butterfly},
      {16 * ki, A::recursive_halving},
      {any, A::butterfly}}},
    {2048,
     {{512, A::reduce_then_scatter},
      {4 * ki, A::recursive_halving},
      {16 * ki, A::butterfly},
      {32 * ki, A::recursive_halving},
      {any, A::butterfly}}},
    {4096, {{512, A::reduce_then_scatter}, {4 * ki, A::recursive_halving}, {any, A::butterfly}}},
    {any, {{1 * ki, A::reduce_then_scatter}, {8 * ki, A::recursive_halving}, {any, A::butterfly}}}};

const Rules reduce_scatter_block{{4,
                                  {{4, A::recursive_doubling},
                                   {8, A::butterfly},
                                   {16, A::recursive_halving},
                                   {128, A::butterfly},
                                   {256, A::recursive_halving},
                                   {4 * ki, A::butterfly},
                                   {8 * ki, A::recursive_halving},
                                   {128 * ki, A::butterfly},
                                   {any, A::reduce_then_scatter}}},
                                 {8,
                                  {{8, A::recursive_halving},
                                   {32, A::recursive_doubling},
                                   {256, A::butterfly},
                                   {8 * ki, A::recursive_halving},
                                   {16 * ki, A::butterfly},
                                   {1 * mi, A::recursive_halving},
                                   {any, A::reduce_then_scatter}}},
                                 {16,
                                  {{4, A::reduce_then_scatter},
                                   {32, A::recursive_halving},
                                   {128, A::butterfly},
                                   {512 * ki, A::recursive_halving},
                                   {4 * mi, A::reduce_then_scatter},
                                   {any, A::butterfly}}},
                                 {32,
                                  {{32, A::reduce_then_scatter},
                                   {512 * ki, A::recursive_halving},
                                   {2 * mi, A::reduce_then_scatter},
                                   {4 * mi, A::recursive_halving},
                                   {any, A::butterfly}}},
                                 {any,
                                  {{4, A::recursive_halving},
                                   {16, A::reduce_then_scatter},
                                   {64 * ki, A::butterfly},
                                   {256 * ki, A::reduce_then_scatter},
                                   {any, A::butterfly}}}};

// coll/basic, which serves what coll/tuned has no rule for.
const Rules always_linear{{any, {{any, A::linear}}}};

const Rules* rules_for(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::barrier:
      return &barrier;
    case CollectiveOp::bcast:
      return &bcast;
    case CollectiveOp::reduce:
      return &reduce;
    case CollectiveOp::allreduce:
      return &allreduce;
    case CollectiveOp::allgather:
      return &allgather;
    case CollectiveOp::allgatherv:
      return &allgatherv;
    case CollectiveOp::alltoall:
      return &alltoall;
    case CollectiveOp::alltoallv:
      return &alltoallv;
    case CollectiveOp::gather:
      return &gather;
    case CollectiveOp::scatter:
      return &scatter;
    case CollectiveOp::reduce_scatter:
      return &reduce_scatter;
    case CollectiveOp::reduce_scatter_block:
      return &reduce_scatter_block;
    case CollectiveOp::gatherv:
    case CollectiveOp::scatterv:
    case CollectiveOp::alltoallw:
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      return &always_linear;
    case CollectiveOp::communicator:
    case CollectiveOp::window:
    case CollectiveOp::file:
    case CollectiveOp::other:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

const char* to_string(Algorithm algorithm) {
  switch (algorithm) {
    case A::unknown:
      return "no known algorithm";
    case A::linear:
      return "the linear algorithm";
    case A::linear_nonblocking:
      return "the non-blocking linear algorithm";
    case A::linear_sync:
      return "the synchronised linear algorithm";
    case A::chain:
      return "a chain";
    case A::binary_tree:
      return "a binary tree";
    case A::split_binary_tree:
      return "a binary tree (in place of the split one)";
    case A::binomial_tree:
      return "a binomial tree";
    case A::knomial_tree:
      return "a k-nomial tree of radix 4";
    case A::recursive_doubling:
      return "recursive doubling";
    case A::recursive_halving:
      return "recursive halving";
    case A::butterfly:
      return "recursive halving (in place of the butterfly)";
    case A::ring:
      return "a ring";
    case A::neighbor_exchange:
      return "neighbour exchange";
    case A::bruck:
      return "Bruck's algorithm";
    case A::pairwise:
      return "pairwise exchange";
    case A::rabenseifner:
      return "Rabenseifner's algorithm";
    case A::scatter_allgather:
      return "scatter and allgather";
    case A::double_tree:
      return "a tree up and down";
    case A::reduce_then_bcast:
      return "reduce and broadcast";
    case A::gather_then_bcast:
      return "gather and broadcast";
    case A::reduce_then_scatter:
      return "reduce and scatter";
    case A::dissemination:
      return "dissemination";
    case A::scattered:
      return "scattered exchange";
    case A::scatter_ring_allgather:
      return "scatter and a ring";
    case A::reduce_scatter_gather:
      return "reduce-scatter and gather";
  }
  return "no known algorithm";
}

Algorithm openmpi_algorithm(CollectiveOp op, int members, std::uint64_t bytes) {
  const Rules* rules = rules_for(op);
  if (!rules) return A::unknown;
  for (const ByMembers& by_members : *rules)
    if (static_cast<std::uint64_t>(members) < by_members.below_members)
      for (const BySize& by_size : by_members.sizes)
        if (bytes < by_size.below_bytes) return by_size.algorithm;
  return rules->back().sizes.back().algorithm;
}

}  // namespace ww::simulate
