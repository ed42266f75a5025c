// For tests: a run of two ranks whose names a page must not take for markup, and what answers about it.
#pragma once
#include "machine/presets.hpp"
#include "trace/trace_fixture.hpp"
#include "view/responder.hpp"

namespace ww::view {

inline constexpr const char* hostile_name = "</script><img src=x onerror=alert(1)>";

// Ten rounds: rank 0 computes and sends late, rank 1 waits; then both meet.
inline Trace late_sender() {
  constexpr int rounds = 10;
  TraceBuilder builder(2, rounds * 100'000);
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t at = i * 100'000;
    builder.call(0, "MPI_Send", at + 60'000, at + 62'000, {message_action(ActionKind::send, 1, 7, 1000)});
    builder.call(0, "MPI_Barrier", at + 80'000, at + 81'000, {collective_action(0, 0)});
    builder.call(1, "MPI_Recv", at + 10'000, at + 64'000, {message_action(ActionKind::recv, 0, 7, 1000)});
    builder.call(1, "MPI_Barrier", at + 70'000, at + 81'000, {collective_action(0, 0)});
  }
  Trace trace = builder.matched();
  trace.ranks[1].host = hostile_name;
  trace.comms[0].name = hostile_name;
  trace.user.regions = {hostile_name};
  trace.user.texts = {std::string("\"quoted\" ") + hostile_name};
  trace.user.values = {{"residual", "1", false}};
  trace.ranks[0].user.regions.push_back({100, 900'000, 0, 0});
  trace.ranks[0].user.markers.push_back({500, 0, 0});
  trace.ranks[1].user.values.push_back({700, 0, 0, std::bit_cast<std::uint64_t>(0.5)});
  return trace;
}

class Answering {
 public:
  explicit Answering(bool read_only = false, bool with_machine = true)
      : traces_({.made_by = "whatwire test", .read_only = read_only, .for_good = false}) {
    auto machine = with_machine ? std::make_shared<const MachineModel>(*find_preset("comet")) : nullptr;
    trace_ = std::make_shared<const Trace>(late_sender());
    traces_.add(
        std::make_shared<OpenTrace>(TraceOrigin{TraceOrigin::Kind::recorded, hostile_name, "none.ww", "", -1},
                                    trace_, std::move(machine)));
  }
  Response ask(const std::string& path, const std::string& query = "") {
    return responder_.answer({path, query});
  }
  nlohmann::json json(const std::string& path, const std::string& query = "") {
    return nlohmann::json::parse(*ask(path, query).body);
  }
  const Trace& trace() const { return *trace_; }
  OpenTraces& traces() { return traces_; }
  Responder& responder() { return responder_; }

 private:
  OpenTraces traces_;
  std::shared_ptr<const Trace> trace_;
  Responder responder_{traces_};
};

}  // namespace ww::view
