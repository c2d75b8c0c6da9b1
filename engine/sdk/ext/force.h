/* ext/force.h: forces that act on the tree. */
#ifndef TORSOR_FORCE_H
#define TORSOR_FORCE_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Poses and twists of the bodies in the world. */
typedef struct torsor_kinematics {
  uint32_t struct_size;
  /* [n_body][12] pose of each body in the world */
  const double* X_WB;
  /* [n_body][6] twist of each body, in its axes about its origin */
  const double* V_WB_B;
} torsor_kinematics;

/* The result of a force. The host sets every number to zero before the call. */
typedef struct torsor_force_out {
  uint32_t struct_size;
  /* [n_body][6] wrench on each body, at its origin in its axes. The wrench on the world is
   * ignored */
  double* F_B;
  /* [n_v] torque on each dof */
  double* tau;
  /* [n_x] rates of the force's own states */
  double* xdot;
  /* Stored energy in J, a function of q and x */
  double energy;
  /* Time derivative of energy, in W. The power sum V . F + tau . v + energy_rate counts as the work
   * of the force: it is the part of the delivered power that does not come from the stored
   * energy */
  double energy_rate;
} torsor_force_out;

/* A force that acts on the tree in addition to the torques of its joints:  sum J^T F_B + tau. */
#define TORSOR_FORCE "torsor.force/1"
typedef struct torsor_force {
  uint32_t struct_size;
  /* 1: the energy ledger counts its work as contact; 0: as forces */
  int32_t is_contact;
  /* [hot] Evaluates the force in a state with F_B = NULL; x [n_x] */
  torsor_status (*evaluate)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                            const torsor_kinematics*, const double* x, double* work,
                            torsor_force_out* out);
} torsor_force;

#ifdef __cplusplus
}
#endif
#endif
