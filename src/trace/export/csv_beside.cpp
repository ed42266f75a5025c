#include <algorithm>
// As csv.cpp, of what calls do to windows and files.
#include "trace/export/formats.hpp"

namespace ww::exporting {
namespace {

std::string when(const Column<std::int64_t>& times, std::uint32_t call) {
  return call == none ? std::string() : decimal(times[call], 9);
}
std::string name_of(const Trace& trace, const RankTrace& rank, std::uint32_t call) {
  return csv_field(trace.regions[rank.region[call]]);
}

bool has_transfers(const Trace& trace) {
  const auto& ranks = trace.one_sided.ranks;
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankOneSided& rank) { return !rank.transfers.empty(); });
}

void write_csv_one_sided(const Trace& trace, Output& out) {
  out.print("rank,target,window,name,kind,call,bytes_out,bytes_in,enter_s,leave_s,done_s,done_at_target_s\n");
  for (std::size_t r = 0; r < trace.one_sided.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    for (const Transfer& transfer : trace.one_sided.ranks[r].transfers)
      out.print("{},{},{},{},{},{},{},{},{},{},{},{}\n", r, transfer.target, transfer.window,
                csv_field(trace.one_sided.windows[transfer.window].name), to_string(transfer.kind),
                name_of(trace, rank, transfer.call), transfer.bytes_out, transfer.bytes_in,
                when(rank.enter_ns, transfer.call), when(rank.leave_ns, transfer.call),
                when(rank.leave_ns, transfer.done_call), when(rank.leave_ns, transfer.remote_done_call));
  }
}

}  // namespace

const ExportFormat csv_one_sided_format{"csv-one-sided", "a line a one-sided transfer", write_csv_one_sided,
                                        "one-sided transfers", has_transfers};

namespace {

bool has_file_operations(const Trace& trace) {
  const auto& ranks = trace.file_io.ranks;
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankFileIo& rank) { return !rank.operations.empty(); });
}

void write_csv_files(const Trace& trace, Output& out) {
  out.print("rank,file,kind,call,collective,blocking,offset,bytes_wanted,bytes,enter_s,leave_s,done_s\n");
  for (std::size_t r = 0; r < trace.file_io.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    for (const FileOperation& operation : trace.file_io.ranks[r].operations)
      out.print("{},{},{},{},{},{},{},{},{},{},{},{}\n", r,
                csv_field(trace.file_io.files[trace.file_io.handles[operation.handle].file]),
                operation.writes ? "write" : "read", name_of(trace, rank, operation.call),
                operation.collective ? 1 : 0, operation.blocking ? 1 : 0,
                operation.offset >= 0 ? fmt::format("{}", operation.offset) : std::string(),
                operation.bytes_wanted,
                operation.done_call == none ? std::string() : fmt::format("{}", operation.bytes),
                when(rank.enter_ns, operation.call), when(rank.leave_ns, operation.call),
                when(rank.leave_ns, operation.done_call));
  }
}

}  // namespace

const ExportFormat csv_files_format{"csv-files", "a line a reading or writing of a file", write_csv_files,
                                    "file operations through MPI", has_file_operations};

}  // namespace ww::exporting
