#include "torsor/mpi/messages.hpp"

#include <mpi.h>

#include <cstring>

namespace torsor::mpi {

struct Mailbox::Sent {
  Bytes bytes;
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_delivered() {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
};

Mailbox::Mailbox() = default;

Mailbox::~Mailbox() {
  // MPI still reads the bytes of messages that are not delivered.
  for (auto& sent : sent_)
    if (!sent->is_delivered()) sent.release();
}

void Mailbox::send(int to, Kind kind, Bytes bytes) {
  std::erase_if(sent_, [](const auto& sent) { return sent->is_delivered(); });
  Sent& sent = *sent_.emplace_back(std::make_unique<Sent>());
  sent.bytes = std::move(bytes);
  MPI_Isend(sent.bytes.data(), int(sent.bytes.size()), MPI_BYTE, to, int(kind), MPI_COMM_WORLD,
            &sent.request);
}

std::optional<Message> Mailbox::receive() {
  int has_message = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_message, &message, &status);
  if (!has_message) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Message out{status.MPI_SOURCE, Kind(status.MPI_TAG), Bytes(size_t(size))};
  MPI_Mrecv(out.bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  return out;
}

Bytes report_bytes(uint64_t wanted, const SampleBytes& format,
                   const std::vector<FinishedSample>& results) {
  Bytes out = list_bytes({wanted});
  for (const FinishedSample& result : results) format.append(result, out);
  return out;
}

Report read_report(const SampleBytes& format, std::span<const std::byte> bytes) {
  Report out{};
  std::memcpy(&out.wanted, bytes.data(), sizeof out.wanted);
  for (bytes = bytes.subspan(sizeof out.wanted); !bytes.empty();)
    out.results.push_back(format.take(bytes));
  return out;
}

Bytes text_bytes(const std::string& text) {
  const auto* from = reinterpret_cast<const std::byte*>(text.data());
  return {from, from + text.size()};
}
std::string read_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes list_bytes(const std::vector<uint64_t>& samples) {
  const auto* from = reinterpret_cast<const std::byte*>(samples.data());
  return {from, from + samples.size() * sizeof(uint64_t)};
}
std::vector<uint64_t> read_list(const Bytes& bytes) {
  std::vector<uint64_t> out(bytes.size() / sizeof(uint64_t));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(uint64_t));
  return out;
}

}  // namespace torsor::mpi
