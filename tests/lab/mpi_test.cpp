// Programs of Open MPI and MPICH on real labs, and the eager thresholds measured there beside what the
// libraries themselves say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab/lab.hpp"
#include "lab_fixture.hpp"

namespace ww::lab {
namespace {

namespace fs = std::filesystem;

Finished run_on(const LabName& name, const std::vector<std::string>& launch, double limit_s) {
  const auto line = launch_on(name, launch);
  if (!line) {
    ADD_FAILURE() << to_string(line.error());
    return {};
  }
  const auto done = run({.arguments = *line,
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .no_input = true,
                         .time_limit_s = limit_s});
  if (!done) {
    ADD_FAILURE() << to_string(done.error());
    return {};
  }
  return *done;
}

// Four ranks on three hosts, one core each.
void expect_ranks_in_turn(const LabName& name, const std::string& launcher, const std::string& program) {
  const Finished done = run_on(name, {launcher, "-n", "4", program, "7"}, 30);
  EXPECT_EQ(done.exit_code, 7) << done.errors;
  std::istringstream said(done.output);
  for (int rank = 0; rank < 4; ++rank) {
    int spoken = -1, cores = 0;
    std::string host, folder;
    said >> spoken >> host >> cores >> folder;
    EXPECT_EQ(spoken, rank);
    EXPECT_EQ(host, "ww" + name.text() + "-h" + std::to_string(rank % 3));
    EXPECT_EQ(cores, 1);
    EXPECT_EQ(folder, fs::current_path());
  }
}

TEST_F(Lab, OpenMpiRunsOneRankAHostInTurn) {
  expect_ranks_in_turn(make("mpi", 10 * ten_megabit, 3), OPENMPI_RUN, LAB_HELLO);
}

TEST_F(Lab, MpichRunsOneRankAHostInTurn) {
  expect_ranks_in_turn(make("mpich", 10 * ten_megabit, 3), MPICH_RUN, LAB_HELLO_MPICH);
}

// Several programs in one line are placed like the ranks of one; a context without a number has one rank a
// host.
void expect_programs_in_turn(const LabName& name, const std::string& launcher, const std::string& program) {
  const Finished done =
      run_on(name, {launcher, "-n", "1", program, "0", ":", "-n", "3", program, "0", ":", program, "0"}, 40);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  std::istringstream said(done.output);
  constexpr int ranks = 1 + 3 + 3;
  for (int rank = 0; rank < ranks; ++rank) {
    int spoken = -1, cores = 0;
    std::string host, folder;
    said >> spoken >> host >> cores >> folder;
    EXPECT_EQ(spoken, rank) << done.output << done.errors;
    EXPECT_EQ(host, "ww" + name.text() + "-h" + std::to_string(rank % 3));
    EXPECT_EQ(cores, 1);
  }
}

TEST_F(Lab, OpenMpiPlacesSeveralProgramsLikeOne) {
  expect_programs_in_turn(make("mpmd", 100 * ten_megabit, 3), OPENMPI_RUN, LAB_HELLO);
}

TEST_F(Lab, MpichPlacesSeveralProgramsLikeOne) {
  expect_programs_in_turn(make("mpmdm", 100 * ten_megabit, 3), MPICH_RUN, LAB_HELLO_MPICH);
}

// Without lib/whatwire/libwhatwire-lab-mpich.so (src/lab/mpich/finalize.c) the first of these hung every
// time, the second one time in two.
TEST_F(Lab, ProgramsOfMpichEnd) {
  const LabName name = make("end", 10 * ten_megabit);
  for (const char* ranks : {"2", "4"})
    for (int time = 0; time < 20; ++time) {
      const Finished done = run_on(name, {MPICH_RUN, "-n", ranks, LAB_HELLO_MPICH, "0"}, 20);
      ASSERT_FALSE(done.timed_out) << ranks << " ranks, time " << time;
      ASSERT_EQ(done.exit_code, 0) << done.errors;
    }
}

// What `whatwire measure --lab` says of the links between hosts, as JSON.
nlohmann::json measured(const LabName& name, const std::vector<std::string>& prefix) {
  const fs::path file = fs::path(::testing::TempDir()) / (name.text() + ".json");
  std::vector<std::string> line{own_program(), "measure", "--lab", name.text(), "--quick",
                                "--json",      "-o",      file,    "--"};
  line.insert(line.end(), prefix.begin(), prefix.end());
  const auto done = run({.arguments = line,
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .no_input = true,
                         .time_limit_s = 50});
  std::error_code ignored;
  fs::remove(file, ignored);
  fs::path samples = file;
  fs::remove(samples.replace_extension().concat(".samples.json"), ignored);
  if (!done || done->exit_code != 0) {
    ADD_FAILURE() << (done ? done->errors : to_string(done.error()));
    return {};
  }
  const auto model = nlohmann::json::parse(done->output);
  EXPECT_GT(model["environment"]["lab"]["late_us"]["p99"], 0);  // of a wire that carried thousands of frames
  for (const auto& link : model["links"])
    if (link["between"] == "inter") return link;
  ADD_FAILURE() << "no link between hosts";
  return {};
}

// UCX would rather use the memory that the hosts share: the interfaces must have counted the messages.
TEST_F(Lab, MessagesOfMpichGoOverTheWire) {
  const LabName name = make("ucx", 10 * ten_megabit);
  const auto bytes_of_wire = [&] { return (*status(name))["switch"]["bytes"].get<double>(); };
  const double before = bytes_of_wire();
  constexpr int messages = 200, bytes = 4096;  // as heat says of its default problem, for each of two ranks
  const Finished done = run_on(name, {MPICH_RUN, "-n", "2", HEAT_MPICH}, 40);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_NE(done.output.find("rank 0 sent 200 messages 819200 bytes"), std::string::npos) << done.output;
  EXPECT_GE(bytes_of_wire() - before, 2.0 * messages * bytes);
}

// ob1 takes its largest header off the limit of the transport, whichever it then sends
// (mca_pml_ob1_send_request_start_btl: btl_eager_limit - sizeof(mca_pml_ob1_hdr_t), 56 bytes in Open
// MPI 4.1).
constexpr int header_of_ob1 = 56;

// What reads.c says, in whole times of one message; none may be in between.
std::string turns(std::istream& said) {
  std::string what, out;
  for (double times = 0; said >> what >> times;) {
    EXPECT_LT(std::fabs(times - std::round(times)), 0.35) << what << ' ' << times;
    out += what + " " + std::to_string(std::lround(times)) + "\n";
  }
  return out;
}

// When a rank that comes late to an exchange has read the request that came meanwhile (reads.c): so that both messages go one after the
// other, 2, else both at once, 1. That the libraries do so replays take for granted (simulate/events/reading.hpp,
// Library::own_messages_read_from_bytes).
std::string turns_by_what_came_before(const LabName& name, const std::string& launcher,
                                      const std::string& program) {
  const Finished done =
      run_on(name, {launcher, "-n", "2", program, "nothing", "receive", "probe", "own-4096", "own-8192"}, 60);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  std::istringstream said(done.output);
  return turns(said);
}

TEST_F(Lab, OpenMpiReadsWhatCameWhenItReceivesOrProbes) {
  EXPECT_EQ(turns_by_what_came_before(make("reads", 10 * ten_megabit, 2), OPENMPI_RUN, LAB_READS),
            "nothing 1\nreceive 2\nprobe 2\nown-4096 1\nown-8192 1\n");
}

TEST_F(Lab, MpichReadsWhatCameWithOwnMessagesToo) {
  EXPECT_EQ(turns_by_what_came_before(make("reads", 10 * ten_megabit, 2), MPICH_RUN, LAB_READS_MPICH),
            "nothing 1\nreceive 2\nprobe 2\nown-4096 1\nown-8192 2\n");
}

// The same as if the wire were ten times as slow, by a model without measurement: the exchange goes there as it does on a real wire, and its
// time is that of one or of two messages there. (By what its receivers see of it alone, an exchange in turn here takes an eleventh longer there.)
std::string dilated_turns(const LabName& name, const std::string& launcher, const std::string& program) {
  const fs::path folder = fs::path(::testing::TempDir()) / name.text();
  fs::create_directories(folder);
  std::ofstream(folder / "m.json") << R"({"name": "by hand", "costs": {
      "F": [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 5e-6, "seconds_per_byte": 0}],
      "U": [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 5e-6, "seconds_per_byte": 0}]},
      "links": [{"between": "inter", "latency_s": 50e-6, "eager_threshold_bytes": 65536,
                 "segments": [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 60e-6, "seconds_per_byte": 8e-8}]}]})";
  const auto done = run(
      {.arguments = {own_program(), "dilate",          "--lab",    name.text(), "--what-if", "bandwidth=x0.1",
                     "--machine",   folder / "m.json", "--repeat", "1",         "-o",        folder / "runs",
                     "--",          launcher,          "-n",       "2",         program,     "nothing",
                     "receive",     "probe",           "own-4096", "own-8192"},
       .output = Command::Output::capture,
       .capture_errors = true,
       .no_input = true,
       .time_limit_s = 60});
  EXPECT_TRUE(done && done->exit_code == 0) << (done ? done->errors : to_string(done.error()));
  std::ifstream said(folder / "runs" / "D1-1.out");
  std::string out = turns(said);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return out;
}

