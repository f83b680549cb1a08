"""Vectors that stay where they lie: Parquet and Zarr answer as `.npy` does."""

import json
import shutil

import numpy as np
import pytest

from scorecast.scores.stored_rows import ParquetSource

N, D = 60, 5


@pytest.fixture
def vectors(tmp_path):
    """Gallery and probes in every kind of file, under one name each."""
    pa, zarr = pytest.importorskip("pyarrow"), pytest.importorskip("zarr")
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    gallery = rng.normal(size=(N, D)).astype(np.float32)
    probes = gallery + 0.8 * rng.normal(size=(N, D)).astype(np.float32)
    for name, values in (("g", gallery), ("p", probes)):
        np.save(tmp_path / f"{name}.npy", values)
        named = {f"f{i}": values[:, i] for i in range(D)}
        table = pa.table({"id": [f"row {i}" for i in range(N)], **named})
        parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=13)
        lists = pa.table({"vector": list(values)})
        parquet.write_table(lists, tmp_path / f"{name}_lists.parquet")
        array = zarr.create_array(
            str(tmp_path / f"{name}.zarr"), shape=(N, D), dtype="f4", chunks=(16, 2)
        )
        array[:] = values
    np.save(tmp_path / "y.npy", np.arange(N))
    return tmp_path


def asked(folder, gallery, probes, *more):
    return (
        "extrapolate", "--gallery", folder / gallery, "--probes", folder / probes,
        "--labels", folder / "y.npy", "--to", 600, "--method", "tail",
        "--backtest", 0, "--quiet", *more,
    )  # fmt: skip


@pytest.mark.parametrize("small", [1 << 22, 0])
def test_the_answer_is_that_of_npy(run, vectors, monkeypatch, small):
    monkeypatch.setattr("scorecast.scores.stored_rows._SMALL_VALUES", small)
    known, read = ParquetSource.read, []
    monkeypatch.setattr(
        ParquetSource, "read", lambda self, rows: read.append(rows) or known(self, rows)
    )
    monkeypatch.setattr("scorecast.scores.stored_rows._BLOCK_VALUES", 10 * D)
    found = []
    for kind, more in (
        ("{}.npy", []),
        ("{}.zarr", []),
        ("{}.parquet", ["--drop", "id"]),
        ("{}_lists.parquet", []),
    ):
        out = vectors / "out.json"
        names = kind.format("g"), kind.format("p")
        code, _, err = run(
            *asked(vectors, *names, *more, "--json", out, "--force"),
        )
        assert code == 0, err
        found.append(json.loads(out.read_text()))
    for one in found[1:]:
        assert json.dumps(one["result"]) == json.dumps(found[0]["result"])
    assert read
    files = {entry["path"]: entry for entry in found[1]["inputs"]["files"]}
    folder = files[str(vectors / "g.zarr")]
    assert folder["bytes"] == sum(
        p.stat().st_size for p in (vectors / "g.zarr").rglob("*") if p.is_file()
    )
    (vectors / "g.zarr" / "c" / "0" / "0").write_bytes(b"")
    from scorecast.io import hash_file

    assert hash_file(vectors / "g.zarr").sha256 != folder["sha256"]


