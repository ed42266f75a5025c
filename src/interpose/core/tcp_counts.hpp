// What this host's TCP counts while the program runs (proc_net(5): snmp and netstat of the process's network namespace, so of all programs
// there): segments that it sent, sent again, and how often it waited for a time-out, found no room in a socket, or acknowledged late.
#pragma once

namespace ww::interpose {

void begin_tcp_counts();
// Writes the fact "tcp". Nothing where the kernel does not show them.
void end_tcp_counts();

}  // namespace ww::interpose
