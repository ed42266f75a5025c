// A bounded fuzzer: requests that are good, changed at random from a fixed seed, asked of the responder and of the
// server. Each must be answered within seconds: JSON or bytes, or a refusal that says why. WW_REQUESTS=100000, which
// scripts/sanitize.sh sets, makes it a search.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "view/responder_fixture.hpp"
#include "view/server.hpp"

namespace ww::view {
namespace {

int rounds() {
  const char* asked = std::getenv("WW_REQUESTS");
  return asked != nullptr ? std::atoi(asked) : 10000;
}

// Every path of the protocol, with parameters that it takes.
const std::vector<std::string> good = {
    "data/traces",
    "data/0/trace",
    "data/0/report?from_ns=1000&to_ns=500000&ranks=0-1&calls=MPI_Send,p2p&peers=0&threads=0",
    "data/0/ask?question=queues&at_ns=50000&ranks=1",
    "data/0/ask?question=message&message=0:1:7:3",
    "data/0/ask?question=pop",
    "data/0/first",
    "data/0/find?text=MPI&limit=10",
    "data/0/live",
    "data/0/picture",
    "data/0/predict?what_if=bandwidth=x10,latency=5us,compute@rank:0-1=x2&quick=1&machine=comet",
    "data/0/query?sql=SELECT%20name,count(*)%20FROM%20calls%20WHERE%20rank=1%20GROUP%20BY%20name",
    "data/0/tile?level=10&tile=0&group=0&block=0",
    "data/0/tile?level=8&tile=0&group=0&block=0&count=4",
    "data/0/calls?from_ns=0&to_ns=100000&ranks=0-1&limit=10",
    "data/0/messages?from_ns=0&to_ns=100000&ranks=0&limit=10",
    "data/0/series?measure=blocked&bins=16&ranks=0",
    "data/0/state?at_ns=50000",
    "data/0/call?rank=0&call=3",
    "data/0/skew?ranks=0-1",
    "data/0/jump?what=longest-wait&after_ns=0",
    "data/0/marks?from_ns=0&to_ns=100000&limit=10",
    "data/compare?a=0&b=0",
    "data/0/curves?what_if=latency=x2,bandwidth=x10&machine=comet",
    "data/0/scenarios?what_ifs=bandwidth=x10;latency=x0.1&machine=comet",
    "data/0/dilation?simulated=1&machine=comet",
    "data/0/machine?machine=comet",
};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string request() {
    std::string text = good[pick(good.size())];
    for (std::size_t change = pick(4); change > 0; --change) damage(text);
    return text;
  }
  void damage(std::string& text) {
    const std::size_t at = pick(text.size() + 1), length = std::min(text.size() - at, 1 + pick(8));
    static constexpr const char* words[] = {"&",
                                            "=",
                                            "%",
                                            "%00",
                                            "%ff",
                                            "/",
                                            "..",
                                            "?",
                                            "-1",
                                            "1e300",
                                            "99999999999999999999",
                                            "-9223372036854775808",
                                            "nan",
                                            "ranks=",
                                            "0-4294967295",
                                            "4294967295",
                                            ",",
                                            "'",
                                            "\"",
                                            "<script>",
                                            "\xf0\x9f\x92\xa9",
                                            "level=63",
                                            "block=2147483648",
                                            "tile=4611686018427387904",
                                            "bins=100000000",
                                            "limit=1000000000"};
    switch (pick(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, words[pick(std::size(words))]);
        break;
      case 2:
        text.replace(at, length, words[pick(std::size(words))]);
        break;
      case 3:
        text.insert(at, text.substr(pick(text.size() + 1), length));
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      default: {  // a number
        const std::size_t digits = text.find_first_of("0123456789", at);
        if (digits == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
        text.replace(digits, end - digits, std::to_string(random_() >> pick(64)));
      }
    }
  }
  std::size_t pick(std::size_t most) { return most == 0 ? 0 : static_cast<std::size_t>(random_() % most); }

 private:
  std::mt19937_64 random_;
};

TEST(ResponderFuzz, AnswersWhateverIsAsked) {
  Answering answering;
  std::map<int, int> statuses;
  for (int round = 0; round < rounds(); ++round) {
    const std::string asked = Mutator(static_cast<std::uint64_t>(round)).request();
    const std::size_t mark = std::min(asked.find('?'), asked.size());
    const auto begun = std::chrono::steady_clock::now();
    const Response response =
        answering.ask(asked.substr(0, mark), mark < asked.size() ? asked.substr(mark + 1) : std::string());
    ASSERT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20)) << round << " " << asked;
    ++statuses[response.status];
    ASSERT_NE(response.body, nullptr) << round << " " << asked;
    if (response.status == 200 && response.content_type != "application/json") continue;
    const auto json = nlohmann::json::parse(*response.body, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << round << " " << asked;
    if (response.status == 200) continue;
    ASSERT_TRUE(response.status == 400 || response.status == 404 || response.status == 409)
        << round << " " << asked << *response.body;
    ASSERT_FALSE(json["error"].get<std::string>().empty()) << round << " " << asked;
  }
  // Most of what is asked is near what may be asked.
  EXPECT_GT(statuses[200], rounds() / 10);
  EXPECT_GT(statuses[400], rounds() / 20);
}

TEST(ResponderFuzz, TheServerAnswersWhateverIsSent) {
  Answering answering;
  const auto listening = Server::listen(answering.responder(), {});
  ASSERT_TRUE(listening) << to_string(listening.error());
  const auto& server = *listening;
  const std::string url = server->url(), root = url.substr(url.find('/', 8));
  int answered = 0;
  for (int round = 0; round < rounds(); ++round) {
    Mutator mutator(static_cast<std::uint64_t>(round));
    std::string head = "GET " + root + mutator.request() +
                       " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nRange: bytes=0-5\r\n";
    for (std::size_t change = mutator.pick(3); change > 0; --change) mutator.damage(head);
    const Reply reply = server->exchange(head + "\r\n");
    if (reply.bytes.empty()) continue;  // nothing that can be answered: the connection ends
    ++answered;
    ASSERT_TRUE(reply.bytes.starts_with("HTTP/1.1 ")) << round << " " << head << reply.bytes.substr(0, 100);
    ASSERT_NE(reply.bytes.substr(9, 3), "206") << round << " " << head;
    ASSERT_NE(reply.bytes.find("X-Content-Type-Options: nosniff"), std::string::npos) << round << " " << head;
  }
  EXPECT_GT(answered, rounds() / 2);
}

TEST(ResponderFuzz, TheTokenIsWholeOrNothing) {
  Answering answering;
  const auto listening = Server::listen(answering.responder(), {});
  ASSERT_TRUE(listening) << to_string(listening.error());
  const auto& server = *listening;
  const std::string url = server->url(), root = url.substr(url.find('/', 8));
  ASSERT_EQ(root.size(), 34u);  // 128 bits in hexadecimal digits
  EXPECT_NE(
      server->exchange("GET " + root + "data/traces HTTP/1.1\r\nHost: localhost\r\n\r\n").bytes.find(" 200 "),
      std::string::npos);
  for (int round = 0; round < 500; ++round) {
    std::string other = root;
    Mutator(static_cast<std::uint64_t>(round)).damage(other);
    if (other.starts_with(root.substr(0, 33)) || other.find_first_of(" \r\n") != std::string::npos) continue;
    const std::string answer =
        server->exchange("GET " + other + "data/traces HTTP/1.1\r\nHost: localhost\r\n\r\n").bytes;
    ASSERT_EQ(answer.find("made_by"), std::string::npos) << other;
  }
}

}  // namespace
}  // namespace ww::view
