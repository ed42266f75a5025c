#include "lab/switch/kernel_wire.hpp"

#include <fmt/format.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>

#include "lab/switch/in_namespace.hpp"
#include "lab/switch/kernel_code.hpp"
#include "lab/switch/netlink.hpp"

namespace ww::lab {

// What programs and switch share of one link: host k's to the hub is link 2k, the hub's to it 2k + 1.
struct WireLink {
  std::uint64_t last_ns;            // when the queue will have let go what it has
  std::uint64_t byte_ps, delay_ns;  // both 0: no wire, frames pass
  std::uint64_t longest_queue_ns;   // what would wait longer is dropped
  std::uint64_t interface;
  std::uint64_t frames, bytes, dropped;
};

struct WireMemory {
  std::uint64_t late_frames, latest;  // latest: in ticks
  std::uint64_t late[1024];           // frames by ticks that they came late, the last for all beyond
  // and the links
};

namespace {

using Code = KernelCode;
using enum KernelCode::Register;

constexpr std::int32_t unit_ns = 200;
// Longer than what a card hands over at once: what a queue counts of a frame is then less than one byte.
constexpr std::int32_t shortest_filler = 6400;
static_assert(shortest_filler > KernelWire::most_frames * 1514);
// Units of one filler: the kernel lets a frame grow to some 16,000 bytes (SKB_MAX_ALLOC).
constexpr std::int32_t longest_wait = 8000;
constexpr int most_fillers = 36;
// No frame that check_wire() allows is held back for longer than fillers last.
static_assert(longest_kernel_delay_s * 1e9 + most_at_once * 1538 / slowest_kernel_bytes_per_s * 1e9 +
                  KernelWire::covered_ns <
              double{most_fillers} * longest_wait * unit_ns);
// Lateness is told in ticks of 1024 ns, by 16 bits that travel with the frame (tc_index).
constexpr std::int32_t tick_bits = 10;
constexpr std::int32_t ticks = 0xffff, ticks_back = 0x8000;
constexpr std::int32_t loopback = 1;  // by number, in every network namespace
// A filler's mark: this byte, its link, its length.
constexpr std::int32_t filler_byte = 0xa7;
constexpr std::size_t most_links = 256;
constexpr std::int32_t go_on = TC_ACT_UNSPEC;  // TC_ACT_OK would overwrite tc_index

#define WW_OF_FRAME(field) static_cast<std::int16_t>(offsetof(__sk_buff, field))

#define WW_OF_LINK(field) static_cast<std::int16_t>(offsetof(WireLink, field))
#define WW_OF_MEMORY(field) static_cast<std::int16_t>(offsetof(WireMemory, field))

// Where link k is in the memory.
std::uint32_t link_at(std::size_t k) {
  return static_cast<std::uint32_t>(sizeof(WireMemory) + k * sizeof(WireLink));
}
constexpr std::int32_t late_classes = std::size(WireMemory{}.late);

// Of a frame that is about to enter the queue of link k. of_port: it has come by another link of the lab.
Result<int> before_queue(int map, std::size_t k, bool of_port) {
  Code code;
  const Code::Label pass = code.label(), drop = code.label(), timed = code.label(), filled = code.label();
  code.operate(Code::set, r6, r1);
  code.load(Code::word, r1, r6, WW_OF_FRAME(mark));
  code.operate(Code::shift_right, r1, 24);
  code.jump_if(r1, Code::equal, filler_byte, pass);
  code.address(r9, map, link_at(k));
  code.load(Code::eight_bytes, r7, r9, WW_OF_LINK(byte_ps));
  code.load(Code::eight_bytes, r8, r9, WW_OF_LINK(delay_ns));
  code.operate(Code::set, r1, r7);
  code.operate(Code::either_bit, r1, r8);
  code.jump_if(r1, Code::equal, 0, pass);
  constexpr std::int16_t earliest = -8, units = -16, release = -24, delay = -32;
  code.store(Code::eight_bytes, r10, delay, r8);
  code.call(BPF_FUNC_ktime_get_ns);
  code.operate(Code::set, r8, r0);

  // r7: for how long it occupies the link; r2: of how many frames it is, r4: for how long all but the first of them do
  const Code::Label several = code.label(), counted = code.label();
  code.load(Code::word, r1, r6, WW_OF_FRAME(len));
  code.load(Code::word, r2, r6, WW_OF_FRAME(gso_segs));
  code.jump_if(r2, Code::above, 1, several);
  code.operate(Code::set, r2, 1);
  code.operate(Code::add, r1, frame_overhead_bytes);
  code.jump(counted);
  code.here(several);
  constexpr auto headers_bytes = static_cast<std::int32_t>(tcp_headers_bytes);
  code.operate(Code::set, r3, r2);
  code.operate(Code::multiply, r3, headers_bytes + static_cast<std::int32_t>(frame_overhead_bytes));
  code.operate(Code::add, r1, r3);
  code.operate(Code::subtract, r1, headers_bytes);
  code.here(counted);
  code.operate(Code::multiply, r7, r1);
  code.operate(Code::divide, r7, 1000);
  code.operate(Code::set, r3, r7);
  code.operate(Code::divide, r3, r2);
  code.operate(Code::set, r4, r7);
  code.operate(Code::subtract, r4, r3);

  // r5: when the link may begin with it
  code.operate(Code::set, r5, r8);
  if (of_port) {
    const Code::Label in_time = code.label();
    code.jump_if(r7, Code::equal, 0, in_time);  // without a rate the link before this one told no time
    code.load(Code::word, r1, r6, WW_OF_FRAME(tc_index));
    code.operate(Code::set, r3, r8);
    code.operate(Code::shift_right, r3, tick_bits);
    code.operate(Code::subtract, r3, r1);
    code.operate(Code::both_bits, r3, ticks);
    code.jump_if(r3, Code::above, static_cast<std::int32_t>(KernelWire::covered_ns >> (tick_bits + 1)),
                 in_time);
    code.operate(Code::shift_left, r3, tick_bits);
    code.operate(Code::subtract, r5, r3);
    code.here(in_time);
    code.operate(Code::subtract, r5, r4);
  }
  code.load(Code::eight_bytes, r1, r10, delay);
  code.operate(Code::add, r5, r1);
  code.store(Code::eight_bytes, r10, earliest, r5);

  // Another core may queue a frame at the same time.
  constexpr int tries = 4;
  for (int t = 0; t < tries; ++t) {
    const Code::Label waits = code.label(), busy = code.label(), some = code.label();
    code.load(Code::eight_bytes, r0, r9, WW_OF_LINK(last_ns));
    code.load(Code::eight_bytes, r5, r10, earliest);
    code.operate(Code::set, r2, r0);
    code.jump_if(r2, Code::at_least, r5, waits);
    code.operate(Code::set, r2, r5);
    code.here(waits);
    code.operate(Code::set, r3, r2);
    code.operate(Code::subtract, r3, r5);
    code.load(Code::eight_bytes, r4, r9, WW_OF_LINK(longest_queue_ns));
    code.jump_if(r3, Code::above, r4, drop);
    code.operate(Code::add, r2, r7);
    code.store(Code::eight_bytes, r10, release, r2);
    // The queue has counted what it let go, and of the time since then no more than covered_ns.
    code.operate(Code::set, r4, r0);
    code.operate(Code::set, r3, r8);
    code.operate(Code::subtract, r3, static_cast<std::int32_t>(KernelWire::covered_ns));
    code.jump_if(r4, Code::at_least, r3, busy);
    code.operate(Code::set, r4, r3);
    code.here(busy);
    code.operate(Code::set, r1, r2);
    code.operate(Code::subtract, r1, r4);
    code.operate(Code::divide, r1, unit_ns);
    code.jump_if(r1, Code::unequal, 0, some);
    code.operate(Code::set, r1, 1);
    code.here(some);
    code.store(Code::eight_bytes, r10, units, r1);
    code.operate(Code::multiply, r1, unit_ns);
    code.operate(Code::add, r1, r4);
    code.operate(Code::set, r5, r0);
    code.exchange_shared(r9, WW_OF_LINK(last_ns), r1);
    if (t + 1 < tries) code.jump_if(r0, Code::equal, r5, timed);
  }
  code.here(timed);
  code.load(Code::eight_bytes, r1, r10, release);
  code.operate(Code::shift_right, r1, tick_bits);
  code.operate(Code::both_bits, r1, ticks);
  code.store(Code::word, r6, WW_OF_FRAME(tc_index), r1);
  code.load(Code::eight_bytes, r8, r10, units);
  code.operate(Code::subtract, r8, 1);
  for (int n = 0; n < most_fillers; ++n) {
    const Code::Label last = code.label();
    code.jump_if(r8, Code::equal, 0, filled);
    code.operate(Code::set, r1, r8);
    code.jump_if(r1, Code::at_most, longest_wait, last);
    code.operate(Code::set, r1, longest_wait);
    code.here(last);
    code.operate(Code::subtract, r8, r1);
    code.operate(Code::set, r2, filler_byte);
    code.operate(Code::shift_left, r2, 8);
    code.operate(Code::either_bit, r2, static_cast<std::int32_t>(k));
    code.operate(Code::shift_left, r2, 16);
    code.operate(Code::either_bit, r1, r2);
    code.store(Code::word, r6, WW_OF_FRAME(mark), r1);
    code.operate(Code::set, r1, r6);
    code.operate(Code::set, r2, loopback);
    code.operate(Code::set, r3, 0);
    code.call(BPF_FUNC_clone_redirect);
  }
  code.here(filled);
  code.operate(Code::set, r1, 0);
  code.store(Code::word, r6, WW_OF_FRAME(mark), r1);
  code.here(pass);
  code.operate(Code::set, r0, go_on);
  code.leave();
  code.here(drop);
  code.operate(Code::set, r1, 1);
  code.add_shared(r9, WW_OF_LINK(dropped), r1);
  code.operate(Code::set, r0, TC_ACT_SHOT);
  code.leave();
  return code.into_kernel("ww_before");
}

// Of a filler on its way over the loopback interface, whose frames may be as long as it becomes.
Result<int> filler(int map, std::size_t links) {
  Code code;
  const Code::Label other = code.label(), none = code.label(), drop = code.label();
  code.operate(Code::set, r6, r1);
  code.load(Code::word, r7, r6, WW_OF_FRAME(mark));
  code.operate(Code::set, r1, r7);
  code.operate(Code::shift_right, r1, 24);
  code.jump_if(r1, Code::unequal, filler_byte, other);
  code.operate(Code::set, r8, r7);
  code.operate(Code::both_bits, r8, 0xffff);
  code.operate(Code::shift_right, r7, 16);
  code.operate(Code::both_bits, r7, 0xff);
  code.jump_if(r7, Code::at_least, static_cast<std::int32_t>(links), drop);
  code.operate(Code::multiply, r7, static_cast<std::int32_t>(sizeof(WireLink)));
  code.address(r9, map, link_at(0));
  code.operate(Code::add, r9, r7);
  code.operate(Code::set, r1, r6);
  code.operate(Code::set, r2, r8);
  code.operate(Code::add, r2, shortest_filler);
  code.operate(Code::set, r3, 0);
  code.call(BPF_FUNC_skb_change_tail);
  code.jump_if(r0, Code::unequal, 0, none);
  code.load(Code::eight_bytes, r1, r9, WW_OF_LINK(interface));
  code.operate(Code::set, r2, 0);
  code.call(BPF_FUNC_redirect);
  code.leave();
  code.here(other);
  code.operate(Code::set, r0, go_on);
  code.leave();
  // Without memory for it the frame behind it goes too soon; the next one's filler is longer by as much.
  code.here(none);
  code.operate(Code::multiply, r8, -unit_ns);
  code.add_shared(r9, WW_OF_LINK(last_ns), r8);
  code.here(drop);
  code.operate(Code::set, r0, TC_ACT_SHOT);
  code.leave();
  return code.into_kernel("ww_filler");
}

// Of a frame that has reached its host by link k: counts it, and how late it is.
Result<int> behind_queue(int map, std::size_t k) {
  Code code;
  const Code::Label pass = code.label(), single = code.label(), late = code.label(),
                    not_latest = code.label(), covered = code.label(), class_found = code.label();
  code.operate(Code::set, r6, r1);
  code.load(Code::word, r7, r6, WW_OF_FRAME(len));
  code.address(r9, map, link_at(k));
  code.add_shared(r9, WW_OF_LINK(bytes), r7);
  code.load(Code::word, r1, r6, WW_OF_FRAME(gso_segs));
  code.jump_if(r1, Code::unequal, 0, single);
  code.operate(Code::set, r1, 1);
  code.here(single);
  code.add_shared(r9, WW_OF_LINK(frames), r1);
  code.load(Code::eight_bytes, r1, r9, WW_OF_LINK(byte_ps));
  code.load(Code::eight_bytes, r2, r9, WW_OF_LINK(delay_ns));
  code.operate(Code::either_bit, r1, r2);
  code.jump_if(r1, Code::equal, 0, pass);
  code.call(BPF_FUNC_ktime_get_ns);
  code.operate(Code::shift_right, r0, tick_bits);
  code.load(Code::word, r1, r6, WW_OF_FRAME(tc_index));
  code.operate(Code::subtract, r0, r1);
  code.operate(Code::both_bits, r0, ticks);
  code.jump_if(r0, Code::below, ticks_back, late);
  code.operate(Code::set, r0, 0);
  code.here(late);
  code.address(r2, map, 0);
  code.load(Code::eight_bytes, r1, r2, WW_OF_MEMORY(latest));
  code.jump_if(r0, Code::at_most, r1, not_latest);
  code.store(Code::eight_bytes, r2, WW_OF_MEMORY(latest), r0);
  code.here(not_latest);
  code.operate(Code::set, r3, 1);
  code.jump_if(r0, Code::at_most, static_cast<std::int32_t>(KernelWire::covered_ns >> tick_bits), covered);
  code.add_shared(r2, WW_OF_MEMORY(late_frames), r3);
  code.here(covered);
  code.jump_if(r0, Code::below, late_classes, class_found);
  code.operate(Code::set, r0, late_classes - 1);
  code.here(class_found);
  code.operate(Code::shift_left, r0, 3);
  code.operate(Code::add, r2, r0);
  code.add_shared(r2, WW_OF_MEMORY(late), r3);
  code.here(pass);
  code.operate(Code::set, r0, go_on);
  code.leave();
  return code.into_kernel("ww_behind");
}

enum class Way : std::uint32_t { out = TC_H_MIN_EGRESS, in = TC_H_MIN_INGRESS };

// Once per interface and way; clsact is there.
Result<void> put_program(const std::string& interface, Way way, int program) {
  tcmsg head = {};
  head.tcm_family = AF_UNSPEC;
  head.tcm_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
  head.tcm_parent = TC_H_MAKE(TC_H_CLSACT, static_cast<std::uint32_t>(way));
  head.tcm_info = TC_H_MAKE(1 << 16, htons(ETH_P_ALL));
  TrafficRequest request(head);
  constexpr char kind[] = "bpf", name[] = "whatwire";
  request.add_bytes(TCA_KIND, std::as_bytes(std::span(kind)));
  const std::size_t options = request.open(TCA_OPTIONS);
  request.add(TCA_BPF_FD, program);
  request.add_bytes(TCA_BPF_NAME, std::as_bytes(std::span(name)));
  request.add(TCA_BPF_FLAGS, std::uint32_t{TCA_BPF_FLAG_ACT_DIRECT});
  request.close(options);
  const int problem = request.ask(RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL);
  if (problem == 0) return {};
  return fail("cannot put a program before a queue", interface + ": " + std::strerror(problem),
              "is the kernel's module cls_bpf there? or --wire switch");
}

// Receive packet steering (Documentation/networking/scaling.rst). What of an interface is there for a network namespace is in a sysfs that
// was mounted in it. Mounting is to stay there, also where the root is no mount of its own, as in a chroot.
Result<void> take_in_on(const std::string& interface, int core) {
  constexpr int in_a_word = 32;
  std::string mask = fmt::format("{:x}", 1u << (core % in_a_word));
  for (int word = core / in_a_word; word > 0; --word) mask += ",00000000";
  return run_with_input(
      {"unshare", "--mount", "--propagation", "unchanged", "sh", "-es"},
      fmt::format("mount --make-rprivate / 2>/dev/null || mount --make-rprivate /sys\n"
                  "mount -t sysfs sysfs /sys\necho {} > /sys/class/net/{}/queues/rx-0/rps_cpus\n",
                  mask, interface));
}

std::string queue(const std::string& interface) {
  // A byte is unit_ns; without a limit of its own, which before_queue() has.
  constexpr double bits_per_s = 8e9 / unit_ns;
  return fmt::format(
      "qdisc add dev {0} root handle 1: stab overhead -{1} htb default 10\n"
      "class add dev {0} parent 1: classid 1:10 htb rate {2:.0f}bit burst {3} cburst {3} quantum 60000\n"
      "qdisc add dev {0} parent 1:10 handle 10: pfifo limit 1000000\n",
      interface, shortest_filler, bits_per_s, KernelWire::covered_ns / unit_ns);
}

}  // namespace

WireLink* KernelWire::links() const {
  return reinterpret_cast<WireLink*>(memory_ + 1);
}

Result<KernelWire> KernelWire::attach(int hub, const std::vector<int>& hosts,
                                      const std::vector<std::string>& ports, const std::vector<int>& cores,
                                      const WireTimes& wire) {
  KernelWire out;
  out.hosts_ = hosts.size();
  const std::size_t links = 2 * hosts.size();
  if (cores.empty()) return fail("cannot tell which cores there are", "sched_getaffinity", "--wire switch");
  if (links > most_links)
    return fail("a wire within the kernel has at most 128 hosts", fmt::format("{}", hosts.size()),
                "--wire switch");
  WW_TRY(const KernelMemory memory, KernelMemory::make(link_at(links)));
  out.memory_ = reinterpret_cast<WireMemory*>(memory.bytes);
  out.set(wire);
  WW_TRY(const int fill, filler(memory.map, links));
  const auto put = [&](const std::string& interface, std::size_t own_link, bool of_port) -> Result<void> {
    out.links()[own_link].interface = if_nametoindex(interface.c_str());
    WW_CHECK(run_with_input({"tc", "-batch", "-"},
                            queue(interface) + fmt::format("qdisc add dev {} clsact\n", interface)));
    WW_TRY(const int before, before_queue(memory.map, own_link, of_port));
    WW_CHECK(put_program(interface, Way::out, before));
    close(before);
    return {};
  };
  const auto put_filler = [&]() -> Result<void> {
    WW_CHECK(run_with_input({"tc", "-batch", "-"}, "qdisc add dev lo clsact\n"));
    return put_program("lo", Way::out, fill);
  };
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    WW_CHECK(enter_network(hosts[k]));
    WW_CHECK(put_filler());
    WW_CHECK(put(wire_interface, 2 * k, false));
    WW_CHECK(take_in_on(wire_interface, cores[k % cores.size()]));
    WW_TRY(const int behind, behind_queue(memory.map, 2 * k + 1));
    WW_CHECK(put_program(wire_interface, Way::in, behind));
    close(behind);
  }
  WW_CHECK(enter_network(hub));
  WW_CHECK(put_filler());
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    WW_CHECK(put(ports[k], 2 * k + 1, true));
    WW_CHECK(take_in_on(ports[k], cores[k % cores.size()]));
  }
  close(fill);
  close(memory.map);
  return out;
}

