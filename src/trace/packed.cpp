#include "trace/packed.hpp"

#include <algorithm>
#include <cstring>

#include "trace/match.hpp"
#include "trace/packed_beside.hpp"
#include "trace/packed_rank.hpp"

namespace ww {
namespace {

using packed::Reader, packed::Writer;

constexpr std::string_view mark = "whatwire trace";
constexpr std::uint64_t version = 4;
// Kinds of calls with many actions make many of few bytes: of no trace that a page would hold so many of so few.
constexpr std::size_t most_actions = 1 << 25, most_actions_a_byte = 256;

bool same(const Message& a, const Message& b) {
  return a.source == b.source && a.destination == b.destination && a.comm == b.comm && a.tag == b.tag &&
         a.bytes == b.bytes && a.send_call == b.send_call && a.send_done_call == b.send_done_call &&
         a.recv_post_call == b.recv_post_call && a.recv_done_call == b.recv_done_call &&
         a.wildcard == b.wildcard && a.synchronous == b.synchronous;
}
bool same(const CollectiveMember& a, const CollectiveMember& b) {
  return a.rank == b.rank && a.call == b.call && a.done_call == b.done_call && a.bytes_sent == b.bytes_sent &&
         a.bytes_received == b.bytes_received;
}
bool same(const Collective& a, const Collective& b) {
  return a.op == b.op && a.comm == b.comm && a.root == b.root &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                    [](const CollectiveMember& x, const CollectiveMember& y) { return same(x, y); });
}

// Do the actions say which messages and collectives there are? Not where it depended on times that were moved since (fences), or where
// a test made them by hand.
bool is_matched_alike(const Trace& trace) {
  Trace again;
  again.regions = trace.regions;
  again.meanings = trace.meanings;
  again.comms = trace.comms;
  again.clock_uncertainty_s = trace.clock_uncertainty_s;
  again.ranks = trace.ranks;
  match(again, 1);
  const auto alike = [](const auto& a, const auto& b) { return same(a, b); };
  if (!std::equal(trace.messages.begin(), trace.messages.end(), again.messages.begin(), again.messages.end(),
                  alike) ||
      !std::equal(trace.collectives.begin(), trace.collectives.end(), again.collectives.begin(),
                  again.collectives.end(), alike))
    return false;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankTrace &a = trace.ranks[r], &b = again.ranks[r];
    if (!std::equal(a.match.begin(), a.match.end(), b.match.begin(), b.match.end()) ||
        !std::equal(a.peer.begin(), a.peer.end(), b.peer.begin(), b.peer.end()) ||
        !std::equal(a.tag.begin(), a.tag.end(), b.tag.begin(), b.tag.end()))
      return false;
  }
  return true;
}

void write_matched(Writer& out, const Trace& trace) {
  out.number(trace.messages.size());
  for (const Message& m : trace.messages) {
    out.whole(m.source), out.whole(m.destination), out.number(m.comm), out.whole(m.tag), out.number(m.bytes);
    out.number(m.send_call), out.number(m.send_done_call), out.number(m.recv_post_call),
        out.number(m.recv_done_call);
    out.number((m.wildcard ? 1 : 0) + (m.synchronous ? 2 : 0));
  }
  out.number(trace.collectives.size());
  for (const Collective& c : trace.collectives) {
    out.number(static_cast<std::uint64_t>(c.op)), out.number(c.comm), out.whole(c.root),
        out.number(c.members.size());
    for (const CollectiveMember& m : c.members)
      out.whole(m.rank), out.number(m.call), out.number(m.done_call), out.number(m.bytes_sent),
          out.number(m.bytes_received);
  }
  for (const RankTrace& rank : trace.ranks)
    for (const std::uint32_t match : rank.match) out.number(match == none ? 0 : std::uint64_t{match} + 1);
}

class MatchedReader {
 public:
  MatchedReader(Reader& in, Trace& trace) : in_(in), trace_(trace) {}

