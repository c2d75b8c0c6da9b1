// Tests of the queue of samples, of their bytes, and of workers.

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <thread>

#include "simulation/folder_test.hpp"
#include "torsor/base/error.hpp"
#include "torsor/study/table/study_reader.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StudyLayout layout_of_rows(uint64_t samples) {
  return {.parameters = {{"p", ""}}, .outcomes = {{"y", ""}}, .samples = samples};
}

FinishedSample result(uint64_t sample, double y) {
  return {.sample = sample,
          .row = {.status = SampleStatus::done, .parameters = {double(sample)}, .outcomes = {y}}};
}

class Queue : public FolderTest {
 protected:
  StudyTable table(uint64_t samples) {
    return StudyTable::create(folder_ / "s.h5", layout_of_rows(samples));
  }
  std::vector<SampleRow> rows() const {
    const StudyReader reader(folder_ / "s.h5");
    return reader.read(0, reader.layout().rows());
  }
  std::atomic<bool> stop_ = false;
};

TEST_F(Queue, HandsOutEachSampleOnce) {
  StudyTable of = table(5);
  TableQueue queue(of, stop_);
  EXPECT_EQ(queue.take(), 0u);
  EXPECT_THAT(queue.lend(2), ElementsAre(1, 2));
  EXPECT_EQ(queue.left(), 2u);
  EXPECT_EQ(queue.take(), 3u);
  queue.take_back({2});
  EXPECT_THAT(queue.lend(5), ElementsAre(4, 2)) << "new samples first";
  EXPECT_THAT(queue.lend(5), IsEmpty());
}

TEST_F(Queue, AWorkerWaitsForSamplesThatAreLent) {
  StudyTable of = table(2);
  TableQueue queue(of, stop_);
  EXPECT_THAT(queue.lend(2), ElementsAre(0, 1));
  std::optional<uint64_t> taken, end;
  std::jthread worker([&] {
    taken = queue.take();
    end = queue.take();
  });
  queue.take_back({1});
  queue.finish_lent(result(0, 7));
  worker.join();
  EXPECT_EQ(taken, 1u);
  EXPECT_EQ(end, std::nullopt) << "nothing is lent any more";
  EXPECT_EQ(rows()[0].outcomes[0], 7);
}

TEST_F(Queue, StopEndsTheWorkers) {
  StudyTable of = table(2);
  TableQueue queue(of, stop_);
  queue.lend(2);
  std::jthread worker([&] { EXPECT_EQ(queue.take(), std::nullopt); });
  stop_ = true;
}

TEST_F(Queue, AContinuedTableHasOnlyTheOthers) {
  {
    StudyTable of = table(4);
    TableQueue queue(of, stop_);
    queue.finish(result(1, 1));
    queue.begin({.sample = 2,
                 .row = {.status = SampleStatus::started, .parameters = {2}, .outcomes = {0}}});
    EXPECT_EQ(queue.counts()[size_t(SampleStatus::done)], 1u);
  }
  StudyTable again = StudyTable::open(folder_ / "s.h5");
  TableQueue queue(again, stop_);
  EXPECT_THAT(queue.lend(9), ElementsAre(0, 2, 3));
}

TEST(SampleBytes, KeepEveryBit) {
  const StudyLayout layout{.parameters = {{"a", ""}, {"b", ""}}, .outcomes = {{"y", ""}}};
  const SampleBytes format(layout);
  const double nan = std::bit_cast<double>(0xfff8000000abcdefull);
  FinishedSample sent{.sample = 1ull << 40,
                      .row = {.status = SampleStatus::failed,
                              .parameters = {-0.0, 5e-324},
                              .outcomes = {nan},
                              .failure = 77,
                              .state_hash = ~0ull,
                              .wall_time = 0.1},
                      .message = "at t = 0.1 s"};
  std::vector<std::byte> bytes;
  format.append(sent, bytes);
  format.append(sent, bytes);
  std::span<const std::byte> rest = bytes;
  for (int k = 0; k < 2; ++k) {
    const FinishedSample got = format.take(rest);
    EXPECT_EQ(got.sample, sent.sample);
    EXPECT_EQ(got.row.status, sent.row.status);
    EXPECT_EQ(got.row.failure, 77u);
    EXPECT_EQ(got.row.state_hash, ~0ull);
    EXPECT_EQ(got.message, sent.message);
    EXPECT_EQ(std::bit_cast<uint64_t>(got.row.parameters[0]), 1ull << 63);
    EXPECT_EQ(got.row.parameters[1], 5e-324);
    EXPECT_EQ(std::bit_cast<uint64_t>(got.row.outcomes[0]), 0xfff8000000abcdefull);
  }
  EXPECT_TRUE(rest.empty());
  // Any part of the bytes is an error, and no access beyond them.
  for (size_t n = 1; n < bytes.size() / 2; ++n) {
    std::span<const std::byte> part(bytes.data(), n);
    EXPECT_THROW(format.take(part), Error) << n;
  }
}

// Workers that throw end the others, and the error is that of the study.
TEST_F(Queue, AnErrorOfAWorkerEndsTheStudy) {
  StudyTable of = table(1000);
  TableQueue queue(of, stop_);
  const Plan plan({{.name = "p", .unit = "", .distribution = uniform(0, 1), .nominal = 0.5}},
                  {.samples = 1000});
  const StudySamples samples{plan, of.layout(), "s.lua", "s.h5"};
  WorkersRequest request;
  request.jobs = 3;
  request.stop = &stop_;
  request.watch = [] {};
  request.make_worker = [&]() -> RunSample {
    return [](const FinishedSample& begun) -> std::optional<FinishedSample> {
      if (begun.sample == 20) throw Error("no process");
      return result(begun.sample, 1);
    };
  };
  EXPECT_THROW(run_samples(queue, samples, request), Error);
  EXPECT_TRUE(stop_);
}

}  // namespace
}  // namespace torsor::test
