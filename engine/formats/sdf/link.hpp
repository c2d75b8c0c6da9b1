#pragma once
// Reads the inertia, the shapes and the surfaces of a link from an SDF file.

#include <string>
#include <vector>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/formats/sdf/frames.hpp"
#include "torsor/formats/sdf/loader.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::sdf {

// Names of links whose inertia is, in part, the default of SDF.
struct AssumedInertias {
  std::vector<std::string> links;
  std::string source;  // "file:line" of the first one
};

class LinkReader {
 public:
  // loader: takes the words that are not used. All arguments must outlive this object.
  LinkReader(Loader& loader, Frames& frames, const RobotFileOptions& options)
      : loader_(loader), frames_(frames), options_(options) {}

  // Returns a link without its parent and joint.
  LinkDescription read(const LinkNode& link);
  // Links without an <inertial>, and links with one without <mass> or <inertia>.
  const AssumedInertias& without_inertial() const { return without_inertial_; }
  const AssumedInertias& incomplete() const { return incomplete_; }

 private:
  SpatialInertia<double> read_inertial(const LinkNode& link, const xml::Element& element);
  SpatialInertia<double> inertia_of_collisions(const LinkNode& link, const xml::Element& element);
  std::vector<VisualDescription> read_visuals(const LinkNode& link, bool& left_out);
  std::vector<CollisionDescription> read_collisions(const LinkNode& link);
  Pose<double> pose_in_link(const LinkNode& link, const xml::Element& element);
  void note_motion_words(const LinkNode& link);

  Loader& loader_;
  Frames& frames_;
  const RobotFileOptions& options_;
  AssumedInertias without_inertial_, incomplete_;
};

}  // namespace torsor::sdf
