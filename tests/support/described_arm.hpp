#pragma once
// An arm with six revolute and prismatic joints, described in the four ways the builder supports.
// The link frames differ between descriptions. The frames "at1".."at6" are at the same place of the
// same body in all of them: those of the modified DH convention.

#include <array>

#include "torsor/model/builder.hpp"

namespace torsor::test {

enum class Description { modified_dh, standard_dh, screws, screws_at_home };
inline constexpr Description all_descriptions[] = {Description::modified_dh,
                                                   Description::standard_dh, Description::screws,
                                                   Description::screws_at_home};

struct DhRow {
  // The parameters of KHALIL (modified DH). In the standard convention, alpha and d belong to the
  // previous row.
  double alpha, d, theta, r;
  JointKind kind;
};
inline constexpr std::array<DhRow, 6> arm_rows{
    {{0, 0, 0.3, 0.4, JointKind::revolute},
     {1.2, 0.1, -0.5, 0.2, JointKind::revolute},
     {-0.7, 0.5, 0.9, -0.3, JointKind::prismatic},
     {2.1, -0.2, 1.4, 0.6, JointKind::revolute},
     {-1.5707963267948966, 0.3, 0, 0, JointKind::prismatic},
     {0.4, 0.25, 2.2, 0.15, JointKind::revolute}}};

RobotDescription described_arm(Description description);

}  // namespace torsor::test
