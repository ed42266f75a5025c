#include "trace/otf2_events.hpp"

namespace ww::otf2 {

OTF2_EvtReaderCallbacks* EventTaker::callbacks() {
  OTF2_EvtReaderCallbacks* set = OTF2_EvtReaderCallbacks_New();
  using Location = OTF2_LocationRef;
  using Time = OTF2_TimeStamp;
  using List = OTF2_AttributeList;
  OTF2_EvtReaderCallbacks_SetEnterCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, OTF2_RegionRef region) {
        if (of(user).concerns_rank(region))
          of(user).take(time, [=](EventTaker& taker, std::int64_t ns) { taker.enter(ns, region); });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_RegionRef region) {
        if (of(user).concerns_rank(region))
          of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
            taker.leave(ns, beside, region);
          });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.message(ns, ActionKind::send, beside, peer, comm, tag, bytes, nullptr);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.message(ns, ActionKind::recv, beside, peer, comm, tag, bytes, nullptr);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes, uint64_t request) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.message(ns, ActionKind::isend, beside, peer, comm, tag, bytes, &request);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).take(time, [=](EventTaker& taker, std::int64_t ns) { taker.isend_done(ns, request); });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint64_t request) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.irecv_request(ns, beside, request);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes, uint64_t request) {
        of(user).take(time, [=](EventTaker& taker, std::int64_t ns) {
          taker.irecv_done(ns, peer, comm, tag, bytes, request);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).take(time, [=](EventTaker& taker, std::int64_t ns) {
          taker.about_request(ns, ActionKind::test_failed, request);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).take(time, [=](EventTaker& taker, std::int64_t ns) {
          taker.about_request(ns, ActionKind::cancelled, request);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_CollectiveOp, OTF2_CommRef comm,
              uint32_t root, uint64_t sent, uint64_t received) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.collective(ns, beside, comm, root, sent, received, nullptr);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).take(time,
                      [=](EventTaker& taker, std::int64_t ns) { taker.icollective_request(ns, request); });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_CollectiveOp op, OTF2_CommRef comm,
              uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.collective(ns, beside, comm, root, sent, received, &request, op);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_ParameterRef, uint64_t value) {
        of(user).take(time, [=, beside = of(user).beside(list)](EventTaker& taker, std::int64_t ns) {
          taker.left_out(ns, beside, value);
          taker.sent_to(beside, value);
          taker.blocked(ns, beside, value);
        });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetParameterStringCallback(
      set,
      [](Location, Time time, uint64_t, void* user, List*, OTF2_ParameterRef parameter, OTF2_StringRef text) {
        of(user).take(time, [=](EventTaker& taker, std::int64_t ns) { taker.marker(ns, parameter, text); });
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMetricCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, OTF2_MetricRef metric, uint8_t count,
              const OTF2_Type*, const OTF2_MetricValue* values) {
        if (const auto* names = of(user).values_of(metric))
          for (std::size_t i = 0; i < count && i < names->size(); ++i)
            if ((*names)[i] != none)
              of(user).take(time, [name = (*names)[i], bits = values[i].unsigned_int](
                                      EventTaker& taker, std::int64_t ns) { taker.value(ns, name, bits); });
        return OTF2_CALLBACK_SUCCESS;
      });
  set_window_callbacks(set);
  set_file_callbacks(set);
  return set;
}

void join(const std::vector<NamedByRecords>& all, const Definitions& definitions, Layout& layout,
          Trace& trace) {
  const std::size_t first_region = trace.regions.size(), first_comm = trace.comms.size();
  for (std::size_t r = 0; r < all.size(); ++r) {
    const NamedByRecords& named = all[r];
    RankTrace& rank = trace.ranks[r];
    std::vector<std::uint16_t> regions;
    for (const std::string& name : named.regions) {
      const auto found = std::find(trace.regions.begin(), trace.regions.end(), name);
      regions.push_back(static_cast<std::uint16_t>(found - trace.regions.begin()));
      if (found == trace.regions.end()) trace.regions.push_back(name);
    }
    if (!regions.empty())
      for (std::uint16_t& region : rank.region)
        if (region >= first_region) region = regions[region - first_region];
    const auto moved = static_cast<std::uint32_t>(trace.comms.size() - first_comm);
    trace.comms.insert(trace.comms.end(), named.comms.begin(), named.comms.end());
    if (moved > 0 && !named.comms.empty())
      for (std::uint32_t& comm : rank.comm)
        if (comm >= first_comm) comm += moved;
    std::vector<std::uint32_t> texts;
    for (const auto& [parameter, text] : named.texts)
      texts.push_back(marker_text(definitions, layout, trace, parameter, text));
    for (UserMarker& marker : rank.user.markers) marker.text = texts[marker.text];
  }
}

}  // namespace ww::otf2
