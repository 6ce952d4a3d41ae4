"""What test_cli_check.sh asks about files: check_reports.py QUESTION FILE [WANTED...]; status 0: yes."""

import collections
import hashlib
import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as xml


def key_of(question):
    text = question.get("cpu_features", "") + "\n" + question.get("library_version", "")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def keys(folder):
    files = list(pathlib.Path(folder).glob("*/*.json"))
    assert files
    for file in files:
        for record in json.loads(file.read_text()):
            assert key_of(record["question"]) == file.stem, file


def elsewhere(folder):
    """Makes records those of another machine."""
    for file in pathlib.Path(folder).glob("*.json"):
        records = json.loads(file.read_text())
        for record in records:
            record["question"]["cpu_features"] = "another"
        file.unlink()
        file.with_stem(key_of(records[0]["question"])).write_text(json.dumps(records))


def hostile(folder):
    """A target with everything that could break a report."""
    for file in pathlib.Path(folder).glob("*.json"):
        records = json.loads(file.read_text())
        for record in records:
            record["question"]["target"] = (
                "blas:sdot@/x]]>&amp;<a b=\"c\" d='e'>%0A::error::\r\n::set-output name=x::{0}"
                "[l](u)\x01\x07\x1b[31m\x7f\ufffe\uffff\u2028\U0001f600,title=")
        file.write_text(json.dumps(records))


def plain(path):
    text = pathlib.Path(path).read_bytes().decode()
    assert not [c for c in text if (c < " " and c != "\n") or c == "\x7f"], repr(text)
    assert not [line for line in text.split("\n") if line.startswith("::")]


def junit(path, tests, failures, errors, skipped):
    root = xml.parse(path).getroot()
    (suite,) = root
    for element in (root, suite):
        wanted = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped}
        assert {name: element.get(name) for name in wanted} == wanted, element.attrib
    found = collections.Counter(child.tag for case in suite for child in case)
    assert len(suite) == int(tests)
    assert found["failure"] == int(failures) and found["error"] == int(errors), found
    assert found["skipped"] == int(skipped), found
    for case in suite:
        assert case.get("name") and case.get("classname") and case.get("file")
        for child in case:
            assert child.get("message")
            if child.get("type") == "changed":
                assert "recorded: " in child.text and "now:  " in child.text and "An input" in child.text


def sarif(path, rule, count):
    found = json.loads(pathlib.Path(path).read_text())
    assert found["version"] == "2.1.0"
    (run,) = found["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == int(count), run["results"]
    for result in run["results"]:
        assert result["ruleId"] == rule == rules[result["ruleIndex"]]["id"]
        assert "{0}" not in result["message"]["text"].replace("{{0}}", "")
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert all(c.isalnum() and c.isascii() or c in "%-._~/" for c in uri), uri
        assert pathlib.Path(urllib.parse.unquote(uri)).exists(), uri
    prints = [r["partialFingerprints"]["accordOrder/v1"] for r in run["results"]]
    assert len(set(prints)) == len(prints)


def counts(path, same, changed):
    found = json.loads(pathlib.Path(path).read_text())
    outcomes = collections.Counter(order["outcome"] for order in found["orders"])
    wanted = {"same": int(same), "changed": int(changed.partition("=")[2])}
    assert dict(outcomes) == wanted and found["same"] is False and found["status"] == 1, outcomes
    for order in found["orders"]:
        if order["outcome"] == "changed":
            diff = order["diff"]
            assert diff["node"]["size"] >= 2 and diff["witness"]["a"] != diff["witness"]["b"]


{"keys": keys, "elsewhere": elsewhere, "hostile": hostile, "plain": plain, "junit": junit,
 "sarif": sarif, "json": counts}[sys.argv[1]](*sys.argv[2:])
