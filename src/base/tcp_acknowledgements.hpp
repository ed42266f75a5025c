// What TCP's own acknowledgements hold up where data of two directions meet. As long as a host has data to send these acknowledge what comes; but
// its system cuts some frames ahead of the wire, with what was there then, so that what comes while those go is acknowledged by frames without
// data, which leave behind them, in one row. What the library writes next, that the data have come, lies behind that: in 64 exchanges of
// 135 kB under MPICH at 10 Mb/s (NPB's mg, tcpdump on both hosts, 29 November 2026) behind four in 61, two or three in the others; who was
// first is told last by as much as it was first, up to 0.15 ms. At 100 Mb/s (CoMD) the four are gone before the library writes.
// For simulation and for the preloaded library alike.
#pragma once

namespace ww {

// How long after the last data of one direction, as a model has their landing, an acknowledgement of the library's comes that is written when the
// other's are there: behind the late frames, as one itself. A model has it a crossing after that landing, which is that of a longer frame of a
// handshake, and the library writes some four times the software of a small message after it (some 45 us there).
constexpr double late_acknowledgement_s(double empty_frame_s, double handshake_frame_s,
                                        double small_software_s) {
  constexpr double late_frames = 4, softwares = 4, serialisations = 2;
  const double late_s = (late_frames + 1) * empty_frame_s +
                        serialisations * (handshake_frame_s - empty_frame_s) - softwares * small_software_s;
  return late_s > 0 ? late_s : 0;
}

}  // namespace ww
