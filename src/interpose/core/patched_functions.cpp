#include "interpose/core/patched_functions.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core/code_files.hpp"
#include "interpose/core/elf_sections.hpp"
#include "interpose/core/function_names.hpp"
#include "interpose/core/way_back.hpp"

namespace ww::interpose {

namespace {

constexpr uintptr_t page = 4096;
constexpr size_t call_bytes = 5;  // E8 and how far

// --- Where functions lead back ---

constexpr uint32_t ways = 1u << ways_back_bits, most_ways = ways / 4 * 3;
WayBack* const table = reinterpret_cast<WayBack*>(ways_back_at);
uint32_t ways_used = 0;

WayBack* way_of(uintptr_t place, bool takes_one) {
  for (uint32_t i = static_cast<uint32_t>(place * ways_back_multiplier >> (64 - ways_back_bits));;
       i = (i + 1) % ways) {
    uintptr_t there = __atomic_load_n(&table[i].place, __ATOMIC_ACQUIRE);
    if (there == place) return &table[i];
    if (there != 0) continue;
    if (!takes_one || __atomic_load_n(&ways_used, __ATOMIC_RELAXED) >= most_ways) return nullptr;
    if (__atomic_compare_exchange_n(&table[i].place, &there, place, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      __atomic_fetch_add(&ways_used, 1, __ATOMIC_RELAXED);
      return &table[i];
    }
  }
}

uintptr_t end_of_functions() {
  return reinterpret_cast<uintptr_t>(&whatwire_function_ends);
}

// By the system's own call: tools that watch memory have wishes about where it is.
void* map_at(uintptr_t at, size_t bytes) {
  const long mapped = syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
  if (mapped == static_cast<long>(at)) return reinterpret_cast<void*>(at);
  if (mapped > 0) munmap(reinterpret_cast<void*>(mapped), bytes);  // an old kernel takes it as a hint
  return nullptr;
}

bool has_shadow_stack() {
  constexpr int status = 0x5005;  // ARCH_SHSTK_STATUS
  unsigned long features = 0;
  return syscall(SYS_arch_prctl, status, &features) == 0 && (features & 1) != 0;
}

void choose_what_is_kept() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) {
    whatwire_vectors_kept = 0;
    return;
  }
  constexpr unsigned tells_what_is_in_use = 1u << 2;
  if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d) == 0 || (a & tells_what_is_in_use) == 0) return;
  uint32_t on = 0, upper = 0;  // what the system has switched on
  asm volatile("xgetbv" : "=a"(on), "=d"(upper) : "c"(0));
  constexpr uint32_t avx = 1u << 2, avx512 = 7u << 5;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  if ((on & avx512) == avx512)
    whatwire_vectors_kept = (b & bit_AVX512BW) != 0 ? 2 : 3;
  else
    whatwire_vectors_kept = (on & avx) != 0 ? 1 : 0;
}

// --- What is at a function's begin ---