void KernelWire::set(const WireTimes& wire) {
  const double byte_s = wire.rate_bytes_per_s > 0 ? 1 / wire.rate_bytes_per_s : 0;
  for (std::size_t k = 0; k < 2 * hosts_; ++k) {
    const bool of_port = k % 2 == 1;
    WireLink& link = links()[k];
    const auto write = [](std::uint64_t& to, double value) {
      std::atomic_ref(to).store(static_cast<std::uint64_t>(value));
    };
    write(link.byte_ps, byte_s * 1e12);
    write(link.delay_ns, of_port ? static_cast<double>(wire.delay_ns) : 0);
    // A socket keeps its host's queue short.
    write(link.longest_queue_ns, of_port ? static_cast<double>(port_queue_bytes) * byte_s * 1e9 : 1e18);
  }
}

void KernelWire::count(Counters& counters) const {
  const auto read = [](std::uint64_t& from) { return std::atomic_ref(from).load(std::memory_order_relaxed); };
  for (std::size_t k = 0; k < 2 * hosts_; ++k) {
    WireLink& link = links()[k];
    counters.frames += read(link.frames);
    counters.bytes += read(link.bytes);
    counters.dropped += read(link.dropped);
  }
  counters.late_frames += read(memory_->late_frames);
  for (std::size_t tick = 0; tick < std::size(memory_->late); ++tick)
    if (const std::uint64_t times = read(memory_->late[tick]); times > 0)
      counters.late.add(static_cast<std::int64_t>(tick) << tick_bits, times);
  // The last class holds all beyond: the latest is known by itself, and joins them.
  if (const std::uint64_t latest = read(memory_->latest); latest >= std::size(memory_->late))
    counters.late.add(static_cast<std::int64_t>(latest) << tick_bits);
}

}  // namespace ww::lab
