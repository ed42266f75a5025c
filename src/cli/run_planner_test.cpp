// What a page may choose from and what is wrong with what it asks for: by what whatwire record says of the same on its command line, and by where the files
// of the fixture lie.
#include "cli/run_planner.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/files.hpp"
#include "cli/folder_choices.hpp"

namespace ww::cli {
namespace {

namespace fs = std::filesystem;

class RunPlanner : public testing::Test {
 protected:
  RunPlanner() : before_(fs::current_path()) {
    std::string name = fs::temp_directory_path() / "ww-planner-XXXXXX";
    outside = fs::canonical(mkdtemp(name.data()));
    folder = outside / "work";
    fs::create_directories(folder / "build" / ".hidden");
    fs::create_directories(folder / "old.ww" / "spool");
    program(folder / "build/app");
    program(folder / "build/.hidden/app");
    program(folder / "old.ww/app");
    program(outside / "other");
    fs::create_symlink(outside, folder / "out");
    fs::create_symlink(outside / "other", folder / "linked");
    fs::create_symlink("build/app", folder / "near");
    write(folder / "build/data", "no program");
    write(folder / "mine.toml",
          "[record]\nlaunch = \"mpirun -n 2 './my app'\"\nstart = 2\ndurable = true\ncalls = [\"p2p\", "
          "\"io\"]\n");
    write(folder / "other.toml", "[tool]\nx = 1\n");
    write(outside / "secret.toml", "[record]\nstart = 1\n");
    fs::current_path(folder);
    knowledge = run_knowledge(folder);
  }
  ~RunPlanner() override {
    fs::current_path(before_);
    fs::remove_all(outside);
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static void program(const fs::path& file) {
    write(file, "#!/bin/sh\n");
    chmod(file.c_str(), 0755);
  }
  // "field: what; remedy" of each fault.
  std::string faults(const view::RunForm& form) {
    std::string said;
    for (const view::FieldFault& fault : knowledge.plan(form).faults)
      said += fault.field + ": " + to_string(fault.error) + "\n";
    return said;
  }

  fs::path outside, folder;
  view::RunKnowledge knowledge;

 private:
  fs::path before_;
};

TEST_F(RunPlanner, ListsWhatLiesBelowTheFolder) {
  const FolderChoices found = choices_below(folder);
  std::vector<std::string> paths;
  for (const auto& one : found.programs) paths.push_back(one.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"./near", "./build/app"}));
  EXPECT_EQ(found.settings, std::vector<std::string>{"mine.toml"});
  EXPECT_FALSE(found.left_out);
  const auto choices = knowledge.choices();
  std::vector<std::string> keys;
  for (const auto& key : choices["keys"]) keys.push_back(key["name"]);
  for (const char* there : {"calls", "start", "max-records", "functions", "count-functions", "durable"})
    EXPECT_NE(std::find(keys.begin(), keys.end(), there), keys.end()) << there;
  for (const char* own : {"launch", "output", "force", "json"})
    EXPECT_EQ(std::find(keys.begin(), keys.end(), own), keys.end()) << own;
}

TEST_F(RunPlanner, NoNameLeavesTheFolder) {
  for (const char* name : {"../secret.toml", "/etc/passwd", "out/secret.toml", "build/../../secret.toml",
                           "out", "", ".", "build/..", "a\nb"}) {
    EXPECT_FALSE(place_below(folder, name)) << name;
    EXPECT_FALSE(knowledge.form_of_file(name)) << name;
    EXPECT_FALSE(knowledge.line_for(name, 2)) << name;
    const std::string said = faults({"./build/app", name, {}});
    EXPECT_EQ(said.starts_with("output: "), *name != '\0') << name << said;
  }
  EXPECT_FALSE(knowledge.form_of_file("other.toml"));  // there, and none for whatwire
  EXPECT_TRUE(place_below(folder, "runs/new/app.ww"));
  EXPECT_TRUE(place_below(folder, "near"));
  EXPECT_NE(faults({"./build/app", "", {{"daemons", "../x"}}}).find("daemons: outside of the folder"),
            std::string::npos);
}

TEST_F(RunPlanner, AFileOfSettingsFillsTheForm) {
  const auto form = knowledge.form_of_file("mine.toml");
  ASSERT_TRUE(form) << to_string(form.error());
  EXPECT_EQ(form->launch, "mpirun -n 2 './my app'");
  EXPECT_EQ(form->settings,
            (std::map<std::string, std::string>{{"start", "2"}, {"durable", "true"}, {"calls", "p2p,io"}}));
  write(folder / "mine.toml", "[record]\nstart = 1\nstat = 2\n");
  const auto wrong = knowledge.form_of_file("mine.toml");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "mine.toml:3");
}

TEST_F(RunPlanner, MakesTheCommandThatATerminalTakes) {
  const auto plan = knowledge.plan(
      {"./build/app 'a b' $X", "", {{"start", "2"}, {"durable", "true"}, {"calls", ""}, {"json", ""}}});
  ASSERT_TRUE(plan.faults.empty());
  EXPECT_EQ(plan.shown, "whatwire record --output=app.ww --durable --start=2 -- ./build/app 'a b' '$X'");
  EXPECT_EQ(plan.output, "app.ww");
  EXPECT_EQ(plan.directory, folder / "app.ww");
  EXPECT_EQ(plan.command, (std::vector<std::string>{own_program(), "record", "--output=app.ww", "--durable",
                                                    "--start=2", "--", "./build/app", "a b", "$X"}));
  // Names that are taken stay what they are.
  fs::create_directories(folder / "app.ww" / "spool");
  EXPECT_EQ(knowledge.plan({"./build/app", "", {}}).output, "app-2.ww");
  EXPECT_EQ(faults({"./build/app", "app.ww", {}}), "output: it is there already: app.ww; app-2.ww is free\n");
  EXPECT_EQ(knowledge.plan({"./build/app", "runs/new.ww/", {}}).output, "runs/new.ww");
}

TEST_F(RunPlanner, SaysWhatIsWrongBesideItsField) {
  EXPECT_EQ(faults({"", "", {}}),
            "launch: nothing to run; choose a program, or write the line that starts it\n");
  EXPECT_TRUE(faults({"./gone", "", {}}).starts_with("launch: no such program: ./gone"));
  EXPECT_TRUE(faults({"./build/app", "", {{"start", "soon"}}})
                  .starts_with("start: soon is not a number from 0 to 1e+09"));
  EXPECT_TRUE(faults({"./build/app", "", {{"durable", "yes"}}})
                  .starts_with("durable: 'durable' takes true or false"));
  EXPECT_NE(faults({"./build/app", "", {{"calls", "MPI_Sendd"}}}).find("did you mean 'MPI_Send'?"),
            std::string::npos);
  EXPECT_NE(
      faults({"./build/app", "", {{"functions", "*"}, {"count-functions", "*"}}}).find("exclude one another"),
      std::string::npos);
  EXPECT_TRUE(faults({"./build/app", "", {{"program", "7"}}})
                  .starts_with("program: LAUNCH has no such word: --program 7"));
  EXPECT_TRUE(faults({"./build/app", "", {{"force", "true"}}})
                  .starts_with("launch: there is no such setting: force"));
  // All of it at once.
  EXPECT_EQ(knowledge.plan({"./gone", "../x", {{"start", "soon"}}}).faults.size(), 3U);
}

}  // namespace
}  // namespace ww::cli