size_t one_nop(const uint8_t* at) {
  size_t prefixes = 0;
  while (prefixes < 4 && (at[prefixes] == 0x66 || at[prefixes] == 0x2e)) ++prefixes;
  const uint8_t* const code = at + prefixes;
  if (code[0] == 0x90) return prefixes + 1;
  if (code[0] != 0x0f || code[1] != 0x1f) return 0;
  const uint8_t mode = code[2] >> 6, base = code[2] & 7;
  if (mode == 3 || (mode == 0 && base == 5)) return 0;
  return prefixes + 3 + (base == 4 ? 1 : 0) + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

// Whole instructions that do nothing, until there are so many bytes; else 0.
size_t nops(const uint8_t* at, size_t bytes) {
  size_t all = 0;
  while (all < bytes) {
    const size_t one = one_nop(at + all);
    if (one == 0) return 0;
    all += one;
  }
  return all;
}

bool marks_target(const uint8_t* at) {
  constexpr uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  return memcmp(at, endbr64, sizeof endbr64) == 0;
}

struct Begin {
  const uint8_t* function;
  uint8_t* bytes;    // that do nothing, behind it
  size_t count = 0;  // of them, whole instructions that a call fits in; 0: it does not
};

// The compiler tells where the bytes begin: behind the function's begin and its endbr64, or some of them before it. `end` of the code,
// beyond which nothing is read.
Begin begin_of(uint8_t* told, const uint8_t* end) {
  constexpr size_t target = 4, most_before = 64, looked_at = 96;
  uint8_t copy[looked_at];
  memset(copy, 0xcc, sizeof copy);
  const auto left = static_cast<size_t>(end - told);
  memcpy(copy, told, left < sizeof copy ? left : sizeof copy);
  const auto found = [&](size_t function, size_t bytes) {
    return Begin{told + function, told + bytes, nops(copy + bytes, call_bytes)};
  };
  if (begins_function(told)) return found(0, 0);
  if (marks_target(told - target)) return {told - target, told, nops(copy, call_bytes)};
  for (size_t before = 1; before < most_before && nops(copy, before) == before; ++before)
    if (begins_function(told + before))
      return found(before, before + (marks_target(copy + before) ? target : 0));
  return found(0, 0);  // without symbols
}

// They return twice, or into another process: what they lead back to must stay.
bool must_stay(const char* name) {
  constexpr const char* names[] = {"setjmp", "_setjmp",    "sigsetjmp",  "__sigsetjmp",
                                   "vfork",  "getcontext", "swapcontext"};
  for (const char* one : names)
    if (strcmp(one, name) == 0) return true;
  return false;
}

// --- One file of code ---

struct Code {
  uintptr_t begin, end;
  int rights;
  bool open = false;  // for writing
  uintptr_t stub = 0;
};

// A jump to the recorder, as near as a call reaches.
uintptr_t stub_near(const Code& code) {
  constexpr uintptr_t step = 64 << 10, reach = uintptr_t{1} << 30, lowest = 64 << 10;
  const auto make = [](uintptr_t at) -> uintptr_t {
    auto* const bytes = static_cast<uint8_t*>(map_at(at, page));
    if (bytes == nullptr) return 0;
    constexpr uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};  // to what stands behind it
    const auto target = reinterpret_cast<uintptr_t>(&whatwire_function_begins);
    memcpy(bytes, jump, sizeof jump);
    memcpy(bytes + sizeof jump, &target, sizeof target);
    if (mprotect(bytes, page, PROT_READ | PROT_EXEC) == 0) return at;
    munmap(bytes, page);
    return 0;
  };
  const uintptr_t first = code.begin & ~(step - 1), last = (code.end + step - 1) & ~(step - 1);
  for (uintptr_t away = step; away < reach; away += step) {
    if (first > away + lowest)
      if (const uintptr_t at = make(first - away)) return at;
    if (const uintptr_t at = make(last + away)) return at;
  }
  return 0;
}

