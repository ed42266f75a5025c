// The names that the program gives to regions, values and markers, numbered when they are first used and told
// to the definitions. Finding a name that is known takes no lock.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ww::interpose {

enum class NameUse : uint8_t { region, marker, integer, real };

// The number of this text in this use, 1 and up. Of more names than are kept each use has one number for all
// others.
uint32_t name_number(NameUse use, const char* text, size_t length);

// As it was given, with a 0 at its end.
const char* name_text(uint32_t number);

// What the values of this name are in; before the first of them is recorded. `unit` stays where it is.
void name_unit(uint32_t number, const char* unit);

// Writes the definition of a name whose number is about to be recorded, the first time.
void define_name(uint32_t number);

}  // namespace ww::interpose
