/* Preloaded behind the recorder: the process goes on for a while after the recorder's end. */
#include <unistd.h>
__attribute__((destructor)) static void linger(void) {
  usleep(100000);
}
