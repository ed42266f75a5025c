#include "library/libraries.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/text.hpp"
#include "library/mpi_abi.hpp"
#include "library/mpich.hpp"
#include "library/open_mpi.hpp"

namespace ww {
namespace {

// As Debian 12's packages name their files (dpkg -L libopenmpi3 libmpich12), and MPI 5.0's section 20.2.
TEST(Libraries, AreRecognisedByTheirFiles) {
  EXPECT_EQ(library_in_file("libmpi.so.40"), &library::open_mpi);
  EXPECT_EQ(library_in_file("libmpich.so.12"), &library::mpich);
  EXPECT_EQ(library_in_file("libmpi_abi.so.0"), &library::mpi_abi);
  EXPECT_EQ(library_in_file("libmpi.so.12"), nullptr);  // Intel MPI's, MVAPICH's
  EXPECT_EQ(library_in_file("libmpi_cxx.so.40"), nullptr);
}

// What MPI_Get_library_version of Debian 12's libraries returns.
TEST(Libraries, AreRecognisedByWhatTheySayOfThemselves) {
  EXPECT_EQ(library_of_version("Open MPI v4.1.4, package: Debian OpenMPI"), &library::open_mpi);
  EXPECT_EQ(library_of_version("MPICH Version:\t4.0.2\n"), &library::mpich);
  EXPECT_EQ(library_of_version("MVAPICH2 Version: 2.3"), nullptr);
  EXPECT_EQ(library_of_version(""), nullptr);
}

TEST(Libraries, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names, files;
  for (const Library* one : libraries()) {
    EXPECT_TRUE(names.insert(one->name).second) << one->name;
    EXPECT_EQ(library_named(one->name), one);
    for (const std::string_view file : split_words(one->sonames)) {
      EXPECT_TRUE(files.insert(file).second) << file;
      EXPECT_EQ(library_in_file(std::string(file) + ".1"), one)
          << "another library's name begins like " << file;
    }
  }
  EXPECT_EQ(library_named("lam"), nullptr);
  EXPECT_TRUE(default_library().recorded);
}

TEST(Libraries, AreNamedToUsersByWhatTheyNeed) {
  EXPECT_EQ(named_by(&Library::launchers), "mpirun.openmpi or mpirun.mpich");
  EXPECT_EQ(recorded_titles(), "Open MPI or MPICH or PVM");
}

}  // namespace
}  // namespace ww
