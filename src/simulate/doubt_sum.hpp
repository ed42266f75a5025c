// What an interval is made of: for each source of doubt, by how much less and how much more a prediction may take because of
// it alone.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ww {

struct SourceOfDoubt {
  std::string source;  // in words, a noun
  double below_s = 0, above_s = 0;
};

// The widest first, without those that move nothing.
std::vector<SourceOfDoubt> by_width(std::vector<SourceOfDoubt> doubts);

namespace simulate {

// Sources that know nothing of one another add in squares; what another run may do instead ("hold") is held whole.
class DoubtSum {
 public:
  // `source` is a literal.
  void add(std::string_view source, double below_s, double above_s);
  void add(std::string_view source, double moved_s) {  // up, or down where it is negative
    add(source, moved_s < 0 ? -moved_s : 0, moved_s > 0 ? moved_s : 0);
  }
  // Another run, which takes moved_s more, or less where it is negative, and is itself as doubtful as `below_s` and `above_s`
  // of its time say. After all that add.
  void hold(std::string_view source, double moved_s, double below_s = 0, double above_s = 0);

  double below_s() const;
  double above_s() const;
  // The widest first, without those that move nothing.
  std::vector<SourceOfDoubt> by_width() const;

 private:
  // Squares and their root are the same to the last bit on every machine, in WebAssembly too; std::hypot is not.
  struct Part {
    std::string_view source;
    double below = 0, above = 0;    // squares, of what adds
    double less_s = 0, more_s = 0;  // of another run
  };
  Part& of(std::string_view source);

  std::vector<Part> parts_;
  double held_below_s_ = 0, held_above_s_ = 0;
};

}  // namespace simulate

// [{"source","below_s","above_s"}]
nlohmann::json to_json(const std::vector<SourceOfDoubt>& doubts);
// The sources of at least a third of the widest, in words: "5.1% (computation behind other waits), 3% (...)"; parts of `predicted_s`. Empty where there are none.
std::string in_words(const std::vector<SourceOfDoubt>& doubts, double predicted_s);

}  // namespace ww
