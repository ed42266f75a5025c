/* What a program can tell whatwire about itself: regions of its work, values, markers; pauses of the
 * recording; how much its computation is to be stretched.
 *
 *   cc $(pkg-config --cflags whatwire-marker) app.c $(pkg-config --libs whatwire-marker)
 *
 * The library is a stub that stays in the program: without the recorder (whatwire record) a call is a load
 * and a branch that is not taken, and nothing else; the program needs nothing of whatwire to run. Texts are
 * copied, so they may be changed after the call; what is longer than 1000 bytes is cut there. A name costs a
 * line in a file when it is first used and then about as much as a recorded MPI call: use few names and put
 * what changes into values.
 *
 * Any thread may call these, between MPI_Init and MPI_Finalize. Regions that are open when MPI_Init is called
 * begin with it; everything else outside, or inside callbacks of MPI, is not recorded. Not for signal
 * handlers. */
#ifndef WHATWIRE_MARKER_H
#define WHATWIRE_MARKER_H
#ifdef __cplusplus
extern "C" {
#endif

/* A point in time of this thread, with a text. */
void ww_marker(const char* text);

/* A value at this time: one curve for each name. */
void ww_value_double(const char* name, double value);
void ww_value_float(const char* name, float value);
void ww_value_long(const char* name, long value);
void ww_value_int(const char* name, int value);
void ww_value_short(const char* name, short value);
void ww_value_char(const char* name, char value);

/* Regions of one thread lie within one another: the one that began last ends first. They hold any calls. */
void ww_region_begin(const char* name);
void ww_region_end(const char* name);

/* MPI calls of all threads of this process, values and markers are left out from ww_pause to ww_resume,
 * before MPI_Init too. Messages keep their numbers, so that what is recorded before and after still matches.
 * Regions are recorded all the same. Pauses do not nest. From the first pause on a recorded
 * call costs more, since what is left out is counted. */
void ww_pause(void);
void ww_resume(void);

/* Where the program runs dilated (whatwire dilate -D 4): computation is stretched by d from here on, as if -D were d; 0
 * goes back to -D. So ww_dilate(1) keeps a part out of it (reading input, say), and ww_dilate(4) emulates a network four
 * times as fast there. Times are divided by the factor in force, which is recorded as a value of that time. Everywhere
 * else it does nothing: where nobody dilates, in virtual time, and in the run at -D 1, which the others are compared with.
 * All ranks call it at the same point of their work, best after a barrier, and one thread of each at a time; before
 * MPI_Init it counts from there on. What is neither 0 nor from 1 to a million is refused and counted. */
void ww_dilate(double d);

#ifdef __cplusplus
}
#endif
#endif
