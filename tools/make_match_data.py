"""Write the World Cup forecasts that ship with the package.

Usage: python tools/make_match_data.py forecast_538_games.csv.gz

The input holds FiveThirtyEight's forecasts of single games, as published in its
repository "checking-our-work-data" (CC BY 4.0).
"""

import csv
import gzip
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/scorecast/io/examples/world_cups.csv"
CUPS = {"world_cup_matches_men": "men", "world_cup_matches_women": "women"}
OUTCOMES = {"1": "team1", "0": "draw", "2": "team2"}
HEADER = ("cup", "date", "match", "team1", "draw", "team2", "outcome")

with gzip.open(sys.argv[1], "rt", newline="") as file:
    games = [row for row in csv.DictReader(file) if row["project"] in CUPS]
games.sort(key=lambda row: (row["date"], row["project"], row["team1"]))
with TARGET.open("w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    for row in games:
        match = f"{row['team1']} - {row['team2']} {row['date'][:4]}"
        chances = (row["prob1"], row["probtie"], row["prob2"])
        cup, outcome = CUPS[row["project"]], OUTCOMES[row["outcome"]]
        writer.writerow((cup, row["date"], match, *chances, outcome))
