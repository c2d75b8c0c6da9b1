// Tests of motions one after another, and of joins that jump.

#include "torsor/handles/sequence.hpp"

#include <gmock/gmock.h>

#include "conformance/trajectories.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using ::testing::HasSubstr;
using Motion = std::shared_ptr<const DesiredMotion>;

Motion move(const List& from, const List& to, double duration, const char* law = "quintic",
            const std::shared_ptr<const Model>& model = plain_chain(2)) {
  return make(law, model, {{"from", from}, {"to", to}, {"duration", List{duration}}});
}
Reference value(const DesiredMotion& motion, double t) {
  Reference out = motion.make_reference();
  const Status status = motion.evaluate(t, out);
  EXPECT_TRUE(status) << motion.explain(status);
  return out;
}
std::string refusal(const std::vector<Sequence::Entry>& entries, int continuous = 1) {
  return error_of([&] { Sequence sequence(entries, continuous); });
}

TEST(Sequences, AreTheirPartsWithPauses) {
  const Motion a = move({0, 0}, {1, 2}, 1.5), b = move({1, 2}, {-1, 0.5}, 0.7, "septic");
  const Sequence joined({0.25, a, 0.5, b, 0.1});
  EXPECT_EQ(joined.duration(), 0.25 + 1.5 + 0.5 + 0.7 + 0.1);
  EXPECT_EQ(joined.smoothness(), 2);
  EXPECT_EQ(joined.order(), 4);
  EXPECT_THAT(joined.breaks(), testing::ElementsAre(0.25, 1.75, 2.25, testing::DoubleEq(2.95)));
  for (const double t : {0.0, 0.1, 0.25, 0.3, 1.2, 1.749}) {
    EXPECT_EQ(value(joined, t).q, value(*a, t - 0.25).q);
    EXPECT_EQ(value(joined, t).vdddot, value(*a, t - 0.25).vdddot);
  }
  for (const double t : {2.25, 2.3, 2.9})
    EXPECT_EQ(value(joined, t).vdot, value(*b, t - 2.25).vdot);
  for (const double t : {1.75, 2.0, 2.2}) {
    EXPECT_EQ(value(joined, t).q, value(*a, 1.5).q);
    EXPECT_EQ(value(joined, t).vddot, (List{0, 0}));
  }
  for (const double t : {3.0, 3.05, 9.0}) EXPECT_EQ(value(joined, t).q, value(*b, 0.7).q);
}

// Checks that the end of the last part has its last derivatives, although the times are rounded.
TEST(Sequences, EndWithTheLastPiece) {
  const Motion a = move({0, 0}, {1, 2}, 0.1), b = move({1, 2}, {0, 0}, 0.7, "quintic");
  const Sequence joined({a, b});
  EXPECT_EQ(value(joined, joined.duration()).vddot, value(*b, 0.7).vddot);
  EXPECT_NE(value(joined, joined.duration()).vddot[0], 0);
}

// Checks joints whose coordinates are logarithms from the start of each part.
TEST(Sequences, JoinMotionsOfEveryJointKind) {
  const auto model = build(random_robot(8, Shape::tree, 41, Kinds::every));
  Random random{5};
  const List x = random_position(random, *model, 0.8), y = random_position(random, *model, 0.8),
             z = random_position(random, *model, 0.8);
  const Motion a = move(x, y, 1, "quintic", model), b = move(y, z, 2, "quintic", model);
  const Sequence joined({a, b});
  for (const double t : {0.3, 0.9}) EXPECT_EQ(value(joined, t).q, value(*a, t).q);
  for (const double t : {1.0, 1.3, 2.9}) EXPECT_EQ(value(joined, t).v, value(*b, t - 1).v);
  EXPECT_EQ(joined.smoothness(), 2);
}

// Checks two splines that pass the join at the same velocity and different accelerations.
TEST(Sequences, MayPassAJoinWithoutAStop) {
  const auto spline = [](const Rows& path, double start, double end) {
    return Motion(
        make("cubic_spline", plain_chain(1),
             {{"path", path}, {"start_velocity", List{start}}, {"end_velocity", List{end}}}));
  };
  const Motion a = spline({{0, 0.0}, {1, 1.0}}, 0, 0.8), b = spline({{0, 1.0}, {2, 0.5}}, 0.8, 0);
  const Sequence joined({a, b});
  EXPECT_EQ(joined.smoothness(), 1);
  EXPECT_NEAR(value(joined, 1).v[0], 0.8, 1e-14);
  EXPECT_THAT(refusal({a, b}, 2), HasSubstr("the sequence jumps in acceleration by"));
  EXPECT_THAT(refusal({a, 0.1, b}), HasSubstr("the sequence jumps in velocity by -0.8"));
  const Motion other = spline({{0, 1.0}, {2, 0.5}}, 0.7, 0);
  EXPECT_THAT(refusal({a, other}),
              HasSubstr("between entries 1 and 2, at 1 s; give both motions the same velocity"));
  // Parts without inner breaks stop nowhere inside, so only the joins and the last stop count.
  const Motion up = move({0, 0}, {1, 2}, 0.5, "linear"), on = move({1, 2}, {2, 4}, 0.5, "linear");
  EXPECT_EQ(Sequence({up, on}, 4).smoothness(), 0);
}

