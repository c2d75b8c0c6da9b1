// Tests of HDF5 files: their contents after the writing program ends in any way, and damaged files.

#include "torsor/recording/hdf5_file.hpp"
#include "torsor/base/random.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "simulation/folder_test.hpp"
#include "simulation/written.hpp"
#include "support/forked.hpp"
#include "torsor/recording/recording_lock.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Hdf5Files : public FolderTest {
 protected:
  std::unique_ptr<RecordingFile> create(const char* name, bool complete = false) const {
    return create_hdf5(folder_ / name, columns(), signals(), description(complete),
                       Replaces::at_once);
  }
  void write_rows(const char* name, int rows) const {
    const auto file = create(name);
    for (int k = 0; k < rows; ++k) file->write(row_of(k));
    file->close(description(true));
  }
  // Replaces the first occurrence of a value in a file. Each row is stored only once.
  void change_value(const char* name, double value, double by) const {
    std::string bytes = read(folder_ / name);
    const std::string old(reinterpret_cast<const char*>(&value), sizeof value);
    const size_t at = bytes.find(old);
    ASSERT_NE(at, bytes.npos);
    bytes.replace(at, sizeof by, reinterpret_cast<const char*>(&by), sizeof by);
    write(folder_ / name, bytes);
  }
  // Checks that the recording has at least this number of rows, all of them equal to the rows that
  // were written.
  static void expect_rows(const Recording& recording, size_t at_least) {
    EXPECT_GE(recording.rows(), at_least);
    for (size_t k = 0; k < recording.rows(); ++k) {
      const auto row = std::span(recording.values).subspan(k * width, width);
      ASSERT_TRUE(std::ranges::equal(row, row_of(int(k))))
          << "row " << k << " of " << recording.rows();
    }
  }
};

TEST_F(Hdf5Files, HaveTheSameBytesWheneverTheyAreFlushed) {
  const auto bytes = [&](const char* name, int interval) {
    const auto file = create(name);
    for (int k = 0; k < 2600; ++k) {
      file->write(row_of(k));
      if (k % interval == 0) file->flush();
    }
    file->close(description(true));
    return read(folder_ / name);
  };
  const std::string never = bytes("never.h5", 1000000);
  EXPECT_GT(never.size(), 2600 * width * sizeof(double));
  EXPECT_TRUE(never == bytes("often.h5", 7));
  EXPECT_TRUE(never == bytes("seldom.h5", 900));
}

TEST_F(Hdf5Files, CanBeReadWhileTheyAreWritten) {
  const auto file = create("a.h5");
  for (int k = 0; k < 10; ++k) file->write(row_of(k));
  EXPECT_EQ(read_hdf5(folder_ / "a.h5").rows(), 0u);
  file->flush();
  expect_rows(read_hdf5(folder_ / "a.h5"), 10);
  EXPECT_EQ(read_hdf5(folder_ / "a.h5").description, description(false));
}

// Checks that a run is never read as complete without its last rows. The writer writes them shortly
// before the final description.
TEST_F(Hdf5Files, AreCompleteOnlyWithTheirLastRows) {
  constexpr int rows = 30, runs = 100;
  create("a.h5")->close(description(false));
  const pid_t writer = forked();
  if (writer == 0) {
    for (int k = 0; k < runs; ++k) write_rows("a.h5", rows);
    _exit(0);
  }
  int status = 0, complete = 0;
  while (waitpid(writer, &status, WNOHANG) == 0) {
    const Recording recording = read_recording(folder_ / "a.h5");
    if (!recording.error.empty()) continue;
    ++complete;
    ASSERT_EQ(recording.rows(), size_t(rows));
  }
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_GT(complete, 0);
}

