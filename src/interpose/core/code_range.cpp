#include "interpose/core/code_range.hpp"

#include <link.h>

namespace ww::interpose {

CodeRange code_around(const void* code) {
  struct Search {
    const void* code;
    CodeRange found;
  } search{code, {}};
  const auto look = [](dl_phdr_info* info, size_t, void* given) {
    auto& sought = *static_cast<Search*>(given);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
      const CodeRange range{begin, begin + part.p_memsz};
      if (!range.holds(sought.code)) continue;
      sought.found = range;
      return 1;
    }
    return 0;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

CodeRange file_around(const void* place) {
  struct Search {
    const void* place;
    CodeRange found;
  } search{place, {}};
  const auto look = [](dl_phdr_info* info, size_t, void* given) {
    auto& sought = *static_cast<Search*>(given);
    CodeRange all{~uintptr_t{0}, 0};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
      if (begin < all.begin) all.begin = begin;
      if (end > all.end) all.end = end;
    }
    if (!all.holds(sought.place)) return 0;
    sought.found = all;
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace ww::interpose
