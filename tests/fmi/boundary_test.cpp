// The boundary between importers and the engine: locations of resources, exceptions, and bytes of
// saved states.

#include <gmock/gmock.h>

#include <fstream>

#include "fmi/compared.hpp"
#include "torsor/fmi/instance.hpp"
#include "torsor/fmi/resource_folder.hpp"
#include "torsor/fmi/state_bytes.hpp"

namespace torsor::test {
namespace {

using fmi::CallStatus;
using fmi::resource_folder;
using testing::HasSubstr;

TEST(Resources, ArePathsOrUris) {
  for (const char* location : {"/a b/100%/ü", "file:///a%20b/100%25/%C3%BC", "file:/a b/100%25/ü",
                               "file://localhost/a%20b/100%25/%c3%bc"})
    EXPECT_EQ(resource_folder(location), "/a b/100%/ü") << location;
  EXPECT_EQ(resource_folder("relative/%20"), "relative/%20");
  EXPECT_EQ(resource_folder("/a/x://y"), "/a/x://y");
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "the path is empty"},
      {"http://a/b", "only URIs of files"},
      {"file://host/a", "another host"},
      {"file://localhosts/a", "another host"},
      {"file:a/b", "not absolute"},
      {"file:///a%2", "two hexadecimal digits"},
      {"file:///a%", "two hexadecimal digits"},
      {"file:///a%g0", "two hexadecimal digits"},
      {"file:///a%00", "two hexadecimal digits"},
      {"file:///a%-1", "two hexadecimal digits"}};
  for (const auto& [location, why] : mistakes) try {
      resource_folder(location);
      ADD_FAILURE() << location;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
      EXPECT_THAT(error.what(), HasSubstr(location));
    }
}

TEST(Boundary, ReportsEveryException) {
  std::string messages;
  const fmi::Logger log = [&](CallStatus, const char* category, const std::string& message) {
    messages += fmt::format("{}|{}", category, message);
  };
  const auto thrown = [&](const auto& value) {
    messages.clear();
    try {
      throw value;
    } catch (...) {
      return fmi::log_exception(log, "fmi3F");
    }
  };
  EXPECT_EQ(thrown(Error("wrong")), CallStatus::error);
  EXPECT_EQ(messages, "logStatusError|fmi3F: wrong");
  EXPECT_EQ(thrown(Error("two\nlines")), CallStatus::error);
  EXPECT_EQ(messages, "logStatusError|fmi3F: two lines");
  EXPECT_EQ(thrown(std::bad_alloc()), CallStatus::error);
  EXPECT_THAT(messages, HasSubstr("not enough memory"));
  EXPECT_EQ(thrown(1), CallStatus::fatal);
  EXPECT_THAT(messages, testing::StartsWith("logStatusFatal|fmi3F: an unknown exception"));
  // A logger that throws, and no logger.
  const auto with = [](const fmi::Logger& logger) {
    try {
      throw Error("wrong");
    } catch (...) {
      return fmi::log_exception(logger, "fmi3F");
    }
  };
  EXPECT_EQ(with([](CallStatus, const char*, const std::string&) { throw 1; }), CallStatus::error);
  EXPECT_EQ(with({}), CallStatus::error);
}

TEST(StateBytes, AreRejectedIfTheyAreNotComplete) {
  std::vector<std::byte> bytes;
  fmi::put_text(bytes, "abc");
  fmi::put_numbers(bytes, {1, 2});
  std::span<const std::byte> at = bytes;
  EXPECT_EQ(fmi::take_text(at), "abc");
  const auto numbers = at;
  EXPECT_EQ(fmi::take_numbers(at, 2), (std::vector<double>{1, 2}));
  EXPECT_TRUE(at.empty());
  EXPECT_THROW(fmi::take_block(at), Error);
  at = numbers;
  EXPECT_THROW(fmi::take_numbers(at, 3), Error);
  for (size_t n = 0; n < numbers.size(); ++n) {
    at = numbers.first(n);
    EXPECT_THROW(fmi::take_block(at), Error) << n;
  }
  std::vector<std::byte> infinite;
  fmi::put_numbers(infinite, {INFINITY});
  at = infinite;
  EXPECT_THROW(fmi::take_numbers(at, 1), Error);
}

