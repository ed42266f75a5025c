#include "lab/switch/kernel_code.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ww::lab {
namespace {

constexpr const char* remedy =
    "run as root on Linux 5.12 or later, or take the switch in user space: --wire switch";

int ask(bpf_cmd what, bpf_attr& with) {
  const long got = syscall(SYS_bpf, what, &with, sizeof with);
  if (got >= 0) fcntl(static_cast<int>(got), F_SETFD, FD_CLOEXEC);
  return static_cast<int>(got);
}

}  // namespace

void KernelCode::put(std::uint8_t code, std::uint8_t to, std::uint8_t from, std::int16_t offset,
                     std::int32_t value) {
  bpf_insn instruction = {};
  instruction.code = code;
  instruction.dst_reg = to & 0xf;
  instruction.src_reg = from & 0xf;
  instruction.off = offset;
  instruction.imm = value;
  code_.push_back(instruction);
}

void KernelCode::operate(Operation what, Register to, Register from) {
  put(static_cast<std::uint8_t>(BPF_ALU64 | what | BPF_X), to, from, 0, 0);
}
void KernelCode::operate(Operation what, Register to, std::int32_t value) {
  put(static_cast<std::uint8_t>(BPF_ALU64 | what | BPF_K), to, 0, 0, value);
}
void KernelCode::load(Width width, Register to, Register from, std::int16_t offset) {
  put(static_cast<std::uint8_t>(BPF_LDX | width | BPF_MEM), to, from, offset, 0);
}
void KernelCode::store(Width width, Register to, std::int16_t offset, Register from) {
  put(static_cast<std::uint8_t>(BPF_STX | width | BPF_MEM), to, from, offset, 0);
}
void KernelCode::add_shared(Register to, std::int16_t offset, Register from) {
  put(BPF_STX | BPF_DW | BPF_ATOMIC, to, from, offset, BPF_ADD);
}
void KernelCode::exchange_shared(Register to, std::int16_t offset, Register from) {
  put(BPF_STX | BPF_DW | BPF_ATOMIC, to, from, offset, BPF_CMPXCHG);
}
void KernelCode::address(Register to, int map, std::uint32_t offset) {
  put(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_VALUE, 0, map);
  put(0, 0, 0, 0, static_cast<std::int32_t>(offset));
}
void KernelCode::call(bpf_func_id function) {
  put(BPF_JMP | BPF_CALL, 0, 0, 0, static_cast<std::int32_t>(function));
}
void KernelCode::leave() {
  put(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

KernelCode::Label KernelCode::label() {
  places_.push_back(0);
  return places_.size() - 1;
}
void KernelCode::here(Label label) {
  places_[label] = code_.size();
}
void KernelCode::jump(Label to) {
  jumps_.push_back({code_.size(), to});
  put(BPF_JMP | BPF_JA, 0, 0, 0, 0);
}
void KernelCode::jump_if(Register left, Comparison how, Register right, Label to) {
  jumps_.push_back({code_.size(), to});
  put(static_cast<std::uint8_t>(BPF_JMP | how | BPF_X), left, right, 0, 0);
}
void KernelCode::jump_if(Register left, Comparison how, std::int32_t right, Label to) {
  jumps_.push_back({code_.size(), to});
  put(static_cast<std::uint8_t>(BPF_JMP | how | BPF_K), left, 0, 0, right);
}

Result<int> KernelCode::into_kernel(const char* name) {
  for (const Jump& jump : jumps_)
    code_[jump.from].off = static_cast<std::int16_t>(static_cast<std::ptrdiff_t>(places_[jump.to]) -
                                                     static_cast<std::ptrdiff_t>(jump.from) - 1);
  std::array<char, 1 << 16> said{};
  // What it calls (bpf_clone_redirect and such) the kernel gives to programs of its own licence only.
  constexpr char licence[] = "GPL";
  bpf_attr load = {};
  load.prog_type = BPF_PROG_TYPE_SCHED_CLS;
  load.insns = reinterpret_cast<std::uintptr_t>(code_.data());
  load.insn_cnt = static_cast<std::uint32_t>(code_.size());
  load.license = reinterpret_cast<std::uintptr_t>(licence);
  std::snprintf(load.prog_name, sizeof load.prog_name, "%s", name);
  const int fd = ask(BPF_PROG_LOAD, load);
  if (fd >= 0) return fd;
  const int problem = errno;
  load.log_buf = reinterpret_cast<std::uintptr_t>(said.data());
  load.log_size = said.size();
  load.log_level = 1;
  if (const int now = ask(BPF_PROG_LOAD, load); now >= 0) return now;
  std::string words = said.data();
  constexpr std::size_t last_words = 300;
  if (words.size() > last_words) words = words.substr(words.size() - last_words);
  return fail("the kernel does not take the lab's wire",
              std::string(std::strerror(problem)) + (words.empty() ? "" : ": ") + words, remedy);
}

Result<KernelMemory> KernelMemory::make(std::size_t bytes) {
  bpf_attr map = {};
  map.map_type = BPF_MAP_TYPE_ARRAY;
  map.key_size = sizeof(std::uint32_t);
  map.value_size = static_cast<std::uint32_t>(bytes);
  map.max_entries = 1;
  map.map_flags = BPF_F_MMAPABLE;
  std::snprintf(map.map_name, sizeof map.map_name, "whatwire");
  KernelMemory out;
  out.map = ask(BPF_MAP_CREATE, map);
  if (out.map < 0)
    return fail("the kernel does not take the lab's wire", std::string("bpf: ") + std::strerror(errno),
                remedy);
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, out.map, 0);
  if (mapped == MAP_FAILED)
    return fail("the kernel does not show the lab's wire", std::strerror(errno), remedy);
  out.bytes = static_cast<std::byte*>(mapped);
  return out;
}

}  // namespace ww::lab
