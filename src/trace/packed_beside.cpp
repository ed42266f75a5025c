#include "trace/packed_beside.hpp"

#include <limits>

namespace ww::packed {
namespace {

void write_texts(Writer& out, const std::vector<std::string>& texts) {
  out.number(texts.size());
  for (const std::string& text : texts) out.text(text);
}

std::vector<std::string> read_texts(Reader& in) {
  std::vector<std::string> texts;
  const std::size_t size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) texts.push_back(in.text());
  return texts;
}

constexpr std::uint64_t last_role = static_cast<std::uint64_t>(CallRole::io);
constexpr std::uint64_t last_op = static_cast<std::uint64_t>(CollectiveOp::other);
constexpr std::uint64_t last_phase = static_cast<std::uint64_t>(CallPhase::ends);
constexpr std::uint64_t last_manner = static_cast<std::uint64_t>(CallManner::probes);
constexpr std::int64_t most_ns = std::int64_t{1} << 61;

template <class Enum>
Enum read_enum(Reader& in, std::uint64_t last) {
  return static_cast<Enum>(in.number_to(last));
}

std::int64_t read_time(Reader& in, std::int64_t from_ns = 0) {
  const auto ns = static_cast<std::int64_t>(in.step(static_cast<std::uint64_t>(from_ns)));
  if (ns < -most_ns || ns > most_ns) in.fail();
  return in.failed() ? 0 : ns;
}
void write_time(Writer& out, std::int64_t ns, std::int64_t from_ns = 0) {
  out.step(static_cast<std::uint64_t>(from_ns), static_cast<std::uint64_t>(ns));
}

std::int32_t read_rank_or_none(Reader& in, std::size_t ranks) {
  const std::int64_t rank = in.whole();
  if (rank < -1 || rank >= static_cast<std::int64_t>(ranks)) in.fail();
  return static_cast<std::int32_t>(rank);
}

std::uint32_t read_call_or_none(Reader& in, std::size_t calls) {
  const std::uint64_t call = in.number_to(no_call_number);
  if (call != no_call_number && call >= calls) in.fail();
  return static_cast<std::uint32_t>(call);
}

}  // namespace

void write_names(Writer& out, const Trace& trace) {
  // Its directory's name and its own: where that lay is nobody's business who is given the page.
  out.text((trace.source.parent_path().filename() / trace.source.filename()).string());
  write_texts(out, trace.regions);
  out.number(trace.meanings.size());
  for (const CallMeaning& meaning : trace.meanings)
    out.number(static_cast<std::uint64_t>(meaning.role)), out.number(static_cast<std::uint64_t>(meaning.op)),
        out.number(static_cast<std::uint64_t>(meaning.phase)),
        out.number(static_cast<std::uint64_t>(meaning.manner));
  write_texts(out, trace.user.regions);
  out.number(trace.user.values.size());
  for (const ValueName& value : trace.user.values)
    out.text(value.name), out.text(value.unit), out.number(value.whole ? 1 : 0);
  write_texts(out, trace.user.texts);
  out.number(trace.ranks.size());
  for (const RankTrace& rank : trace.ranks) {
    out.text(rank.host);
    out.number(rank.address ? 1 : 0);
    if (rank.address) out.number(*rank.address);
    write_time(out, rank.begin_ns), write_time(out, rank.end_ns, rank.begin_ns);
  }
  out.number(trace.comms.size());
  for (const Comm& comm : trace.comms) {
    out.text(comm.name);
    out.number(comm.ranks.size());
    std::int64_t last = -1;
    for (const std::int32_t rank : comm.ranks) out.whole(rank - last - 1), last = rank;
    out.number(comm.first_group);
  }
  out.real(trace.clock_uncertainty_s);
}

