// Ross (S2): its table (figure 3.5) cell by cell, and how the presets read it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "machine/latency.hpp"
#include "machine/presets.hpp"

namespace ww {
namespace {

// As printed, digit for digit.
struct Row {
  const char* preset;
  Place between;
  const char *t_s, *t_c, *alpha, *inverse_beta, *beta, *ipc, *clock, *operations, *alpha_operations,
      *beta_operations;
};
const Row table[] = {
    {"comet", Place::inter, "0.00000282577289", "0.00000002904314", "7629.586803", "0.1275242176",
     "7.8416478", "16", "2700000000", "43200000000", "122073.3888", "125.4663648"},
    {"comet", Place::intra, "0.000001166456489", "0.0000000011009581", "3149.43252", "0.3364073259",
     "2.97258687", "16", "2700000000", "43200000000", "58398.92832", "47.56138892"},
    {"stampede", Place::inter, "0.000004315461736", "0.000000003118037", "10788.65434", "0.1282858414",
     "7.7958925", "8", "2500000000", "20000000000", "86309.23472", "62.36074"},
    {"stampede", Place::intra, "0.000000281585298", "0.000000001462788", "783.963245", "0.2734504248",
     "3.65697", "8", "2500000000", "20000000000", "5631.70596", "29.25576"}};

double number(const char* printed) {
  return std::strtod(printed, nullptr);
}

int decimals(const std::string& printed) {
  const auto point = printed.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
}

// To one unit of the last digit: the print cuts some numbers off and rounds others.
bool reproduces(double derived, const char* printed) {
  return std::fabs(derived - number(printed)) <= 1.001 * std::pow(10, -decimals(printed));
}

// Each 0 of what it must be is printed as an 8.
bool zeros_became_eights(double derived, const char* printed) {
  std::string text = fmt::format("{:.{}f}", derived, decimals(printed));
  std::replace(text.begin(), text.end(), '0', '8');
  return text == printed;
}

// t_c between hosts on Comet contradicts its own row: all that is derived from it is of a tenth.
double t_c_of(const Row& row) {
  return number(row.t_c) / (row.preset == std::string("comet") && row.between == Place::inter ? 10 : 1);
}

AlphaBeta derived(const Row& row) {
  return alpha_beta(row.between, number(row.t_s), t_c_of(row), number(row.clock), number(row.ipc));
}

// Of the 24 derived cells (six a row) 20 follow from t_s, t_c, f and IPC; the others, and one t_c, do not.
TEST(TableOfS2, EveryCellFollowsOrItsContradictionIsNamed) {
  int follow = 0;
  const auto same = [&](double value, const char* printed) {
    EXPECT_TRUE(reproduces(value, printed)) << value << " is printed as " << printed;
    ++follow;
  };
  for (const Row& row : table) {
    const AlphaBeta of = derived(row);
    const bool comet = row.preset == std::string("comet"), inter = row.between == Place::inter;
    SCOPED_TRACE(fmt::format("{} {}", row.preset, to_string(row.between)));
    if (!comet && !inter) {
      // t_s f = 703.963245, of which the row's own operations are 8 times as many
      EXPECT_FALSE(reproduces(of.alpha_cycles, row.alpha));
      EXPECT_TRUE(zeros_became_eights(of.alpha_cycles, row.alpha));
    } else {
      same(of.alpha_cycles, row.alpha);
    }
    if (!comet && inter) {
      // t_c f = 7.7950925, of which the row's own inverse is the inverse and its operations 8 times as many
      EXPECT_FALSE(reproduces(of.beta_cycles_per_byte, row.beta));
      EXPECT_TRUE(zeros_became_eights(of.beta_cycles_per_byte, row.beta));
    } else {
      same(of.beta_cycles_per_byte, row.beta);
    }
    same(of.inverse_beta_bytes_per_cycle, row.inverse_beta);
    same(of.operations_per_s, row.operations);
    if (comet && !inter) {
      // 16 times its own alpha is 50390.92032
      EXPECT_FALSE(reproduces(of.alpha_operations, row.alpha_operations));
      EXPECT_TRUE(zeros_became_eights(of.alpha_operations, row.alpha_operations));
      // 16 times its own beta is 47.56138992: one digit is one less
      EXPECT_FALSE(reproduces(of.beta_operations_per_byte, row.beta_operations));
      EXPECT_NEAR(of.beta_operations_per_byte - number(row.beta_operations), 1e-6, 1e-8);
    } else {
      same(of.alpha_operations, row.alpha_operations);
      same(of.beta_operations_per_byte, row.beta_operations);
    }
    // f t_c = beta holds for the t_c that is printed, but for Comet between hosts: there it is ten times as much.
    if (comet && inter) {
      EXPECT_FALSE(reproduces(number(row.t_c) * number(row.clock), row.beta));
      EXPECT_TRUE(reproduces(number(row.t_c) * number(row.clock) / 10, row.beta));
      EXPECT_TRUE(reproduces(1 / (number(row.t_c) * number(row.clock) / 10), row.inverse_beta));
    }
  }
  EXPECT_EQ(follow, 4 * 6 - 4);
}

TEST(PresetsOfS2, KeepThePrintBeside) {
  for (const Row& row : table) {
    const MachineModel model = *find_preset(row.preset);
    ASSERT_EQ(model.printed.size(), 2u);
    const AlphaBeta& kept = model.printed[row.between == Place::inter ? 0 : 1];
    EXPECT_EQ(kept,
              (AlphaBeta{row.between, number(row.t_s), number(row.t_c), number(row.clock), number(row.ipc),
                         number(row.alpha), number(row.beta), number(row.inverse_beta),
                         number(row.operations), number(row.alpha_operations), number(row.beta_operations)}));
    EXPECT_EQ(model.clock_hz, number(row.clock));
    EXPECT_EQ(model.ipc, number(row.ipc));
  }
}

// By the listings of tcts: between two readings of the clock lie Send and Recv of n MPI_DOUBLE.
TEST(PresetsOfS2, AreRoundTripsOfDoubles) {
  for (const Row& row : table) {
    const MachineModel model = *find_preset(row.preset);
    const Link& link = *model.link(row.between);
    EXPECT_EQ(link.latency_s, number(row.t_s) / 2);  // the smallest message: half of what one double took
    for (double doubles = 1; doubles <= 4194304; doubles *= 2) {
      const double round_trip_s = number(row.t_s) + t_c_of(row) * doubles;
      EXPECT_NEAR(2 * link.one_way.at(8 * doubles), round_trip_s, 1e-12 * round_trip_s) << doubles;
    }
    // what `machine show` derives: half of t_s, a sixteenth of t_c, and all that follows from them
    const auto rows = alpha_beta_of(model);
    ASSERT_EQ(rows.size(), 2u);
    const LinkAlphaBeta& shown = rows[row.between == Place::inter ? 0 : 1];
    const AlphaBeta of = derived(row);
    EXPECT_EQ(shown.row.between, row.between);
    EXPECT_NEAR(shown.row.alpha_cycles, of.alpha_cycles / 2, 1e-9 * of.alpha_cycles);
    EXPECT_NEAR(shown.row.beta_cycles_per_byte, of.beta_cycles_per_byte / 16, 1e-9);
    EXPECT_NEAR(shown.row.inverse_beta_bytes_per_cycle, 16 * number(row.inverse_beta), 1e-8);
    EXPECT_NEAR(shown.row.alpha_operations, of.alpha_operations / 2, 1e-9 * of.alpha_operations);
    EXPECT_NEAR(shown.row.beta_operations_per_byte, of.beta_operations_per_byte / 16, 1e-8);
    EXPECT_EQ(shown.sizes, 11u);  // 4096 to 4194304 doubles by doubling
    EXPECT_EQ(shown.measured_sizes, 0u);
    EXPECT_EQ(shown.from_bytes, 32768);
    EXPECT_EQ(shown.to_bytes, 33554432);
  }
}

// The wire of both is 56 Gb/s FDR InfiniBand, 64 of 66 bits of it data (IBTA): 6.79 GB/s. SDSC's list of systems
// has an MPI latency of 1.03 to 1.97 us for Comet. What the text says of the units fits neither.
TEST(PresetsOfS2, FitTheirNetworkAsTheProgramHasIt) {
  constexpr double fdr_bytes_per_s = 56e9 * 64 / 66 / 8;
  for (const char* name : {"comet", "stampede"}) {
    const double rate = 1 / find_preset(name)->link(Place::inter)->one_way.segments[0].seconds_per_byte;
    EXPECT_LT(rate, fdr_bytes_per_s) << name;
    EXPECT_GT(rate, 0.7 * fdr_bytes_per_s) << name;
    EXPECT_LT(rate / 16, 0.1 * fdr_bytes_per_s) << name;  // as the text has it
  }
  const Link comet = *find_preset("comet")->link(Place::inter);
  EXPECT_NEAR(1e-9 / comet.one_way.segments[0].seconds_per_byte, 5.5, 0.05);
  EXPECT_GT(comet.latency_s, 1.03e-6);
  EXPECT_LT(comet.latency_s, 1.97e-6);
  EXPECT_GT(2 * comet.latency_s, 1.97e-6);  // as the text has it
}

// The formula of its script (tstc.py), over the sizes that it keeps, on times that lie on no line.
TEST(AlphaBetaOfALink, FitsTheMeasuredSizesThatTheScriptKeeps) {
  MachineModel model;
  Link link;
  link.latency_s = 7e-6;
  link.one_way.segments = {{1, 4194304, 5e-6, 1e-9, {}, {}}};
  const auto measured_s = [](double bytes) { return 5e-6 + 1e-9 * bytes + 1e-13 * std::pow(bytes, 1.4); };
  double n = 0, sum_x = 0, sum_y = 0, sum_xy = 0, sum_xx = 0;
  for (double bytes = 1; bytes <= 4194304; bytes *= 2) {
    if (bytes == 65536) continue;  // not measured: the model's own time counts there
    link.points.push_back({bytes, measured_s(bytes), 0, 0, 9});
  }
  for (double bytes = 32768; bytes <= 4194304; bytes *= 2) {
    const double s = bytes == 65536 ? link.one_way.at(bytes) : measured_s(bytes);
    ++n, sum_x += bytes, sum_y += s, sum_xy += bytes * s, sum_xx += bytes * bytes;
  }
  model.links = {link};
  const LinkAlphaBeta of = alpha_beta_of(model).front();
  EXPECT_NEAR(of.row.t_c_s_per_byte, (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x), 1e-18);
  EXPECT_EQ(of.row.t_s, 7e-6);
  EXPECT_EQ(of.sizes, 8u);
  EXPECT_EQ(of.measured_sizes, 7u);
  EXPECT_EQ(of.to_bytes, 4194304);
  // neither clock nor operations are known
  EXPECT_EQ(of.row.alpha_cycles, 0);
  EXPECT_TRUE(to_json(of)["alpha_cycles"].is_null());
  EXPECT_TRUE(to_json(of)["beta_operations_per_byte"].is_null());
}

// S1's line between neighbours is known to 2000 bytes, below all sizes of the script: it goes on.
TEST(AlphaBetaOfALink, GoesOnAlongTheLineOfAShortOne) {
  const LinkAlphaBeta of = alpha_beta_of(*find_preset("ncube-seven")).front();
  EXPECT_NEAR(of.row.t_c_s_per_byte, (0.60 + 1.285 + 0.61) * 1e-6, 1e-15);
  EXPECT_EQ(of.sizes, 11u);
}

}  // namespace
}  // namespace ww
