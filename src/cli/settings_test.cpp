// What a file of settings may say. The numbers are the equivalence classes of S5 (its section 4.1, for the configuration file of its
// preprocessors and translator), in the sense that applies here: groups are tables, their identifiers keys, lines values. Those that
// are about what there is no more (columns, counts in front of lists, ranges of nodes and pids, limits of arrays) are refused or
// accepted as TOML has it, each with its test; docs/settings.md has the list.
#include "cli/settings.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ww::cli {
namespace {

Result<std::vector<Setting>> read(const std::string& text) {
  SettingsKnown known;
  return known.parse(text, "w.toml");
}
std::string problem_of(const std::string& text) {
  const auto settings = read(text);
  return settings ? "nothing wrong" : to_string(settings.error());
}
// "record.start=2 ...": what was understood.
std::string understood(const std::string& text) {
  const auto settings = read(text);
  if (!settings) return to_string(settings.error());
  std::string said;
  for (const Setting& one : *settings) {
    said += (said.empty() ? "" : " ") + one.command + "." + one.key;
    for (std::size_t i = 0; i < one.values.size(); ++i) said += (i == 0 ? "=" : "|") + one.values[i];
  }
  return said;
}
#define EXPECT_SAYS(text, part) EXPECT_NE(problem_of(text).find(part), std::string::npos) << problem_of(text)

TEST(Settings, Comments) {
  EXPECT_EQ(understood("# of mine\n[record]\nstart = 2\n"), "record.start=2");   // 1
  EXPECT_EQ(understood("[record]\n # of mine\nstart = 2\n"), "record.start=2");  // 2: refused there
  EXPECT_SAYS("[record]\nof mine\nstart = 2\n", "w.toml:2");                     // 3
}

// What PRASE's groups of nodes and pids say, the launch line does.
TEST(Settings, WhatIsRun) {
  EXPECT_EQ(understood("[record]\nlaunch = [\"mpirun\", \"-n\", \"4\", \"./app\"]\n"),
            "record.launch=mpirun|-n|4|./app");                                  // 4, 12
  EXPECT_EQ(understood("[record]\nlaunch = './app'\n"), "record.launch=./app");  // 11
  EXPECT_EQ(understood("[record]\n  launch = 'mpirun -n 4 ./app'\n"),
            "record.launch=mpirun|-n|4|./app");                                    // 5, 13
  EXPECT_SAYS("[record]\nlaunch =\nstart = 1\n", "w.toml:2");                      // 6, 7, 17, 18
  EXPECT_SAYS("[record]\n['mpirun']\n", "no table is called [mpirun]: w.toml:2");  // 14
  EXPECT_SAYS("[record]\nlaunch = []\n", "'launch' takes at least one value");     // 15, 22
  EXPECT_EQ(understood("[instrument]\nsource = 'a.c'\n[record]\nlaunch = './app'\n"),
            "instrument.source=a.c record.launch=./app");                // 16: in any order here
  EXPECT_SAYS("[record]\nprogram = -1\n", "w.toml:2");                   // 8, 19
  EXPECT_SAYS("[record]\nprogram = 0\n", "w.toml:2");                    // 9, 20, 23: below the first word
  EXPECT_SAYS("[record]\nlaunch = [\n  './app',\n  '-x'\n", "w.toml:");  // 10, 21: a list that does not end
}

TEST(Settings, ALaunchLineThatIsOneTextIsPartedAsAShellDoes) {
  EXPECT_EQ(understood("[record]\nlaunch = \"./app 'a b' -x\"\n"), "record.launch=./app|a b|-x");
}

TEST(Settings, Calls) {
  EXPECT_EQ(
      understood("[record]\ncalls = ['p2p', 'collective', 'communicator', 'one-sided', 'io', 'other']\n"),
      "record.calls=p2p,collective,communicator,one-sided,io,other");                      // 24
  EXPECT_EQ(understood("[record]\ncalls = 'MPI_Send'\n"), "record.calls=MPI_Send");        // 25
  EXPECT_EQ(understood("[record]\n   calls = 'MPI_Send'\n"), "record.calls=MPI_Send");     // 26, 30
  EXPECT_SAYS("calls = 'MPI_Send'\n", "'calls' is in no table: w.toml:1");                 // 27
  EXPECT_SAYS("[record]\ncalls = []\n", "'calls' takes at least one value");               // 28, 29
  EXPECT_SAYS("[record]\ncalls = ''\n", "names no call and no class of calls: w.toml:2");  // 28
  EXPECT_SAYS("[record]\ncalls = 'p2p' 'io'\n", "w.toml:2");                               // 32
}

// PRASE had its libraries for linking in mind; here how a source is compiled.
TEST(Settings, HowSourcesAreCompiled) {
  EXPECT_EQ(understood("[instrument]\ncompiler = 'mpicc'\n"), "instrument.compiler=mpicc");  // 33
  EXPECT_EQ(understood("[instrument]\ncompiler = ['mpicc', '-O2', '-lm']\n"),
            "instrument.compiler=mpicc|-O2|-lm");  // 34
  EXPECT_EQ(understood("[instrument]\n compiler = 'mpicc -O2'\n"),
            "instrument.compiler=mpicc|-O2");                                                     // 35, 39
  EXPECT_SAYS("[instrument]\n'mpicc'\n", "w.toml:");                                              // 36
  EXPECT_SAYS("[instrument]\ncompiler = []\n", "at least one value; without any, leave it out");  // 37, 38
}

TEST(Settings, WhenItBegins) {
  EXPECT_EQ(understood("[record]\nstart = 0\n"), "record.start=0");                              // 40
  EXPECT_EQ(understood("[record]\n start = 1e-3\n"), "record.start=0.001");                      // 41
  EXPECT_SAYS("[record]\n = 2\n", "w.toml:2");                                                   // 42
  EXPECT_SAYS("[record]\nstart =\n", "w.toml:2");                                                // 43
  EXPECT_SAYS("[record]\nstart = -1\n", "start: -1 is not a number from 0 to 1e+09: w.toml:2");  // 44
  EXPECT_SAYS("[record]\n\n\nstart = 'soon'\n", "start: soon is not a number from 0 to 1e+09: w.toml:4");
  EXPECT_SAYS("[record]\nstart = true\n", "'start' takes a text, a number or an array: w.toml:2");
}

TEST(Settings, Sources) {
  EXPECT_EQ(understood("[instrument]\nsource = 'a.c'\n"), "instrument.source=a.c");               // 45
  EXPECT_EQ(understood("[instrument]\nsource = ['a.c', 'b.c']\n"), "instrument.source=a.c|b.c");  // 46
  EXPECT_EQ(understood("[instrument]\n source = ['a.c']\n"), "instrument.source=a.c");            // 47
  EXPECT_SAYS("[instrument]\n'a.c'\n", "w.toml:");                                                // 48
  EXPECT_SAYS("[instrument]\nsource = []\n", "'source' takes at least one value");                // 49, 50
  EXPECT_EQ(understood("[instrument]\nsource = ' a.c'\n"),
            "instrument.source= a.c");  // 51: a name of its own
  EXPECT_EQ(understood("[instrument]\nsource = 'a.c b.c'\n"), "instrument.source=a.c b.c");  // 53: one name
}

TEST(Settings, NamesOfTablesAndKeys) {
  EXPECT_EQ(
      understood("[record]\nlaunch='./a'\ncalls='p2p'\nstart=1\nmax-records=9\nfunctions='*'\ndurable=true\n"
                 "[instrument]\nsource='a.c'\nfunctions='*'\nwatch='x'\noutput='o'\n"),
      "record.launch=./a record.calls=p2p record.start=1 record.max-records=9 record.functions=* "
      "record.durable "
      "instrument.source=a.c instrument.functions=* instrument.watch=x instrument.output=o");  // 54
  EXPECT_SAYS("[Record]\nstart = 1\n", "no table is called [Record]: w.toml:1; did you mean 'record'?");
  EXPECT_SAYS("[record]\nStart = 1\n", "[record] has no 'Start': w.toml:2; did you mean 'start'?");  // 55
  EXPECT_SAYS("[record]\nstrat = 1\n", "did you mean 'start'?");                                     // 56
  EXPECT_SAYS("[record]\nwatch = 'x'\n", "[record] has no 'watch': w.toml:2; [instrument] has it");
  EXPECT_SAYS("[record] [instrument]\n", "w.toml:1");  // 57
  EXPECT_SAYS("[record]\nstart = 1\nstart = 2\n", "w.toml:3");
}

// 58; 59 (a file of data is missing when it is translated) is of a trace: trace/unify_team_test.cpp, whose rank 5 left nothing.
TEST(Settings, NoFile) {
  SettingsKnown known;
  const auto settings = known.read("/nowhere/w.toml");
  ASSERT_FALSE(settings);
  EXPECT_NE(to_string(settings.error()).find("/nowhere/w.toml"), std::string::npos);
  EXPECT_NE(to_string(settings.error()).find("whatwire init writes one"), std::string::npos);
}

// The values of PRASE's user include file. It had to know the number of message types (66 to 69) and of pids of a node (70 to 72)
// beforehand; no number of these is a setting here, and one that is named is a key that there is not.
TEST(Settings, Limits) {
  EXPECT_EQ(understood("[record]\nmax-records = 1\n"), "record.max-records=1");  // 60
  EXPECT_SAYS("[record]\nmax-records = -1\n", "w.toml:2");                       // 61
  EXPECT_EQ(understood("[record]\ndurable = true\n"), "record.durable");         // 62: after each record
  EXPECT_EQ(understood("[record]\nmax-records = 100000\n"), "record.max-records=100000");  // 63
  EXPECT_SAYS("[record]\nmax-records = 0\n", "w.toml:2");                                  // 64
  EXPECT_SAYS("[record]\nmax-records = 99999999999999999999\n", "w.toml:2");               // 65
  EXPECT_SAYS("[record]\ndurable = 1\n", "'durable' takes true or false: w.toml:2");
  EXPECT_EQ(understood("[record]\ndurable = false\n"), "");
  EXPECT_SAYS("[record]\nmessage-types = 5\n", "[record] has no 'message-types'");  // 66 to 69
  EXPECT_SAYS("[record]\npids-per-node = 5\n", "[record] has no 'pids-per-node'");  // 70 to 72
}

TEST(Settings, WhatExcludesOneAnother) {
  EXPECT_SAYS("[record]\nfunctions = '*'\ncount-functions = '*'\n",
              "'functions' and 'count-functions' exclude one another: w.toml:2 and w.toml:3");
}

TEST(Settings, EveryKeyHasAnExampleThatCanBeRead) {
  SettingsKnown known;
  ASSERT_EQ(known.commands(), (std::vector<std::string>{"record", "instrument"}));
  for (const std::string& command : known.commands())
    for (const SettingsKnown::Key& key : known.keys_of(command)) {
      const char* const example = example_of(command, key.name);
      ASSERT_NE(example, nullptr) << command << " " << key.name;
      EXPECT_EQ(problem_of("[" + command + "]\n" + key.name + " = " + example + "\n"), "nothing wrong");
    }
}

TEST(Settings, WhatIsWrittenIsReadAgain) {
  SettingsKnown known;
  const std::vector<Setting> settings = {{"record", "start", {"2"}, false, ""},
                                         {"record", "durable", {}, true, ""},
                                         {"record", "launch", {"./a", "it's \"so\"\n"}, false, ""},
                                         {"instrument", "watch", {"residual@solve", "p->x"}, false, ""}};
  const std::string text = settings_text(known, settings);
  const auto again = known.parse(text, "w.toml");
  ASSERT_TRUE(again) << to_string(again.error());
  ASSERT_EQ(again->size(), settings.size());
  for (const Setting& one : settings)
    EXPECT_TRUE(std::any_of(again->begin(), again->end(), [&](const Setting& other) {
      return other.command == one.command && other.key == one.key && other.values == one.values;
    })) << one.key;
  EXPECT_NE(text.find("# Begin so many seconds after MPI_Init\nstart = 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# calls = "), std::string::npos) << text;
}

class WithFile : public testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() / ("settings_test_" + std::to_string(getpid()) + ".toml");
  }
  void TearDown() override { std::filesystem::remove(file_); }
  WithSettings with(const std::string& text, std::vector<std::string> own,
                    const std::vector<std::string>& launch = {}) {
    std::ofstream(file_) << text;
    own.push_back("--config=" + file_.string());
    auto settings = with_settings(own, launch);
    EXPECT_TRUE(settings) << to_string(settings.error());
    if (!settings) return {};
    settings->own.erase(std::find(settings->own.begin(), settings->own.end(), "--config=" + file_.string()));
    return *settings;
  }
  std::filesystem::path file_;
};
using Words = std::vector<std::string>;

