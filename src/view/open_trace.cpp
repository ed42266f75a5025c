#include "view/open_trace.hpp"

#include "base/text.hpp"
#include "trace/directory.hpp"
#include "trace/recording.hpp"
#include "view/facts.hpp"
#include "view/kept_index.hpp"

namespace ww::view {
namespace fs = std::filesystem;
namespace {

std::string name_of(const fs::path& source) {
  fs::path named = source.has_filename() ? source : source.parent_path();
  if (named.filename() == anchor_name && named.has_parent_path()) named = named.parent_path();
  std::error_code ignored;
  if (named.filename() == "." || named.filename() == "..") named = fs::canonical(named, ignored);
  return printable(named.filename().string());
}

}  // namespace

const char* to_string(TraceOrigin::Kind kind) {
  switch (kind) {
    case TraceOrigin::Kind::recorded:
      return "recorded";
    case TraceOrigin::Kind::predicted:
      return "predicted";
    case TraceOrigin::Kind::live:
      return "live";
  }
  return "";
}

OpenTrace::OpenTrace(const fs::path& source, std::shared_ptr<const MachineModel> machine)
    : origin_{TraceOrigin::Kind::recorded, name_of(source), source, "", -1}, machine_(std::move(machine)) {}

OpenTrace::OpenTrace(TraceOrigin origin, std::shared_ptr<const Trace> trace,
                     std::shared_ptr<const MachineModel> machine)
    : origin_(std::move(origin)), machine_(std::move(machine)) {
  static_cast<void>(trace_.get([&]() -> Lazy<Trace>::Value { return trace; }));
}

OpenTrace::~OpenTrace() {
  ending_ = true;
  if (background_.joinable()) background_.join();
}

TraceOrigin OpenTrace::origin() const {
  TraceOrigin origin = origin_;
  const bool is_there = trace_.if_known() != nullptr || index_.if_known() != nullptr;
  if (!is_there && !is_unified(origin.source) && has_spool(origin.source) && recorder_of(origin.source))
    origin.kind = TraceOrigin::Kind::live;
  else if (const auto trace = trace_.if_known(); trace && trace->predicted)
    origin.kind = TraceOrigin::Kind::predicted;
  return origin;
}

Result<std::shared_ptr<const Trace>> OpenTrace::trace() {
  return trace_.get([&]() -> Lazy<Trace>::Value {
    WW_TRY(Trace trace, load_trace(origin_.source));
    return std::make_shared<const Trace>(std::move(trace));
  });
}

Result<std::shared_ptr<const std::vector<Breakdown::CallSplit>>> OpenTrace::splits() {
  return splits_.get([&]() -> Lazy<std::vector<Breakdown::CallSplit>>::Value {
    WW_TRY(const auto trace, this->trace());
    return std::make_shared<const std::vector<Breakdown::CallSplit>>(split_calls(*trace, machine()));
  });
}

Result<std::shared_ptr<const Index>> OpenTrace::index() {
  return index_.get([&]() -> Lazy<Index>::Value {
    if (!kept_is_damaged_ && trace_.if_known() == nullptr)
      if (auto kept = kept_index(origin_.source, machine())) return kept;
    WW_TRY(const auto trace, this->trace());
    WW_TRY(const auto splits, this->splits());
    Diagnostics diagnostics;
    return make_index(*trace, *splits, machine(), json_text(facts_of(*trace)), diagnostics);
  });
}

Result<std::shared_ptr<const TraceIndex>> OpenTrace::parts() {
  return parts_.get([&]() -> Lazy<TraceIndex>::Value {
    WW_TRY(const auto trace, this->trace());
    return std::make_shared<const TraceIndex>(*trace);
  });
}

Result<std::shared_ptr<const Analysis>> OpenTrace::analysis() {
  return analysis_.get([&]() -> Lazy<Analysis>::Value {
    WW_TRY(const auto trace, this->trace());
    WW_TRY(const auto parts, this->parts());
    return std::make_shared<const Analysis>(
        Analysis{break_down(*trace, machine()), find_waits(*trace, machine()), parts});
  });
}

Result<std::shared_ptr<const nlohmann::json>> OpenTrace::facts() {
  return facts_.get([&]() -> Lazy<nlohmann::json>::Value {
    WW_TRY(const auto index, this->index());
    nlohmann::json facts = nlohmann::json::parse(index->facts(), nullptr, false);
    if (!facts.is_object()) {
      WW_TRY(const auto trace, this->trace());
      facts = facts_of(*trace);
    }
    return std::make_shared<const nlohmann::json>(std::move(facts));
  });
}

void OpenTrace::prepare() {
  if (background_.joinable()) return;
  background_ = std::thread([this] {
    // Whoever asks for what failed here fails too, and says why.
    try {
      if (!facts() || ending_) return;
      if (!trace() || ending_) return;
      static_cast<void>(analysis());
    } catch (const std::bad_alloc&) {
      return;
    }
  });
}

}  // namespace ww::view
