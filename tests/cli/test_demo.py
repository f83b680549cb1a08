def test_the_demo_names_its_data_and_their_licence(run, tmp_path):
    page = tmp_path / "demo.html"
    code, out, err = run("demo", "--out", page)
    assert code == 0, err
    assert "inside the interval" in out
    text = " ".join(page.read_text().split())
    assert "Omniglot" in text
    assert "MIT licence, copyright (c) 2015 Brenden Lake" in text
    assert "bits per case beyond the prior" in " ".join(out.split())
    assert "FiveThirtyEight" in text
    assert "CC BY 4.0" in text
    assert "A stake laid on the forecasts" in text
