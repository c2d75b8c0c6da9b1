// Tests of tuning: searches over the parameters of a function in place of a scene.

#include "torsor/study/tuning/tuning.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "simulation/folder_test.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;

constexpr double unlimited = std::numeric_limits<double>::infinity(),
                 failing = std::numeric_limits<double>::quiet_NaN();

// Returns an outcome of the values of the parameters. NaN means that the run fails.
using Function = std::function<double(const std::vector<double>& values)>;

double rosenbrock(const std::vector<double>& x) {
  return std::pow(1 - x[0], 2) + 100 * std::pow(x[1] - x[0] * x[0], 2);
}

std::vector<StudyParameter> two_parameters() {
  return {{"x", "m", uniform(-2, 2), 0.0}, {"y", "", uniform(-1, 3), 1.0}};
}

class TuningTest : public FolderTest {
 protected:
  struct Options {
    unsigned jobs = 2;
    std::string table = "tune.h5";
    // Interrupts the tuning after so many samples.
    uint64_t most_samples = std::numeric_limits<uint64_t>::max();
  };
  // Tunes a function, and continues the table if it exists.
  TuningResult tune(const std::vector<StudyParameter>& parameters, const TuningRequest& request,
                    const Function& function, Options options) {
    const TuningSpace space(parameters, request);
    const std::filesystem::path path = folder_ / options.table;
    StudyTable table = std::filesystem::exists(path)
                           ? StudyTable::open(path)
                           : StudyTable::create(path, {.parameters = space.columns(),
                                                       .outcomes = {{"other", ""}, {"cost", "J"}},
                                                       .samples = space.samples(),
                                                       .shard = {},
                                                       .description = space.describe()});
    Tuning tuning(space, table, StudyReader(path));
    const StudySamples samples{tuning, table.layout(), "a function", ""};
    std::atomic<bool> stop = false;
    n_samples_ = 0;
    WorkersRequest workers;
    workers.jobs = options.jobs;
    workers.stop = &stop;
    workers.watch = [&] { (void)tuning.progress(); };
    workers.make_worker = [&]() -> RunSample {
      return [&](const FinishedSample& begun) -> std::optional<FinishedSample> {
        if (++n_samples_ > options.most_samples) stop = true;
        if (stop) return std::nullopt;
        FinishedSample out = begun;
        const double value = function(begun.row.parameters);
        out.row.status = std::isnan(value) ? SampleStatus::failed : SampleStatus::done;
        if (std::isnan(value)) out.message = "it failed";
        if (std::isnan(value)) out.row.failure = failure_key(out.message);
        out.row.outcomes = {1, value};
        return out;
      };
    };
    return tuning.run(samples, workers);
  }
  TuningResult tune(const std::vector<StudyParameter>& parameters, const TuningRequest& request,
                    const Function& function) {
    std::filesystem::remove(folder_ / "tune.h5");
    return tune(parameters, request, function, {});
  }
  std::string bytes(const std::string& table) const {
    std::ifstream in(folder_ / table, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::atomic<uint64_t> n_samples_ = 0;  // of the last tuning
};

TEST_F(TuningTest, FindsTheMinimumOfRosenbrocksFunction) {
  const TuningResult result = tune(
      two_parameters(),
      {.outcome = "cost", .over = {"x", "y"}, .starts = 3, .evaluations = 400, .tolerance = 1e-6},
      rosenbrock);
  EXPECT_FALSE(result.was_interrupted);
  ASSERT_EQ(result.searches.size(), 3u);
  for (const TuningSearch& search : result.searches) {
    EXPECT_EQ(search.end, TuningEnd::converged);
    ASSERT_TRUE(search.best_point());
    EXPECT_NEAR(search.best_point()->values[0], 1, 1e-4);
    EXPECT_NEAR(search.best_point()->values[1], 1, 1e-4);
    EXPECT_EQ(search.best_point()->objective, rosenbrock(search.best_point()->values));
  }
  EXPECT_THAT(result.searches[0].points[0].values, ElementsAre(0, 1)) << "the nominal values";
  EXPECT_NE(result.searches[1].points[0].values, result.searches[2].points[0].values);
}

TEST_F(TuningTest, EveryMethodFindsTheMinimumOfAQuadraticFunction) {
  const auto cost = [](const std::vector<double>& x) {
    return 3 + std::pow(x[0] - 0.7, 2) + 2 * std::pow(x[1] - 0.4, 2) + (x[0] - 0.7) * (x[1] - 0.4);
  };
  for (const std::string& method : search_methods()) {
    const TuningResult result = tune(
        two_parameters(),
        {.outcome = "cost", .over = {"y", "x"}, .method = method, .starts = 2, .tolerance = 1e-6},
        cost);
    ASSERT_TRUE(result.best_point()) << method;
    EXPECT_NEAR(result.best_point()->values[0], 0.7, 1e-4) << method;
    EXPECT_NEAR(result.best_point()->values[1], 0.4, 1e-4) << method;
    EXPECT_NEAR(result.best_point()->objective, 3, 1e-8) << method;
  }
}

TEST_F(TuningTest, MaximisesAtAnEndOfTheRange) {
  const TuningRequest request{.outcome = "cost", .maximise = true, .over = {"x"}, .starts = 2};
  const TuningResult result =
      tune(two_parameters(), request, [](const std::vector<double>& x) { return x[0]; });
  ASSERT_TRUE(result.best_point());
  EXPECT_EQ(result.best_point()->objective, 2);
  EXPECT_EQ(result.best_point()->values[1], 1) << "the nominal value of the other parameter";
  EXPECT_THAT(TuningSpace(two_parameters(), request).ends_of_ranges(result.best_point()->u, 1e-3),
              ElementsAre("'x' is at the upper end of its range, uniform(-2, 2)"));
}

// The values of a parameter with an infinite range are finite.
TEST_F(TuningTest, TunesANormalParameter) {
  const std::vector<StudyParameter> parameters{
      {"x", "", normal(10, 2, -unlimited, unlimited), 10.0}};
  const TuningResult inside =
      tune(parameters, {.outcome = "cost", .over = {"x"}, .tolerance = 1e-6},
           [](const std::vector<double>& x) { return std::pow(x[0] - 13, 2); });
  EXPECT_NEAR(inside.best_point()->values[0], 13, 1e-3);
  const TuningResult outside =
      tune(parameters, {.outcome = "cost", .over = {"x"}},
           [](const std::vector<double>& x) { return std::pow(x[0] - 100, 2); });
  EXPECT_NEAR(outside.best_point()->values[0], 10 + 2 * 3.2905267, 1e-6) << "the end of the tail";
}

TEST_F(TuningTest, HasTheSameBytesForAnyNumberOfWorkers) {
  std::vector<StudyParameter> parameters = two_parameters();
  parameters.push_back({"load", "kg", normal(0, 0.3, -unlimited, unlimited), 0.0});
  const TuningRequest request{
      .outcome = "cost", .over = {"x", "y"}, .samples = 3, .starts = 5, .evaluations = 60};
  const Function cost = [](const std::vector<double>& x) {
    return x[2] > 0.6 || x[0] > 1.8 ? failing : rosenbrock(x) + x[2] * x[0];
  };
  for (const unsigned jobs : {1u, 2u, 7u})
    tune(parameters, request, cost,
         {.jobs = jobs, .table = std::to_string(jobs) + ".h5", .most_samples = 100000});
  EXPECT_GT(bytes("1.h5").size(), 10000u);
  EXPECT_TRUE(bytes("1.h5") == bytes("2.h5"));
  EXPECT_TRUE(bytes("1.h5") == bytes("7.h5"));
}

TEST_F(TuningTest, ContinuesWhereItWasInterrupted) {
  std::vector<StudyParameter> parameters = two_parameters();
  parameters.push_back({"load", "kg", uniform(0, 0.3), 0.15});
  const TuningRequest request{
      .outcome = "cost", .over = {"x", "y"}, .samples = 4, .starts = 3, .evaluations = 50};
  const Function cost = [](const std::vector<double>& x) {
    return x[0] > 1.5 ? failing : rosenbrock(x) * (1 + x[2]);
  };
  const TuningResult whole = tune(parameters, request, cost, {.table = "whole.h5"});
  const uint64_t all = n_samples_;
  uint64_t sum = 0;
  for (int part = 0; part < 3; ++part) {
    const TuningResult result =
        tune(parameters, request, cost, {.table = "parts.h5", .most_samples = 101});
    EXPECT_TRUE(result.was_interrupted);
    sum += 101;
  }
  const TuningResult last = tune(parameters, request, cost, {.table = "parts.h5"});
  EXPECT_FALSE(last.was_interrupted);
  EXPECT_EQ(sum + n_samples_, all) << "no sample is lost or run twice";
  EXPECT_TRUE(bytes("parts.h5") == bytes("whole.h5"));
  EXPECT_EQ(last.best_point()->sample, whole.best_point()->sample);
  ASSERT_EQ(last.searches.size(), whole.searches.size());
  for (size_t k = 0; k < last.searches.size(); ++k)
    EXPECT_EQ(last.searches[k].points.size(), whole.searches[k].points.size());
  tune(parameters, request, cost, {.table = "parts.h5"});
  EXPECT_EQ(n_samples_, 0u) << "all results are in the table";
}

TEST_F(TuningTest, RejectsATableWithOtherPoints) {
  TuningRequest request{.outcome = "cost", .over = {"x", "y"}, .starts = 2, .evaluations = 30};
  tune(two_parameters(), request, rosenbrock);
  request.seed = 1;
  EXPECT_THAT(error_of([&] { tune(two_parameters(), request, rosenbrock, {}); }),
              HasSubstr("sample 30 of the table is not a point of these searches"));
}

// The minimum (0, 1) of the quadratic function is next to a region in which all runs fail.
TEST_F(TuningTest, PointsThatFailAreAvoided) {
  const Function cost = [](const std::vector<double>& x) {
    return x[0] + x[1] > 1.5 || x[0] > 0.1 ? failing : x[0] * x[0] + std::pow(x[1] - 1, 2);
  };
  for (const std::string& method : search_methods()) {
    const TuningResult result =
        tune(two_parameters(),
             {.outcome = "cost", .over = {"x", "y"}, .method = method, .starts = 4}, cost);
    ASSERT_TRUE(result.best_point()) << method;
    EXPECT_THAT(result.best_point()->objective, Lt(1e-6)) << method;
  }
  for (const std::string& method : search_methods()) {
    const TuningResult none =
        tune(two_parameters(),
             {.outcome = "cost", .over = {"x", "y"}, .method = method, .evaluations = 40},
             [](const auto&) { return failing; });
    EXPECT_FALSE(none.best_point()) << method;
    for (const TuningSearch& search : none.searches)
      EXPECT_FALSE(search.points.empty() || search.best) << method;
  }
}

TEST_F(TuningTest, FindsIntegersAndTriesEveryChoice) {
  const std::vector<StudyParameter> parameters{
      {"n", "", integer(0, 1000), 500.0},
      {"law", "", choice({std::string("pid"), std::string("pd"), std::string("none")}),
       std::string("pid")},
      {"x", "", log_uniform(1e-3, 1e3), 1.0}};
  const TuningResult result = tune(
      parameters, {.outcome = "cost", .over = {"n", "law", "x"}, .starts = 2, .evaluations = 300},
      [](const std::vector<double>& v) {
        return std::abs(v[0] - 137) / 100 + std::pow(std::log10(v[2]) - 1, 2) + (v[1] == 1 ? 0 : 1);
      });
  ASSERT_EQ(result.searches.size(), 6u);
  for (size_t k = 0; k < 6; ++k) {
    std::set<std::vector<double>> seen;
    for (const TuningPoint& point : result.searches[k].points) {
      EXPECT_EQ(point.values[1], double(k / 2)) << "a search keeps its choice";
      EXPECT_EQ(point.values[0], std::floor(point.values[0]));
      EXPECT_TRUE(seen.insert(point.values).second) << "no point is run twice";
    }
  }
  EXPECT_THAT(result.searches[0].points[0].values, ElementsAre(500, 0, testing::DoubleEq(1)));
  const TuningPoint& best = *result.best_point();
  EXPECT_EQ(best.values[0], 137);
  EXPECT_EQ(best.values[1], 1);
  EXPECT_NEAR(std::log10(best.values[2]), 1, 1e-3);

  // Small steps return to the same integers.
  const TuningResult integers =
      tune(parameters, {.outcome = "cost", .over = {"n"}, .starts = 2},
           [](const std::vector<double>& v) { return std::abs(v[0] - 137); });
  EXPECT_EQ(integers.best_point()->values[0], 137);
  for (const TuningSearch& search : integers.searches) {
    std::set<double> seen;
    for (const TuningPoint& point : search.points)
      EXPECT_TRUE(seen.insert(point.values[0]).second) << point.values[0] << " is run twice";
  }

  const TuningResult choices = tune(parameters, {.outcome = "cost", .over = {"law"}},
                                    [](const std::vector<double>& v) { return v[1] == 2 ? 0 : 1; });
  ASSERT_EQ(choices.searches.size(), 3u);
  EXPECT_EQ(choices.searches[2].points.size(), 1u);
  EXPECT_EQ(choices.best, 2u);
}

// The mean of the outcome (x - a)^2 over samples of a is smallest at the mean of a. Its largest
// value is smallest in the middle of the range of a.
TEST_F(TuningTest, ReducesTheSamplesOfAPointByAStatistic) {
  const std::vector<StudyParameter> parameters{{"a", "", uniform(0, 1), 0.5},
                                               {"x", "", uniform(-1, 2), 0.5}};
  const Function cost = [](const std::vector<double>& v) { return std::pow(v[1] - v[0], 2); };
  for (const std::string statistic : {"mean", "worst", "median", "q90"}) {
    const TuningRequest request{.outcome = "cost",
                                .over = {"x"},
                                .samples = 9,
                                .statistic = statistic,
                                .seed = 3,
                                .tolerance = 1e-7};
    const TuningResult result = tune(parameters, request, cost);
    std::vector<double> a;
    std::set<std::vector<double>> draws;
    for (uint64_t point = 0; point < result.searches[0].points.size(); ++point) {
      std::vector<double> drawn;
      for (const SampleRow& row : StudyReader(folder_ / "tune.h5").read(9 * point, 9))
        drawn.push_back(row.parameters[0]);
      draws.insert(drawn);
      a = drawn;
    }
    EXPECT_EQ(draws.size(), 1u) << "every point has the same samples of a";
    std::ranges::sort(a);
    const double x = result.best_point()->values[1];
    double mean = 0;
    for (const double each : a) mean += each / 9;
    if (statistic == "mean") {
      EXPECT_NEAR(x, mean, 1e-5);
    }
    if (statistic == "worst") {
      EXPECT_NEAR(x, (a.front() + a.back()) / 2, 1e-5);
    }
    std::vector<double> values;
    for (const double each : a) values.push_back(std::pow(x - each, 2));
    std::ranges::sort(values);
    const double expected =
        statistic == "median" ? values[4] : values[7] + 0.2 * (values[8] - values[7]);
    if (statistic == "median" || statistic == "q90") {
      EXPECT_DOUBLE_EQ(result.best_point()->objective, expected);
    }
  }
}

TEST_F(TuningTest, EndsAtTheLimitOfEvaluations) {
  const TuningResult result =
      tune(two_parameters(),
           {.outcome = "cost", .over = {"x", "y"}, .starts = 2, .evaluations = 10}, rosenbrock);
  for (const TuningSearch& search : result.searches) {
    EXPECT_EQ(search.end, TuningEnd::evaluations);
    EXPECT_EQ(search.points.size(), 10u);
  }
}

TEST_F(TuningTest, ErrorsOfWorkersEndTheSearches) {
  EXPECT_EQ(error_of([&] {
              tune(two_parameters(), {.outcome = "cost", .over = {"x"}},
                   [](const auto&) -> double { throw Error("a worker failed"); });
            }),
            "a worker failed");
}

TEST_F(TuningTest, RejectsInvalidRequests) {
  std::vector<StudyParameter> parameters = two_parameters();
  parameters.push_back({"mass", "kg", nullptr, 2.0});
  parameters.push_back({"row", "", rows("t.csv", "row", {"1", "2"}), 1.0});
  const auto rejected = [&](const TuningRequest& request) {
    return error_of([&] { TuningSpace(parameters, request); });
  };
  EXPECT_EQ(rejected({.outcome = "cost", .over = {"xx"}}),
            "the scene has no parameter 'xx' to tune; its parameters with a distribution are: x, "
            "y, row; did you mean 'x'?");
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"mass"}}),
              HasSubstr("the parameter 'mass' has no distribution"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x", "y", "x"}}),
              HasSubstr("the parameter 'x' is given twice"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"row"}}), HasSubstr("takes rows of a table"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {}}), HasSubstr("no parameter is given"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x"}, .method = "neldermead"}),
              HasSubstr("did you mean 'nelder_mead'?"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x"}, .method = "bobyqa"}),
              HasSubstr("the method bobyqa needs at least 2 parameters"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x"}, .statistic = "men"}),
              HasSubstr("did you mean 'mean'?"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x"}, .statistic = "q100"}),
              HasSubstr("there is no statistic 'q100'"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x"}, .samples = 2, .design = "sobel"}),
              HasSubstr("did you mean 'sobol'?"));
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x"}, .starts = 1000}),
              HasSubstr("the limit is 256"));
  parameters.resize(3);
  EXPECT_THAT(rejected({.outcome = "cost", .over = {"x", "y"}, .samples = 2}),
              HasSubstr("no other parameter of the scene has a distribution"));
  EXPECT_EQ(
      error_of([&] { tune(two_parameters(), {.outcome = "cst", .over = {"x"}}, rosenbrock); }),
      "the scene has no outcome 'cst' to minimise; its outcomes are: other, cost; did you "
      "mean 'cost'?");
}

}  // namespace
}  // namespace torsor::test