TEST_F(WithFile, WhatTheCommandLineDoesNotSayComesFromTheFile) {
  const std::string text =
      "[record]\nlaunch = './app -x'\nstart = 2\ncalls = ['p2p', 'io']\ndurable = true\n[instrument]\nsource "
      "= 'a.c'\n";
  EXPECT_EQ(with(text, {"record"}).own, (Words{"record", "--start=2", "--calls=p2p,io", "--durable"}));
  EXPECT_EQ(with(text, {"record"}).launch, (Words{"./app", "-x"}));
  EXPECT_EQ(with(text, {"record", "--start", "3"}, {"./other"}).own,
            (Words{"record", "--calls=p2p,io", "--durable", "--start", "3"}));
  EXPECT_EQ(with(text, {"record", "--start", "3"}, {"./other"}).launch, (Words{"./other"}));
  EXPECT_EQ(with(text, {"instrument", "--watch", "x"}).own, (Words{"instrument", "--watch", "x", "a.c"}));
  EXPECT_EQ(with(text, {"instrument", "--watch", "x", "b.c"}).own,
            (Words{"instrument", "--watch", "x", "b.c"}));
}

TEST_F(WithFile, WhatTheCommandLineExcludesStandsBack) {
  EXPECT_EQ(with("[record]\nfunctions = '*'\n", {"record", "--count-functions", "a*"}).own,
            (Words{"record", "--count-functions", "a*"}));
}

TEST_F(WithFile, AnErrorAboutAValueNamesItsLine) {
  const auto taken = with("[record]\n\ncalls = ['p2p', 'MPI_Sned']\n", {"record"}).taken;
  const Error error = placed({"--calls names what is no call", "'MPI_Sned'", "", true}, taken);
  EXPECT_EQ(error.where, "'MPI_Sned' (" + file_.string() + ":3, 'calls')");
  EXPECT_EQ(placed({"no such file", "other", "", false}, taken).where, "other");
  EXPECT_EQ(placed({"no such file", "/tmp/p2p/other", "", false}, taken).where, "/tmp/p2p/other");
}

}  // namespace
}  // namespace ww::cli
