#include "simulate/schedule/goal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "base/files.hpp"

namespace ww::schedule {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Result<Schedule> read() {
    if (word() != "num_ranks") return wrong("a schedule begins with num_ranks");
    std::uint64_t ranks = 0;
    if (!number(ranks) || ranks == 0 || ranks > most_ranks)
      return wrong(fmt::format("num_ranks is a whole number from 1 to {}", most_ranks));
    Builder builder(static_cast<std::uint32_t>(ranks));
    std::uint64_t next = 0;
    for (std::string_view token = word(); !token.empty(); token = word()) {
      std::uint64_t rank = 0;
      if (token != "rank" || !number(rank) || word() != "{") return wrong("here a rank begins: rank 0 {");
      if (rank >= ranks) return wrong(fmt::format("there are {} ranks, counted from 0", ranks));
      if (rank < next) return wrong("ranks stand in order, each once");
      for (; next <= rank; ++next) builder.begin_rank();
      numbered_.clear();
      named_.clear();
      WW_CHECK(read_rank(builder, ranks));
    }
    auto schedule = builder.finish();
    if (!schedule) {
      Error error = schedule.error();
      error.where = name_ + ", " + error.where;
      return tl::unexpected(error);
    }
    return schedule;
  }

 private:
  static constexpr std::uint64_t most_ranks = 1u << 30;

  Result<void> read_rank(Builder& builder, std::uint64_t ranks) {
    for (;;) {
      std::string_view token = word();
      if (token == "}") return {};
      if (token.empty()) return wrong("a rank without its }");
      std::string_view label;
      if (token != "send" && token != "recv" && token != "calc") {
        label = token;
        token = word();
        if (token == "requires" || token == "irequires") {
          const std::string_view other = word();
          std::uint32_t op = 0, before = 0;
          if (!find(label, op)) return wrong(fmt::format("no operation is called '{}'", label));
          if (!find(other, before)) return wrong(fmt::format("no operation is called '{}'", other));
          builder.require(op, before, token == "irequires");
          continue;
        }
        if (token != ":") return wrong("after a label comes ':', requires or irequires");
        token = word();
      }
      std::uint32_t op = 0;
      if (token == "calc") {
        std::uint64_t duration_ns = 0;
        if (!number(duration_ns)) return wrong("calc takes nanoseconds: calc 1000");
        std::uint8_t cpu = 0, nic = 0;
        std::uint32_t tag = 0;
        WW_CHECK(options(tag, cpu, nic, false));
        op = builder.compute(duration_ns, 0, cpu);
      } else if (token == "send" || token == "recv") {
        const bool send = token == "send";
        std::uint64_t bytes = 0;
        if (!number(bytes) || word() != "b" || word() != (send ? "to" : "from"))
          return wrong(send ? "write it like: send 8b to 1 tag 0" : "write it like: recv 8b from 1 tag 0");
        std::uint64_t peer = 0;
        bool any = false;
        if (!send && peek() == '-') {
          take();
          if (!number(peer) || peer != 1) return wrong("-1 is any source");
          any = true;
        } else if (!number(peer) || peer >= ranks) {
          return wrong(fmt::format("the other rank is a number below {}", ranks));
        }
        std::uint8_t cpu = 0, nic = 0;
        std::uint32_t tag = 0;
        WW_CHECK(options(tag, cpu, nic, true));
        const auto rank = any ? Builder::any_source : static_cast<std::uint32_t>(peer);
        op = send ? builder.send(rank, bytes, tag, 0, cpu, nic)
                  : builder.receive(rank, bytes, tag, 0, cpu, nic);
      } else {
        return wrong("an operation is send, recv or calc");
      }
      if (!label.empty() && !remember(label, op))
        return wrong(fmt::format("two operations are called '{}'", label));
    }
  }

  // [tag T] [cpu C] [nic N]
  Result<void> options(std::uint32_t& tag, std::uint8_t& cpu, std::uint8_t& nic, bool of_message) {
    for (;;) {
      const std::string_view before = rest_;
      const std::uint64_t line = line_;
      const std::string_view token = same_line() ? word() : std::string_view{};
      const bool is_tag = of_message && token == "tag", is_nic = of_message && token == "nic";
      if (!is_tag && !is_nic && token != "cpu") {
        rest_ = before;
        line_ = line;
        return {};
      }
      std::uint64_t value = 0;
      if (is_tag && peek() == '-') {
        take();
        if (!number(value) || value != 1) return wrong("-1 is any tag");
        tag = Builder::any_tag;
        continue;
      }
      if (!number(value) || value >= (is_tag ? Builder::any_tag : 256u))
        return wrong(is_tag ? "a tag is a number below 2^32 - 1" : "cpu and nic are numbers from 0 to 255");
      if (is_tag)
        tag = static_cast<std::uint32_t>(value);
      else
        (is_nic ? nic : cpu) = static_cast<std::uint8_t>(value);
    }
  }

  // Labels are l1, l2, ... nearly always.
  static bool label_number(std::string_view label, std::size_t& out) {
    if (label.size() < 2 || label.size() > 9 || label[0] != 'l' || label[1] == '0') return false;
    const auto [end, error] = std::from_chars(label.data() + 1, label.data() + label.size(), out);
    return error == std::errc{} && end == label.data() + label.size();
  }

  bool remember(std::string_view label, std::uint32_t op) {
    std::size_t n = 0;
    if (!label_number(label, n) || n > 2 * numbered_.size() + 1024) return named_.emplace(label, op).second;
    if (n >= numbered_.size()) numbered_.resize(n + 1, no_op);
    if (numbered_[n] != no_op) return false;
    numbered_[n] = op;
    return true;
  }

  bool find(std::string_view label, std::uint32_t& op) const {
    std::size_t n = 0;
    if (label_number(label, n) && n < numbered_.size() && numbered_[n] != no_op) {
      op = numbered_[n];
      return true;
    }
    const auto known = named_.find(label);
    if (known == named_.end()) return false;
    op = known->second;
    return true;
  }

  void take() { rest_.remove_prefix(1); }

  void skip() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\n') {
        ++line_;
        take();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        take();
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = std::min(rest_.find("*/"), rest_.size() - 2);
        for (const char in : rest_.substr(0, end)) line_ += in == '\n';
        rest_.remove_prefix(end + 2);
      } else {
        return;
      }
    }
  }

  char peek() {
    skip();
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool same_line() {
    const std::uint64_t line = line_;
    skip();
    return line == line_;
  }

  static bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  // The next word or sign; empty at the end.
  std::string_view word() {
    skip();
    if (rest_.empty()) return {};
    std::size_t length = 0;
    while (length < rest_.size() && in_word(rest_[length])) ++length;
    const std::string_view out = rest_.substr(0, std::max<std::size_t>(length, 1));
    rest_.remove_prefix(out.size());
    return out;
  }

  bool number(std::uint64_t& out) {
    skip();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  tl::unexpected<Error> wrong(const std::string& remedy) const {
    return fail("not a schedule in GOAL", fmt::format("{}, line {}", name_, line_), remedy);
  }

  std::string_view rest_;
  std::string name_;
  std::uint64_t line_ = 1;
  std::vector<std::uint32_t> numbered_;
  std::unordered_map<std::string_view, std::uint32_t> named_;
};

}  // namespace

Result<Schedule> parse_goal(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

Result<Schedule> read_goal(const std::filesystem::path& file) {
  WW_TRY(const std::string text, read_file(file));
  return parse_goal(text, file.string());
}

}  // namespace ww::schedule
