#include "interpose/core/function_names.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/core/elf_sections.hpp"

namespace ww::interpose {

namespace {

struct Symbol {
  uint64_t at;    // in the file's own addresses
  uint32_t name;  // in its texts
  bool local;
};

// A file of code in this process, and its functions in the order of their addresses.
struct CodeFile {
  uintptr_t base;
  char path[512];
  Symbol* symbols;
  size_t count;
  char* texts;
  size_t text_bytes;
};

// A program in C++ has it in its run-time library; another one has no names that need it.
using Demangle = char*(const char*, char*, size_t*, int*);
Demangle* demangle = nullptr;

constexpr int most_files = 64;
CodeFile files[most_files];
int file_count = 0;

int in_order(const void* a, const void* b) {
  const auto& one = *static_cast<const Symbol*>(a);
  const auto& other = *static_cast<const Symbol*>(b);
  if (one.at != other.at) return one.at < other.at ? -1 : 1;
  return static_cast<int>(one.local) - static_cast<int>(other.local);
}

void take_symbols(const ElfSections& elf, const ElfW(Shdr) & table, const ElfW(Shdr) & texts,
                  CodeFile& file) {
  constexpr uint64_t most_bytes = uint64_t{1} << 30;
  if (table.sh_entsize != sizeof(ElfW(Sym)) || table.sh_size > most_bytes || texts.sh_size > most_bytes ||
      texts.sh_size == 0)
    return;
  const size_t count = table.sh_size / sizeof(ElfW(Sym));
  auto* const all = static_cast<ElfW(Sym)*>(pages_for(table.sh_size + 1));
  auto* const text = static_cast<char*>(pages_for(texts.sh_size + 1));
  if (all != nullptr && text != nullptr && elf.read(all, table.sh_size, table.sh_offset) &&
      elf.read(text, texts.sh_size, texts.sh_offset)) {
    // Never more bytes than the table itself had: they go where it is.
    auto* const kept = static_cast<Symbol*>(pages_for(count * sizeof(Symbol) + 1));
    if (kept != nullptr) {
      for (size_t i = 0; i < count; ++i) {
        const ElfW(Sym)& one = all[i];
        const bool code = ELF64_ST_TYPE(one.st_info) == STT_FUNC && one.st_shndx != SHN_UNDEF;
        if (code && one.st_name < texts.sh_size)
          kept[file.count++] = {one.st_value, one.st_name, ELF64_ST_BIND(one.st_info) == STB_LOCAL};
      }
      qsort(kept, file.count, sizeof(Symbol), in_order);
      file.symbols = kept;
      file.texts = text;
      file.text_bytes = texts.sh_size;
    }
  }
  give_back(all, table.sh_size + 1);
  if (file.symbols == nullptr) give_back(text, texts.sh_size + 1);
}

// Of the file all symbols, or if it is stripped those that others link with.
void read_symbols(CodeFile& file) {
  const ElfSections elf(file.path);
  constexpr unsigned tables[] = {SHT_SYMTAB, SHT_DYNSYM};
  for (const unsigned type : tables)
    for (int i = 0; i < elf.count() && file.symbols == nullptr; ++i)
      if (elf[i].sh_type == type && elf[i].sh_link < static_cast<unsigned>(elf.count()))
        take_symbols(elf, elf[i], elf[static_cast<int>(elf[i].sh_link)], file);
}

const CodeFile* symbols_around(const void* address) {
  struct Search {
    uintptr_t address;
    uintptr_t base = 0;
    const char* path = nullptr;
  } search{reinterpret_cast<uintptr_t>(address)};
  const auto look = [](dl_phdr_info* info, size_t, void* given) {
    auto& sought = *static_cast<Search*>(given);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
      if (part.p_type != PT_LOAD || sought.address < begin || sought.address >= begin + part.p_memsz)
        continue;
      sought.base = info->dlpi_addr;
      sought.path = info->dlpi_name;
      return 1;
    }
    return 0;
  };
  if (dl_iterate_phdr(look, &search) == 0) return nullptr;
  for (int i = 0; i < file_count; ++i)
    if (files[i].base == search.base && strncmp(files[i].path, search.path, sizeof files[i].path - 1) == 0)
      return &files[i];
  if (file_count == most_files) return nullptr;
  CodeFile& file = files[file_count++];
  file.base = search.base;
  snprintf(file.path, sizeof file.path, "%s", search.path);
  read_symbols(file);
  return &file;
}

const char* symbol_at(const CodeFile& file, uint64_t at) {
  size_t low = 0, high = file.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (file.symbols[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < file.count && file.symbols[low].at == at ? file.texts + file.symbols[low].name : nullptr;
}

bool is_part_of_word(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whether the word operator stands just before `at`.
bool is_operator(const char* text, const char* at) {
  constexpr size_t length = sizeof "operator" - 1;
  return static_cast<size_t>(at - text) >= length && strncmp(at - length, "operator", length) == 0 &&
         (at - text == static_cast<ptrdiff_t>(length) ||
          !is_part_of_word(at[-static_cast<ptrdiff_t>(length) - 1]));
}

// Behind the bracket that `at` opens; the end of the text if nothing closes it.
const char* behind_bracket(const char* at) {
  const char open = *at, close = open == '<' ? '>' : open == '(' ? ')' : '}';
  int depth = 0;
  for (; *at != 0; ++at) {
    if (*at == open) ++depth;
    const bool arrow = *at == '>' && at[-1] == '-';
    if (*at == close && !arrow && --depth == 0) return at + 1;
  }
  return at;
}

}  // namespace

void shorten_function(const char* text, char* out, size_t size) {
  // gfortran: __MODULE_MOD_NAME
  const char* const within = strncmp(text, "__", 2) == 0 ? strstr(text, "_MOD_") : nullptr;
  if (within != nullptr && within > text + 2) {
    snprintf(out, size, "%.*s::%s", static_cast<int>(within - text - 2), text + 2,
             within + sizeof "_MOD_" - 1);
    return;
  }
  constexpr const char* unnamed = "(anonymous namespace)::";
  size_t used = 0;
  const auto add = [&](char c) {
    if (used + 1 < size) out[used++] = c;
  };
  for (const char* at = text; *at != 0;) {
    if (strncmp(at, unnamed, strlen(unnamed)) == 0) {
      at += strlen(unnamed);
    } else if (is_operator(text, at) && !is_part_of_word(*at)) {
      // operator(), operator<=, operator->, operator bool: up to its arguments, of a template's too
      if (strncmp(at, "()", 2) == 0) add(*at++), add(*at++);
      while (*at != 0 && strchr("<>=-", *at) != nullptr) add(*at++);
      while (*at != 0 && *at != '(' && *at != '<') add(*at++);
      break;
    } else if (*at == '<') {
      at = behind_bracket(at);
    } else if (*at == '{') {
      for (const char* const end = behind_bracket(at); at != end;) add(*at++);
    } else if (*at == '(') {
      // Of the arguments, unless it is a function in which another one is.
      const char* behind = behind_bracket(at);
      constexpr const char* result = "decltype";  // (auto), before the name of a function
      if (used == strlen(result) && memcmp(out, result, used) == 0) {
        at = behind;
        continue;
      }
      while (*behind == ' ' || strncmp(behind, "const", 5) == 0) behind += *behind == ' ' ? 1 : 5;
      if (strncmp(behind, "::", 2) != 0) break;
      at = behind;
    } else if (*at == ' ') {
      used = 0;  // what it returns stands before
      ++at;
    } else if (*at == '.' && at != text && !is_part_of_word(at[1])) {
      break;
    } else {
      add(*at++);
    }
  }
  while (used > 0 && out[used - 1] == ' ') --used;
  out[used] = 0;
}

void begin_naming() {
  demangle = reinterpret_cast<Demangle*>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
}

bool begins_function(const void* address) {
  const CodeFile* const file = symbols_around(address);
  return file != nullptr && symbol_at(*file, reinterpret_cast<uintptr_t>(address) - file->base) != nullptr;
}

void name_function(const void* address, FunctionName& name) {
  const CodeFile* const file = symbols_around(address);
  if (file == nullptr) {
    snprintf(name.text, sizeof name.text, "%p", address);
    return;
  }
  const uint64_t at = reinterpret_cast<uintptr_t>(address) - file->base;
  const char* const symbol = symbol_at(*file, at);
  if (symbol == nullptr) {
    const char* const slash = strrchr(file->path, '/');
    snprintf(name.text, sizeof name.text, "%s+0x%llx", slash != nullptr ? slash + 1 : "program",
             static_cast<unsigned long long>(at));
    return;
  }
  char* readable = nullptr;
  if (demangle != nullptr && strncmp(symbol, "_Z", 2) == 0) {
    int failed = 0;
    readable = demangle(symbol, nullptr, nullptr, &failed);
  }
  shorten_function(readable != nullptr ? readable : symbol, name.text, sizeof name.text);
  free(readable);
}

}  // namespace ww::interpose
