// Expected records are those that S5 prints (Kahl 1988): the example of the User's Manual, Appendix C, page C-11, whose bytes are worked out here from the fields'
// widths and "low byte first" (Appendix F, page F-2). S5 prints no bytes.
#include "trace/prase/event_record.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace ww::prase {
namespace {

constexpr const char* printed = "sendw 0 4 3480 3492 139 10 256 1 18 7 -1";

// Through unsigned char, as a text literal would end at its zeros.
std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

EventRecord of_text(const std::string& line) {
  const auto record = record_of_text(line);
  EXPECT_TRUE(record) << line;
  return record.value_or(EventRecord());
}

std::string binary(const EventRecord& record) {
  std::string out;
  append_binary(record, out);
  return out;
}

TEST(EventRecord, TheExampleOfTheManualHasTheseBytes) {
  const std::string expected =
      bytes({'s',  'e',  'n', 'd', 'w',  0,           // type
             0,    0,    4,   0,                      // node, pid
             0x98, 0x0d, 0,   0,   0xa4, 0x0d, 0, 0,  // 3480, 3492
             139,  0,    10,  0,   0,    1,    1, 0,  // channel, type, 256 bytes, count
             18,   0,    7,   0,   0xff, 0xff});      // other node, pid, -1
  EXPECT_EQ(binary(of_text(printed)), expected);
  const auto back = record_of_binary(expected);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), printed);
  EXPECT_EQ(*back, of_text(printed));
}

// What S5 met on its Sun: the same numbers with the high byte first are others, and a type is still a type.
TEST(EventRecord, HighBytesFirstAreOtherNumbers) {
  std::string swapped = binary(of_text(printed));
  std::swap(swapped[8], swapped[9]);  // the pid
  EXPECT_EQ(record_of_binary(swapped)->pid, 4 << 8);
}

// All 23 types of Appendix C, field 1 (C-2 to C-4).
TEST(EventRecord, EveryTypeComesBackFromBothForms) {
  for (const char* type : {"close", "dump", "end", "flick", "grled", "init", "open", "probe", "recv", "recvw",
                           "rdled", "send", "sendw", "stat", "slog", "wrapr", "wraps"}) {
    const std::string line = std::string(type) + " 31 5 -7 2147483647 -32768 32767 1 2 3 4 5";
    const EventRecord record = of_text(line);
    EXPECT_EQ(to_text(record), line);
    EXPECT_EQ(binary(record).size(), record_bytes);
    EXPECT_EQ(record_of_binary(binary(record)), record) << line;
  }
}

// Widths of the iPSC's C (C-7): two bytes of an int and a short, four of a long and a float, eight of a double; 13 characters and a zero.
TEST(EventRecord, MarkedVariablesHaveTheirValueInTheSixthField) {
  for (const char* line :
       {"mint 1 0 5 6 -32768", "mshrt 1 0 5 6 32767", "mlong 1 0 5 6 -2147483648", "mdble 1 0 5 6 0.1",
        "mdble 1 0 5 6 -inf", "mflot 1 0 5 6 1e+30", "mchar 1 0 5 6 thirteen char", "mchar 1 0 5 6 ",
        "mchar 1 0 5 6  a  b ", "mchar 1 0 5 6 \\x01\\\\\\xff"}) {
    const EventRecord record = of_text(line);
    EXPECT_EQ(to_text(record), line);
    EXPECT_EQ(record_of_binary(binary(record)), record) << line;
  }
  const std::string of_double = binary(of_text("mdble 1 0 5 6 1"));
  EXPECT_EQ(of_double.substr(18),
            bytes({0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0}));  // IEEE 754, low byte first
  EXPECT_EQ(binary(of_text("mint 1 0 5 6 -2")).substr(18, 3), bytes({0xfe, 0xff, 0}));
}

// Bits that are no number of the text are kept by the binary form.
TEST(EventRecord, APatternThatIsNoNumberIsKept) {
  EventRecord record = of_text("mdble 1 0 5 6 0");
  record.bits = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()) | 0x1234;
  EXPECT_EQ(record_of_binary(binary(record)), record);
  EXPECT_EQ(to_text(record), "mdble 1 0 5 6 nan");
}

TEST(EventRecord, OtherLinesAndBytesAreNone) {
  for (const char* line :
       {"", "sendw", "sendx 0 4 3480 3492 139 10 256 1 18 7 -1", "sendw 0 4 3480 3492 139 10 256 1 18 7",
        "sendw 0 4 3480 3492 139 10 256 1 18 7 -1 0", "sendw 0 4 3480 3492 139 10 32768 1 18 7 -1",
        "sendw 0 4 2147483648 3492 139 10 256 1 18 7 -1", "sendw 0 four 3480 3492 139 10 256 1 18 7 -1",
        "mint 1 0 5 6 40000", "mint 1 0 5 6", "mint 1 0 5 6 1 2", "mchar 1 0 5 6 fourteen chars",
        "mchar 1 0 5 6 \\x0", "mchar 1 0 5 6 \\x00", "mchar 1 0 5 6 \\n"})
    EXPECT_FALSE(record_of_text(line)) << line;
  std::string good = binary(of_text(printed));
  EXPECT_FALSE(record_of_binary(good.substr(0, 31)));
  good[0] = 'S';
  EXPECT_FALSE(record_of_binary(good));
}

}  // namespace
}  // namespace ww::prase
