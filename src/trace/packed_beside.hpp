// For packed.cpp: what a trace has beside its calls.
#pragma once
#include "trace/packed_bytes.hpp"
#include "trace/trace.hpp"

namespace ww::packed {

// Names, communicators and ranks, so that what follows can be checked against them. Reading makes the ranks.
void write_names(Writer& out, const Trace& trace);
void read_names(Reader& in, Trace& trace);

// What the program marked, nested calls, and what is known of predicted runs; of a rank whose calls are there.
void write_beside(Writer& out, const RankTrace& rank);
void read_beside(Reader& in, RankTrace& rank, const Trace& trace);

// Of a trace whose calls are there.
void write_one_sided(Writer& out, const OneSided& one_sided);
void read_one_sided(Reader& in, Trace& trace);
void write_file_io(Writer& out, const FileIo& file_io);
void read_file_io(Reader& in, Trace& trace);

// Counts, diagnostics and the run itself: what match() counts too is overwritten.
void write_facts(Writer& out, const Trace& trace);
void read_facts(Reader& in, Trace& trace);

}  // namespace ww::packed
