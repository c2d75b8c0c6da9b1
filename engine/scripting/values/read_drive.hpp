#pragma once
// Reads the drives of a joint from its table: friction, motors, springs and stops
// (model/drive.hpp).

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// The keys of a joint table that describe the drive of one dof.
#define TORSOR_DRIVE_KEYS "friction", "elastic", "motor", "spring", "stop", "passive"

// Reads the keys friction, elastic, motor, spring, stop, mimic, passive and motors of a joint table
// into `out`. For a joint with several dof, drives = {{..}, ..} contains one table with these keys
// per dof. The keys passive and motors of the joint table then apply to every dof. The spring of a
// spherical or floating joint is in the joint table in both cases. Its stiffness is a number, or {
// N m/rad, N/m } for a floating joint. Its rest is a list, the q of the joint, or a pose for a
// floating joint.
// motors_by_default: whether a dof without these keys has a motor.
void read_drives(const TableReader& joint, bool motors_by_default, JointDescription& out);

// Reads a transmission { joints = {..}, jacobian = {{..}, ..}, motors = {{ rotor_inertia =,
// friction = }, ..} }. An entry of the jacobian is a number, a polynomial { of = JOINT,
// coefficients = {..} } or a table { of = JOINT, q = {..}, values = {..} }. The whole jacobian may
// also be a function (objects/transmission_function.hpp). source: the place of the call,
// "file:line".
TransmissionDescription read_transmission(const TableReader& table, const std::string& source);

// Reads a stiffness matrix { joints = {..}, matrix = {{..}, ..}, damping = {..} }.
StiffnessDescription read_stiffness(const TableReader& table);

}  // namespace torsor::lua