  void read() {
    const std::size_t messages = in_.count();
    for (std::size_t i = 0; i < messages && !in_.failed(); ++i) {
      Message m;
      m.source = rank(), m.destination = rank(), m.comm = in_.index(trace_.comms.size());
      m.tag = static_cast<std::int32_t>(in_.whole()), m.bytes = in_.number();
      if (in_.failed()) break;
      m.send_call = call_of(m.source), m.send_done_call = call_or_none_of(m.source);
      m.recv_post_call = call_of(m.destination), m.recv_done_call = call_of(m.destination);
      const std::uint64_t flags = in_.number_to(3);
      m.wildcard = (flags & 1) != 0, m.synchronous = (flags & 2) != 0;
      trace_.messages.push_back(m);
    }
    const std::size_t collectives = in_.count();
    std::vector<CollectiveMember> members;
    for (std::size_t i = 0; i < collectives && !in_.failed(); ++i) {
      Collective c;
      c.op = static_cast<CollectiveOp>(in_.number_to(static_cast<std::uint64_t>(CollectiveOp::other)));
      c.comm = in_.index(trace_.comms.size());
      c.root = rank_or_none();
      members.clear();
      const std::size_t size = in_.count();
      for (std::size_t m = 0; m < size && !in_.failed(); ++m) {
        CollectiveMember& member = members.emplace_back();
        member.rank = rank();
        if (in_.failed()) break;
        member.call = call_of(member.rank), member.done_call = call_or_none_of(member.rank);
        member.bytes_sent = in_.number(), member.bytes_received = in_.number();
      }
      c.members = trace_.members.keep(members);
      trace_.collectives.push_back(c);
    }
    for (RankTrace& of : trace_.ranks)
      for (std::size_t a = 0; a < of.actions() && !in_.failed(); ++a) {
        const ActionKind kind = of.kind[a];
        const bool together = kind == ActionKind::collective || kind == ActionKind::icollective ||
                              kind == ActionKind::icollective_done;
        const auto match = in_.number_to(together ? trace_.collectives.size() : trace_.messages.size());
        of.match[a] = match == 0 ? none : static_cast<std::uint32_t>(match - 1);
      }
  }

 private:
  std::int32_t rank_or_none() {
    const std::int64_t rank = in_.whole();
    if (rank < -1 || rank >= static_cast<std::int64_t>(trace_.ranks.size())) in_.fail();
    return static_cast<std::int32_t>(rank);
  }
  std::int32_t rank() {
    const std::int32_t rank = rank_or_none();
    if (rank < 0) in_.fail();
    return rank;
  }
  std::uint32_t call_of(std::int32_t rank) {
    return in_.index(trace_.ranks[static_cast<std::size_t>(rank)].calls());
  }
  std::uint32_t call_or_none_of(std::int32_t rank) {
    const std::uint64_t call = in_.number_to(none);
    if (call != none && call >= trace_.ranks[static_cast<std::size_t>(rank)].calls()) in_.fail();
    return static_cast<std::uint32_t>(call);
  }

  Reader& in_;
  Trace& trace_;
};

tl::unexpected<Error> damaged() {
  return fail("the packed trace is damaged", "", "export the page anew");
}

}  // namespace

std::string pack(const Trace& trace) {
  Writer out;
  out.put(mark);
  out.number(version);
  packed::write_names(out, trace);
  std::size_t actions = 0;
  for (const RankTrace& rank : trace.ranks) actions += rank.actions();
  out.number(actions);
  for (const RankTrace& rank : trace.ranks) {
    packed::write_calls(out, rank);
    packed::write_beside(out, rank);
  }
  packed::write_one_sided(out, trace.one_sided);
  packed::write_file_io(out, trace.file_io);
  const bool alike = is_matched_alike(trace);
  out.number(alike ? 1 : 0);
  if (!alike) write_matched(out, trace);
  packed::write_facts(out, trace);
  return out.take();
}

Result<Trace> unpack(std::span<const char> bytes) {
  if (bytes.size() < mark.size() || std::memcmp(bytes.data(), mark.data(), mark.size()) != 0)
    return fail("no packed trace", "", "export the page anew");
  Reader in(bytes.subspan(mark.size()));
  if (in.number() != version) return fail("a packed trace of another version", "", "export the page anew");
  Trace trace;
  packed::read_names(in, trace);
  packed::Limits limits{trace.regions.size(), trace.comms.size(), trace.ranks.size(), 0};
  limits.actions = static_cast<std::size_t>(
      in.number_to(std::min(most_actions, most_actions_a_byte * std::min(bytes.size(), most_actions / 256))));
  for (RankTrace& rank : trace.ranks) {
    packed::read_calls(in, rank, limits);
    packed::read_beside(in, rank, trace);
  }
  if (limits.actions != 0) in.fail();
  packed::read_one_sided(in, trace);
  packed::read_file_io(in, trace);
  const bool alike = in.flag();
  if (in.failed()) return damaged();
  if (alike)
    match(trace);
  else
    MatchedReader(in, trace).read();
  packed::read_facts(in, trace);
  if (in.failed() || !in.is_over()) return damaged();
  return trace;
}

}  // namespace ww
