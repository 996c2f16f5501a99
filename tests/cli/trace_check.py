# SPDX-License-Identifier: Apache-2.0
"""Checks an event log: slices of a track nest or follow each other, flows begin and end at slices."""
import json
import sys

with open(sys.argv[1]) as f:
    log = json.load(f)
events = log["traceEvents"] if isinstance(log, dict) else log
tracks = {}
starts, ends = set(), set()
for e in events:
    if e["ph"] == "X":
        assert e["dur"] >= 0, e
        tracks.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"], e["name"]))
    elif e["ph"] == "s":
        starts.add(e["id"])
    elif e["ph"] == "f":
        ends.add(e["id"])
assert tracks, "no slices"
assert ends <= starts, "a flow ends that did not begin"
for track, slices in tracks.items():
    stack = []
    for ts, neg, name in sorted(slices):
        end = ts - neg
        while stack and stack[-1] <= ts + 1e-6:
            stack.pop()
        assert not stack or end <= stack[-1] + 1e-3, f"{track}: {name} at {ts} crosses the slice around it"
        stack.append(end)
print(sum(len(s) for s in tracks.values()), "slices on", len(tracks), "tracks")
