// The frame around one recorded call of this recorder's library.
#pragma once
#include "interpose/core/thread.hpp"
#include "interpose/mpi/own_library.hpp"

namespace ww::interpose {
using Frame = BasicFrame<own_library.nested_calls>;
using CallRecords = BasicRecords<own_library.nested_calls>;
}  // namespace ww::interpose
