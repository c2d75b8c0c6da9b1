#pragma once
// Reads the rotors of motors from the <transmission> elements of a URDF file. Drake adds them:
//
//   <transmission name="t">
//     <type>transmission_interface/SimpleTransmission</type>
//     <joint name="elbow"/>
//     <actuator name="m">
//       <drake:rotor_inertia value="1e-4"/>
//       <drake:gear_ratio value="100"/>
//     </actuator>
//   </transmission>

#include <string_view>

#include "torsor/formats/xml/element.hpp"

namespace torsor::urdf {

// Sets the rotor inertia and the gear ratio of the motors of the robot, and notes the
// transmissions without them. Throws Error with file:line if a value is not valid.
void read_rotors(xml::Document& document, RobotDescription& robot);

}  // namespace torsor::urdf
