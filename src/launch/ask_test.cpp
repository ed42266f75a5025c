#include "launch/ask.hpp"

#include <gtest/gtest.h>

namespace ww::launch {
namespace {

// Lines as these launchers print them for --help.
TEST(OptionsInHelp, AreThoseOfEachLaunchersStyle) {
  const auto found = options_in_help(
      "Usage: srun [OPTIONS...] executable [args...]\n"
      "  -A, --account=name          charge job to specified account\n"
      "  -I, --immediate[=secs]      exit if resources not available\n"
      "  -l, --label                 prepend task number to lines of stdout/err\n"
      "      --mpi=type              type of MPI being used\n"
      "-c|-np|--np <arg0>       Number of processes to run\n"
      "   -gmca|--gmca <arg0> <arg1>  \n"
      "                         Pass global MCA parameters\n"
      "   -display-map|--display-map \n"
      "    -genvlist {env1,env2,...}        environment variable list to pass\n"
      "    -genv {name} {value}             environment variable name and value\n"
      "    -n/-np {value}                   number of processes\n"
      "  -N NODES, --nodes NODES   Number of nodes\n"
      "  --requires=CONSTRAINT Set properties\n"
      "  - a list in the text -q\n");
  const std::map<std::string, int> expected{
      {"-A", 1},      {"--account", 1}, {"-I", 0},           {"--immediate", 0},   {"-l", 0},
      {"--label", 0}, {"--mpi", 1},     {"-c", 1},           {"-np", 1},           {"--np", 1},
      {"-gmca", 2},   {"--gmca", 2},    {"-display-map", 0}, {"--display-map", 0}, {"-genvlist", 1},
      {"-genv", 2},   {"-n", 1},        {"-N", 1},           {"--nodes", 1},       {"--requires", 1}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ww::launch
