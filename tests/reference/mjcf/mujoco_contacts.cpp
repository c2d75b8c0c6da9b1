// Prints the pairs of geoms that MuJoCo tests for contact, with their friction. All geoms of the
// file must overlap at qpos0:
//
//   g++ -std=c++20 mujoco_contacts.cpp -lmujoco -o mujoco_contacts
//   ./mujoco_contacts FILE.xml > FILE.json
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

int main(int, char** arguments) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(arguments[1], nullptr, error, sizeof error);
  if (!m) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  std::map<std::pair<int, int>, const mjContact*> contacts;  // one for each pair
  for (int k = 0; k < d->ncon; ++k) {
    const mjContact& contact = d->contact[k];
    contacts.emplace(
        std::pair(std::min(contact.geom1, contact.geom2), std::max(contact.geom1, contact.geom2)),
        &contact);
  }
  std::printf("{\"mujoco\": \"%s\", \"contacts\": [", mj_versionString());
  const char* separator = "\n";
  for (const auto& [pair, contact] : contacts) {
    const double* friction = contact->friction;
    std::printf(
        "%s  {\"geoms\": [\"%s\", \"%s\"], \"condim\": %d, \"friction\": [%.13g, %.13g, %.13g]}",
        separator, mj_id2name(m, mjOBJ_GEOM, pair.first), mj_id2name(m, mjOBJ_GEOM, pair.second),
        contact->dim, friction[0], friction[2], friction[3]);
    separator = ",\n";
  }
  std::printf("\n]}\n");
  mj_deleteData(d);
  mj_deleteModel(m);
}
