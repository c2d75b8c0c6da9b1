#pragma once
// An order in which the nodes of a sparse symmetric matrix are eliminated with little fill: that of
// the approximate minimum degree (Amestoy, Davis and Duff, *An approximate minimum degree ordering
// algorithm*, 1996). Ties are broken by the number of the node, so that the order is deterministic.

#include <span>
#include <vector>

namespace torsor {

class EliminationOrder {
 public:
  // The matrix couples all nodes of a clique: nodes[k], first[c] <= k < first[c + 1] for the
  // clique c. weights [n]: the number of rows of each node. Does not allocate unless the matrix or
  // its fill grows.
  void compute(std::span<const int> weights, std::span<const int> first,
               std::span<const int> nodes);

  // [n] The nodes in the order of their elimination, and the place of each node in it. The subtrees
  // of the elimination tree are consecutive (a postorder).
  std::vector<int> order, place;
  // The pattern of the factor, in places: below the place k are fill[i], fill_start[k] <= i <
  // fill_start[k + 1], which ascend.
  std::vector<int> fill_start, fill;
  // Number of entries of the factor by rows of nodes, the triangle of the diagonal included.
  size_t entries = 0;

 private:
  struct Candidate {
    int degree, node;
    bool operator>(const Candidate& other) const {
      return degree != other.degree ? degree > other.degree : node > other.node;
    }
  };
  void start(std::span<const int> weights, std::span<const int> first, std::span<const int> nodes);
  void eliminate(int node, std::span<const int> weights);
  void update_degrees(int node, std::span<const int> weights);
  void sort_subtrees();
  void write_pattern(std::span<const int> weights);
  void push(int node);

  std::vector<std::vector<int>> neighbours_;  // [n] nodes that the matrix couples with a node
  std::vector<std::vector<int>> elements_;    // [n] eliminated nodes that couple a node with others
  std::vector<std::vector<int>> below_;       // [n] nodes that a node couples when it is eliminated
  std::vector<int> degree_, weight_below_, rest_, rest_mark_, mark_;  // [n]
  std::vector<int> eliminated_, parent_, first_child_, next_child_, stack_;
  std::vector<char> is_eliminated_, is_absorbed_;
  std::vector<Candidate> queue_;  // a heap; candidates with an old degree are skipped
  int stamp_ = 0, remaining_ = 0;
};

}  // namespace torsor