TEST_F(Lab, DilatedExchangesOfOpenMpiGoInTurnAsOnTheOtherWire) {
  EXPECT_EQ(dilated_turns(make("turns", 10 * ten_megabit, 2), OPENMPI_RUN, LAB_READS),
            "nothing 1\nreceive 2\nprobe 2\nown-4096 1\nown-8192 1\n");
}

TEST_F(Lab, DilatedExchangesOfMpichGoInTurnAsOnTheOtherWire) {
  EXPECT_EQ(dilated_turns(make("turns", 10 * ten_megabit, 2), MPICH_RUN, LAB_READS_MPICH),
            "nothing 1\nreceive 2\nprobe 2\nown-4096 1\nown-8192 2\n");
}

TEST_F(Lab, TheEagerThresholdIsOpenMpisOwn) {
  const LabName name = make("eo", 100 * ten_megabit);
  const auto said = run({.arguments = {OMPI_INFO, "--param", "btl", "tcp", "-l", "9", "--parsable"},
                         .output = Command::Output::capture});
  ASSERT_TRUE(said);
  const std::string key = "btl_tcp_eager_limit:value:";
  const auto at = said->output.find(key);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(measured(name, {OPENMPI_RUN, "-n", "2"})["eager_threshold_bytes"],
            std::stol(said->output.substr(at + key.size())) - header_of_ob1);
  EXPECT_EQ(measured(name, {OPENMPI_RUN, "-n", "2", "--mca", "btl_tcp_eager_limit",
                            "10000"})["eager_threshold_bytes"],
            10000 - header_of_ob1);
}

