#include "view/open_trace.hpp"

#include "base/exceptions.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "simulate/predicted_run.hpp"
#include "trace/directory.hpp"
#include "trace/recording.hpp"
#include "view/facts.hpp"
#include "view/index_build.hpp"
#include "view/kept_index.hpp"
#include "view/picture.hpp"

namespace ww::view {
namespace fs = std::filesystem;
namespace {

// A trace whose index is larger takes longer to load than its first picture to draw, and all processors.
constexpr std::size_t large_index_bytes = std::size_t{16} << 20;

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
    : origin_{TraceOrigin::Kind::recorded, name_of(source), source, "", -1}, machine_(std::move(machine)) {
  if (const auto conditions = simulate::conditions_of(source); conditions && *conditions)
    origin_.kind = TraceOrigin::Kind::predicted;
  // Of a run that was killed: loading it makes an archive of the spool, which then is gone.
  if (awaits_unify(source)) static_cast<void>(live());
}

OpenTrace::OpenTrace(TraceOrigin origin, std::shared_ptr<const Trace> trace,
                     std::shared_ptr<const MachineModel> machine)
    : origin_(std::move(origin)), machine_(std::move(machine)) {
  static_cast<void>(trace_.get([&]() -> Lazy<Trace>::Value { return trace; }));
}

OpenTrace::OpenTrace(TraceOrigin origin, std::shared_ptr<const NotedRun> noted,
                     std::shared_ptr<const MachineModel> machine)
    : origin_(std::move(origin)), noted_(std::move(noted)), machine_(std::move(machine)) {}

OpenTrace::OpenTrace(TraceOrigin origin, std::shared_ptr<const Index> calls,
                     std::shared_ptr<const Trace> frame)
    : origin_(std::move(origin)), frame_(std::move(frame)) {
  static_cast<void>(index_.get([&]() -> Lazy<Index>::Value { return calls; }));
}

OpenTrace::~OpenTrace() {
  ending_ = true;
  if (background_.joinable()) background_.join();
}

TraceOrigin OpenTrace::origin() const {
  TraceOrigin origin = origin_;
  if (frame_ != nullptr) return origin;
  const bool is_there = noted_ != nullptr || trace_.if_known() != nullptr || index_.if_known() != nullptr;
  if (!is_there && awaits_unify(origin.source) && recorder_of(origin.source))
    origin.kind = TraceOrigin::Kind::live;
  return origin;
}

Result<std::shared_ptr<const Trace>> OpenTrace::trace() {
  return trace_.get([&]() -> Lazy<Trace>::Value {
    if (noted_ != nullptr)
      return std::make_shared<const Trace>(
          simulate::predicted_view(*noted_->recorded, noted_->notes, noted_->simulated));
    if (frame_ != nullptr) {
      WW_TRY(const auto calls, index());
      return trace_of_calls(*frame_, *calls);
    }
    // Whoever opened it sees it before its questions are worked out.
    if (const auto kept = index_.if_known(); kept && kept->bytes() > large_index_bytes)
      pictures_.wait(ending_);
    WW_TRY(Trace trace, load_trace(origin_.source));
    return std::make_shared<const Trace>(std::move(trace));
  });
}

Result<std::shared_ptr<const std::vector<Breakdown::CallSplit>>> OpenTrace::splits() {
  if (const auto analysis = analysis_.if_known())  // which has them too
    return std::shared_ptr<const std::vector<Breakdown::CallSplit>>(analysis, &analysis->breakdown.splits);
  return splits_.get([&]() -> Lazy<std::vector<Breakdown::CallSplit>>::Value {
    WW_TRY(const auto trace, this->trace());
    return std::make_shared<const std::vector<Breakdown::CallSplit>>(split_calls(*trace, machine()));
  });
}

Result<std::shared_ptr<const Index>> OpenTrace::index() {
  return index_.get([&]() -> Lazy<Index>::Value {
    if (noted_ != nullptr) {
      Building building;
      building.store = noted_->recorded->store;
      building.facts = [&] {
        return json_text(facts_of(simulate::predicted_frame(*noted_->recorded, noted_->simulated)));
      };
      const auto source = std::make_shared<const NotedSource>(noted_);
      return build_index(*source, source, building);
    }
    if (!kept_is_damaged_ && trace_.if_known() == nullptr)
      if (auto kept = kept_index(origin_.source, machine())) return kept;
    WW_TRY(const auto trace, this->trace());
    WW_TRY(const auto splits, this->splits());
    Diagnostics said;
    auto made = make_index(*trace, *splits, machine(), json_text(facts_of(*trace)), said);
    const std::lock_guard lock(diagnostics_mutex_);
    index_diagnostics_ = said;
    return made;
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
    auto analysis = std::make_shared<const Analysis>(
        Analysis{break_down(*trace, machine()), find_waits(*trace, machine()), parts});
    splits_.forget(splits_.if_known());
    return analysis;
  });
}

Result<std::shared_ptr<const simulate::Program>> OpenTrace::program() {
  return program_.get([&]() -> Lazy<simulate::Program>::Value {
    WW_TRY(const auto trace, this->trace());
    WW_TRY(simulate::Program program, simulate::compile(*trace));
    return std::make_shared<const simulate::Program>(std::move(program));
  });
}

Result<std::shared_ptr<const CheckedReplay>> OpenTrace::checked(const MachineModel& recorded_on) {
  return checked_.get(recorded_on, [&]() -> CheckedReplays::Value {
    WW_TRY(auto conditions, simulate::conditions_of(origin_.source));
    WW_TRY(const auto trace, this->trace());
    WW_TRY(const auto program, this->program());
    return CheckedReplay::make(trace, program, std::move(conditions), recorded_on,
                               static_cast<unsigned>(processors()));
  });
}

void OpenTrace::begin_quick_replay(std::shared_ptr<Cancellation> stop) {
  const std::lock_guard lock(replay_mutex_);
  if (quick_replay_) quick_replay_->cancel();
  quick_replay_ = std::move(stop);
}

Result<std::shared_ptr<const nlohmann::json>> OpenTrace::facts() {
  pictures_.asked();  // which come next
  return facts_.get([&]() -> Lazy<nlohmann::json>::Value {
    WW_TRY(const auto index, this->index());
    nlohmann::json facts = nlohmann::json::parse(index->facts(), nullptr, false);
    Diagnostics said;
    const bool ours = caught<nlohmann::json::exception>(
        [&] {
          from_json(facts.at("diagnostics"), said);
          return true;
        },
        [](const nlohmann::json::exception&) { return false; });
    if (!ours) {
      WW_TRY(const auto trace, this->trace());
      facts = facts_of(*trace);
      said = trace->diagnostics;
    }
    {
      const std::lock_guard lock(diagnostics_mutex_);
      said.merge(index_diagnostics_);
    }
    facts["diagnostics"] = said;
    return std::make_shared<const nlohmann::json>(std::move(facts));
  });
}

Result<Live> OpenTrace::live() {
  auto live = look_live(origin_.source);
  const std::lock_guard lock(live_mutex_);
  if (live) {
    live_ = *live;
  } else if (live_) {
    Live last = *live_;
    last.running = false;
    return last;
  }
  return live;
}

bool OpenTrace::is_unclosed() const {
  return has_picture() && awaits_unify(origin_.source);
}

bool OpenTrace::has_picture() const {
  if (frame_ != nullptr || noted_ != nullptr || trace_.if_known() != nullptr || index_.if_known() != nullptr)
    return false;
  return awaits_unify(origin_.source) || is_large();
}

bool OpenTrace::is_large() const {
  const std::lock_guard lock(large_mutex_);
  if (!large_) large_ = is_large_archive(origin_.source) && kept_index(origin_.source, machine()) == nullptr;
  return *large_;
}

Result<std::shared_ptr<OpenTrace>> OpenTrace::picture(int of) {
  using Clock = std::chrono::steady_clock;
  const std::lock_guard lock(picture_mutex_);
  const Clock::time_point begin = Clock::now();
  if (picture_.trace && begin < picture_.until) return picture_.trace;
  const bool of_spool = awaits_unify(origin_.source);
  if (!of_spool && !has_picture())
    return fail("there is no picture beside it", origin_.source.string(),
                "it is put together: look at it as a trace");
  const bool goes_on = of_spool && recorder_of(origin_.source).has_value();
  WW_TRY(CallsPicture made, of_spool ? picture_of_spool(origin_.source) : picture_of_archive(origin_.source));
  TraceOrigin origin{of_spool ? TraceOrigin::Kind::live : origin_.kind, origin_.name, origin_.source, "", of};
  // Most of the time is the program's and not its pictures'.
  constexpr int times_as_long = 3;
  const Clock::time_point end = Clock::now();
  picture_ = {
      std::make_shared<OpenTrace>(std::move(origin), std::move(made.index), std::move(made.frame)),
      goes_on ? end + std::max<Clock::duration>(std::chrono::milliseconds(500), times_as_long * (end - begin))
              : Clock::time_point::max()};
  picture_.trace->pictures_.asked();  // by whoever waits for it, next
  return picture_.trace;
}

void OpenTrace::prepare(int number) {
  if (background_.joinable()) return;
  background_ = std::thread([this, number] {
    // Whoever asks for what failed here fails too, and says why.
    caught<std::exception>(
        [this, number] {
          // It is there long before the rest, and whoever opened it sees it first.
          if (has_picture())
            if (const auto first = picture(number)) (*first)->pictures_.wait(ending_);
          if (ending_ || !facts() || ending_) return;
          if (!trace() || ending_) return;
          static_cast<void>(analysis());
        },
        [](const std::exception&) {});
  });
}

}  // namespace ww::view
