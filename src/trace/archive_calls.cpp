#include "trace/archive_calls.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/parallel.hpp"
#include "trace/otf2_archive.hpp"
#include "trace/run_beside.hpp"

namespace ww::otf2 {
namespace {

// Where a call that begins the program is looked for, from the front.
constexpr std::uint64_t events_at_the_front = 4096;

// From when to when a rank ran, and where its program begins and ends, as the archive's reader finds them (otf2_read.cpp).
struct Times {
  std::optional<std::int64_t> first_ns, last_ns, begun_ns, ended_ns;

  void merge(const Times& other) {
    least(first_ns, other.first_ns), least(begun_ns, other.begun_ns);
    most(last_ns, other.last_ns), most(ended_ns, other.ended_ns);
  }
  std::int64_t program_from_ns() const { return begun_ns.value_or(first_ns.value_or(0)); }
  std::int64_t program_to_ns() const { return ended_ns.value_or(last_ns.value_or(0)); }

 private:
  static void least(std::optional<std::int64_t>& one, const std::optional<std::int64_t>& other) {
    if (other && (!one || *other < *one)) one = other;
  }
  static void most(std::optional<std::int64_t>& one, const std::optional<std::int64_t>& other) {
    if (other && (!one || *other > *one)) one = other;
  }
};

// The outermost calls of one location. The first thread's other regions say from when to when the rank ran.
class Outer {
 public:
  Outer(const OpenArchive& archive, std::size_t thread, TakeCall take)
      : definitions_(archive.definitions()),
        layout_(archive.layout()),
        takes_all_(thread == 0),
        take_(std::move(take)) {
    last_.fill({OTF2_UNDEFINED_REGION, no_call});
  }