def damaged(folder, what):
    """Spoil one file of each kind; return its name."""
    zarr = folder / "g.zarr"
    meta = json.loads((zarr / "zarr.json").read_text())
    if what == "no parquet":
        (folder / "bad.parquet").write_bytes((folder / "g.npy").read_bytes())
    elif what == "cut parquet":
        whole = (folder / "g.parquet").read_bytes()
        (folder / "bad.parquet").write_bytes(whole[:700])
    elif what == "damaged page":
        whole = bytearray((folder / "g_lists.parquet").read_bytes())
        whole[4:60] = bytes(56)
        (folder / "bad.parquet").write_bytes(whole)
    elif what == "damaged chunk":
        (zarr / "c" / "1" / "0").write_bytes(b"no chunk")
    elif what == "no zarr":
        shutil.rmtree(zarr)
        zarr.mkdir()
    elif what == "odd zarr":
        (zarr / "zarr.json").write_text("[]")
    elif what == "a pickle":
        (zarr / "zarr.json").unlink()
        old = {
            "zarr_format": 2, "shape": [N, D], "chunks": [N, D], "dtype": "<f4",
            "compressor": {"id": "pickle"}, "filters": None, "order": "C",
            "fill_value": 0,
        }  # fmt: skip
        (zarr / ".zarray").write_text(json.dumps(old))
        code = f"cos\nmkdir\n(V{folder}/executed\ntR."
        (zarr / "0.0").write_bytes(code.encode())
    elif what == "huge chunk":
        meta["chunk_grid"]["configuration"]["chunk_shape"] = [10**9, D]
        (zarr / "zarr.json").write_text(json.dumps(meta))
    elif what == "one dimension":
        meta["shape"], meta["chunk_grid"]["configuration"]["chunk_shape"] = [N], [N]
        (zarr / "zarr.json").write_text(json.dumps(meta))
    elif what == "not finite":
        values = np.load(folder / "g.npy")
        values[40, 3] = np.nan
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.table({f"f{i}": values[:, i] for i in range(D)})
        parquet.write_table(table, folder / "bad.parquet")
    return "bad.parquet" if (folder / "bad.parquet").exists() else "g.zarr"


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("no parquet", "Save it again"),
        ("cut parquet", "Save it again"),
        ("damaged page", "Save it again"),
        ("damaged chunk", "Save it again"),
        ("no zarr", "Save it again"),
        ("odd zarr", "Save it again"),
        ("a pickle", "Save it again"),
        ("huge chunk", "fewer rows in a chunk"),
        ("one dimension", "two dimensions"),
        ("not finite", "column 'f3', row 41: has values that are not finite"),
    ],
)
def test_damaged_vectors_end_with_file_place_and_way_out(run, vectors, what, said):
    name = damaged(vectors, what)
    code, out, err = run(*asked(vectors, name, "p.npy"))
    assert (code, out) == (3, "")
    assert err.count("\n") == 1, err
    assert f"{vectors / name}" in err
    assert said in err
    assert not (vectors / "executed").exists()


def test_rows_that_a_file_of_parquet_lacks_are_missed(vectors):
    from scorecast.exceptions import InvalidInputError

    source = ParquetSource(vectors / "g.parquet", [f"f{i}" for i in range(D)])
    source.ends[-1] += 1
    with pytest.raises(InvalidInputError, match="not as many rows"):
        source.read(np.array([N - 1]))


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("g.parquet", [], "leave the column out (--drop)"),
        ("g.parquet", ["--drop", "ids"], "Did you mean 'id'"),
        ("g.zarr", ["--drop", "id"], "no names in it. Leave it out (--drop)"),
        ("g.zarr", ["--key", "id"], "no names in it. Leave it out (--key)"),
        ("no.zarr", [], "does not exist"),
        ("g_lists.parquet", ["--max-memory", "1e-7"], "--max-memory"),
    ],
)
def test_what_vectors_have_not_is_said(run, vectors, name, more, said):
    code, _, err = run(*asked(vectors, name, "p.npy", *more))
    assert code == 3
    assert said in err
    assert name in err


def test_a_gallery_of_rows_needs_no_memory_of_its_size(run, vectors):
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(N, 10_000)).astype(np.float32)
    np.save(vectors / "wide.npy", wide)
    code, _, err = run(*asked(vectors, "wide.npy", "wide.npy", "--max-memory", 0.001))
    assert code == 0, err


def test_a_column_is_dropped_from_the_file_that_has_it(run, vectors):
    call = asked(vectors, "g.parquet", "p.npy", "--drop", "id", "--json", "-")
    code, out, err = run(*call)
    assert code == 0, err
    whole = run(*asked(vectors, "g.npy", "p.npy", "--json", "-"))[1]
    assert json.loads(out)["result"] == json.loads(whole)["result"]
    code, _, err = run(*call, "--drop", "no")
    assert code == 3
    assert "column 'no': there is no such column" in err
