// What TCP as Linux sets it makes of two large messages that meet. A host hands over what a window has in one piece, and what acknowledges
// the other direction waits behind it: who begins while the other's data are under way sends what its window has, waits until the other's
// piece is through, some frames more, and so on until it has sent all or the other's data are through. Found by tcpdump of NPB's is under
// MPICH and mg under Open MPI at 10 Mb/s (docs/design/simulation.md, "Linux's own TCP and exchanges"). For simulation and for the preloaded
// library alike, which has no library of mathematics.
#pragma once
#include <cstdint>

namespace ww {

// Of one direction of a connection; zeros before its first message.
struct TcpWindow {
  double frames = 0;   // as many as may be under way; 0: no message needed more than the first
  double since_s = 0;  // when one did

  // For how long a message of length_s, in frames of frame_s, stands still that begins at now_s while the other direction has others_s to go.
  // From the first that needs more than its window (first_frames, when slow start ends) this grows by a frame for each of its own size that it
  // lets through, and at least with the cube of the time (CUBIC, RFC 9438, 4.2 and 4.3, where nothing was lost). stretched: that many times as
  // long as on the wire is everything, in a dilated run.
  double stands_still_s(double first_frames, double frame_s, double length_s, double others_s, double now_s,
                        double stretched = 1) {
    if (!(first_frames > 0) || !(frame_s > 0)) return 0;
    const double needed = length_s / frame_s;
    if (needed <= (frames > 0 ? frames : first_frames)) return 0;
    if (frames <= 0) {
      frames = first_frames;
      since_s = now_s;
    }
    const double grown_s = (now_s - since_s) / stretched;
    const double by_time = first_frames + cubic * grown_s * grown_s * grown_s;
    const double window = frames > by_time ? frames : by_time;
    frames = window + needed / window;
    if (needed <= window) return 0;
    const double window_s = window * frame_s;
    const double pauses = -whole(-needed / window) - 1, pieces = whole(others_s / window_s);
    const double behind_s = (pauses < pieces ? pauses : pieces) * ahead_frames * frame_s;
    const double most_s = others_s > window_s ? others_s - window_s : 0;
    return behind_s < most_s ? behind_s : most_s;
  }

 private:
  static constexpr double cubic = 0.4;  // frames by the cube of seconds (RFC 9438, 5)
  // By how much the other's piece is longer: nine pauses of mg's are 12 to 17 ms long at 10 Mb/s, 13 frames in the mean.
  static constexpr double ahead_frames = 13;
  static double whole(double number) {  // the largest below it; more than 2^62 frames there are not
    const auto cut = static_cast<double>(static_cast<std::int64_t>(number));
    return cut > number ? cut - 1 : cut;
  }
};

}  // namespace ww