void read_names(Reader& in, Trace& trace) {
  trace.source = in.text();
  trace.regions = read_texts(in);
  const std::size_t meanings = in.count();
  for (std::size_t i = 0; i < meanings && !in.failed(); ++i) {
    CallMeaning& meaning = trace.meanings.emplace_back();
    meaning.role = read_enum<CallRole>(in, last_role);
    meaning.op = read_enum<CollectiveOp>(in, last_op);
    meaning.phase = read_enum<CallPhase>(in, last_phase);
    meaning.manner = read_enum<CallManner>(in, last_manner);
  }
  if (trace.regions.size() > std::numeric_limits<std::uint16_t>::max() ||
      trace.meanings.size() > trace.regions.size())
    in.fail();
  trace.user.regions = read_texts(in);
  const std::size_t values = in.count();
  for (std::size_t i = 0; i < values && !in.failed(); ++i) {
    ValueName& value = trace.user.values.emplace_back();
    value.name = in.text(), value.unit = in.text(), value.whole = in.flag();
  }
  trace.user.texts = read_texts(in);
  const std::size_t ranks = in.count();
  for (std::size_t i = 0; i < ranks && !in.failed(); ++i) {
    RankTrace& rank = trace.ranks.emplace_back();
    rank.host = in.text();
    if (in.flag()) rank.address = in.number();
    rank.begin_ns = read_time(in), rank.end_ns = read_time(in, rank.begin_ns);
  }
  const std::size_t comms = in.count();
  for (std::size_t i = 0; i < comms && !in.failed(); ++i) {
    Comm& comm = trace.comms.emplace_back();
    comm.name = in.text();
    const std::size_t members = in.count();
    std::int64_t last = -1;
    for (std::size_t m = 0; m < members && !in.failed(); ++m) {
      last = static_cast<std::int64_t>(in.step(static_cast<std::uint64_t>(last + 1)));
      if (last < 0 || last >= static_cast<std::int64_t>(trace.ranks.size())) in.fail();
      comm.ranks.push_back(static_cast<std::int32_t>(last));
    }
    comm.first_group = static_cast<std::size_t>(in.number_to(comm.ranks.size()));
  }
  trace.clock_uncertainty_s = in.real();
  // Multiplied by 2e9 and made a whole number.
  if (!(trace.clock_uncertainty_s >= 0 && trace.clock_uncertainty_s < 1e9)) in.fail();
}

void write_beside(Writer& out, const RankTrace& rank) {
  std::int64_t last = 0;
  out.number(rank.user.regions.size());
  for (const UserRegion& one : rank.user.regions) {
    write_time(out, one.enter_ns, last), write_time(out, one.leave_ns, one.enter_ns);
    out.number(one.region), out.number(one.thread);
    last = one.enter_ns;
  }
  out.number(rank.user.values.size());
  for (const UserValue& one : rank.user.values) {
    write_time(out, one.at_ns, last);
    out.number(one.name), out.number(one.thread), out.number(one.bits);
    last = one.at_ns;
  }
  out.number(rank.user.markers.size());
  for (const UserMarker& one : rank.user.markers) {
    write_time(out, one.at_ns, last);
    out.number(one.text), out.number(one.thread);
    last = one.at_ns;
  }
  out.number(rank.nested.size());
  for (const NestedCall& one : rank.nested) {
    write_time(out, one.enter_ns, last), write_time(out, one.leave_ns, one.enter_ns);
    out.number(one.call), out.number(one.region), out.number(one.around);
    last = one.enter_ns;
  }
  out.number(rank.waits.size());
  for (const KnownWait& one : rank.waits) {
    write_time(out, one.from_ns, last), write_time(out, one.begun_ns, one.from_ns);
    write_time(out, one.to_ns, one.begun_ns);
    out.number(one.call), out.whole(one.by);
    last = one.from_ns;
  }
  out.number(rank.ways.size());
  for (const KnownWay& one : rank.ways) {
    write_time(out, one.left_ns, last), write_time(out, one.arrived_ns, one.left_ns);
    out.number(one.action);
    last = one.left_ns;
  }
}

