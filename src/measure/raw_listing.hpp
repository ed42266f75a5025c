// The observations of S1's experiments before anything is solved from them, as its analysis program lists them (Krumme, Greenfield
// 1988, appendix B): each experiment's average, shortest and longest time, the differences of echoes over neighbouring
// distances, and a line through each observed sum.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure/samples.hpp"

namespace ww::measure {

struct RawListing {
  double clock_call_s = 0, clock_resolution_s = 0;  // of the first host; 0: not known
  struct Observation {
    std::string between, computation;  // that ran underneath: "integer", "floating", "none"
    int experiment = 0;                // 1 to 6; 0: a call timed by itself ("cost" records)
    std::string measures;              // "R", "A+U", ...: what the time is the sum of
    int hops = 1;
    double bytes = 0;
    std::size_t count = 0;  // of samples, over all records of it
    double mean_s = 0, shortest_s = 0, longest_s = 0;
  };
  std::vector<Observation> observations;  // in the order of S1: experiment, hops, bytes
  // (T_{d+1} - T_d) of experiment 1; half of it is E.
  struct Difference {
    std::string between, computation;
    double bytes = 0;
    int from_hops = 1;
    double seconds = 0;
  };
  std::vector<Difference> differences;
  // Through the averages of an observed sum, by least squares; and through E by the mean of the differences, as S1 took it.
  struct Line {
    std::string between, computation, measures;
    double base_s = 0, seconds_per_byte = 0, max_error_s = 0;
  };
  std::vector<Line> lines;
};

// Error: there are none of these experiments among the samples.
Result<RawListing> raw_listing(const Samples& samples);
nlohmann::json to_json(const RawListing& listing);  // docs/machine-model.md

}  // namespace ww::measure
