"""What every question shares: errors of parts, registry, codec, documents."""

import json
import math
import pickle
import subprocess
import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import click
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

import scorecast
from scorecast._core.checks import (
    check_count,
    check_matrix,
    check_one_of,
    check_positive,
    check_share,
    warn,
)
from scorecast._core.codec import decode, encode
from scorecast._core.registry import Method, Registry
from scorecast._core.result import DATA, INPUT, OPTION, Note, Result
from scorecast.cli.options import output_options
from scorecast.cli.outputs import Gate, check_outputs
from scorecast.cli.verb import Verb, option
from scorecast.exceptions import (
    DataWarning,
    GateFailedError,
    InvalidInputError,
    Location,
    MissingExtraError,
    NotConvergedError,
    UsageError,
    locating,
    printable,
)
from scorecast.report import latex, load, markdown, terminal
from scorecast.report.document import Document, Section, Table, methods_document


class Verdict(StrEnum):
    YES = "yes"
    NO = "no"


@dataclass(frozen=True)
class Normal:
    kind: ClassVar[str] = "normal"
    mean: float


@dataclass(frozen=True)
class Uniform:
    kind: ClassVar[str] = "uniform"
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Toy(Result):
    kind: ClassVar[str] = "toy-of-seams"

    names: tuple[str, ...] = field(metadata=INPUT)
    confidence_level: float = field(metadata=OPTION)
    values: NDArray[np.float64]
    verdict: Verdict
    parts: dict[str, Normal | Uniform]
    notes: tuple[Note, ...] = ()
    rope: float | None = None
    draws: tuple[float, ...] = field(default=(), metadata={"max_items": 3})


def toy(**changes):
    facts = {
        "names": ("a", "b"),
        "confidence_level": 0.95,
        "values": np.array([0.1 + 0.2, -0.0, 5e-324, math.nan, -math.inf]),
        "verdict": Verdict.NO,
        "parts": {"x": Normal(1.0), "y": Uniform(0.0, math.inf)},
        "notes": (Note(code="few", count=3, total=9),),
    }
    return Toy(**{**facts, **changes})


def test_result_survives_json_bit_for_bit():
    data = toy().to_dict()
    assert data["schema"] == 2
    assert data["inputs"] == {"names": ["a", "b"]}
    assert data["result"]["parts"]["y"] == {
        "kind": "uniform",
        "low": 0.0,
        "high": "Infinity",
    }
    back = Toy.from_dict(data)
    assert back.values.tobytes() == toy().values.tobytes()
    assert (back.parts, back.notes, back.verdict) == (
        toy().parts,
        toy().notes,
        Verdict.NO,
    )
    assert back.rope is None


def test_long_lists_are_left_out_of_files():
    assert toy(draws=(1.0, 2.0)).to_dict()["result"]["draws"] == [1.0, 2.0]
    assert toy(draws=(1.0,) * 4).to_dict()["result"]["draws"] == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"verdict": "maybe"}, "$.result.verdict"),
        ({"values": ["0.7"]}, "$.result.values[0]"),
        ({"values": [True]}, "$.result.values[0]"),
        ({"lower": 0.7}, "$.result.lower"),
        ({"parts": {"x": {"kind": "poisson"}}}, "$.result.parts.x"),
        (
            {"parts": {"x": {"kind": "normal", "mean": 1, "sd": 2}}},
            "$.result.parts.x.sd",
        ),
        ({"notes": [{"code": "few"}]}, "$.result.notes[0].model"),
    ],
)
def test_reading_is_strict_and_names_the_field(change, place):
    data = toy().to_dict()
    data["result"] |= change
    with pytest.raises(InvalidInputError) as caught:
        Toy.from_dict(data)
    assert caught.value.location.field == place


def test_missing_field_is_named():
    data = toy().to_dict()
    del data["options"]["confidence_level"]
    with pytest.raises(InvalidInputError) as caught:
        Toy.from_dict(data)
    assert caught.value.location.field == "$.options.confidence_level"


@pytest.mark.parametrize("value", [math.inf, -math.inf, 0.1, -0.0, 1e-320])
def test_floats_come_back(value):
    assert decode(encode(value), float) == value


@dataclass(frozen=True)
class Measured:
    name: str
    values: tuple[float, ...] = field(default=(), metadata=DATA)


def test_data_stay_out_of_the_json():
    written = encode(Measured("a", (1.0, 2.0)))
    assert written == {"name": "a"}
    assert decode(written, Measured) == Measured("a")


def test_what_has_no_json_is_a_fault_of_ours():
    with pytest.raises(TypeError, match="No JSON"):
        encode(object())


# Errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "value", "remedy"),
    [
        (lambda x: check_count(x, "n", least=2), 1, None),
        (lambda x: check_count(x, "n", most=9), 10, None),
        (lambda x: check_count(x, "n"), True, None),
        (lambda x: check_count(x, "n"), 2.5, None),
        (lambda x: check_share(x, "n"), 20, "try 0.2"),
        (lambda x: check_share(x, "n", most=0.9), 0.95, None),
        (lambda x: check_share(x, "n", is_open=True), 1.0, None),
        (lambda x: check_share(x, "n"), math.nan, None),
        (lambda x: check_positive(x, "n"), 0, None),
        (lambda x: check_positive(x, "n"), math.inf, None),
        (lambda x: check_one_of(x, "n", ("tail", "gamma")), "gama", "try 'gamma'"),
    ],
)
def test_checks_name_the_parameter_and_what_was_meant(check, value, remedy):
    with pytest.raises(UsageError) as caught:
        check(value)
    assert (caught.value.parameter, caught.value.remedy) == ("n", remedy)


def test_checks_return_clean_values():
    found = check_count(200.0, "n")
    assert (found, type(found)) == (200, int)
    assert type(check_share(1, "share")) is float
    assert check_positive(3, "scale") == 3.0


def test_error_gains_its_place_and_keeps_its_parts():
    places = {"y_true": Location(file="cases.csv", column="gold")}
    with pytest.raises(InvalidInputError) as caught, locating(places):
        raise InvalidInputError(
            "the label is missing", parameter="y_true", location=Location(row=3)
        )
    error = pickle.loads(pickle.dumps(caught.value))  # as from a worker process
    assert str(error) == "cases.csv, column 'gold', row 3: the label is missing."
    assert (error.parameter, error.location.row) == ("y_true", 3)


def test_parameter_is_called_what_the_reader_calls_it():
    error = UsageError("must be positive", parameter="to", remedy="try 100")
    assert str(error) == "`to`: must be positive. Try 100."
    assert error.message({"to": "--to"}) == "--to: must be positive. Try 100."


@pytest.mark.parametrize(
    "error",
    [
        MissingExtraError("A figure", "plot"),
        NotConvergedError("no.", "why"),
        UsageError("A whole sentence."),
    ],
)
def test_errors_survive_a_process(error):
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), vars(back)) == (str(error), vars(error))


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\u202egnp", "\ud800"])
def test_text_from_outside_is_harmless(text):
    shown = printable(text)
    assert shown.encode()
    assert not set(shown) & set("\x1b\n\u202e")


# Registry -------------------------------------------------------------------------


def methods():
    found: Registry[Method] = Registry()
    found.add(
        Method(name="wilson", title="Wilson's", summary="usual", aliases=("score",))
    )
    found.add(Method(name="wald", title="Wald", summary="poor", reference="Wald 1943"))
    return found


def test_registry_knows_names_aliases_and_what_was_meant():
    found = methods()
    assert found.choose("score", parameter="method").name == "wilson"
    with pytest.raises(UsageError) as caught:
        found.choose("wilsom", parameter="method")
    assert (caught.value.parameter, caught.value.remedy) == ("method", "try 'wilson'")
    assert found.select(summary="poor") == ("wald",)


# Writers --------------------------------------------------------------------------

DOCUMENT = Document(
    headline="new_model is better than <b>old</b>: +30 points",
    notes=("p is a rough guide.",),
    sections=(
        Section(
            tables=(
                Table(
                    columns=("", "accuracy", "interval"),
                    rows=(
                        ("new_model", "95 %", "84–99 %"),
                        ("木", "65 %", "50–78 %"),
                    ),
                    bars=((0.84, 0.95, 0.99), (0.5, 0.65, 0.78)),
                    caption="Models",
                ),
            ),
            is_terminal=True,
        ),
        Section(heading="Only on the page", lead=("Not in a terminal.",)),
    ),
    facts=(("Test", "McNemar's test with mid-p"), ("Empty", "")),
    references=("McNemar 1947",),
)


def test_terminal_shows_a_selection_with_bars():
    lines = terminal.write(DOCUMENT, width=70).splitlines()
    assert lines[0] == DOCUMENT.headline
    assert max(map(len, lines)) <= 70
    rows = [line for line in lines if "●" in line]
    assert len(rows) == 2
    # To one scale: the better model lies to the right.
    assert rows[0].index("●") > rows[1].index("●")
    assert not any("Only on the page" in line for line in lines)
    assert not any("Empty" in line for line in lines)


