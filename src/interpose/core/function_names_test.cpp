// Expectations: what GCC 12 and gfortran call functions (abi::__cxa_demangle of their symbols), and the rules of function_names.hpp.
#include "interpose/core/function_names.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace ww::interpose {
namespace {

std::string shortened(const char* text) {
  char out[sizeof FunctionName::text];
  shorten_function(text, out, sizeof out);
  return out;
}

TEST(FunctionNames, LeaveOutArgumentsAndResults) {
  EXPECT_EQ(shortened("solve"), "solve");
  EXPECT_EQ(shortened("nas::solve(int, double)"), "nas::solve");
  EXPECT_EQ(shortened("void nas::apply<int>(int)"), "nas::apply");
  EXPECT_EQ(shortened("decltype(auto) nas::apply<int>(int)"), "nas::apply");
  EXPECT_EQ(shortened("Grid<double, std::less<int> >::step(int) const"), "Grid::step");
  EXPECT_EQ(shortened("Grid<double>::~Grid()"), "Grid::~Grid");
  EXPECT_EQ(shortened("(anonymous namespace)::hidden(double)"), "hidden");
  EXPECT_EQ(shortened("nas::(anonymous namespace)::hidden(double)"), "nas::hidden");
  EXPECT_EQ(shortened("outer(int)::Local::inner()"), "outer::Local::inner");
  EXPECT_EQ(shortened("main::{lambda(int)#1}::operator()(int) const"), "main::{lambda(int)#1}::operator()");
}

TEST(FunctionNames, KeepOperators) {
  EXPECT_EQ(shortened("Grid<double>::operator()(int) const"), "Grid::operator()");
  EXPECT_EQ(shortened("ns::operator!=<double*, std::vector<double> >(int)"), "ns::operator!=");
  EXPECT_EQ(shortened("ns::operator<< <int>(std::ostream&)"), "ns::operator<<");
  EXPECT_EQ(shortened("A::operator->()"), "A::operator->");
  EXPECT_EQ(shortened("A::operator bool() const"), "A::operator bool");
  EXPECT_EQ(shortened("A::operator[](unsigned long)"), "A::operator[]");
  EXPECT_EQ(shortened("myoperator(int)"), "myoperator");
}

TEST(FunctionNames, OfFortranAreModuleAndName) {
  EXPECT_EQ(shortened("__grid_MOD_step"), "grid::step");
  EXPECT_EQ(shortened("solve_"), "solve_");
  EXPECT_EQ(shortened("MAIN__"), "MAIN__");
}

TEST(FunctionNames, NeverLeaveTheirRoom) {
  char out[8];
  std::memset(out, 'x', sizeof out);
  shorten_function("a_long_name_of_a_function(int)", out, sizeof out);
  EXPECT_STREQ(out, "a_long_");
  for (const char* damaged : {"<", "f<", "f(", "f(a", "{", "{lambda(", "operator", "operator<",
                              "(anonymous namespace)::", " ", ""}) {
    shorten_function(damaged, out, sizeof out);
    EXPECT_LT(std::strlen(out), sizeof out) << damaged;
  }
}

__attribute__((noinline)) int here(int x) {
  return x + 1;
}

TEST(FunctionNames, AreFoundByAddress) {
  begin_naming();
  FunctionName name;
  name_function(reinterpret_cast<const void*>(&here), name);
  EXPECT_STREQ(name.text, "ww::interpose::here") << "of this program's own symbols";
  name_function(reinterpret_cast<const char*>(&here) + 1, name);
  EXPECT_NE(std::string(name.text).find("+0x"), std::string::npos) << "no function begins there";
  int on_the_stack = 0;
  name_function(&on_the_stack, name);
  EXPECT_EQ(std::string(name.text).substr(0, 2), "0x") << "no file's";
}

}  // namespace
}  // namespace ww::interpose
