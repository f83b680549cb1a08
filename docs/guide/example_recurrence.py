"""The worked example about times, in Python, on the prostate data (not shipped).

Usage: cd FOLDER_WITH_stagec.csv && python docs/guide/example_recurrence.py
"""

# [python]
import pandas as pd

import scorecast as sc

men = pd.read_csv("stagec.csv").dropna()
ploidy = pd.get_dummies(men["ploidy"], drop_first=True)
plain = men[["age", "eet", "g2", "grade", "gleason"]]
X = pd.concat([plain, ploidy], axis=1).astype(float)
years, progressed, X_new = men["pgtime"], men["pgstat"], X[:3]

model = sc.RecurrenceModel(random_state=0, allow_unconverged=True)
model.fit(X, years, progressed)
model.predict_quantile(X_new, [0.05, 0.5, 0.95])  # years
model.predict_survival(X_new, [1, 5, 10])  # chance of none by then
model.predict_density(X_new, [1, 5, 10])  # per year
model.sample(X_new, 1000, random_state=0)

found = sc.evaluate_recurrence(
    model, X, years, progressed, rivals=["cox", "weibull"], checkpoint="folds.jsonl"
)
worth = sc.apparent_information(found.log_q, found.log_p, units="bits")
print(worth.summary())
sc.compare_information(found.log_q, found.log_q_of("cox"), units="bits")
sc.write_report(sc.recurrence_of(found, worth), "out.html")

chosen = sc.choose_hyperparameters(
    model, X, years, progressed, {"more components": {"growth": 0.9}}
)
print(chosen.sentence())
# [end]
