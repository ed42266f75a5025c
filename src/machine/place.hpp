// Which of a machine's two networks: all that a trace needs to know of a machine.
#pragma once

namespace ww {

enum class Place { inter, intra };  // between hosts, within a host
const char* to_string(Place place);

}  // namespace ww