TEST(Sequences, RefuseJumpsAndImpossibleEntries) {
  const Motion a = move({0, 0}, {1, 2}, 1), b = move({1, 2.5}, {0, 0}, 1);
  EXPECT_THAT(refusal({a, b}), HasSubstr("the sequence jumps in position by 0.5 "));
  EXPECT_THAT(refusal({a, 1.0, b}), HasSubstr("start each motion where the one before ends"));
  EXPECT_THAT(refusal({}), HasSubstr("the sequence has no motion; give at least one trajectory"));
  EXPECT_THAT(refusal({0.5}), HasSubstr("has no motion"));
  for (const double pause : {0.0, -1.0, double(NAN), HUGE_VAL})
    EXPECT_THAT(refusal({a, pause}), HasSubstr("as entry 2; give a positive time"));
  const Motion endless =
      make("sinusoid", plain_chain(2),
           {{"center", List{1, 2}}, {"amplitude", List{0.1}}, {"frequency", List{1}}});
  EXPECT_THAT(refusal({endless, a}),
              HasSubstr("continues with entry 2 after a motion that never ends"));
  const Motion frame = make("straight_line", plain_chain(2),
                            {{"from", numbers(Pose<double>::identity())},
                             {"to", numbers(rotation_x(1))},
                             {"duration", List{1}}});
  EXPECT_THAT(refusal({a, frame}),
              HasSubstr("mixes a motion of a frame and one of joints: entries 1 and 2"));
  EXPECT_THAT(refusal({frame, 0.2, frame}), HasSubstr("in position by -1 rad (rotation about x)"));
  EXPECT_THAT(refusal({a, move({1, 2, 0}, {0, 0, 0}, 1, "quintic", plain_chain(3))}),
              HasSubstr("has motions of different robots: entries 1 and 2"));
  EXPECT_THAT(refusal({move({0, 0}, {1, 1}, 1, "linear"), move({1, 1}, {0, 0}, 1)}),
              HasSubstr("jumps in velocity by -1"));
}

TEST(Sequences, HaveTheFingerprintOfTheirParts) {
  const Motion a = move({0, 0}, {1, 2}, 1), b = move({1, 2}, {0, 0}, 1);
  EXPECT_EQ(Sequence({a, b}).fingerprint(), Sequence({a, b}).fingerprint());
  EXPECT_NE(Sequence({a, b}).fingerprint(), Sequence({a, 0.1, b}).fingerprint());
  EXPECT_NE(Sequence({a, b}).fingerprint(), Sequence({a}).fingerprint());
}

// Checks a sequence of a sequence, of frames, against finite differences over its joins.
TEST(Sequences, OfFramesAreContinuous) {
  Random random{9};
  const Pose<double> X = random.pose(1), Y = random.pose(1), Z = random.pose(1);
  const auto line = [&](const Pose<double>& from, const Pose<double>& to) {
    return Motion(make("straight_line", plain_chain(2),
                       {{"from", numbers(from)}, {"to", numbers(to)}, {"duration", List{1}}}));
  };
  const Motion first =
      std::make_shared<const Sequence>(std::vector<Sequence::Entry>{line(X, Y), 0.2});
  const Sequence joined({first, line(Y, Z), line(Z, X)});
  EXPECT_TRUE(joined.of_frame());
  EXPECT_EQ(joined.duration(), 3.2);
  for (double t = 0.05; t < 3.15; t += 0.0137) {
    const double h = 1e-4;
    const Reference a = value(joined, t - h), b = value(joined, t + h), now = value(joined, t);
    EXPECT_LT(norm(1 / (2 * h) * (b.X_WF.p - a.X_WF.p) - now.V[0].v), 1e-5);
    EXPECT_LT(norm(1 / (2 * h) * log_so3(b.X_WF.R * transpose(a.X_WF.R)) - now.V[0].w), 1e-5);
  }
}

}  // namespace
}  // namespace torsor::test
