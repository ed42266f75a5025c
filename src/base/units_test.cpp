#include "base/units.hpp"

#include <gtest/gtest.h>

#include "base/numbers.hpp"

namespace ww {
namespace {

// Expectations by the definitions of the decimal and binary prefixes and 8 bits a byte.
TEST(Units, ReadsRatesInBitsAndBytes) {
  EXPECT_DOUBLE_EQ(*parse_rate_bytes_per_s("10Mb/s"), 1.25e6);
  EXPECT_DOUBLE_EQ(*parse_rate_bytes_per_s("1 Gbit/s"), 1.25e8);
  EXPECT_FALSE(parse_rate_bytes_per_s("100mbit")) << "a lower-case prefix would be milli";
  EXPECT_DOUBLE_EQ(*parse_rate_bytes_per_s("125MB/s"), 1.25e8);
  EXPECT_DOUBLE_EQ(*parse_rate_bytes_per_s("10Mbps"), 1.25e6);
}

TEST(Units, RefusesWhatIsNoRate) {
  for (const char* bad :
       {"10 apples", "", "10", "Mb/s", "-1Mb/s", "0Mb/s", "10Mb", "nan b/s", "inf b/s", "10 Mb/s x"}) {
    const auto parsed = parse_rate_bytes_per_s(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_TRUE(parsed.error().usage);
    EXPECT_FALSE(parsed.error().remedy.empty());
  }
}

TEST(Units, ReadsTimesSizesAndFactors) {
  EXPECT_DOUBLE_EQ(*parse_time_s("5us"), 5e-6);
  EXPECT_DOUBLE_EQ(*parse_time_s("1.5 ms"), 1.5e-3);
  EXPECT_FALSE(parse_time_s("5"));
  EXPECT_FALSE(parse_time_s("-5us"));
  EXPECT_DOUBLE_EQ(*parse_bytes("64KiB"), 65536);
  EXPECT_DOUBLE_EQ(*parse_bytes("1460"), 1460);
  EXPECT_FALSE(parse_bytes("many"));
  EXPECT_DOUBLE_EQ(*parse_factor("x10"), 10);
  EXPECT_FALSE(parse_factor("10"));
  EXPECT_FALSE(parse_factor("x0"));
}

TEST(Units, SharesAreOfAWhole) {
  EXPECT_DOUBLE_EQ(*parse_share("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(*parse_share("0.25"), 0.25);
  EXPECT_EQ(*parse_share("0"), 0);
  for (const char* text : {"", "%", "101%", "1.01", "-1%", "1ms", "nan"})
    EXPECT_FALSE(parse_share(text)) << text;
}

// What is nothing to the digits shown has no sign ("-0.00 ns").
TEST(Units, ZeroHasNoSign) {
  EXPECT_EQ(show_time(-0.0), "0 s");
  EXPECT_EQ(show_time(-1e-13), "0.00 ns");
  EXPECT_EQ(show_time(-6e-12), "-0.01 ns");
  EXPECT_EQ(show_bytes(-0.4), "0 B");
  EXPECT_EQ(fixed(-0.04, 1), "0.0");
  EXPECT_EQ(fixed(-0.06, 1), "-0.1");
  EXPECT_EQ(fixed(-0.4, 0), "0");
  EXPECT_EQ(signed_percent(-0.0004), "0.0%");
  EXPECT_EQ(signed_percent(0.0004), "0.0%");
  EXPECT_EQ(signed_percent(-0.9351), "-93.5%");
  EXPECT_EQ(signed_percent(0.0123, 0), "+1%");
}

TEST(Units, ReadsFrequencies) {
  EXPECT_DOUBLE_EQ(*parse_frequency_hz("2.7GHz"), 2.7e9);
  EXPECT_DOUBLE_EQ(*parse_frequency_hz("2700 MHz"), 2.7e9);
  EXPECT_DOUBLE_EQ(*parse_frequency_hz("7e6"), 7e6);
  for (const char* text : {"", "0GHz", "-1GHz", "2.7", "2.7ghz", "nanHz", "1e300GHz"})
    EXPECT_EQ(bool(parse_frequency_hz(text)), text == std::string("2.7")) << text;
}

// What is beyond any machine is a slip of the unit, and must not become infinite.
TEST(Units, RefusesWhatIsNoQuantity) {
  for (const char* text : {"nanGb/s", "infGb/s", "1e300Gb/s", "1e999b/s"})
    EXPECT_FALSE(parse_rate_bytes_per_s(text)) << text;
  for (const char* text : {"nans", "infs", "1e300s", "1e10h"}) EXPECT_FALSE(parse_time_s(text)) << text;
  for (const char* text : {"nan", "inf", "1e300GiB"}) EXPECT_FALSE(parse_bytes(text)) << text;
  for (const char* text : {"xnan", "xinf", "x1e300", "x1e-300"}) EXPECT_FALSE(parse_factor(text)) << text;
}

TEST(Units, ShowsThreeDigits) {
  EXPECT_EQ(show_time(248e-6), "248 us");
  EXPECT_EQ(show_time(1.5), "1.50 s");
  EXPECT_EQ(show_bytes(1048576), "1.00 MiB");
  EXPECT_EQ(show_rate(1.25e6), "10.0 Mb/s");
}

}  // namespace
}  // namespace ww
