// What the writer and the reader of OTF2 archives share: error text and the attributes that say what OTF2's
// own records have no room for.
#pragma once
#include <otf2/otf2.h>

#include <cmath>
#include <mutex>
#include <string>

namespace ww::otf2 {

// OTF2's ClockOffset records hold a standard deviation, we think in bounds: where no samples say more, an
// offset is taken to be anywhere within +-u alike, and its deviation is u / sqrt(3).
inline double deviation_of(double uncertainty) {
  return uncertainty / std::sqrt(3.0);
}
inline double uncertainty_of(double deviation) {
  return deviation * std::sqrt(3.0);
}

// Attributes of our archives, by name (readers know them by name, not by number).
struct AttributeName {
  const char* name;
  const char* description;
  OTF2_Type type;
};
enum Attribute : OTF2_AttributeRef {
  attribute_flags,      // action_... bits, on MpiSend, MpiIsend, MpiRecv, MpiIrecvRequest, MpiCollectiveEnd
  attribute_capacity,   // bytes of room, on MpiIrecvRequest, where it is not what arrived
  attribute_source,     // world rank asked for, on an MpiIrecvRequest that never completed
  attribute_tag,        // tag asked for, likewise
  attribute_comm,       // communicator, likewise
  attribute_not_found,  // on Leave of a probe: it found no message
  attribute_left_out,   // on ParameterUnsignedInt of that name: what was left out (action_left_out_... bits)
  attribute_peer,       // likewise: world rank
  attribute_offset,     // on IoOperationBegin: the offset that the call gave
  attribute_sent_to,    // on ParameterUnsignedInt of that name: world rank, whose bytes the value is
  attribute_begun,      // on ParameterUnsignedInt "whatwire:blocked": when the other rank had begun its part
  attribute_left,       // on MpiSend, MpiIsend: when the message's last byte had left
  attribute_arrived,    // ... and was there
  attribute_count
};
inline constexpr OTF2_ParameterRef parameter_blocked = 3;
inline constexpr OTF2_ParameterRef parameter_sent_to = 2;
inline constexpr OTF2_ParameterRef parameter_left_out =
    0;  // how many; read by its attributes, in any archive
// Markers stand among a thread's events, as ParameterString of this name: OTF2's own markers are all in one
// file, which would have to be written and read as a whole.
inline constexpr OTF2_ParameterRef parameter_marker = 1;
// What the description of a call's region begins with; its meaning follows (call_meaning.hpp).
inline constexpr std::string_view call_description = "whatwire:call ";
// Property of a location group: the address of a task, as a 64-bit number.
inline constexpr const char* address_property = "whatwire:address";
inline constexpr const char* marker_name = "whatwire:marker";
inline constexpr AttributeName attributes[attribute_count] = {
    {"whatwire:flags", "1: any source, 2: any tag, 4: synchronous, 8: in place", OTF2_TYPE_UINT8},
    {"whatwire:capacity", "bytes of room of a posted receive", OTF2_TYPE_UINT64},
    {"whatwire:source", "world rank that a receive without completion asked for", OTF2_TYPE_INT32},
    {"whatwire:tag", "tag that a receive without completion asked for", OTF2_TYPE_INT32},
    {"whatwire:comm", "communicator of a receive without completion", OTF2_TYPE_UINT32},
    {"whatwire:not-found", "the probe found no message", OTF2_TYPE_UINT8},
    {"whatwire:left-out", "not recorded before this call; 16: sends, 32: receives, 64: collectives",
     OTF2_TYPE_UINT8},
    {"whatwire:peer", "world rank that they were sent to or received from", OTF2_TYPE_INT32},
    {"whatwire:offset", "offset that the call gave, in units of the file's view", OTF2_TYPE_INT64},
    {"whatwire:sent-to", "world rank that the collective before sends so many bytes to", OTF2_TYPE_INT32},
    {"whatwire:begun", "nanoseconds of the wait before the rank that was waited for had begun its part",
     OTF2_TYPE_UINT64},
    {"whatwire:left", "nanoseconds from this record until the message had left its sender", OTF2_TYPE_UINT64},
    {"whatwire:arrived", "nanoseconds from this record until the message had arrived", OTF2_TYPE_UINT64},
};
inline constexpr OTF2_IoParadigmRef io_paradigm = 0;  // of archives that are written here
inline constexpr const char* mpi_io = "MPI-IO";       // its identification, in all archives

// While it lives, libotf2 collects its messages here instead of printing them.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  std::string first() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }

 private:
  static OTF2_ErrorCode take(void* self, const char* file, uint64_t line, const char* function,
                             OTF2_ErrorCode code, const char* format, va_list arguments);
  mutable std::mutex mutex_;
  std::string first_;
  OTF2_ErrorCallback previous_;
};

}  // namespace ww::otf2
