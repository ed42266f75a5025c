// Seecube's file `human`, which its Resolver takes and S5's translator wrote: lines of 14 fields between blanks (Appendix E), two for each send and
// receipt, its begin and its end, one for each channel that is opened or closed.
//
//    1 node   2 pid   3 number of the event at that process, from 0 on   4 number of its companion: of a begin the end, of an end the begin
//    5 milliseconds   6 wb, we: a send; rb, re: a receipt; co, cc: a channel opened, closed
//    7 channel   8 message type   9 bytes   10 the other node   11 its pid
//   12, 13 fields 3 and 4 of the other end of the message: of a send's, the receipt's end; of a receipt's, the send's begin; 0 0: there is none
//   14 marker, or x
//
// It has no counts, no marks, no other calls, and no place for several processes of one node (S5, 3.5.4).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/prase/correlate.hpp"

namespace ww::prase {

struct HumanLine {
  std::int16_t node = 0, pid = 0;
  std::int64_t event = 0, companion = 0;
  std::int64_t time_ms = 0;
  std::string opcode;
  std::int16_t channel = 0, message_type = 0, bytes = 0, other_node = 0, other_pid = 0;
  std::int64_t other_event = 0, other_companion = 0;
  std::int16_t marker = -1;  // shown as x
  bool operator==(const HumanLine&) const = default;
};

std::string to_text(const HumanLine& line);
bool is_human_line(std::string_view line);
// Errors name the line.
Result<std::vector<HumanLine>> parse_human(std::string_view text, const std::string& name);

// By process, each process's in the order of their times, where S5's translator leaves a receipt without wait whose end was found later out of order.
// Errors: several processes of a node.
Result<std::vector<HumanLine>> human_of(const std::vector<ProcessRecords>& processes,
                                        const Correlation& correlation);
std::string human_text_of(const std::vector<HumanLine>& lines);
// Of them: begins and ends at one time, or ends earlier. Seecube draws none of these.
std::uint64_t instantaneous(const std::vector<HumanLine>& lines);

// The events again as records, sends as sendw and receipts as recvw. Counts are made so that `correlate` finds what fields 12 and 13 say, where both ends
// say it; a message with one end has the count 0. Begins without an end and opcodes beyond those above are counted (`damaged-event-record`).
PraseRun run_of_human(const std::vector<HumanLine>& lines);

}  // namespace ww::prase
