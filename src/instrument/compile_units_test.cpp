// Command lines as cmake, make and people write them.
#include "instrument/compile_units.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace ww::instrument {
namespace {
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class CompileUnits : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ww-units-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    place_ = fs::canonical(name);
    fs::create_directories(place_ / "build");
    write("x.c", "int x;\n");
    write("y.cpp", "int y;\n");
  }
  void TearDown() override { fs::remove_all(place_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(place_ / name) << text; }
  fs::path place_;
};

TEST_F(CompileUnits, OfADatabaseInBothFormsItMayHave) {
  write(
      "build/compile_commands.json",
      R"([{"directory": ".", "file": "../x.c", "command": "/usr/bin/ccache cc -DN=3 -o x.o -c ../x.c -MF x.d -MD"},
            {"directory": ".", "file": "../y.cpp", "arguments": ["c++", "-I", "../i", "-c", "../y.cpp"]}])");
  const auto all = units_of_database(place_ / "build", {});
  ASSERT_TRUE(all) << to_string(all.error());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].file, place_ / "x.c");
  EXPECT_EQ((*all)[0].command, (Words{"cc", "-DN=3"}));
  EXPECT_EQ((*all)[1].command, (Words{"c++", "-I", "../i"}));
  const auto one = units_of_database(place_ / "build", {place_ / "y.cpp"});
  ASSERT_TRUE(one);
  ASSERT_EQ(one->size(), 1u);
  EXPECT_EQ(one->front().file, place_ / "y.cpp");
  EXPECT_EQ(database_for(place_ / "x.c"), place_ / "build");
  write("build/compile_commands.json", R"([{"file": 3}])");
  EXPECT_FALSE(units_of_database(place_ / "build", {}));
}

TEST_F(CompileUnits, ClangGetsWhatChangesTheTextAndNothingElse) {
  EXPECT_EQ(reading_flags({"gcc", "-O2", "-Wall", "-Werror", "-fno-tree-vectorize", "-I", "a", "-Ib", "-DX=1",
                           "-D", "Y", "-std=c89", "-mtune=native", "-fopenmp", "-lm", "-include", "c.h"}),
            (Words{"-O2", "-I", "a", "-Ib", "-DX=1", "-D", "Y", "-std=c89", "-fopenmp", "-include", "c.h"}));
}

TEST_F(CompileUnits, ACompilerOrFlagsAlone) {
  EXPECT_EQ(
      unit_by_words(place_ / "x.c", {"cc", "-O2", "-c", (place_ / "x.c").string(), "-o", "x.o"}).command,
      (Words{"cc", "-O2"}));
  const auto flags = unit_by_words(place_ / "y.cpp", {"-O2"}).command;
  ASSERT_EQ(flags.size(), 2u);  // some C++ compiler is there, as this was compiled
  EXPECT_NE(flags[0].find("++"), flags[0].find("xx"));
  EXPECT_EQ(parsed(unit_by_words(place_ / "x.c", {"g++", "-DX"})).arguments[1], "c++");
}

}  // namespace
}  // namespace ww::instrument