void read_beside(Reader& in, RankTrace& rank, const Trace& trace) {
  std::int64_t last = 0;
  std::size_t size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) {
    UserRegion one;
    one.enter_ns = read_time(in, last), one.leave_ns = read_time(in, one.enter_ns);
    one.region = in.index(trace.user.regions.size());
    one.thread = static_cast<std::uint32_t>(in.number_to(most_threads));
    rank.user.regions.push_back(one);
    last = one.enter_ns;
  }
  size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) {
    UserValue one;
    one.at_ns = last = read_time(in, last);
    one.name = in.index(trace.user.values.size());
    one.thread = static_cast<std::uint32_t>(in.number_to(most_threads));
    one.bits = in.number();
    rank.user.values.push_back(one);
  }
  size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) {
    UserMarker one;
    one.at_ns = last = read_time(in, last);
    one.text = in.index(trace.user.texts.size());
    one.thread = static_cast<std::uint32_t>(in.number_to(most_threads));
    rank.user.markers.push_back(one);
  }
  size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) {
    NestedCall one;
    one.enter_ns = read_time(in, last), one.leave_ns = read_time(in, one.enter_ns);
    one.call = in.index(rank.calls());
    one.region = static_cast<std::uint16_t>(in.index(trace.regions.size()));
    one.around = static_cast<std::uint16_t>(in.index(trace.regions.size()));
    rank.nested.push_back(one);
    last = one.enter_ns;
  }
  size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) {
    KnownWait one;
    one.from_ns = read_time(in, last), one.begun_ns = read_time(in, one.from_ns);
    one.to_ns = read_time(in, one.begun_ns);
    one.call = in.index(rank.calls());
    one.by = read_rank_or_none(in, trace.ranks.size());
    rank.waits.push_back(one);
    last = one.from_ns;
  }
  size = in.count();
  for (std::size_t i = 0; i < size && !in.failed(); ++i) {
    KnownWay one;
    one.left_ns = read_time(in, last), one.arrived_ns = read_time(in, one.left_ns);
    one.action = in.index(rank.actions());
    rank.ways.push_back(one);
    last = one.left_ns;
  }
}

void write_one_sided(Writer& out, const OneSided& one_sided) {
  out.number(one_sided.windows.size());
  for (const Window& window : one_sided.windows) out.text(window.name), out.number(window.comm);
  out.number(one_sided.ranks.size());
  for (const RankOneSided& rank : one_sided.ranks) {
    out.number(rank.transfers.size());
    for (const Transfer& one : rank.transfers) {
      out.number(one.call), out.number(one.done_call), out.number(one.remote_done_call),
          out.number(one.window);
      out.whole(one.target), out.number(static_cast<std::uint64_t>(one.kind));
      out.number(one.bytes_out), out.number(one.bytes_in);
    }
    out.number(rank.syncs.size());
    for (const WindowSync& one : rank.syncs)
      out.number(one.call), out.number(one.window), out.whole(one.target),
          out.number(static_cast<std::uint64_t>(one.kind));
  }
}

void read_one_sided(Reader& in, Trace& trace) {
  constexpr auto last_transfer = static_cast<std::uint64_t>(TransferKind::compare_and_swap);
  constexpr auto last_sync = static_cast<std::uint64_t>(SyncKind::memory);
  OneSided& to = trace.one_sided;
  const std::size_t windows = in.count();
  for (std::size_t i = 0; i < windows && !in.failed(); ++i) {
    Window& window = to.windows.emplace_back();
    window.name = in.text(), window.comm = in.index(trace.comms.size());
  }
  const std::size_t ranks = in.count();
  if (ranks != 0 && ranks != trace.ranks.size()) in.fail();
  for (std::size_t r = 0; r < ranks && !in.failed(); ++r) {
    RankOneSided& rank = to.ranks.emplace_back();
    const std::size_t calls = trace.ranks[r].calls();
    const std::size_t transfers = in.count();
    for (std::size_t i = 0; i < transfers && !in.failed(); ++i) {
      Transfer one;
      one.call = in.index(calls), one.done_call = read_call_or_none(in, calls);
      one.remote_done_call = read_call_or_none(in, calls);
      one.window = in.index(to.windows.size());
      one.target = read_rank_or_none(in, trace.ranks.size());
      one.kind = read_enum<TransferKind>(in, last_transfer);
      one.bytes_out = in.number(), one.bytes_in = in.number();
      rank.transfers.push_back(one);
    }
    const std::size_t syncs = in.count();
    for (std::size_t i = 0; i < syncs && !in.failed(); ++i) {
      WindowSync one;
      one.call = in.index(calls), one.window = in.index(to.windows.size());
      one.target = read_rank_or_none(in, trace.ranks.size());
      one.kind = read_enum<SyncKind>(in, last_sync);
      rank.syncs.push_back(one);
    }
  }
}

