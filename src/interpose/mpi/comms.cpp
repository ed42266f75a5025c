#include "interpose/mpi/comms.hpp"

#include <stdlib.h>

#include "interpose/core/definitions.hpp"
#include "interpose/mpi/frame.hpp"
#include "interpose/mpi/handle_table.hpp"
#include "interpose/mpi/handles.hpp"

namespace ww::interpose {

KnownComm world_comm{MPI_COMM_WORLD, 0, unknown_comm, 0, 1, 1, nullptr, 0, false, 0, 0, 1};
bool keep_world_ranks = false;

namespace {

constexpr uint32_t capacity = 8192, buckets = 1024;
KnownComm table[capacity];   // 0 is no entry
uint32_t first_of[buckets];  // entry numbers
uint32_t never_used = 1, free_list = 0;
uint32_t next_id = 2;
int table_lock = 0;
FreedHandles freed;
KnownComm no_comm{MPI_COMM_NULL, unknown_comm, unknown_comm, 0, 1, 1, nullptr, 0, false, unknown_key};

// The communicator asked for last, by this thread. Entries stay where they are, so that a freed one is
// recognised.
thread_local const KnownComm* latest __attribute__((tls_model("initial-exec"))) = nullptr;

uint32_t bucket_of(MPI_Comm comm) {
  return static_cast<uint32_t>(key_of(comm) * 0x9e3779b97f4a7c15ull >> 54) % buckets;
}

uint32_t find_entry(MPI_Comm comm) {
  uint32_t at = first_of[bucket_of(comm)];
  while (at != 0 && table[at].handle != comm) at = table[at].next;
  return at;
}

// While another thread makes or frees communicators the walk may leave its bucket; then it ends, without a
// result, and the caller looks again with the lock. An entry that is found stays what it is while its
// communicator is used.
uint32_t find_unlocked(MPI_Comm comm) {
  constexpr int most_steps = 64;
  uint32_t at = __atomic_load_n(&first_of[bucket_of(comm)], __ATOMIC_ACQUIRE);
  for (int step = 0; at != 0 && step < most_steps; ++step) {
    if (table[at].handle == comm) return at;
    at = __atomic_load_n(&table[at].next, __ATOMIC_RELAXED);
  }
  return 0;
}

MPI_Group world_group = MPI_GROUP_NULL;

// Processes outside of this MPI_COMM_WORLD: the remote groups of the intercommunicators that brought them,
// the latest ones. They are never freed at the end: the groups may outlive what they came from.
struct Others {
  MPI_Group group;
  uint32_t comm;
};
constexpr int most_others = 256;
Others others[most_others];
uint64_t others_seen = 0;

// One of a communicator's groups. Memory is malloc'ed.
struct Members {
  int* ranks = nullptr;    // of MPI_COMM_WORLD, -1: not in it
  int* foreign = nullptr;  // of those that are not: place in `ranks`, communicator, place in its remote group
  int foreign_count = 0;
  Members() = default;
  ~Members() {
    free(ranks);
    free(foreign);
  }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
};

// Finds the members outside of this world among the groups that are known.
void find_foreign(MPI_Group group, int count, int* places, int* found, Members& members) {
  const int groups = others_seen < most_others ? static_cast<int>(others_seen) : most_others;
  members.foreign = static_cast<int*>(malloc(sizeof(int) * 3 * static_cast<size_t>(count)));
  if (members.foreign == nullptr) return;
  auto* missing = found + count;
  for (int i = 0; i < count; ++i) missing[i] = members.ranks[i] < 0 ? 1 : 0;
  for (int g = 0; g < groups; ++g) {
    PMPI_Group_translate_ranks(group, count, places, others[g].group, found);
    for (int i = 0; i < count; ++i) {
      if (missing[i] == 0 || found[i] < 0) continue;
      missing[i] = 0;
      int* entry = members.foreign + 3 * members.foreign_count++;
      entry[0] = i, entry[1] = static_cast<int>(others[g].comm), entry[2] = found[i];
    }
  }
}

void find_members(MPI_Group group, int count, Members& members) {
  members.ranks = static_cast<int*>(malloc(sizeof(int) * static_cast<size_t>(count)));
  auto* places = static_cast<int*>(malloc(sizeof(int) * 3 * static_cast<size_t>(count)));
  if (members.ranks != nullptr && places != nullptr) {
    for (int i = 0; i < count; ++i) places[i] = i;
    PMPI_Group_translate_ranks(group, count, places, world_group, members.ranks);
    bool all_ours = true;
    for (int i = 0; i < count; ++i) {
      if (members.ranks[i] < 0) members.ranks[i] = -1;
      all_ours = all_ours && members.ranks[i] >= 0;
    }
    if (!all_ours) find_foreign(group, count, places, places + count, members);
  } else {
    free(members.ranks);
    members.ranks = nullptr;
  }
  free(places);
}

void find_members(MPI_Comm comm, bool remote, int count, Members& members) {
  MPI_Group group = MPI_GROUP_NULL;
  if (remote)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  find_members(group, count, members);
  PMPI_Group_free(&group);
}

void keep_others(MPI_Comm comm, uint32_t id) {
  Others& place = others[others_seen++ % most_others];
  if (others_seen > most_others) PMPI_Group_free(&place.group);
  PMPI_Comm_remote_group(comm, &place.group);
  place.comm = id;
}

// What was made of equal origin and members. Nothing has to be exchanged for it.
struct Made {
  uint64_t members;
  uint64_t count;
};
constexpr uint32_t made_places = 4096;
Made made_before[made_places];

uint64_t mixed(uint64_t n) {  // SplitMix64's finalizer
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ull;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebull;
  return n ^ (n >> 31);
}

// 0: not all are known.
uint64_t hash_of(const Members& members, int count) {
  uint64_t hash = mixed(static_cast<uint64_t>(count) + 1);
  for (int i = 0; i < count; ++i) {
    if (members.ranks == nullptr || members.ranks[i] < 0) return 0;
    hash = mixed(hash ^ static_cast<uint64_t>(members.ranks[i]));
  }
  return hash | 1;
}

// `remote`: of an intercommunicator's other side, for whom the sides are swapped; else nullptr. 0: not all
// are known.
uint64_t hash_of_members(const Members& own, int size, const Members* remote, int remote_size) {
  const uint64_t hash = hash_of(own, size);
  if (remote == nullptr) return hash;
  const uint64_t theirs = hash_of(*remote, remote_size);
  return hash == 0 || theirs == 0 ? 0 : mixed(hash + theirs) | 1;
}

uint64_t usable(uint64_t key) {
  return key == 0 || key == unknown_key ? 1 : key;
}

// KnownComm::made. Called with the table locked.
uint64_t made_key(Origin origin, uint64_t members) {
  if (!origin.counted) return origin.base;
  const uint64_t hash = mixed(members ^ mixed(origin.base)) | 1;
  for (uint32_t step = 0; members != 0 && step < made_places; ++step) {
    Made& place = made_before[(hash + step) % made_places];
    if (place.members != 0 && place.members != hash) continue;
    place.members = hash;
    return usable(mixed(hash + 2 * place.count++));
  }
  return unknown_key;
}

uint64_t made_of_twin(uint64_t made) {  // of a communicator's neighbourhood collectives
  return made == unknown_key ? made : usable(mixed(made ^ 0x7477696eull));
}

void write_made(DefinitionLine& line, uint64_t made) {
  if (made != unknown_key) line.number("made", static_cast<int64_t>(made >> 1));
}

// Of a grid of all ranks in their order, as MPI_Cart_create makes them mostly: its dimensions are those of the program. Written once, by
// rank 0, whose first it is.
void define_grid(MPI_Comm comm, const Members& own, int size) {
  static bool is_written = false;
  constexpr int most = 16;
  int dims[most], periods[most], place[most], dimensions = 0;
  bool is_whole = !is_written && size == world_comm.size && own.ranks != nullptr && own.ranks[0] == 0 &&
                  world_comm.rank == 0;
  for (int i = 0; is_whole && i < size; ++i) is_whole = own.ranks[i] == i;
  if (!is_whole || PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS || dimensions < 1 ||
      dimensions > most || PMPI_Cart_get(comm, dimensions, dims, periods, place) != MPI_SUCCESS)
    return;
  is_written = true;
  DefinitionLine("fact")
      .text("name", "grid")
      .numbers("dims", dims, dimensions)
      .numbers("periods", periods, dimensions)
      .write();
}

// Fills and writes the definition of a communicator. `whose`: nullptr unless it brings processes of other
// worlds.
void define(KnownComm& entry, MPI_Comm comm, uint32_t id, const char* kind, Origin origin,
            const char* whose = nullptr) {
  entry.handle = comm;
  entry.id = id;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_rank(comm, &entry.rank);
  PMPI_Comm_size(comm, &entry.size);
  entry.inter = inter != 0;
  entry.other_size = entry.size;
  if (inter != 0) PMPI_Comm_remote_size(comm, &entry.other_size);
  char name[MPI_MAX_OBJECT_NAME + 1] = {};
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  Members own, remote;
  find_members(comm, false, entry.size, own);
  if (inter != 0) find_members(comm, true, entry.other_size, remote);
  const int known_size = own.ranks == nullptr ? 0 : entry.size;
  int topology = MPI_UNDEFINED;
  if (inter == 0) PMPI_Topo_test(comm, &topology);
  entry.neighbour_id = topology == MPI_UNDEFINED ? unknown_comm : next_id++;
  const uint64_t members = hash_of_members(own, entry.size, inter != 0 ? &remote : nullptr, entry.other_size);
  entry.children = 0;
  entry.made = id == 0 ? 1 : made_key(origin, members);
  entry.key = id == 0                                     ? 0
              : entry.made == unknown_key || members == 0 ? unknown_key
                                                          : usable(mixed(entry.made ^ members));
  if (recording) {
    DefinitionLine line("comm");
    line.number("id", id).text("kind", kind != nullptr ? kind : (inter != 0 ? "inter" : "intra"));
    line.numbers("ranks", own.ranks, known_size);
    if (own.foreign_count > 0) line.numbers("foreign", own.foreign, 3 * own.foreign_count);
    if (remote.ranks != nullptr) line.numbers("remote_ranks", remote.ranks, entry.other_size);
    if (remote.foreign_count > 0) line.numbers("remote_foreign", remote.foreign, 3 * remote.foreign_count);
    if (whose != nullptr) line.text("other_world", whose);
    if (kind == nullptr) write_made(line, entry.made);
    line.text("name", name).write();
    if (topology == MPI_CART) define_grid(comm, own, entry.size);
    // The twin for the messages of neighbourhood collectives, by every rank at the same place.
    if (entry.neighbour_id != unknown_comm) {
      DefinitionLine twin("comm");
      twin.number("id", entry.neighbour_id)
          .text("kind", "intra")
          .numbers("ranks", own.ranks, known_size)
          .numbers("foreign", own.foreign, 3 * own.foreign_count);
      write_made(twin, made_of_twin(entry.made));
      twin.text("name", "neighbourhood collectives").write();
    }
  }
  entry.world_ranks = nullptr;
  entry.collectives = 0;
  if (keep_world_ranks) {
    int*& kept = remote.ranks != nullptr ? remote.ranks : own.ranks;
    entry.world_ranks = kept;
    kept = nullptr;
  }
  if (whose != nullptr) keep_others(comm, id);
}

void link(uint32_t at, MPI_Comm comm) {
  table[at].handle = comm;
  const uint32_t bucket = bucket_of(comm);
  table[at].next = first_of[bucket];
  __atomic_store_n(&first_of[bucket], at, __ATOMIC_RELEASE);  // find_unlocked finds it complete
}

KnownComm& add(MPI_Comm comm, uint32_t id, const char* kind, Origin origin, const char* whose = nullptr) {
  uint32_t at = free_list;
  if (at != 0)
    free_list = table[at].next;
  else if (never_used < capacity)
    at = never_used++;
  if (at == 0) {
    trouble(Trouble::comm_table_full);
    return no_comm;
  }
  define(table[at], comm, id, kind, origin, whose);
  link(at, comm);
  return table[at];
}

}  // namespace

void define_predefined_comms() {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  define(world_comm, MPI_COMM_WORLD, 0, "world", of_unknown_origin);
  define_own_comm();
}

void define_own_comm() {
  add(MPI_COMM_SELF, 1, "self", of_unknown_origin);
}

void define_world_of_session(MPI_Group group, int rank, int size) {
  world_group = group;
  world_comm.rank = rank;
  world_comm.size = world_comm.other_size = size;
  auto* ranks = static_cast<int*>(malloc(sizeof(int) * static_cast<size_t>(size)));
  for (int i = 0; ranks != nullptr && i < size; ++i) ranks[i] = i;
  if (recording)
    DefinitionLine("comm")
        .number("id", 0)
        .text("kind", "world")
        .numbers("ranks", ranks, ranks == nullptr ? 0 : size)
        .text("name", "mpi://WORLD")
        .write();
  if (keep_world_ranks)
    world_comm.world_ranks = ranks;
  else
    free(ranks);
}

const KnownComm& find_comm(MPI_Comm comm) {
  if (latest != nullptr && latest->handle == comm) return *latest;
  if (comm == MPI_COMM_NULL) return no_comm;
  if (const uint32_t at = find_unlocked(comm); at != 0) {
    latest = &table[at];
    return *latest;
  }
  Locked locked(table_lock);
  const uint32_t at = find_entry(comm);
  if (at == 0) {
    if (freed.holds(key_of(comm))) return no_comm;  // nobody can be asked about it
    trouble(Trouble::comm_defined_late);
    // others may have known it before, or never do
    latest = &add(comm, next_id++, nullptr, {unknown_key, false});
  } else {
    latest = &table[at];
  }
  return *latest;
}

uint32_t id_if_found(MPI_Comm comm) {
  if (latest != nullptr && latest->handle == comm) return latest->id;
  const uint32_t at = comm == MPI_COMM_NULL ? 0 : find_unlocked(comm);
  return at == 0 ? unknown_comm : table[at].id;
}

const KnownComm& known_comm_by_id(uint32_t id) {
  if (id == 0) return world_comm;
  if (latest != nullptr && latest->id == id && key_of(latest->handle) != 0) return *latest;
  Locked locked(table_lock);
  for (uint32_t at = 1; at < never_used; ++at)
    if (table[at].id == id && key_of(table[at].handle) != 0) {
      latest = &table[at];
      return *latest;
    }
  return no_comm;
}

namespace {

uint32_t made(MPI_Comm comm, Origin origin, const char* whose) {
  Locked locked(table_lock);
  const uint32_t known = find_entry(comm);
  if (known != 0) return table[known].id;
  freed.given_again(key_of(comm));
  return add(comm, next_id++, nullptr, origin, whose).id;
}

// nullptr: nothing is known of it.
const KnownComm* parent_of(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return &world_comm;
  if (comm == MPI_COMM_NULL) return nullptr;
  Locked locked(table_lock);
  const uint32_t at = find_entry(comm);
  return at == 0 || table[at].made == unknown_key ? nullptr : &table[at];
}

}  // namespace

Origin made_from(MPI_Comm comm) {
  const KnownComm* parent = parent_of(comm);
  if (parent == nullptr) return of_unknown_origin;
  const uint64_t number = __atomic_add_fetch(&parent->children, 1, __ATOMIC_RELAXED);
  return {usable(mixed(parent->made ^ mixed(number))), false};
}

Origin made_by_group(MPI_Comm comm, int tag) {
  const KnownComm* parent = parent_of(comm);
  const Origin by_tag = made_with_tag(tag);
  return {parent == nullptr ? by_tag.base : mixed(parent->made) ^ by_tag.base, true};
}

Origin made_by_name(const char* name, int64_t length) {
  if (length < 0) length = static_cast<int64_t>(strlen(name));
  while (length > 0 && name[length - 1] == ' ') --length;
  uint64_t hash = 0;
  for (int64_t i = 0; i < length; ++i) hash = mixed(hash ^ static_cast<unsigned char>(name[i]));
  return {hash, true};
}

uint32_t comm_made(MPI_Comm comm, Origin origin) {
  return made(comm, origin, nullptr);
}

uint32_t comm_made_with_others(MPI_Comm comm, const char* whose) {
  return made(comm, of_unknown_origin, whose);
}

uint32_t new_id() {
  Locked locked(table_lock);
  return next_id++;
}

uint32_t define_members(MPI_Group group, const char* name, Origin origin) {
  int size = 0;
  PMPI_Group_size(group, &size);
  Members members;
  find_members(group, size, members);
  uint32_t id = 0;
  uint64_t key = 0;
  {
    Locked locked(table_lock);
    id = next_id++;
    key = made_key(origin, hash_of(members, size));
  }
  if (!recording) return id;
  DefinitionLine line("comm");
  line.number("id", id)
      .text("kind", "intra")
      .numbers("ranks", members.ranks, members.ranks == nullptr ? 0 : size)
      .numbers("foreign", members.foreign, 3 * members.foreign_count);
  write_made(line, key);
  line.text("name", name).write();
  return id;
}

HiddenComm hide_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return {comm, 0, world_comm.id};
  Locked locked(table_lock);
  const uint32_t bucket = bucket_of(comm);
  uint32_t before = 0;
  for (uint32_t at = first_of[bucket]; at != 0; before = at, at = table[at].next) {
    if (table[at].handle != comm) continue;
    (before == 0 ? first_of[bucket] : table[before].next) = table[at].next;
    table[at].handle = MPI_Comm{};  // for those who asked for it last
    return {comm, at, table[at].id};
  }
  return {comm, 0, unknown_comm};
}

void comm_freed(const HiddenComm& hidden) {
  const uint32_t at = hidden.entry;
  if (at == 0) return;
  Locked locked(table_lock);
  if (recording) DefinitionLine("comm_free").number("id", table[at].id).write();
  if (recording && table[at].neighbour_id != unknown_comm)
    DefinitionLine("comm_free").number("id", table[at].neighbour_id).write();
  free(table[at].world_ranks);
  table[at] = {};
  table[at].next = free_list;
  free_list = at;
  if (find_entry(hidden.handle) == 0) freed.add(key_of(hidden.handle));
}

void comm_stays(const HiddenComm& hidden) {
  if (hidden.entry == 0) return;
  Locked locked(table_lock);
  link(hidden.entry, hidden.handle);
}

// Only predefined types are kept: another type may be freed, and its handle reused for one of another size.
constinit thread_local KnownType known_types[16] __attribute__((tls_model("initial-exec"))) = {};

uint64_t bytes_of_unknown(int64_t count, MPI_Datatype type) {
  int size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0)
    return 0;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) place_of(type) = {type, size};
  return static_cast<uint64_t>(count) * static_cast<uint64_t>(size);
}

}  // namespace ww::interpose