  static std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteCallbacks> callbacks() {
    std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteCallbacks> set(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks_SetEnterCallback(
        set.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList*,
                      OTF2_RegionRef region) {
          static_cast<Outer*>(user)->enter(time, region);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetLeaveCallback(
        set.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user, OTF2_AttributeList*,
                      OTF2_RegionRef region) {
          static_cast<Outer*>(user)->leave(time, region);
          return OTF2_CALLBACK_SUCCESS;
        });
    return set;
  }
  // Ends what is open when the archive ends.
  void finish() {
    if (depth_ == 0) return;
    call_.leave_ns = *times_.last_ns;
    give();
    depth_ = 0;
  }
  const Times& times() const { return times_; }

 private:
  static constexpr std::uint32_t no_call = 0xffffffff;

  // Most are asked for again soon.
  std::uint32_t call_of(OTF2_RegionRef region) {
    auto& [of, index] = last_[region % last_.size()];
    if (of != region) {
      const auto found = layout_.regions.find(region);
      of = region;
      index = found == layout_.regions.end() ? no_call : found->second;
    }
    return index;
  }
  std::int64_t at(OTF2_TimeStamp time) {
    const std::int64_t ns = definitions_.ns_at(time);
    if (!times_.first_ns) times_.first_ns = times_.last_ns = ns;
    return *(times_.last_ns = std::max(*times_.last_ns, ns));
  }
  void other(OTF2_TimeStamp time, OTF2_RegionRef region) {
    if (takes_all_ || layout_.user_regions.contains(region)) at(time);
  }
  void enter(OTF2_TimeStamp time, OTF2_RegionRef region) {
    const std::uint32_t call = call_of(region);
    if (call == no_call) return other(time, region);
    const std::int64_t ns = at(time);
    if (depth_++ > 0) return;
    call_ = {ns, ns, static_cast<std::uint16_t>(call)};
    if (layout_.meanings[call].phase == CallPhase::ends) times_.ended_ns = ns;
  }
  void leave(OTF2_TimeStamp time, OTF2_RegionRef region) {
    if (call_of(region) == no_call) return other(time, region);
    const std::int64_t ns = at(time);
    if (depth_ == 0 || --depth_ > 0) return;
    call_.leave_ns = ns;
    give();
  }
  void give() {
    if (layout_.meanings[call_.region].phase == CallPhase::begins && !times_.begun_ns)
      times_.begun_ns = call_.leave_ns;
    take_(call_);
  }

  const Definitions& definitions_;
  const Layout& layout_;
  bool takes_all_;
  TakeCall take_;
  std::size_t depth_ = 0;
  OuterCall call_;
  Times times_;
  std::array<std::pair<OTF2_RegionRef, std::uint32_t>, 64> last_;
};

}  // namespace

ArchiveCalls::~ArchiveCalls() = default;

Result<std::shared_ptr<ArchiveCalls>> ArchiveCalls::open(const std::filesystem::path& anchor) {
  const std::shared_ptr<ArchiveCalls> calls(new ArchiveCalls);
  Trace& frame = calls->frame_;
  frame.source = anchor;
  WW_TRY(calls->archive_, OpenArchive::open(anchor, frame));
  std::vector<double> deviation_ticks(frame.ranks.size());
  WW_CHECK(in_parallel(frame.ranks.size(), processors(),
                       [&](std::size_t r) { return calls->find_begin(r, deviation_ticks); }));
  frame.clock_uncertainty_s =
      uncertainty_of(*std::max_element(deviation_ticks.begin(), deviation_ticks.end()) /
                     static_cast<double>(calls->archive_->definitions().ticks_per_s));
  take_diagnostics(frame, take_run(frame, anchor.parent_path()));
  frame.meanings = calls->archive_->layout().meanings;
  return calls;
}

Result<void> ArchiveCalls::find_begin(std::size_t r, std::vector<double>& deviation_ticks) {
  const auto callbacks = Outer::callbacks();
  Times times;
  std::size_t thread = 0;
  for (const LocationDefinition& location : archive_->locations_of(r)) {
    // What cannot be read of them is said by whoever loads the trace.
    static_cast<void>(archive_->read_local_definitions(location.id, deviation_ticks[r]));
    if (thread++ > 0) continue;
    WW_CHECK(archive_->check_events(location, r));
    Outer outer(*archive_, 0, [](const OuterCall&) {});
    LocationReader reader(*archive_, callbacks.get(), location, &outer);
    while (!outer.times().begun_ns && reader.total() < events_at_the_front && reader.read(256)) {
    }
    times = outer.times();
  }
  if (!times.first_ns) return {};
  RankTrace& rank = frame_.ranks[r];
  rank.begin_ns = times.program_from_ns();
  rank.end_ns = rank.begin_ns + 1;  // one without calls and of no length is none to Trace::begin_ns
  return {};
}

Result<void> ArchiveCalls::read(std::size_t r, const TakeCall& take) {
  const std::vector<LocationDefinition> locations = archive_->locations_of(r);
  const auto callbacks = Outer::callbacks();
  Times times;
  struct OfThread {
    std::size_t thread;
    OuterCall call;
  };
  std::vector<OfThread> together;  // of several threads
  for (std::size_t t = 0; t < locations.size(); ++t) {
    if (t > 0)
      WW_CHECK(archive_->check_events(locations[t], r));  // the first was checked when its front was read
    const TakeCall keep = [&](const OuterCall& call) { together.push_back({t, call}); };
    Outer outer(*archive_, t, locations.size() == 1 ? take : keep);
    LocationReader reader(*archive_, callbacks.get(), locations[t], &outer);
    while (reader.read(events_a_batch)) {
    }
    WW_CHECK(reader.check_complete(r));
    outer.finish();
    times.merge(outer.times());
  }
  // Where it begins was told before.
  RankTrace& rank = frame_.ranks[r];
  rank.end_ns = std::max(rank.begin_ns, times.program_to_ns());
  if (together.empty()) return {};
  std::stable_sort(together.begin(), together.end(),
                   [](const OfThread& a, const OfThread& b) { return a.call.enter_ns < b.call.enter_ns; });
  ThreadRows rows(take);
  for (const OfThread& one : together) rows.add(one.thread, one.call);
  rows.finish();
  return {};
}

}  // namespace ww::otf2