bool open_code(Code& code) {
  if (code.open) return true;
  if (code.stub == 0) code.stub = stub_near(code);
  const uintptr_t from = code.begin & ~(page - 1);
  code.open = code.stub != 0 && mprotect(reinterpret_cast<void*>(from), code.end - from,
                                         PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
  return code.open;
}

void close_code(const Code& code) {
  const uintptr_t from = code.begin & ~(page - 1);
  if (code.open) mprotect(reinterpret_cast<void*>(from), code.end - from, code.rights);
}

class Patcher {
 public:
  Patcher(bool possible, bool (*wanted)(const char*), bool (*known)(const void*, const char*))
      : possible_(possible), wanted_(wanted), known_(known) {}
  const Patching& done() const { return done_; }

  void look_at(const dl_phdr_info& file, bool is_program) {
    if (!is_program && is_of_the_system(file.dlpi_name)) return;
    if (!is_program && file.dlpi_name[0] != '/') return;  // the kernel's own
    const ElfSections elf(is_program ? "" : file.dlpi_name);
    for (int i = 0; i < elf.count(); ++i)
      if (elf[i].sh_size > 0 && (elf[i].sh_flags & SHF_ALLOC) != 0 &&
          elf.is_called(i, "__patchable_function_entries"))
        take(file, file.dlpi_addr + elf[i].sh_addr, elf[i].sh_size / sizeof(uintptr_t));
  }

 private:
  static constexpr int most_parts = 16;

  void take(const dl_phdr_info& file, uintptr_t list, size_t count) {
    Code parts[most_parts];
    int part_count = 0;
    bool is_there = false;
    for (int i = 0; i < file.dlpi_phnum; ++i) {
      const auto& part = file.dlpi_phdr[i];
      const uintptr_t begin = file.dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
      if (part.p_type != PT_LOAD) continue;
      is_there = is_there || (list >= begin && list + count * sizeof(uintptr_t) <= end);
      if ((part.p_flags & PF_X) != 0 && (part.p_flags & PF_R) != 0 && part_count < most_parts)
        parts[part_count++] = {begin, end,
                               PROT_READ | PROT_EXEC | ((part.p_flags & PF_W) != 0 ? PROT_WRITE : 0)};
    }
    if (!is_there) return;  // the file is another one by now
    for (size_t i = 0; i < count; ++i) {
      const uintptr_t told = reinterpret_cast<const uintptr_t*>(list)[i];
      for (int p = 0; p < part_count; ++p)
        if (told >= parts[p].begin + 16 && told + call_bytes <= parts[p].end)
          switch_on(parts[p], reinterpret_cast<uint8_t*>(told));
    }
    for (int p = 0; p < part_count; ++p) close_code(parts[p]);
  }

  void switch_on(Code& code, uint8_t* told) {
    ++done_.there;
    const Begin begin = begin_of(told, reinterpret_cast<const uint8_t*>(code.end));
    FunctionName name;
    name_function(begin.function, name);
    if (must_stay(name.text) || !wanted_(name.text)) return;
    uint8_t* const behind = begin.bytes + call_bytes;
    if (!possible_ || begin.count == 0 || !open_code(code) || !known_(behind, name.text)) {
      ++done_.impossible;
      return;
    }
    const auto far = static_cast<int32_t>(code.stub - reinterpret_cast<uintptr_t>(behind));
    memset(begin.bytes, 0x90, begin.count);
    memcpy(begin.bytes + 1, &far, sizeof far);
    begin.bytes[0] = 0xe8;
  }

  bool possible_;
  bool (*wanted_)(const char*);
  bool (*known_)(const void*, const char*);
  Patching done_;
};

}  // namespace

bool leads_back_here(const uintptr_t* way_back) {
  return *way_back == end_of_functions();
}

bool lead_back_here(uintptr_t* way_back) {
  WayBack* const way = way_of(reinterpret_cast<uintptr_t>(way_back), true);
  if (way == nullptr) return false;
  way->just_before = *way_back - 1;
  *way_back = end_of_functions();
  return true;
}

const void* lead_back_there(uintptr_t* way_back) {
  *way_back = way_of(reinterpret_cast<uintptr_t>(way_back), false)->just_before + 1;
  return reinterpret_cast<const void*>(*way_back);
}

Patching patch_functions(bool (*wanted)(const char* name),
                         bool (*known)(const void* address, const char* name)) {
  struct Search {
    Patcher patcher;
    bool is_program = true;
  } search{
      Patcher(!has_shadow_stack() && map_at(ways_back_at, ways * sizeof(WayBack)) != nullptr, wanted, known)};
  choose_what_is_kept();
  const auto look = [](dl_phdr_info* info, size_t, void* given) {
    auto& sought = *static_cast<Search*>(given);
    sought.patcher.look_at(*info, sought.is_program);
    sought.is_program = false;  // it is the first
    return 0;
  };
  dl_iterate_phdr(look, &search);
  return search.patcher.done();
}

}  // namespace ww::interpose

#else

namespace ww::interpose {
Patching patch_functions(bool (*)(const char*), bool (*)(const void*, const char*)) {
  return {};
}
bool leads_back_here(const uintptr_t*) {
  return false;
}
bool lead_back_here(uintptr_t*) {
  return false;
}
const void* lead_back_there(uintptr_t* way_back) {
  return reinterpret_cast<const void*>(*way_back);
}
}  // namespace ww::interpose

#endif
