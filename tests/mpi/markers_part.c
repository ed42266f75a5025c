/* A library of a program, opened by name. */
#include <whatwire/marker.h>

void say(void);
void say(void) {
  ww_marker("from a part");
}
