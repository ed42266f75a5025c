#include "trace/packed_beside.hpp"

namespace ww::packed {
namespace {

void write_functions(Writer& out, const RunRecord::Rank& rank) {
  out.number(rank.functions.size());
  for (const RunRecord::Function& one : rank.functions) {
    out.text(one.name), out.number(one.calls), out.number(one.recorded);
    out.real(one.own_s), out.real(one.all_s), out.number(one.thinned ? 1 : 0);
  }
  out.number(rank.functions_only_counted ? 1 : 0);
}

void read_functions(Reader& in, RunRecord::Rank& rank) {
  const std::size_t functions = in.count();
  for (std::size_t i = 0; i < functions && !in.failed(); ++i) {
    RunRecord::Function& one = rank.functions.emplace_back();
    one.name = in.text(), one.calls = in.number(), one.recorded = in.number();
    one.own_s = in.real(), one.all_s = in.real(), one.thinned = in.flag();
  }
  rank.functions_only_counted = in.flag();
}

void write_run(Writer& out, const RunRecord& run) {
  out.text(run.program), out.text(run.mpi);
  out.number(run.launch.size());
  for (const std::string& word : run.launch) out.text(word);
  out.number(run.in_lab ? 1 : 0), out.number(run.in_virtual_time ? 1 : 0);
  const RunRecord::Machine& machine = run.machine;
  out.text(machine.name), out.whole(machine.usable_processors);
  for (const double value :
       {machine.use.wall_s, machine.use.busy_s, machine.use.stolen_s, machine.use.own_s, machine.use.lab_s})
    out.real(value);
  out.number(run.ranks.size());
  for (const RunRecord::Rank& rank : run.ranks) {
    out.number(rank.rank ? 1 : 0);
    if (rank.rank) out.whole(*rank.rank);
    out.text(rank.host);
    for (const double value : {rank.elapsed_s, rank.polled_s, rank.cpu_s, rank.waited_s}) out.real(value);
    out.whole(rank.involuntary_switches);
    out.number(rank.arithmetic_s.size());
    for (const double value : rank.arithmetic_s) out.real(value);
    for (const std::vector<int>* values : {&rank.grid_dims, &rank.grid_periods}) {
      out.number(values->size());
      for (const int value : *values) out.whole(value);
    }
    out.text(rank.code_files), out.number(rank.direct_route ? 1 : 0);
    const RunRecord::Stretch& stretch = rank.stretch;
    out.text(stretch.thread_level), out.whole(stretch.calling_threads), out.number(stretch.count);
    out.real(stretch.late_median_ns), out.real(stretch.late_p99_ns), out.number(stretch.teams ? 1 : 0);
    out.real(stretch.unseen_wait_s);
    write_functions(out, rank);
    const RunRecord::Memory& memory = rank.memory;
    for (const double bytes : {memory.peak_bytes, memory.recorder_code_bytes, memory.recorder_data_bytes,
                               memory.spools_resident_bytes, memory.spools_bytes})
      out.real(bytes);
    const RunRecord::Tcp& tcp = rank.tcp;
    for (const double number :
         {tcp.sent, tcp.retransmitted, tcp.timeouts, tcp.probes, tcp.no_room, tcp.delayed_acknowledgements})
      out.real(number);
  }
  out.text(run.lasting), out.text(run.daemons);
}

RunRecord read_run(Reader& in) {
  RunRecord run;
  run.program = in.text(), run.mpi = in.text();
  const std::size_t words = in.count();
  for (std::size_t i = 0; i < words && !in.failed(); ++i) run.launch.push_back(in.text());
  run.in_lab = in.flag(), run.in_virtual_time = in.flag();
  RunRecord::Machine& machine = run.machine;
  machine.name = in.text(), machine.usable_processors = static_cast<int>(in.whole());
  for (double* value : {&machine.use.wall_s, &machine.use.busy_s, &machine.use.stolen_s, &machine.use.own_s,
                        &machine.use.lab_s})
    *value = in.real();
  const std::size_t ranks = in.count();
  for (std::size_t i = 0; i < ranks && !in.failed(); ++i) {
    RunRecord::Rank& rank = run.ranks.emplace_back();
    if (in.flag()) rank.rank = in.whole();
    rank.host = in.text();
    for (double* value : {&rank.elapsed_s, &rank.polled_s, &rank.cpu_s, &rank.waited_s}) *value = in.real();
    rank.involuntary_switches = in.whole();
    const std::size_t arithmetic = in.count();
    for (std::size_t a = 0; a < arithmetic && !in.failed(); ++a) rank.arithmetic_s.push_back(in.real());
    for (std::vector<int>* values : {&rank.grid_dims, &rank.grid_periods}) {
      const std::size_t dimensions = in.count();
      for (std::size_t d = 0; d < dimensions && !in.failed(); ++d)
        values->push_back(static_cast<int>(in.whole()));
    }
    rank.code_files = in.text(), rank.direct_route = in.flag();
    RunRecord::Stretch& stretch = rank.stretch;
    stretch.thread_level = in.text(), stretch.calling_threads = static_cast<int>(in.whole());
    stretch.count = in.number();
    stretch.late_median_ns = in.real(), stretch.late_p99_ns = in.real(), stretch.teams = in.flag();
    stretch.unseen_wait_s = in.real();
    read_functions(in, rank);
    RunRecord::Memory& memory = rank.memory;
    for (double* bytes : {&memory.peak_bytes, &memory.recorder_code_bytes, &memory.recorder_data_bytes,
                          &memory.spools_resident_bytes, &memory.spools_bytes})
      *bytes = in.real();
    RunRecord::Tcp& tcp = rank.tcp;
    for (double* number : {&tcp.sent, &tcp.retransmitted, &tcp.timeouts, &tcp.probes, &tcp.no_room,
                           &tcp.delayed_acknowledgements})
      *number = in.real();
  }
  run.lasting = in.text(), run.daemons = in.text();
  return run;
}

}  // namespace

void write_facts(Writer& out, const Trace& trace) {
  out.number((trace.calls_timed ? 1 : 0) + (trace.volumes_told ? 2 : 0) + (trace.predicted ? 4 : 0));
  out.number(trace.unmatched_sends), out.number(trace.unmatched_receives),
      out.number(trace.wildcard_receives);
  out.number(trace.half_left_out), out.number(trace.events);
  out.number(trace.causality.violations), out.number(trace.causality.remaining);
  out.whole(trace.causality.largest_shift_ns), out.real(trace.dilation);
  out.number(trace.diagnostics.all().size());
  for (const Diagnostic& one : trace.diagnostics.all())
    out.text(one.name), out.number(static_cast<std::uint64_t>(one.severity)), out.number(one.count),
        out.text(one.remedy);
  write_run(out, trace.run);
}

void read_facts(Reader& in, Trace& trace) {
  const std::uint64_t flags = in.number_to(7);
  trace.calls_timed = (flags & 1) != 0, trace.volumes_told = (flags & 2) != 0,
  trace.predicted = (flags & 4) != 0;
  trace.unmatched_sends = in.number(), trace.unmatched_receives = in.number(),
  trace.wildcard_receives = in.number();
  trace.half_left_out = in.number(), trace.events = in.number();
  trace.causality.violations = in.number(), trace.causality.remaining = in.number();
  trace.causality.largest_shift_ns = in.whole(), trace.dilation = in.real();
  if (!(trace.dilation > 0)) in.fail();
  trace.diagnostics = {};
  const std::size_t diagnostics = in.count();
  for (std::size_t i = 0; i < diagnostics && !in.failed(); ++i) {
    Diagnostic one;
    one.name = in.text();
    one.severity = static_cast<Severity>(in.number_to(static_cast<std::uint64_t>(Severity::error)));
    one.count = in.number(), one.remedy = in.text();
    trace.diagnostics.add_read(one);
  }
  trace.run = read_run(in);
}

}  // namespace ww::packed
