#include "render/breakdown_text.hpp"
#include "render/questions/questions.hpp"

namespace ww {
namespace {

Result<Answer> answer_regions(const Given& given) {
  const RegionTotals totals = find_regions(given.part, given.breakdown);
  const char* title =
      totals.regions.empty() ? "" : "Regions, sums over all ranks; times include the regions within\n";
  return Answer{to_json(totals), title + show(totals)};
}

}  // namespace

const Question regions_question = {"regions", "regions",
                                   "compute, library and blocked time of the regions that the program marked",
                                   answer_regions};

}  // namespace ww
