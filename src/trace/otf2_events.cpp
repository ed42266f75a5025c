#include "trace/otf2_events.hpp"

namespace ww::otf2 {

OTF2_EvtReaderCallbacks* EventTaker::callbacks() {
  OTF2_EvtReaderCallbacks* set = OTF2_EvtReaderCallbacks_New();
  using Location = OTF2_LocationRef;
  using Time = OTF2_TimeStamp;
  using List = OTF2_AttributeList;
  OTF2_EvtReaderCallbacks_SetEnterCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, OTF2_RegionRef region) {
        of(user).enter(of(user).at(time), region);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetLeaveCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_RegionRef region) {
        of(user).leave(of(user).at(time), list, region);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes) {
        of(user).message(of(user).at(time), ActionKind::send, list, peer, comm, tag, bytes, nullptr);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes) {
        of(user).message(of(user).at(time), ActionKind::recv, list, peer, comm, tag, bytes, nullptr);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes, uint64_t request) {
        of(user).message(of(user).at(time), ActionKind::isend, list, peer, comm, tag, bytes, &request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).isend_done(of(user).at(time), request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, uint64_t request) {
        of(user).irecv_request(of(user).at(time), list, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint32_t peer, OTF2_CommRef comm,
              uint32_t tag, uint64_t bytes, uint64_t request) {
        of(user).irecv_done(of(user).at(time), peer, comm, tag, bytes, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).about_request(of(user).at(time), ActionKind::test_failed, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).about_request(of(user).at(time), ActionKind::cancelled, request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_CollectiveOp, OTF2_CommRef comm,
              uint32_t root, uint64_t sent, uint64_t received) {
        of(user).collective(of(user).at(time), list, comm, root, sent, received, nullptr);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      set, [](Location, Time time, uint64_t, void* user, List*, uint64_t request) {
        of(user).icollective_request(of(user).at(time), request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_CollectiveOp, OTF2_CommRef comm,
              uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
        of(user).collective(of(user).at(time), list, comm, root, sent, received, &request);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(
      set, [](Location, Time time, uint64_t, void* user, List* list, OTF2_ParameterRef, uint64_t value) {
        of(user).left_out(of(user).at(time), list, value);
        return OTF2_CALLBACK_SUCCESS;
      });
  return set;
}

}  // namespace ww::otf2
