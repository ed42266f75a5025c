#include "render/signature_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

TEST(ShowSignature, HasRanksOnRequest) {
  const Components c{2, 0, 8, 0, 0};
  const Signature signature = signature_of({{1, 1, 10, {{0, 10, c}, {1, 10, c}}}});
  EXPECT_NE(signature_table(signature, true).find("rank 1"), std::string::npos);
  EXPECT_EQ(signature_table(signature, false).find("rank 1"), std::string::npos);
  EXPECT_NEAR(to_json(signature)["signature"]["receive_wait_percent"].get<double>(), 80, 1e-9);
}

}  // namespace
}  // namespace ww
