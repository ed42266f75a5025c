#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root asks one member after the other with an empty message and takes what comes; the two segments in
// which the library sends a block are one message here.
const Algorithm gather_linear_sync{
    "the synchronised linear algorithm", [](const Group& group, const Asked& asked) {
      const auto each = [&](auto&& act) {
        for (int member = 0; member < group.size(); ++member)
          if (member != asked.root) act(member);
      };
      const auto blocks = [&](const Take& take) {
        each([&](int member) { take({member, asked.root, asked.blocks.of(member)}); });
      };
      const auto asking = [&] { each([&](int member) { group.transfer({asked.root, member, 0}); }); };
      group.round(blocks, asking);
    }};

}  // namespace ww::patterns