// Flips each bit of a serialized state, and removes bytes from its end.
TEST(SerializedStates, AreErrorsIfAByteIsDamaged) {
  const ExportedFmu fmu(scene_file("double_pendulum"));
  const Fmu& f = fmu.functions();
  std::string messages;
  const fmi3Instance at = fmu.started(&messages);
  const uint32_t q = fmu.reference("first.q.joint1");
  double before = 0, after = 0;
  ASSERT_EQ(run_fmu(&f, at, 0, 0.1, 1, &q, 1, &before), fmi3OK);
  fmi3FMUState state = nullptr;
  size_t size = 0;
  ASSERT_EQ(f.GetFMUState(at, &state), fmi3OK);
  ASSERT_EQ(f.SerializedFMUStateSize(at, state, &size), fmi3OK);
  std::vector<fmi3Byte> bytes(size);
  ASSERT_EQ(f.SerializeFMUState(at, state, bytes.data(), size), fmi3OK);
  EXPECT_EQ(f.SerializeFMUState(at, state, bytes.data(), size - 1), fmi3Error);
  ASSERT_EQ(f.FreeFMUState(at, &state), fmi3OK);
  const auto expect_damaged = [&](size_t n) {
    messages.clear();
    ASSERT_EQ(f.DeserializeFMUState(at, bytes.data(), n, &state), fmi3Error);
    EXPECT_EQ(state, nullptr);
    EXPECT_THAT(messages, HasSubstr("serialized state"));
  };
  for (size_t k = 0; k < size; ++k)
    for (const int bit : {0, 3, 7}) {
      SCOPED_TRACE(k);
      bytes[k] ^= fmi3Byte(1 << bit);
      ASSERT_NO_FATAL_FAILURE(expect_damaged(size));
      bytes[k] ^= fmi3Byte(1 << bit);
    }
  for (size_t n = 0; n < size; ++n) ASSERT_NO_FATAL_FAILURE(expect_damaged(n));
  ASSERT_EQ(f.GetFloat64(at, &q, 1, &after, 1), fmi3OK);
  EXPECT_EQ(after, before);
  ASSERT_EQ(f.DeserializeFMUState(at, bytes.data(), size, &state), fmi3OK);
  ASSERT_EQ(f.SetFMUState(at, state), fmi3OK);
  f.FreeFMUState(at, &state);
  f.FreeInstance(at);
}

// States of another FMU are undamaged, but do not fit.
TEST(SerializedStates, OfOtherFmusChangeNothing) {
  const ExportedFmu one(scene_file("double_pendulum")), two(scene_file("stiction"));
  std::string messages;
  const fmi3Instance from = one.started(), to = two.started(&messages);
  fmi3FMUState state = nullptr;
  ASSERT_EQ(one.functions().GetFMUState(from, &state), fmi3OK);
  size_t size = 0;
  ASSERT_EQ(one.functions().SerializedFMUStateSize(from, state, &size), fmi3OK);
  std::vector<fmi3Byte> bytes(size);
  ASSERT_EQ(one.functions().SerializeFMUState(from, state, bytes.data(), size), fmi3OK);
  one.functions().FreeFMUState(from, &state);
  ASSERT_EQ(two.functions().DeserializeFMUState(to, bytes.data(), size, &state), fmi3OK);
  EXPECT_EQ(two.functions().SetFMUState(to, state), fmi3Error);
  EXPECT_THAT(messages, HasSubstr("the saved state is of another FMU"));
  two.functions().FreeFMUState(to, &state);
  expect_bits_of(two, to, recorded(scene_file("stiction"), "--duration 0.2"));
  one.functions().FreeInstance(from);
  two.functions().FreeInstance(to);
}

}  // namespace
}  // namespace torsor::test
