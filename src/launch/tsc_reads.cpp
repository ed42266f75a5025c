#include "launch/tsc_reads.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/mapped_file.hpp"
#include "launch/x86_length.hpp"

namespace ww {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Part of the file, if it is within it.
std::optional<Bytes> part(Bytes file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return std::nullopt;
  return file.subspan(offset, bytes);
}

// The index-th of a table of T that begins at `offset` and has `stride` bytes an entry.
template <class T>
std::optional<T> entry(Bytes file, std::uint64_t offset, std::uint64_t stride, std::uint64_t index) {
  if (stride < sizeof(T) || index > file.size() / stride) return std::nullopt;
  if (offset > file.size()) return std::nullopt;
  const auto bytes = part(file, offset + index * stride, sizeof(T));
  if (!bytes) return std::nullopt;
  T value;
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

struct Code {
  Bytes bytes;
  std::uint64_t address;
};

struct Elf {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
  std::vector<Code> code;
};

std::optional<Elf> read_elf(Bytes file) {
  Elf elf;
  const auto header = entry<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr), 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
    return std::nullopt;
  elf.header = *header;
  for (unsigned i = 0; header->e_shoff != 0 && i < header->e_shnum; ++i) {
    const auto section = entry<Elf64_Shdr>(file, header->e_shoff, header->e_shentsize, i);
    if (!section) return std::nullopt;
    elf.sections.push_back(*section);
    if (section->sh_type != SHT_PROGBITS || (section->sh_flags & SHF_EXECINSTR) == 0) continue;
    const auto bytes = part(file, section->sh_offset, section->sh_size);
    if (!bytes) return std::nullopt;
    elf.code.push_back({*bytes, section->sh_addr});
  }
  if (!elf.code.empty()) return elf;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = entry<Elf64_Phdr>(file, header->e_phoff, header->e_phentsize, i);
    if (!segment) return std::nullopt;
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
    const auto bytes = part(file, segment->p_offset, segment->p_filesz);
    if (!bytes) return std::nullopt;
    elf.code.push_back({*bytes, segment->p_vaddr});
  }
  return elf;
}

// The function symbol that begins last before that address, in any of the file's tables.
std::string function_at(Bytes file, const Elf& elf, std::uint64_t address) {
  std::uint64_t best = 0;
  std::string name;
  for (const Elf64_Shdr& table : elf.sections) {
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (table.sh_link >= elf.sections.size() || table.sh_entsize < sizeof(Elf64_Sym)) continue;
    const Elf64_Shdr& strings = elf.sections[table.sh_link];
    const auto names = part(file, strings.sh_offset, strings.sh_size);
    if (!names) continue;
    for (std::uint64_t i = 0; i < table.sh_size / table.sh_entsize; ++i) {
      const auto symbol = entry<Elf64_Sym>(file, table.sh_offset, table.sh_entsize, i);
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value > address ||
          address - symbol->st_value >= std::max<std::uint64_t>(symbol->st_size, 1) ||
          (symbol->st_value <= best && !name.empty()) || symbol->st_name >= names->size())
        continue;
      const Bytes text = names->subspan(symbol->st_name);
      const auto end = std::find(text.begin(), text.end(), 0);
      best = symbol->st_value;
      name.assign(text.begin(), end);
    }
  }
  return name;
}

// Its names begin with these; other versions and builds than the distribution's stand elsewhere.
constexpr const char* of_others[] = {
    "libmpi",      "libmpich",    "libopen-",    "libucp",     "libuct",     "libucs",   "libucm",
    "libfabric",   "libpmi",      "libhwloc",    "libevent",   "libprrte",   "libpsm",   "libibverbs",
    "librdma",     "libgomp",     "libgfortran", "libstdc++",  "libgcc_s",   "libiomp5", "libomp",
    "libquadmath", "libopenblas", "libc.so",     "libm.so",    "libpthread", "librt.so", "libdl.so",
    "ld-linux",    "linux-vdso",  "libnuma",     "libwhatwire"};

bool is_of_the_system(const std::filesystem::path& file) {
  const std::string path = file.string(), name = file.filename().string();
  for (const char* folder : {"/lib/", "/lib64/", "/lib32/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/"})
    if (path.starts_with(folder)) return true;
  return std::any_of(std::begin(of_others), std::end(of_others),
                     [&](const char* prefix) { return name.starts_with(prefix); });
}

}  // namespace

Result<std::vector<TscRead>> find_tsc_reads(Bytes file) {
  const auto elf = read_elf(file);
  if (!elf) return fail("not an ELF file of x86-64, or damaged");
  std::vector<TscRead> found;
  for (const Code& code : elf->code)
    for (std::size_t at = 0; at < code.bytes.size();) {
      const Instruction instruction = decode_x86(code.bytes.subspan(at));
      if (instruction.reads_counter)
        found.push_back({code.address + at, function_at(file, *elf, code.address + at)});
      at += std::max<std::size_t>(instruction.length, 1);
    }
  return found;
}

std::vector<TscReader> tsc_readers_among(const std::vector<std::filesystem::path>& files) {
  std::vector<TscReader> readers;
  for (const auto& file : files) {
    if (is_of_the_system(file)) continue;
    const auto mapped = MappedFile::open(file);
    if (!mapped) continue;
    const std::span<const char> bytes = (*mapped)->bytes();
    auto reads = find_tsc_reads({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    if (reads && !reads->empty()) readers.push_back({file, *std::move(reads)});
  }
  return readers;
}

}  // namespace ww
