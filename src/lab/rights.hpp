// How namespaces can be had here.
#pragma once
#include "base/result.hpp"

namespace ww::lab {

// root: as we are. user_namespace: within one of ours, in which we are root.
enum class Rights { root, user_namespace };

// Moves the calling process, which must have one thread, to where it may make namespaces. Error: it may
// nowhere, with the remedy.
Result<Rights> take_rights();

// Whether all kinds that a lab needs can be made; tried in a process of its own.
Result<Rights> possible();

}  // namespace ww::lab