// Kills a writer at random times. The writer reports the number of rows that it has flushed. The
// file must have at least these rows.
TEST_F(Hdf5Files, AKilledWriterLeavesTheFlushedRows) {
  Random random(7);
  size_t most = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    int report_pipe[2];
    ASSERT_EQ(pipe(report_pipe), 0);
    const pid_t child = forked();
    if (child == 0) {
      const auto file = create("a.h5");
      for (int k = 0;; ++k) {
        file->write(row_of(k));
        if (k % 50 != 0) continue;
        file->flush();
        const int rows = k + 1;
        if (::write(report_pipe[1], &rows, sizeof rows) != sizeof rows) _exit(1);
      }
    }
    ::close(report_pipe[1]);
    const int reports = 1 + random.below(100);
    int rows = 0;
    for (int k = 0; k < reports; ++k)
      ASSERT_EQ(::read(report_pipe[0], &rows, sizeof rows), ssize_t(sizeof rows));
    for (int k = random.below(1000); k > 0; --k) sched_yield();
    kill(child, SIGKILL);
    while (::read(report_pipe[0], &rows, sizeof rows) == ssize_t(sizeof rows)) {
    }
    ::close(report_pipe[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    expect_rows(read_hdf5(folder_ / "a.h5"), size_t(rows));
    most = std::max(most, size_t(rows));
  }
  EXPECT_GT(most, 2048u) << "no kill came after the second chunk";
}

// Checks that a longer or a shorter description replaces the former one atomically. A timer kills
// the writer after growing delays, until the writer ends before the timer.
TEST_F(Hdf5Files, AKilledWriterLeavesADescription) {
  for (const bool complete : {false, true}) {
    bool ended = false;
    for (suseconds_t delay = 10; !ended; delay += 10) {
      const pid_t child = forked();
      if (child == 0) {
        const auto file = create("a.h5", complete);
        const itimerval timer{{0, 0}, {0, delay}};
        setitimer(ITIMER_REAL, &timer, nullptr);
        file->close(description(!complete));
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      ended = WIFEXITED(status);
      const std::string text = read_hdf5(folder_ / "a.h5").description;
      ASSERT_TRUE(text == description(true) || text == description(false))
          << delay << " us: " << text;
    }
  }
}

TEST_F(Hdf5Files, OtherFilesAreReported) {
  const auto expect_rejected = [&](const std::string& bytes, const std::string& said) {
    write(folder_ / "a.h5", bytes);
    EXPECT_THAT([&] { read_hdf5(folder_ / "a.h5"); },
                testing::ThrowsMessage<Error>(HasSubstr(said)));
  };
  expect_rejected("",
                  "a.h5: not a recording: the file is empty; `torsor run SCENE` writes recordings");
  expect_rejected("time [s]\n0\n", "a.h5: not a recording: not an HDF5 file");
  expect_rejected(std::string(100000, '\0'), "a.h5: not a recording: not an HDF5 file");
  expect_rejected("\x89HDF\r\n\x1a\n", "a.h5: the recording is damaged: it is cut off");
  write_rows("whole.h5", 30);
  const std::string whole = read(folder_ / "whole.h5");
  expect_rejected(whole.substr(0, whole.size() / 2),
                  "a.h5: the recording is damaged: all of its 30 rows are lost");
}

TEST_F(Hdf5Files, ThatAreCutOrDamagedAreErrorsOrCorrect) {
  write_rows("whole.h5", 2500);
  const std::string whole = read(folder_ / "whole.h5");
  int errors = 0, parts = 0;
  const auto try_to_read = [&](const std::string& bytes) {
    write(folder_ / "a.h5", bytes);
    try {
      const Recording read = read_hdf5(folder_ / "a.h5");
      expect_rows(read, 1);
      EXPECT_EQ(read.rows() < 2500, read.damage.find("row") != read.damage.npos) << read.damage;
      parts += !read.damage.empty();
    } catch (const Error&) {
      ++errors;
    }
  };
  for (size_t size = 0; size < whole.size(); size += whole.size() / 60)
    try_to_read(whole.substr(0, size));
  EXPECT_GT(parts, 20) << "rows before the cut";
  Random random(11);
  for (int attempt = 0; attempt < 300; ++attempt) {
    std::string damaged = whole;
    damaged[size_t(random.below(8192))] ^= char(1 << random.below(8));  // in the metadata
    try_to_read(damaged);
  }
  EXPECT_GT(errors, 100);
}

TEST_F(Hdf5Files, ADamagedRowIsLeftOutAndReported) {
  write_rows("a.h5", 2500);
  change_value("a.h5", row_of(1200)[3], 0.25);
  const Recording one = read_hdf5(folder_ / "a.h5");
  EXPECT_EQ(one.damage,
            "1 of its 2500 rows is lost, the first of them row 1201, after t = 1.199 s");
  ASSERT_EQ(one.rows(), 2499u);
  EXPECT_EQ(one.values[1200 * width], row_of(1201)[0]) << "the row after it follows";
  change_value("a.h5", row_of(0)[3], 0.25);
  EXPECT_EQ(read_hdf5(folder_ / "a.h5").damage,
            "2 of its 2500 rows are lost, the first of them row 1");
}

// Checks that zeros with a checksum of zero are not accepted as rows, and that a row in the place
// of another is not accepted.
TEST_F(Hdf5Files, RowsOfZerosAndMisplacedRowsAreDetected) {
  write_rows("whole.h5", 2500);
  const std::string whole = read(folder_ / "whole.h5");
  int noticed = 0;
  for (size_t page = 4096; page + 4096 <= whole.size(); page += 4096) {
    std::string zeros = whole;
    std::fill_n(zeros.begin() + ptrdiff_t(page), 4096, '\0');
    write(folder_ / "a.h5", zeros);
    try {
      const Recording read = read_hdf5(folder_ / "a.h5");
      for (size_t k = 0; k < read.rows(); ++k) {
        const auto row = std::span(read.values).subspan(k * width, width);
        ASSERT_TRUE(std::ranges::equal(row, row_of(int(std::lround(row[0] * 1000)))))
            << "page " << page;
      }
      noticed += !read.damage.empty();
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, 50);
}

// Checks the time to read a finished file that still has the flag of a writer. HDF5 reads such a
// file in single-writer mode. By default it tries 100 times, with a delay that doubles each time.
TEST_F(Hdf5Files, AStaleWriterFlagIsDetectedSoon) {
  write_rows("a.h5", 30);
  std::string bytes = read(folder_ / "a.h5");
  bytes[11] = 5;
  write(folder_ / "a.h5", bytes);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(
      [&] { read_hdf5(folder_ / "a.h5"); },
      testing::ThrowsMessage<Error>(HasSubstr("a.h5: the recording is damaged: it is cut off")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(Hdf5Files, RowsWithADamagedDescriptionAreRead) {
  write_rows("a.h5", 30);
  std::string bytes = read(folder_ / "a.h5");
  for (size_t at = 0; (at = bytes.find("\"complete\"", at)) != bytes.npos;) bytes[at += 3] ^= 1;
  write(folder_ / "a.h5", bytes);
  const Recording recording = read_recording(folder_ / "a.h5");
  expect_rows(recording, 30);
  EXPECT_EQ(recording.error, "the file is damaged: its description is lost");
  EXPECT_EQ(recording.signals, signals());
}

// Checks that an untrusted recording can neither show the contents of another file nor make the
// reader wait for a pipe.
TEST_F(Hdf5Files, ThatReferToAnotherFileAreRejected) {
  const std::string other = (folder_ / "other").string();
  std::filesystem::create_directories(folder_);
  ASSERT_EQ(mkfifo(other.c_str(), 0600), 0);
  const std::string signal = signals()[0];
  const auto replace_signal = [&](const std::function<hid_t(hid_t file, hid_t space)>& replace) {
    write_rows("a.h5", 10);
    const hid_t file = H5Fopen((folder_ / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t dims[] = {10, 1};
    const hid_t space = H5Screate_simple(2, dims, nullptr);
    ASSERT_GE(H5Ldelete(file, signal.c_str(), H5P_DEFAULT), 0);
    const hid_t made = replace(file, space);
    ASSERT_GE(made, 0);
    if (made > 0) H5Dclose(made);
    H5Sclose(space);
    ASSERT_GE(H5Fclose(file), 0);
  };
  const auto dataset = [&](hid_t file, hid_t space,
                           const std::function<herr_t(hid_t creation)>& store) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    EXPECT_GE(store(creation), 0);
    const hid_t made =
        H5Dcreate2(file, signal.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return made;
  };
  const std::function<hid_t(hid_t, hid_t)> ways[] = {
      [&](hid_t file, hid_t) {
        return hid_t(H5Lcreate_external(other.c_str(), "/q", file, signal.c_str(), H5P_DEFAULT,
                                        H5P_DEFAULT));
      },
      [&](hid_t file, hid_t space) {
        return dataset(file, space, [&](hid_t creation) {
          return H5Pset_external(creation, other.c_str(), 0, 80);
        });
      },
      [&](hid_t file, hid_t space) {
        return dataset(file, space, [&](hid_t creation) {
          return H5Pset_virtual(creation, space, other.c_str(), "/q", space);
        });
      }};
  for (const auto& way : ways) {
    SCOPED_TRACE(&way - ways);
    replace_signal(way);
    EXPECT_THROW((void)read_recording(folder_ / "a.h5"), Error);
  }
}

// Checks that shared header messages are not reported as damage. HDF5 can store a part of a header
// once for several headers.
TEST_F(Hdf5Files, ThatShareMessagesAreNotReportedAsDamaged) {
  write_rows("a.h5", 30);
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE),
              from = H5Fopen((folder_ / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(H5Pset_shared_mesg_nindexes(creation, 1), 0);
  ASSERT_GE(H5Pset_shared_mesg_index(creation, 0, H5O_SHMESG_ALL_FLAG, 8), 0);
  const std::string shared = (folder_ / "b.h5").string();
  const hid_t to = H5Fcreate(shared.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
  H5Pclose(creation);
  const H5A_operator2_t copy_attribute = [](hid_t object, const char* name, const H5A_info_t*,
                                            void* target) -> herr_t {
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute),
                space = H5Aget_space(attribute);
    std::string bytes(H5Tget_size(type) * size_t(H5Sget_simple_extent_npoints(space)), '\0');
    H5Aread(attribute, type, bytes.data());
    const hid_t made =
        H5Acreate2(*static_cast<hid_t*>(target), name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t result = H5Awrite(made, type, bytes.data());
    for (const hid_t id : {made, attribute}) H5Aclose(id);
    H5Tclose(type);
    H5Sclose(space);
    return result;
  };
  hid_t out = to;
  ASSERT_GE(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, copy_attribute, &out), 0);
  const H5L_iterate_t copy = [](hid_t file, const char* name, const H5L_info_t*,
                                void* target) -> herr_t {
    return H5Ocopy(file, name, *static_cast<hid_t*>(target), name, H5P_DEFAULT, H5P_DEFAULT);
  };
  ASSERT_GE(H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, copy, &out), 0);
  ASSERT_GE(H5Fclose(from), 0);
  ASSERT_GE(H5Fclose(to), 0);
  EXPECT_THAT([&] { (void)read_recording(shared); },
              testing::ThrowsMessage<Error>(testing::AllOf(
                  testing::StartsWith(shared + ": a"), testing::Not(HasSubstr("damaged")),
                  testing::EndsWith("which is not read; rewrite it with `h5repack " + shared +
                                    " NEW.h5`"))));
}

TEST_F(Hdf5Files, NoLinkIsFollowedToTheNewFile) {
  write(folder_ / "precious", "precious data");
  for (const bool hard : {false, true}) {
    SCOPED_TRACE(hard);
    const auto part = folder_ / "a.h5.part";
    if (hard)
      std::filesystem::create_hard_link(folder_ / "precious", part);
    else
      std::filesystem::create_symlink(folder_ / "precious", part);
    EXPECT_THROW((void)create("a.h5"), Error);
    EXPECT_EQ(read(folder_ / "precious"), "precious data");
    std::filesystem::remove(part);
  }
}

// Checks that recordings without checksums can be read. Earlier versions wrote no checksums.
TEST_F(Hdf5Files, WithoutChecksumsAreRead) {
  write_rows("a.h5", 2500);
  const hid_t file = H5Fopen((folder_ / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* name : {"row_crc32", "description_crc32"})
    ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0) << name;
  ASSERT_GE(H5Fclose(file), 0);
  const Recording recording = read_hdf5(folder_ / "a.h5");
  EXPECT_EQ(recording.damage, "");
  expect_rows(recording, 2500);
  const std::string whole = read(folder_ / "a.h5");
  write(folder_ / "a.h5", whole.substr(0, whole.size() * 6 / 10));
  const Recording cut = read_hdf5(folder_ / "a.h5");
  EXPECT_EQ(cut.damage, "its rows are lost from row 1025 of 2500 on, after t = 1.023 s");
  expect_rows(cut, 1024);
}

// ---- one writer ----

TEST_F(Hdf5Files, HaveOneWriter) {
  const auto file = create("a.h5");
  for (int k = 0; k < 10; ++k) file->write(row_of(k));
  file->flush();
  EXPECT_THAT(
      [&] { create("a.h5"); },
      testing::ThrowsMessage<RecordingInUse>(testing::AllOf(
          HasSubstr("a.h5': process " + std::to_string(getpid()) + " has been writing it since 20"),
          HasSubstr("; wait until it ends, or write to another folder"))));
  expect_rows(read_hdf5(folder_ / "a.h5"), 10);
  std::filesystem::create_hard_link(folder_ / "a.h5", folder_ / "b.h5");
  EXPECT_THROW(create("b.h5"), RecordingInUse) << "the same file by another name";
  file->close(description(true));
  EXPECT_THROW(create("a.h5"), RecordingInUse) << "it is still open";
}

// Checks that an open reader of the older recording keeps its contents. h5py holds a shared lock
// (flock) on an open file.
TEST_F(Hdf5Files, ThatAReaderHasOpenAreReplacedByOtherFiles) {
  write_rows("a.h5", 30);
  const std::string older = read(folder_ / "a.h5");
  const int reader = ::open((folder_ / "a.h5").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(reader, LOCK_SH), 0);
  write_rows("a.h5", 40);
  expect_rows(read_hdf5(folder_ / "a.h5"), 40);
  std::string kept(older.size(), '\0');
  EXPECT_EQ(::pread(reader, kept.data(), kept.size(), 0), ssize_t(older.size()));
  EXPECT_TRUE(kept == older);
  ::close(reader);
}

TEST_F(Hdf5Files, AWriterReportsThatItsFileIsCutOff) {
  for (const off_t size : {0, 100, 5000, 60000}) {
    const auto file = create("a.h5");
    for (int k = 0; k < 2000; ++k) file->write(row_of(k));
    file->flush();
    std::filesystem::resize_file(folder_ / "a.h5", size_t(size));
    EXPECT_THAT(
        [&] {
          for (int k = 2000; k < 10000; ++k) file->write(row_of(k));
        },
        testing::ThrowsMessage<RecordingLost>(HasSubstr("another program changed")));
    file->close(description(false));
    EXPECT_EQ(std::filesystem::file_size(folder_ / "a.h5"), size_t(size))
        << "it is left to the other program";
  }
}

TEST_F(Hdf5Files, AWriterReportsThatItsFileIsOverwritten) {
  const std::pair<std::function<void()>, std::string> changes[] = {
      {[&] { write(folder_ / "a.h5", std::string(1000000, '\1')); }, "another program changed"},
      {[&] { change_value("a.h5", row_of(10)[3], 0.25); },
       "1 of its 2000 rows is lost, the first of them row 11, after t = 0.009 s"}};
  for (const auto& [change, what] : changes) {
    const auto file = create("a.h5");
    for (int k = 0; k < 1500; ++k) file->write(row_of(k));
    file->flush();
    // Waits until the clock of the file system has advanced, so that the change can be detected.
    const auto before = std::filesystem::last_write_time(folder_ / "a.h5");
    for (write(folder_ / "b", ""); std::filesystem::last_write_time(folder_ / "b") == before;)
      write(folder_ / "b", "");
    change();
    EXPECT_THAT(
        [&] {
          for (int k = 1500; k < 2000; ++k) file->write(row_of(k));
          file->close(description(true));
        },
        testing::ThrowsMessage<RecordingLost>(HasSubstr(what)));
  }
}

TEST_F(Hdf5Files, ThatWereMovedOrDeletedAreReported) {
  const auto expect_lost = [&](const std::string& name, const std::function<void()>& change,
                               const std::string& what) {
    const auto file = create(name.c_str());
    for (int k = 0; k < 30; ++k) file->write(row_of(k));
    change();
    EXPECT_THAT([&] { file->close(description(true)); },
                testing::ThrowsMessage<RecordingLost>(HasSubstr(what)));
  };
  expect_lost(
      "a.h5", [&] { std::filesystem::remove(folder_ / "a.h5"); },
      "a.h5' was deleted while it was written: its 30 rows are lost; write it again");
  expect_lost(
      "b.h5",
      [&] {
        write(folder_ / "new", "text");
        std::filesystem::rename(folder_ / "new", folder_ / "b.h5");
      },
      "b.h5' was replaced by another file while it was written: its 30 rows are lost");
  EXPECT_EQ(read(folder_ / "b.h5"), "text");
  expect_lost(
      "c.h5", [&] { std::filesystem::rename(folder_ / "c.h5", folder_ / "d.h5"); },
      "c.h5' was moved to another name while it was written; its 30 rows are there");
  expect_rows(read_hdf5(folder_ / "d.h5"), 30);
}

// Checks that HDF5 prints nothing when the program exits after a failed read in another thread.
TEST_F(Hdf5Files, ThatCannotBeReadPrintNothingAtExit) {
  write(folder_ / "cut.h5", "\x89HDF\r\n\x1a\n");  // the signature of HDF5
  EXPECT_EXIT(
      {
        std::thread([&] { EXPECT_THROW((void)read_recording(folder_ / "cut.h5"), Error); }).join();
        std::exit(0);
      },
      testing::ExitedWithCode(0), testing::Eq(""));
}

}  // namespace
}  // namespace torsor::test