def test_terminal_without_unicode_or_with_little_room():
    plain = terminal.write(DOCUMENT, ascii_only=True)
    assert plain.isascii()
    assert "84-99 %" in plain
    narrow = terminal.write(DOCUMENT, width=40)
    assert "●" not in narrow
    assert max(map(len, narrow.splitlines())) <= 40


def test_terminal_uses_colour_only_if_asked():
    assert "\x1b[" not in terminal.write(DOCUMENT)
    assert "\x1b[" in terminal.write(DOCUMENT, color=True)


def test_markdown_and_latex_trust_nothing():
    assert "<b>" not in markdown.write(DOCUMENT)
    written = latex.write(DOCUMENT)
    assert r"new\_model & 95 \% & 84--99 \%" in written
    assert written.count(r"\begin{tabular}") == 1


def test_methods_of_a_registry_make_a_reference_table():
    found = methods_document("Intervals", methods())
    assert ("wald", "Wald", "poor") in found.sections[0].tables[0].rows
    assert found.references == ("Wald 1943",)


def test_a_matrix_is_refused_with_the_cell_as_a_place():
    with pytest.raises(InvalidInputError) as caught:
        check_matrix([[1.0, 2.0], [3.0, math.nan]], parameter="scores")
    assert caught.value.parameter == "scores"
    assert caught.value.location == Location(row=2, column="2")


def test_a_warning_of_parts_points_at_the_callers_line():
    with pytest.warns(DataWarning) as caught:
        warn(DataWarning("odd", parameter="scores"))
    assert caught[0].filename == __file__
    assert str(caught[0].message) == "`scores`: odd."


def test_help_shows_usual_options_first_and_others_by_group():
    @click.command(name="toy", cls=Verb, usual=("--json", "--model"))
    @option("Question", "--rope", type=float, help="Half-width.")
    @option("Input", "--model", "models", multiple=True, help="Column.")
    @output_options
    def toy(**options):
        """Do nothing."""

    text = CliRunner().invoke(toy, ["--help"]).output
    order = ["Usual options", "--json", "--model", "Question", "--rope", "Output"]
    places = [text.index(word) for word in order]
    assert places == sorted(places)
    assert text.count("--json") == text.count("--model") == 1


def test_errors_name_the_options_of_their_verb():
    verb = Verb(
        "toy",
        params=[click.Option(["--seed"]), click.Option(["--rope"])],
        aliases={"region": "--rope"},
    )
    names = verb.names()
    assert names["random_state"] == "--seed"
    assert names["region"] == "--rope"
    error = UsageError("must be positive", parameter="region")
    assert error.message(names) == "--rope: must be positive."


@pytest.mark.parametrize(
    ("least", "value", "passes"),
    [(None, 0.1, True), (0.5, 0.5, True), (0.5, 0.4, False), (0.5, math.nan, False)],
)
def test_gates_refuse_what_is_below_or_unknown(least, value, passes):
    gate = Gate(option="--fail-below", least=least, value=value, subject="the toy")
    if passes:
        gate.check()
    else:
        with pytest.raises(GateFailedError, match=r"--fail-below 0\.5"):
            gate.check()


def test_a_gate_never_contradicts_itself_by_rounding():
    gate = Gate(
        option="--fail-below", least=0.85, value=0.84996, subject="it", unit="bits"
    )
    with pytest.raises(GateFailedError, match=r"^it is 0\.84996 bits, below .* 0\.85$"):
        gate.check()


def test_two_outputs_need_a_file_each(tmp_path):
    one = str(tmp_path / "a.html")
    options = {"json_path": one, "report_path": one, "force": False}
    with pytest.raises(UsageError, match="a file each"):
        check_outputs(options)


def test_a_saved_result_is_loaded_in_a_new_process(tmp_path):
    path = tmp_path / "pair.json"
    found = scorecast.compare_pair([1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 0])
    path.write_text(json.dumps(found.to_dict()))
    code = f"import scorecast.report as r; print(r.load({str(path)!r}).kind)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "pair-comparison"


def test_a_damaged_result_is_refused_with_its_file(tmp_path):
    path = tmp_path / "no.json"
    path.write_text('{"kind": "nothing"}')
    with pytest.raises(InvalidInputError, match=r"no\.json"):
        load(path)


def test_a_remedy_names_what_sets_it_in_python_and_in_the_shell():
    error = InvalidInputError(
        "the first line holds numbers",
        location=Location(file="a.csv"),
        remedy="say that it is data",
        option="header",
    )
    assert str(error).endswith("Say that it is data (`header`).")
    assert error.message({"header": "--no-header"}).endswith("data (--no-header).")
    assert error.message({}).endswith("Say that it is data.")
    asked = InvalidInputError("x", remedy="did you mean 'y'?")
    assert str(asked).endswith("Did you mean 'y'?")
