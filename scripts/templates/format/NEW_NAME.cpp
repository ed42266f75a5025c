// NEW-NAME: whose format it is, where it is specified, and what of a trace it holds.
//
// As it stands: a line a call, of rank, begin, end (seconds) and name, with tabs between.
#include "trace/export/formats.hpp"

namespace ww::exporting {
namespace {

void write(const Trace& trace, Output& out) {
  out.print("rank\tenter_s\tleave_s\tcall\n");
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    for (std::size_t call = 0; call < rank.calls(); ++call)
      out.print("{}\t{}\t{}\t{}\n", r, decimal(rank.enter_ns[call], 9), decimal(rank.leave_ns[call], 9),
                trace.regions[rank.region[call]]);
  }
}

}  // namespace

const ExportFormat NEW_NAME_format{"NEW-NAME", "a line a call, with tabs", write};

}  // namespace ww::exporting
