#include "torsor/mpi/mpi_ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <thread>

#include "torsor/base/error.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/support/interrupt.hpp"

namespace torsor::mpi {

namespace {

using Seconds = std::chrono::duration<double>;

// Times without a message after which a rank is lost, for rank 0 and for the others, s.
constexpr double member_is_lost = 10, first_is_lost = 30;
constexpr std::chrono::milliseconds pause{1}, long_pause{10};

double seconds_since(Clock::time_point time) {
  return Seconds(Clock::now() - time).count();
}

std::string silence_text() {
  return fmt::format("it has sent nothing for {} s", member_is_lost);
}

void warn_of(int rank, const std::string& why) {
  print_message(fmt::format("warning: rank {} has left the study: {}", rank, why));
}

}  // namespace

MpiRanks::MpiRanks(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 1; rank_ == 0 && k < count_; ++k) members_[k];
}

MpiRanks::~MpiRanks() {
  std::fflush(stdout);
  finish();
  if (rank_ > 0) have_all_left_ = close();
  mailbox_.reset();
  if (have_all_left_) MPI_Finalize();
}

void MpiRanks::finish() noexcept {
  if (rank_ > 0 || std::exchange(is_over_, true)) return;
  for (auto& [rank, member] : members_) {
    mailbox_->send(rank, Kind::end, {});
    if (!member.is_lost) member.heard = Clock::now();
  }
  const auto is_active = [](const Member& member) { return !member.has_left && !member.is_lost; };
  const auto members = std::views::values(members_);
  while (std::ranges::any_of(members, is_active)) {
    while (const auto message = mailbox_->receive()) {
      members_.at(message->from).heard = Clock::now();
      if (message->kind == Kind::leave) members_.at(message->from).has_left = true;
    }
    for (auto& [rank, member] : members_) {
      if (!is_active(member) || seconds_since(member.heard) < member_is_lost) continue;
      member.is_lost = true;
      warn_of(rank, silence_text());
    }
    std::this_thread::sleep_for(pause);
  }
  have_all_left_ = std::ranges::all_of(members, &Member::has_left);
  for (const auto& [rank, member] : members_)
    mailbox_->send(rank, Kind::close, Bytes{std::byte(have_all_left_)});
}

bool MpiRanks::close() {
  if (is_first_lost_) return false;
  if (!has_left_) mailbox_->send(0, Kind::leave, {});
  for (const auto start = Clock::now(); has_left_ || seconds_since(start) < first_is_lost;
       std::this_thread::sleep_for(long_pause)) {
    const auto message = mailbox_->receive();
    if (message && message->kind == Kind::close) return message->bytes.at(0) != std::byte(0);
  }
  return false;
}

void MpiRanks::start(const StudyLayout& layout) {
  layout_ = layout;
  for (auto& [rank, member] : members_) {
    member.heard = Clock::now();
    mailbox_->send(rank, Kind::layout, text_bytes(to_json(layout)));
  }
}

void MpiRanks::serve(TableQueue& queue) {
  // The caller must regain control, so that it can react to Ctrl+C.
  constexpr int most_messages = 500;
  for (int k = 0; k < most_messages; ++k) {
    const auto message = mailbox_->receive();
    if (!message) break;
    handle(*message, queue);
  }
  for (auto& [rank, member] : members_)
    if (!member.is_lost && !member.has_left && seconds_since(member.heard) > member_is_lost) {
      member.is_lost = true;
      drop(member, rank, silence_text(), queue);
    }
}

void MpiRanks::handle(const Message& message, TableQueue& queue) {
  Member& member = members_.at(message.from);
  member.heard = Clock::now();
  member.is_lost = false;
  if (message.kind == Kind::leave) {
    member.has_left = true;
    return drop(member, message.from, read_text(message.bytes), queue);
  }
  const Report report = read_report(SampleBytes(layout_), message.bytes);
  // A rank that was regarded as lost may report samples that others run again.
  for (const FinishedSample& result : report.results)
    if (member.samples.erase(result.sample) > 0) queue.finish_lent(result);
  const uint64_t share = std::max<uint64_t>(1, queue.left() / (2 * uint64_t(count_)));
  const std::vector<uint64_t> samples = queue.lend(std::min(report.wanted, share));
  member.samples.insert(samples.begin(), samples.end());
  mailbox_->send(message.from, Kind::samples, list_bytes(samples));
}

void MpiRanks::drop(Member& member, int rank, const std::string& why, TableQueue& queue) {
  warn_of(rank,
          why + (member.samples.empty() ? ""
                                        : fmt::format("; {} run again by others",
                                                      counted(member.samples.size(), "sample"))));
  queue.take_back({member.samples.begin(), member.samples.end()});
  member.samples.clear();
}

bool MpiRanks::wait_for_start() {
  for (;; std::this_thread::sleep_for(long_pause)) {
    const auto message = mailbox_->receive();
    if (!message) continue;
    is_over_ = message->kind == Kind::end;
    if (!is_over_) layout_ = layout_of(read_text(message->bytes));
    return !is_over_;
  }
}

// Exchanges messages with rank 0. Throws Error if rank 0 does not answer.
void MpiRanks::exchange(RankQueue& queue) {
  while (const auto message = mailbox_->receive()) {
    heard_ = Clock::now();
    is_answered_ = true;
    if (message->kind == Kind::samples) queue.add(read_list(message->bytes));
    is_over_ = is_over_ || message->kind == Kind::end;
  }
  if (seconds_since(heard_) > first_is_lost) {
    is_first_lost_ = true;
    throw Error(fmt::format("rank 0 has not answered for {} s; continue the study with --resume",
                            first_is_lost));
  }
  if (!is_answered_ || is_over_) return;
  if (auto report = queue.report()) {
    mailbox_->send(0, Kind::report, std::move(*report));
    is_answered_ = false;
  }
}

void MpiRanks::run(const SceneStudy& study, unsigned jobs) {
  study.require_same(layout_, "the table of rank 0");
  const SampleBytes format(layout_);
  RankQueue queue(format, jobs);
  std::atomic<bool> stop = false;
  const StudySamples samples{study.plan(), layout_, study.scene().loader().request().file, ""};
  heard_ = Clock::now();
  std::exception_ptr failure;
  WorkersRequest request;
  request.jobs = jobs;
  request.make_worker = study.scene().workers(samples, stop);
  request.stop = &stop;
  request.watch = [&] {
    try {
      if (!stop) exchange(queue);
    } catch (...) {
      failure = std::current_exception();
    }
    if (stop || is_over_ || failure || cli::was_interrupted()) {
      stop = true;
      queue.end();
    }
  };
  request.watch_interval = pause;
  run_samples(queue, samples, request);
  if (failure) std::rethrow_exception(failure);
  if (!is_over_) throw Error("it was interrupted");
}

void MpiRanks::work(const std::function<SceneStudy()>& load, unsigned jobs) {
  try {
    run(load(), jobs);
  } catch (const std::exception& error) {
    if (is_first_lost_) return print_message(fmt::format("rank {}: {}", rank_, error.what()));
    mailbox_->send(0, Kind::leave, text_bytes(error.what()));
    has_left_ = true;
  }
}

}  // namespace torsor::mpi
