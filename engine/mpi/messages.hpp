#pragma once
// Messages between ranks as bytes. All functions are for the main thread.

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torsor/study/workers/finished_sample.hpp"

namespace torsor::mpi {

enum class Kind : int { report = 1, leave, layout, samples, end, close };
using Bytes = std::vector<std::byte>;

struct Message {
  int from;
  Kind kind;
  Bytes bytes;
};

// Sends and receives messages without waiting. A message to a rank that is lost is kept until the
// end of the process.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  void send(int to, Kind kind, Bytes bytes);
  // Returns the next message that has arrived, or nullopt.
  std::optional<Message> receive();

 private:
  struct Sent;
  std::deque<std::unique_ptr<Sent>> sent_;  // not yet delivered
};

// The content of a report: the number of samples that the rank wants, and its results.
Bytes report_bytes(uint64_t wanted, const SampleBytes& format,
                   const std::vector<FinishedSample>& results);
struct Report {
  uint64_t wanted;
  std::vector<FinishedSample> results;
};
Report read_report(const SampleBytes& format, std::span<const std::byte> bytes);

Bytes text_bytes(const std::string& text);
std::string read_text(const Bytes& bytes);
Bytes list_bytes(const std::vector<uint64_t>& samples);
std::vector<uint64_t> read_list(const Bytes& bytes);

}  // namespace torsor::mpi
