// Collectives in virtual time: all members tell each other when they entered, and one plays the messages
// (core/collective_play.hpp) for all.
#pragma once
#include <stdint.h>

#include "patterns/pattern.hpp"

namespace ww::interpose {

void know_collectives();  // which call is which, by its name
patterns::Operation collective_of(uint16_t call);
// Memory for the exchanges over up to so many ranks. False: there is none, and then no rank may exchange.
bool reserve_collectives(int ranks);
void exchange_collectives(bool all_reserved);

}  // namespace ww::interpose
