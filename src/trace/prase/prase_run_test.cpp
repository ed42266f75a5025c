// Files of PRASE, whole and damaged. Expected is what they were made of (prase_fixture.hpp).
#include "trace/prase/prase_run.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "trace/prase/convert.hpp"
#include "trace/prase/prase_fixture.hpp"
#include "trace/spool_fixture.hpp"

namespace ww::prase {
namespace {

using spool::TestDir;

std::uint64_t count_of(const Diagnostics& diagnostics, const std::string& name) {
  for (const Diagnostic& one : diagnostics.all())
    if (one.name == name) return one.count;
  return 0;
}

void write_files(const std::filesystem::path& dir, const std::vector<ConvertedFile>& files) {
  for (const ConvertedFile& file : files) ASSERT_TRUE(write_file(dir / file.name, file.content));
}

Converted converted(const PraseRun& run, const std::string& form) {
  auto out = convert(run, form);
  EXPECT_TRUE(out) << to_string(out.error());
  return out ? *std::move(out) : Converted();
}

// Of every type, with two processes on one node.
PraseRun all_types() {
  return run_of_text(
      "init 0 0 0 0 0 0 0 0 0 0 -1\nopen 0 0 1 2 6 0 0 0 0 0 -1\nsend 0 0 3 4 6 100 512 1 0 1 -1\n"
      "grled 0 0 5 5 0 1 0 0 0 0 -1\nrdled 0 0 5 5 0 0 0 0 0 0 -1\nflick 0 0 6 7 0 0 0 0 0 0 -1\n"
      "mint 0 0 8 8 -3\nmshrt 0 0 8 8 4\nmlong 0 0 8 8 100000\nmflot 0 0 8 8 0.1\nmdble 0 0 8 8 0.1\n"
      "mchar 0 0 8 9 half  way\nprobe 0 0 9 9 6 100 1 0 0 0 -1\nstat 0 0 9 9 6 1 0 0 0 0 -1\n"
      "slog 0 0 10 11 0 0 0 0 0 7 -1\ndump 0 0 12 30 2 32767 3200 1 -32768 32767 -1\n"
      "close 0 0 31 31 6 0 0 0 0 0 -1\nend 0 0 32 32 0 0 0 0 0 0 -1\n"
      "recvw 0 1 0 6 6 100 512 1 0 0 -1\nrecv 0 1 6 7 6 101 512 32767 0 0 -1\n"
      "wrapr 0 1 8 9 6 101 512 1 0 0 -1\nrecv 0 1 8 9 6 101 512 1 0 0 -1\n");
}

TEST(PraseRun, BinaryToTextToBinaryIsTheSameFile) {
  const PraseRun run = all_types();
  const Converted binary = converted(run, "prase"), pv = converted(run, "prase-pv");
  ASSERT_EQ(binary.files.size(), 2u);
  EXPECT_EQ(binary.files[0].name, "n0_p0");
  EXPECT_EQ(binary.files[1].name, "n0_p1");
  EXPECT_EQ(binary.files[0].content.size(), 18 * record_bytes);
  for (const Converted* form : {&binary, &pv}) {
    const TestDir dir;
    write_files(dir.path(), form->files);
    EXPECT_TRUE(holds_prase_records(dir.path()));
    const auto read = read_prase_run(dir.path());
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read->processes, run.processes);
    EXPECT_TRUE(read->diagnostics.all().empty());
    for (std::size_t f = 0; f < 2; ++f) {
      EXPECT_EQ(converted(*read, "prase").files[f].content, binary.files[f].content);
      EXPECT_EQ(converted(*read, "prase-pv").files[f].content, pv.files[f].content);
    }
  }
}

TEST(PraseRun, BinaryToHumanIsWhatTextToHumanIs) {
  const PraseRun run = example_of_g();
  const TestDir dir;
  write_files(dir.path(), converted(run, "prase").files);
  const auto read = read_prase_run(dir.path());
  ASSERT_TRUE(read) << to_string(read.error());
  const Converted human = converted(*read, "seecube");
  ASSERT_EQ(human.files.size(), 1u);
  EXPECT_EQ(human.files[0].name, "human");
  EXPECT_EQ(human.files[0].content, converted(run, "seecube").files[0].content);
  EXPECT_EQ(human.correlation.messages, 8u);
  EXPECT_EQ(human.records, 16u);
  EXPECT_EQ(count_of(human.diagnostics, "instantaneous-event"), 3u);
}

TEST(PraseRun, AFileOfSeveralProcessesAndADirectoryOfHumanAreRuns) {
  const PraseRun run = example_of_g();
  const TestDir dir;
  std::string all;
  for (const ConvertedFile& file : converted(run, "prase").files) all += file.content;
  ASSERT_TRUE(write_file(dir.path() / "all.bin", all));
  EXPECT_EQ(read_prase_run(dir.path() / "all.bin")->processes, run.processes);
  EXPECT_FALSE(holds_prase_records(dir.path()));  // no file of such a name
  write_files(dir.path(), converted(run, "seecube").files);
  EXPECT_TRUE(holds_prase_records(dir.path()));
  EXPECT_EQ(read_prase_run(dir.path())->processes, run.processes);
}

// A process that was killed within a dump: whole records are kept (S5, User's Manual, 8-2).
TEST(PraseRun, WhatIsCutOffOrDamagedIsCountedAndTheRestTaken) {
  std::string content = binary_of(example_of_g().processes[0]);
  content[2 * record_bytes] = 'S';     // C is of no type
  content[3 * record_bytes + 6] = 9;   // L is another node's
  content.resize(content.size() - 5);  // Z is cut
  auto read = parse_prase_run(content, "prase_data/n1_p0");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->processes.size(), 1u);
  EXPECT_EQ(read->processes[0].records.size(), 5u);
  EXPECT_EQ(count_of(read->diagnostics, "damaged-event-record"), 3u);
  read = parse_prase_run(content, "records");  // any process's
  ASSERT_TRUE(read);
  EXPECT_EQ(read->processes.size(), 2u);
  EXPECT_EQ(count_of(read->diagnostics, "damaged-event-record"), 2u);
}

TEST(PraseRun, OtherFilesAreErrors) {
  const TestDir dir;
  EXPECT_FALSE(read_prase_run(dir.path()));
  EXPECT_FALSE(read_prase_run(dir.path() / "absent"));
  ASSERT_TRUE(write_file(dir.path() / "n0_p0", ""));
  const auto empty = read_prase_run(dir.path());
  ASSERT_FALSE(empty);
  EXPECT_FALSE(empty.error().remedy.empty());
  EXPECT_FALSE(parse_prase_run("num_ranks 2\nrank 0 {\n", "goal"));
  EXPECT_FALSE(parse_prase_run(std::string(64, '\0'), "zeros"));
  const auto line = parse_prase_run("sendw 0 4 3480 3492 139 10 256 1 18 7 -1\r\n\nsendw 0 4\n", "x");
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().where, "x:3");
}

TEST(PraseRun, AnEmptyFileAmongOthersIsSaid) {
  const TestDir dir;
  write_files(dir.path(), converted(example_of_g(), "prase").files);
  ASSERT_TRUE(write_file(dir.path() / "n2_p0", ""));
  const auto read = read_prase_run(dir.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->processes, example_of_g().processes);
  EXPECT_EQ(count_of(read->diagnostics, "empty-record-file"), 1u);
}

TEST(PraseRun, AFormThatIsNoneIsWrongUsage) {
  const auto done = convert(example_of_g(), "paje");
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().usage);
}

}  // namespace
}  // namespace ww::prase
