// A recording is there whatever happens to those who unify and read it: the numbers are always those of an
// undisturbed unify of the same spools.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "base/files.hpp"
#include "trace/recording.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

constexpr int messages = 400;

// Rank 0 sends so many messages to rank 1.
std::vector<SpoolWriter> stream(int ranks = 2) {
  std::vector<SpoolWriter> writers(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    SpoolWriter& writer = writers[static_cast<std::size_t>(r)];
    writer.standard(r, ranks);
    writer.clock(0, 0, 0, true);
    writer.add("MPI_Init", 1000, 1100);
    for (std::uint64_t i = 0; i < messages && r < 2; ++i)
      writer.add(r == 0 ? "MPI_Send" : "MPI_Recv", 2000 + 10 * i, 2005 + 10 * i,
                 r == 0 ? Kind::send : Kind::recv, 1 - r, 7, 100 + i);
    writer.add("MPI_Finalize", 90000, 90010);
    writer.end(90020);
  }
  return writers;
}

bool is_right(const Result<Trace>& trace) {
  return trace && trace->messages.size() == messages &&
         trace->unmatched_sends + trace->unmatched_receives == 0;
}

// What a process of its own makes of it; 200 and more: it was ended by a signal.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}

// As a user who may do nothing special; the tests may be run by root.
int as_nobody(const std::function<int()>& work) {
  return in_child([&] {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) return 99;
    return work();
  });
}

// In a folder that only root may enter (a chroot below one is such) there is nothing to find out.
bool nobody_reaches(const fs::path& dir) {
  return as_nobody([&] { return access(dir.c_str(), X_OK) == 0 ? 0 : 1; }) == 0;
}

