// Expected is what the trace is built from. That an empty trace and a full disk are borne is held of all formats
// (export_test.cpp).
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "trace/export/formats.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

TEST(NewName, HasALineForEachCall) {
  TraceBuilder builder(2, 1'000'000);
  builder.call(0, "MPI_Send", 1001, 2002, {message_action(ActionKind::send, 1, 7, 64)});
  builder.call(1, "MPI_Recv", 500, 4000, {message_action(ActionKind::recv, 0, 7, 64)});
  const spool::TestDir dir;
  ASSERT_TRUE(export_trace(builder.matched(), exporting::NEW_NAME_format, dir.path() / "out"));
  EXPECT_EQ(read_file(dir.path() / "out").value_or(""),
            "rank\tenter_s\tleave_s\tcall\n"
            "0\t0.000001001\t0.000002002\tMPI_Send\n"
            "1\t0.000000500\t0.000004000\tMPI_Recv\n");
}

}  // namespace
}  // namespace ww