TEST_F(Lab, TheEagerThresholdIsUcxsOwn) {
  const LabName name = make("eu", 100 * ten_megabit);
  // the first size that is not sent eagerly, of an endpoint over TCP:
  // "tag_send: 0..<egr/short>..8185..<egr/zcopy>..19522..<rndv>..(inf)"
  const auto said = run(
      {.arguments = on(name, 0, {"env", "UCX_TLS=tcp", "UCX_NET_DEVICES=wire0", "ucx_info", "-e", "-u", "t"}),
       .output = Command::Output::capture});
  ASSERT_TRUE(said);
  if (said->exit_code != 0) GTEST_SKIP() << "no ucx_info here (package ucx-utils)";
  const auto line = said->output.find("tag_send:"), rendezvous = said->output.find("..<rndv>", line);
  ASSERT_NE(rendezvous, std::string::npos) << said->output;
  const auto number = said->output.rfind('.', rendezvous - 1) + 1;
  EXPECT_EQ(measured(name, {MPICH_RUN, "-n", "2"})["eager_threshold_bytes"],
            std::stol(said->output.substr(number)) - 1);
  EXPECT_EQ(
      measured(name, {MPICH_RUN, "-n", "2", "-genv", "UCX_RNDV_THRESH", "10000"})["eager_threshold_bytes"],
      10000 - 1);
}

// More hosts than cores: a rank that polls would hold up another host's. With enough cores, as on a cluster,
// none yields.
TEST_F(Lab, RanksYieldWhereHostsShareACore) {
  const auto yields = [&](int hosts) {
    const auto line =
        launch_on(make("yield" + std::to_string(hosts), ten_megabit, hosts), {OPENMPI_RUN, "./app"});
    EXPECT_TRUE(line) << to_string(line.error());
    return std::find(line->begin(), line->end(), "mpi_yield_when_idle") != line->end();
  };
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  EXPECT_FALSE(yields(1));
  EXPECT_TRUE(yields(cores + 1));
}

TEST_F(Lab, RefusesWhatItCannotLaunch) {
  const LabName name = make("no", ten_megabit);
  EXPECT_EQ(launch_on(name, {"/bin/echo", "hello"}).error().what,
            "a lab starts programs with mpirun.openmpi or mpirun.mpich, or those of PVM");
  EXPECT_TRUE(launch_on(name, {OPENMPI_RUN, "--host", "a,b", "./app"}).error().usage);
  EXPECT_TRUE(launch_on(name, {}).error().usage);
  for (const char* option : {"--app", "-configfile"})
    EXPECT_EQ(launch_on(name, {OPENMPI_RUN, option, "file"}).error().what,
              "a lab does not place the programs of a file");
}

}  // namespace
}  // namespace ww::lab
