// For tests: S5's worked example (Kahl 1988, Appendix G, pages G-6 to G-8), and records by their text.
//
// Node 1 sends A, B and C of type 100 and L and M of type 200 to node 7, then X, Y and Z of type 100 to node 12. The table of sends is on page G-7, that of
// the receipts of node 7 on page G-8, where L and M are received before B and C. Of node 12 the thesis prints nothing: its receipts here are made up, in the
// order that its rule demands. Digits that the scan has wrong are set right by the columns around them ("643" is 543; the pids are 0).
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/prase/prase_run.hpp"

namespace ww::prase {

inline constexpr const char* node_1_of_g =
    "sendw 1 0 543 548 170 100 1024 1 7 0 -1\n"    // A
    "sendw 1 0 548 548 170 100 1024 2 7 0 -1\n"    // B
    "sendw 1 0 553 558 170 100 1024 3 7 0 -1\n"    // C
    "sendw 1 0 558 563 170 200 445 1 7 0 -1\n"     // L
    "sendw 1 0 563 583 170 200 768 2 7 0 -1\n"     // M
    "sendw 1 0 598 603 170 100 1024 1 12 0 -1\n"   // X
    "sendw 1 0 603 603 170 100 1024 2 12 0 -1\n"   // Y
    "sendw 1 0 608 613 170 100 1024 3 12 0 -1\n";  // Z
inline constexpr const char* node_7_of_g =
    "recvw 7 0 585 590 320 100 1024 1 1 0 -1\n"   // A
    "recvw 7 0 590 590 320 200 445 1 1 0 -1\n"    // L
    "recvw 7 0 590 595 320 200 768 2 1 0 -1\n"    // M
    "recvw 7 0 595 605 320 100 1024 2 1 0 -1\n"   // B
    "recvw 7 0 610 615 320 100 1024 3 1 0 -1\n";  // C
inline constexpr const char* node_12_of_g =
    "recvw 12 0 600 610 320 100 1024 1 1 0 -1\n"
    "recvw 12 0 610 615 320 100 1024 2 1 0 -1\n"
    "recvw 12 0 615 620 320 100 1024 3 1 0 -1\n";

inline PraseRun run_of_text(const std::string& pv) {
  auto run = parse_prase_run(pv, "pv");
  EXPECT_TRUE(run) << to_string(run.error());
  return run.value_or(PraseRun());
}
inline PraseRun example_of_g() {
  return run_of_text(std::string(node_1_of_g) + node_7_of_g + node_12_of_g);
}

}  // namespace ww::prase
