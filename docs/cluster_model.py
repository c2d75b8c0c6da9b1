"""Simulates the queue of a study on many ranks (docs/studies.md).

python3 docs/cluster_model.py RANKS JOBS SAMPLE_TIME SAMPLES

Rank 0 serves one report at a time. A report costs MESSAGE, and each result in it RESULT. A rank
runs JOBS samples at a time, and asks for samples as engine/mpi/rank_queue.cpp does.
"""
import heapq
import random
import sys

MESSAGE, RESULT = 20e-6, 5e-6  # s, measured
RESULTS_WAIT, MOST_WANTED = 0.25, 4096


def simulate(ranks, jobs, sample_time, samples):
    random.seed(1)
    left = samples
    free_at = 0.0  # time at which rank 0 has served all earlier reports
    busy = 0.0
    stock = [0] * ranks
    finished = [0] * ranks
    # (time of the next report, rank, results in it). All ranks start at about the same time.
    events = [(0.01 * random.random(), rank, 0) for rank in range(ranks)]
    heapq.heapify(events)
    end = longest_wait = 0.0
    while events:
        time, rank, results = heapq.heappop(events)
        answered = max(time, free_at) + MESSAGE + RESULT * results
        busy += MESSAGE + RESULT * results
        longest_wait = max(longest_wait, answered - time)
        free_at = answered
        rate = finished[rank] / answered
        want = min(max(int(rate), 2 * jobs), MOST_WANTED)
        if 2 * stock[rank] <= want:
            given = min(want - stock[rank], max(1, left // (2 * ranks)), left)
            left -= given
            stock[rank] += given
        if stock[rank] == 0:
            end = max(end, answered)
            continue
        # Until its next report, the rank runs as many samples as fit into the time.
        step = max(RESULTS_WAIT, sample_time * random.uniform(0.8, 1.2))
        ran = min(stock[rank], max(1, int(jobs * step / sample_time)))
        stock[rank] -= ran
        finished[rank] += ran
        heapq.heappush(events, (answered + ran * sample_time / jobs, rank, ran))
    ideal = samples * sample_time / (ranks * jobs)
    return end, ideal / end, busy / end, longest_wait


if __name__ == "__main__":
    ranks, jobs, samples = int(sys.argv[1]), int(sys.argv[2]), int(float(sys.argv[4]))
    end, efficiency, busy, wait = simulate(ranks, jobs, float(sys.argv[3]), samples)
    print(f"time {end:.0f} s, efficiency {efficiency:.2f}, rank 0 busy {100 * busy:.0f} %, "
          f"longest wait {1e3 * wait:.0f} ms")