void write_file_io(Writer& out, const FileIo& file_io) {
  write_texts(out, file_io.files);
  out.number(file_io.handles.size());
  for (const FileHandle& handle : file_io.handles) out.number(handle.file), out.number(handle.comm);
  out.number(file_io.ranks.size());
  for (const RankFileIo& rank : file_io.ranks) {
    out.number(rank.operations.size());
    for (const FileOperation& one : rank.operations) {
      out.number(one.call), out.number(one.done_call), out.number(one.handle);
      out.number((one.writes ? 1 : 0) + (one.collective ? 2 : 0) + (one.blocking ? 4 : 0));
      out.number(one.bytes_wanted), out.number(one.bytes), out.whole(one.offset);
    }
    out.number(rank.events.size());
    for (const FileEvent& one : rank.events)
      out.number(one.call), out.number(static_cast<std::uint64_t>(one.change)), out.number(one.file),
          out.number(one.handle), out.number(static_cast<std::uint64_t>(one.mode));
  }
}

void read_file_io(Reader& in, Trace& trace) {
  constexpr auto last_change = static_cast<std::uint64_t>(FileChange::deleted);
  constexpr auto last_mode = static_cast<std::uint64_t>(FileMode::read_write);
  FileIo& to = trace.file_io;
  to.files = read_texts(in);
  const std::size_t handles = in.count();
  for (std::size_t i = 0; i < handles && !in.failed(); ++i) {
    FileHandle& handle = to.handles.emplace_back();
    handle.file = in.index(to.files.size()), handle.comm = in.index(trace.comms.size());
  }
  const std::size_t ranks = in.count();
  if (ranks != 0 && ranks != trace.ranks.size()) in.fail();
  for (std::size_t r = 0; r < ranks && !in.failed(); ++r) {
    RankFileIo& rank = to.ranks.emplace_back();
    const std::size_t calls = trace.ranks[r].calls();
    const std::size_t operations = in.count();
    for (std::size_t i = 0; i < operations && !in.failed(); ++i) {
      FileOperation one;
      one.call = in.index(calls), one.done_call = read_call_or_none(in, calls);
      one.handle = in.index(to.handles.size());
      const std::uint64_t flags = in.number_to(7);
      one.writes = (flags & 1) != 0, one.collective = (flags & 2) != 0, one.blocking = (flags & 4) != 0;
      one.bytes_wanted = in.number(), one.bytes = in.number(), one.offset = in.whole();
      rank.operations.push_back(one);
    }
    const std::size_t events = in.count();
    for (std::size_t i = 0; i < events && !in.failed(); ++i) {
      FileEvent one;
      one.call = in.index(calls), one.change = read_enum<FileChange>(in, last_change);
      one.file = in.index(to.files.size());
      // Of what is deleted there is no handle.
      one.handle = one.change == FileChange::deleted
                       ? static_cast<std::uint32_t>(in.number_to(no_call_number))
                       : in.index(to.handles.size());
      one.mode = read_enum<FileMode>(in, last_mode);
      rank.events.push_back(one);
    }
  }
}

}  // namespace ww::packed