TEST(HostileUnify, AnyNumberOfReadersAtOnceFindTheRecording) {
  for (int round = 0; round < 8; ++round) {
    const TestDir dir;
    spool::write_spools(dir.path(), stream());
    std::vector<pid_t> readers;
    for (int i = 0; i < 6; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        if (i % 2 == 0) _exit(is_right(load_trace(dir.path())) ? 0 : 1);
        _exit(unify_recorded(dir.path(), Crew()) ? 0 : 2);
      }
      readers.push_back(child);
    }
    for (const pid_t reader : readers) {
      int status = 0;
      waitpid(reader, &status, 0);
      EXPECT_EQ(status, 0) << WEXITSTATUS(status);
    }
    EXPECT_TRUE(is_right(load_trace(dir.path())));
    EXPECT_FALSE(fs::exists(dir.path() / "spool"));
    for (const auto& entry : fs::directory_iterator(dir.path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
}

TEST(HostileUnify, ACompleteArchiveIsNeverMadeAgainFromWhatIsLeftOfASpool) {
  const TestDir dir;
  spool::write_spools(dir.path(), stream());
  ASSERT_TRUE(unify(dir.path(), {{"launch", "mpirun ./a.out"}}));
  for (const char* left : {"rank-0.thread-0.spool", "rank-1.defs", ""}) {
    // killed while it removed the spool
    fs::create_directories(dir.path() / "spool");
    if (*left != '\0') spool::write_bytes(dir.path() / "spool" / left, stream()[0].spool_bytes(0));
    EXPECT_TRUE(is_right(load_trace(dir.path()))) << left;
    EXPECT_TRUE(unify_recorded(dir.path(), Crew())) << left;
    EXPECT_TRUE(unify(dir.path(), nullptr)) << left;
    const auto trace = load_trace(dir.path());
    EXPECT_TRUE(is_right(trace)) << left;
    EXPECT_EQ(read_run(dir.path())["launch"], "mpirun ./a.out");
    EXPECT_FALSE(fs::exists(dir.path() / "spool"));
  }
}

TEST(HostileUnify, WhatAnAttemptLeftBeforeItsAnchorIsReplaced) {
  const TestDir dir;
  spool::write_spools(dir.path(), stream());
  fs::create_directories(dir.path() / "traces");
  spool::write_bytes(dir.path() / "traces" / "7.evt", "half of something");
  spool::write_bytes(dir.path() / "traces.def", "half of something");
  fs::create_directories(dir.path() / ".unify-123" / "traces");
  EXPECT_TRUE(is_right(load_trace(dir.path())));
  EXPECT_FALSE(fs::exists(dir.path() / "traces" / "7.evt"));
  EXPECT_FALSE(fs::exists(dir.path() / ".unify-123"));
}

// Killed between the anchor and the end of the tidying up: who loads it does that, unless somebody is at work there.
TEST(HostileUnify, WhatAnAttemptLeftBesideItsArchiveIsRemovedByWhoLoadsIt) {
  const TestDir dir;
  spool::write_spools(dir.path(), stream());
  ASSERT_TRUE(unify(dir.path(), nullptr));
  fs::create_directories(dir.path() / ".unify-123" / "traces");
  spool::write_spools(dir.path(), stream());
  {
    const DirectoryLock by_another(dir.path());
    ASSERT_TRUE(by_another.held());
    EXPECT_FALSE(DirectoryLock(dir.path(), DirectoryLock::Wait::no).held());
    EXPECT_TRUE(is_right(load_trace(dir.path())));
    EXPECT_TRUE(fs::exists(dir.path() / ".unify-123"));
  }
  EXPECT_TRUE(is_right(load_trace(dir.path())));
  EXPECT_FALSE(fs::exists(dir.path() / ".unify-123"));
  EXPECT_FALSE(fs::exists(dir.path() / "spool"));
}

TEST(HostileUnify, ARunningRecordingIsLeftAloneAndSaidToRun) {
  const TestDir dir;
  auto recording = Recording::begin(dir.path(), {{"launch", "mpirun ./a.out"}});
  ASSERT_TRUE(recording) << to_string(recording.error());
  const auto refused = [&] {
    for (const auto& error : {load_trace(dir.path()).error(), unify(dir.path(), nullptr).error(),
                              unify_recorded(dir.path(), Crew()).error()}) {
      EXPECT_EQ(error.what, "it is still being recorded");
      EXPECT_NE(error.remedy.find(std::to_string(getpid())), std::string::npos) << error.remedy;
    }
  };
  refused();  // before MPI_Init
  EXPECT_FALSE(Recording::begin(dir.path(), {}));
  spool::write_spools(dir.path(), stream());
  refused();
  EXPECT_EQ(in_child([&] { return load_trace(dir.path()) ? 0 : 1; }), 1);
  recording->end({{"launch", "mpirun ./a.out"}, {"exit_code", 3}});
  const auto trace = load_trace(dir.path());
  EXPECT_TRUE(is_right(trace));
  EXPECT_EQ(read_run(dir.path())["exit_code"], 3);
}

TEST(HostileUnify, ARecordingWhoseRecorderWasKilledIsUnified) {
  const TestDir dir;
  EXPECT_EQ(in_child([&] {
              const auto recording = Recording::begin(dir.path(), {{"launch", "mpirun ./a.out"}});
              spool::write_spools(dir.path(), stream());
              kill(getpid(), SIGKILL);
              return recording ? 0 : 1;
            }),
            200 + SIGKILL);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(is_right(trace));
  EXPECT_EQ(read_run(dir.path())["launch"], "mpirun ./a.out");
}

TEST(HostileUnify, ARecordingThatCannotBeWrittenIsReadAllTheSame) {
  const TestDir dir;
  fs::permissions(dir.path(), static_cast<fs::perms>(0755));
  if (!nobody_reaches(dir.path())) GTEST_SKIP() << "others may not enter a folder above " << dir.path();
  spool::write_spools(dir.path(), stream());
  const auto read = [&] {
    const auto trace = load_trace(dir.path());
    if (!is_right(trace)) return 1;
    if (!trace->diagnostics.has("not-unified")) return 2;
    return trace->source == dir.path() / "traces.otf2" ? 0 : 3;
  };
  for (const char* what : {"another user's", "read-only"}) {
    chmod(dir.path().c_str(), *what == 'r' ? 0555 : 0755);
    if (*what == 'a' && geteuid() != 0) continue;
    EXPECT_EQ(as_nobody(read), 0) << what;
    EXPECT_EQ(as_nobody([&] { return unify_recorded(dir.path(), Crew()) ? 0 : 1; }), 1) << what;
    EXPECT_TRUE(fs::exists(dir.path() / "spool"));
    EXPECT_FALSE(fs::exists(dir.path() / "traces.otf2"));
  }
  chmod(dir.path().c_str(), 0755);
}

TEST(HostileUnify, NoPermissionIsSaidAsSuch) {
  const TestDir dir;
  fs::permissions(dir.path(), static_cast<fs::perms>(0755));
  if (!nobody_reaches(dir.path())) GTEST_SKIP() << "others may not enter a folder above " << dir.path();
  spool::write_spools(dir.path(), stream());
  const auto denied = [&] {
    return as_nobody([&] {
      const auto trace = load_trace(dir.path());
      return !trace && trace.error().what == "no permission to read the trace" ? 0 : 1;
    });
  };
  for (const char* part : {"spool/rank-1.thread-0.spool", "spool/rank-1.defs", "spool", "."}) {
    const auto mode = fs::status(dir.path() / part).permissions();
    fs::permissions(dir.path() / part, fs::perms::none);
    EXPECT_EQ(denied(), 0) << part;
    EXPECT_TRUE(geteuid() != 0 || fs::exists(dir.path() / "spool"));
    fs::permissions(dir.path() / part, mode);
  }
  ASSERT_TRUE(unify(dir.path(), nullptr));
  for (const char* part : {"traces.otf2", "traces.def", "traces/1.evt", "traces/0.def", "traces", "."}) {
    const auto mode = fs::status(dir.path() / part).permissions();
    fs::permissions(dir.path() / part, fs::perms::none);
    EXPECT_EQ(denied(), 0) << part;
    fs::permissions(dir.path() / part, mode);
  }
  EXPECT_EQ(as_nobody([&] { return is_right(load_trace(dir.path())) ? 0 : 1; }), 0);
}

// Each page more of the disk, from the spool's own size on until there is room for all.
TEST(HostileUnify, OnAFullDiskTheSpoolStaysAndIsReadFromElsewhere) {
  int in_place = 0, elsewhere = 0;
  constexpr int cannot_mount = 77, was_elsewhere = 10;
  for (int pages = 0; pages < 200 && in_place < 3; ++pages) {
    const int code = in_child([&] {
      const TestDir dir;
      if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return cannot_mount;
      mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      const fs::path place = dir.path();
      // 2 ranks: 2 spools of 6 pages, 2 definitions of 1 page
      const std::string size = "mode=0755,size=" + std::to_string((14 + pages) * 4096);
      if (mount("tmpfs", place.c_str(), "tmpfs", 0, size.c_str()) != 0) return cannot_mount;
      spool::write_spools(place, stream());
      std::map<std::string, std::string> before;
      for (const auto& entry : fs::directory_iterator(place / "spool"))
        before[entry.path().filename()] = read_file(entry.path()).value_or("");
      const auto unified = unify(place, {{"launch", "mpirun ./a.out"}});
      if (!unified)
        for (const auto& [name, content] : before)
          if (read_file(place / "spool" / name).value_or("") != content) return 1;
      if (!unified && is_unified(place)) return 2;
      const auto trace = load_trace(place);
      const bool right = is_right(trace);
      const bool said = trace && trace->diagnostics.has("not-unified");
      umount2(place.c_str(), MNT_DETACH);
      return !right ? 3 : said ? was_elsewhere : 0;
    });
    if (code == cannot_mount) GTEST_SKIP() << "no file system can be mounted here";
    EXPECT_TRUE(code == 0 || code == was_elsewhere) << code << " with " << pages << " pages";
    (code == 0 ? in_place : elsewhere)++;
  }
  EXPECT_GE(in_place, 3);
  EXPECT_GT(elsewhere, 3);
}

// It is there and whole, and only cannot be opened now: what goes on without it loses it with the spool.
TEST(HostileUnify, AFileThatCannotBeOpenedNowIsNoDamage) {
  const TestDir dir;
  fs::permissions(dir.path(), static_cast<fs::perms>(0755));
  if (!nobody_reaches(dir.path())) GTEST_SKIP() << "others may not enter a folder above " << dir.path();
  spool::write_spools(dir.path(), stream());
  const fs::path spool_dir = dir.path() / "spool", file = spool_dir / "rank-1.thread-0.spool";
  constexpr uid_t nobody = 65534;
  const std::vector<fs::path> given_away = {dir.path(), spool_dir, file, spool_dir / "rank-0.thread-0.spool"};
  for (const fs::path& path : given_away)
    if (geteuid() == 0) {
      ASSERT_EQ(chown(path.c_str(), nobody, nobody), 0);
    }
  fs::permissions(file, fs::perms::none);
  EXPECT_EQ(as_nobody([&] { return unify(dir.path(), nullptr) ? 1 : 0; }), 0);
  EXPECT_EQ(as_nobody([&] { return unify_recorded(dir.path(), Crew()) ? 1 : 0; }), 0);
  EXPECT_FALSE(is_unified(dir.path()));
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_EQ(as_nobody([&] { return is_right(load_trace(dir.path())) ? 0 : 1; }), 0);
}

TEST(HostileUnify, TooFewDescriptorsAreNoReasonToLoseAnything) {
  const TestDir dir;
  spool::write_spools(dir.path(), stream(6));
  int failed = 0;
  for (rlim_t most = 4; most < 40; ++most) {
    const int code = in_child([&] {
      const rlimit few{most, most};
      setrlimit(RLIMIT_NOFILE, &few);
      const auto unified = unify_recorded(dir.path(), Crew());
      if (unified && !unified->all().empty()) return 2;
      return unified ? 0 : 1;
    });
    EXPECT_LT(code, 2) << most;
    if (code != 1) break;
    ++failed;
    EXPECT_TRUE(fs::exists(dir.path() / "spool"));
    EXPECT_FALSE(fs::exists(dir.path() / "traces.otf2"));
  }
  EXPECT_GE(failed, 1);
  EXPECT_TRUE(is_right(load_trace(dir.path())));
}

// Another recording takes the name again and again, as `record -o` with the same name does.
TEST(HostileUnify, AReaderNeverMixesTwoRecordingsOfOneName) {
  const TestDir top;
  const fs::path name = top.path() / "a.ww", other = top.path() / "b.ww";
  spool::write_spools(name, stream());
  auto longer = stream();
  for (int r = 0; r < 2; ++r)
    longer[static_cast<std::size_t>(r)].add(r == 0 ? "MPI_Send" : "MPI_Recv", 91000, 91010,
                                            r == 0 ? Kind::send : Kind::recv, 1 - r, 9, 1);
  spool::write_spools(other, longer);
  ASSERT_TRUE(unify(name, nullptr) && unify(other, nullptr));
  const pid_t swapper = fork();
  if (swapper == 0)
    for (;;) {
      renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
      usleep(1000);
    }
  int read = 0;
  for (int i = 0; i < 400; ++i) {
    const auto trace = load_trace(name);
    ASSERT_TRUE(trace) << to_string(trace.error());
    EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
    EXPECT_TRUE(trace->messages.size() == messages || trace->messages.size() == messages + 1);
    ++read;
  }
  kill(swapper, SIGKILL);
  waitpid(swapper, nullptr, 0);
  EXPECT_EQ(read, 400);
}

}  // namespace
}  // namespace ww
