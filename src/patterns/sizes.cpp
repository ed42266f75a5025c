#include "patterns/sizes.hpp"

namespace ww::patterns {

namespace {

uint64_t largest(int members, const Called<uint64_t(int)>& of) {
  uint64_t out = 0;
  for (int i = 0; i < members; ++i)
    if (const uint64_t bytes = of(i); bytes > out) out = bytes;
  return out;
}

}  // namespace

Sizes::Sizes(Operation operation, int members, int root, const Called<CarriedSizes(int)>& carried,
             uint64_t* before)
    : before_{before} {
  const uint64_t n = static_cast<uint64_t>(members);
  Asked& out = asked_;
  out.operation = operation;
  out.root = root;
  out.blocks = {before_, members};
  const auto sent = [&](int i) { return carried(i).sent; };
  const auto received = [&](int i) { return carried(i).received; };
  const auto fill = [&](const Called<uint64_t(int)>& of) {
    before[0] = 0;
    for (int i = 0; i < members; ++i) before[i + 1] = before[i] + of(i);
  };
  // The root says what all have; what one block is, the others do.
  const auto rooted = [&](const Called<uint64_t(int)>& of) {
    const auto of_others = [&](int i) { return i == root ? 0 : of(i); };
    out.bytes = out.rule_bytes = largest(members, of_others);
    const auto block = [&](int i) { return i == root ? out.bytes : of(i); };
    fill(block);
  };
  const auto vector = [&](const Called<uint64_t(int)>& of, bool of_root) {
    const auto counted = [&](int i) { return i == root && !of_root ? 0 : of(i); };
    out.bytes = out.rule_bytes = largest(members, counted);
  };
  switch (operation) {
    case Operation::barrier:
      break;
    case Operation::bcast:
      vector(received, false);
      break;
    case Operation::reduce:
      vector(sent, false);
      break;
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      vector(sent, true);
      break;
    case Operation::gather:
    case Operation::gatherv:
      rooted(sent);
      break;
    case Operation::scatter:
    case Operation::scatterv:
      rooted(received);
      break;
    case Operation::allgather:
    case Operation::allgatherv: {
      fill(sent);
      const uint64_t got = largest(members, received);
      if (got > 0 && before[members] >= got * n) {  // counted once for every receiver
        const auto part = [&](int i) { return sent(i) / n; };
        fill(part);
      }
      const auto block = [&](int i) { return out.blocks.of(i); };
      out.bytes = largest(members, block);
      out.rule_bytes = operation == Operation::allgather ? out.bytes : out.blocks.all() / n;
      break;
    }
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw: {
      const auto block = [&](int i) { return sent(i) / n; };
      fill(block);
      out.bytes = out.rule_bytes = largest(members, block);
      break;
    }
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      fill(received);
      out.bytes = out.blocks.all();
      out.rule_bytes = operation == Operation::reduce_scatter ? out.bytes : out.blocks.of(0);
      break;
  }
}

namespace {

constexpr const char* names[operations] = {
    "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
    "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
    "alltoallw", "allreduce", "reduce",     "reduce_scatter", "reduce_scatter_block",
    "scan",      "exscan"};

char small(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
// How long the name is, if it stands in `text`.
int length_in(const char* text, const char* name) {
  for (; *text != 0; ++text) {
    int same = 0;
    while (name[same] != 0 && small(text[same]) == name[same]) ++same;
    if (name[same] == 0) return same;
  }
  return 0;
}

}  // namespace

Operation operation_of_call(const char* name) {
  Operation out = Operation::barrier;
  int longest = 0;
  for (int i = 0; i < operations; ++i) {
    const int length = length_in(name, names[i]);
    if (length <= longest) continue;
    longest = length;
    out = static_cast<Operation>(i);
  }
  return out;
}

}  // namespace ww::patterns
