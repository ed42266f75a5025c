#include "trace/spool_names.hpp"

namespace ww::spool {

std::vector<NameNumbers> number_names(const std::vector<RankSpool>& spools, UserNames& names) {
  using Use = NameDefinition::Use;
  std::map<std::pair<Use, std::string>, std::uint32_t> known;
  std::vector<NameNumbers> numbers(spools.size());
  const auto add = [&](const NameDefinition& name) {
    if (name.use == Use::region) {
      names.regions.push_back(name.text);
      return names.regions.size() - 1;
    }
    if (name.use == Use::marker) {
      names.texts.push_back(name.text);
      return names.texts.size() - 1;
    }
    names.values.push_back({name.text, name.unit, name.use == Use::integer});
    return names.values.size() - 1;
  };
  for (std::size_t s = 0; s < spools.size(); ++s)
    for (const auto& [id, name] : spools[s].definitions.names) {
      const auto [entry, added] = known.try_emplace({name.use, name.text}, 0);
      if (added) entry->second = static_cast<std::uint32_t>(add(name));
      numbers[s][id] = {name.use, entry->second};
    }
  return numbers;
}

}  // namespace ww::spool
