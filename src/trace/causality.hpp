// What clocks that are not known exactly do to a trace: messages that arrive before they were sent.
#pragma once
#include <string>

#include "trace/trace.hpp"

namespace ww {

// Moves times forward, and never back, until no message of a matched trace is received before it was sent.
// The rule: a call that completes a receive returns at the entry of the call that sent the message if the
// clocks say that it did earlier, and everything after it on that rank moves by as much. So the computation
// between calls, and every call that waits for no such message, keeps its length (the idea is that of the
// controlled logical clock: Rabenseifner, PARA 1997; Becker et al., Parallel Computing 35, 2009; without its
// backward part). What is moved is moved by no more than the clocks' errors are apart, since moving every
// rank to the clock that is most ahead would satisfy all messages.
Causality restore_causality(Trace& trace);

// Of a matched trace, before it is restored: messages within a host, whose ranks read one clock, that were
// received before they were sent. It is not what is known of clocks that such a message shows.
std::uint64_t violations_within_hosts(const Trace& trace);
// What they were, how far off, and what of it remains. Of a restored trace; `within_hosts`: from before.
std::string in_words(const Causality& causality, std::uint64_t within_hosts, double clock_uncertainty_s);

}  // namespace ww
