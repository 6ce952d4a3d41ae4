#!/bin/sh
# accord explain from outside: test_cli_explain.sh ACCORD FAULTY, a library of dot products with
# faults (tests/support/boxes/faulty.c). Speaks TAP: tap.sh.
set -u
accord=$1 faulty=$2
. "$(dirname "$0")/tap.sh"
faulty=$(absolute "$faulty")
unset FAULT
cd "$dir" || exit 1
box=so:$faulty:faulty_dot
ask="-n 200 --signature dot --budget 3000calls --samples 400 -q"

# ---- verdicts ----
# shellcheck disable=SC2086 # words on purpose
{
    t 'orders' 0 '^order: both results follow' - "$accord" explain synthetic:sequential,products synthetic:pairwise,products -n 100 -q
    is 'where they part' grep -q '^only [AB] has a partial sum of these' out
    t 'one target' 0 '^order: the result follows' - "$accord" explain synthetic:lanes:8 -n 100 -q
    t 'noise' 0 '^noise: ' - "$accord" explain $box $ask
    t 'noise beside an order' 0 '^noise: ' - "$accord" explain $box synthetic:sequential,products $ask
    t 'the last term' 1 '^bug: A: term 199 is missing' - env FAULT=last "$accord" explain $box synthetic:sequential,products $ask
    is 'a small input' grep -Eq '^    x\[199\] = ' out
    t 'a factor' 1 '(bug|suspect): .*scaled by 1.001' - env FAULT=factor "$accord" explain $box $ask
    t 'zeros' 1 '^bug: every result is 0' - env FAULT=zero "$accord" explain $box $ask
    t 'infinite' 1 '^bug: 400 of 400 results are infinite or NaN' - env FAULT=infinite "$accord" explain $box $ask
    t 'random' 1 '^(bug|suspect): ' - env FAULT=random "$accord" explain $box $ask
    t 'truncated to bf16' 1 'truncated, not rounded' - env FAULT=truncated "$accord" explain $box $ask --result bf16
    t 'JSON' 1 '"verdict": "bug"' - env FAULT=last "$accord" explain $box $ask --json
    is 'valid JSON' valid_json out
    t 'too few inputs' 3 '^cannot-tell: .*--samples' - "$accord" explain $box -n 200 --signature dot --budget 3000calls --samples 5 -q
}

# ---- accumulators ----
t 'bf16 inside' 1 '^suspect: partial sums are rounded to bf16' - "$accord" explain synthetic:sequential,acc=bf16 -n 40 -q
t 'bf16 allowed' 0 '^order: ' - "$accord" explain synthetic:sequential,acc=bf16 -n 40 -q --accumulator bf16
t 'a machine' 0 '^order: ' - "$accord" explain synthetic:hopper-f16 -n 64 -q
t 'a machine that is named' 0 '^noise: ' - "$accord" explain synthetic:hopper-f16 -n 64 -q --budget 1calls --accumulator fused:hopper-f16
t 'a machine that is not' 1 '^(bug|suspect): ' - "$accord" explain synthetic:hopper-f16 -n 64 -q --budget 1calls

if "$accord" reveal blas:sdot@openblas -n 2 -q >/dev/null 2>&1; then
    for n in 7 10 33; do # some kernels add the last terms, rounded to f32, in double
        t "a library's tail, n = $n" 0 '^order: ' - "$accord" explain blas:sdot@openblas -n $n -q
        t "the same on Haswell, n = $n" 0 '^order: ' - env OPENBLAS_CORETYPE=Haswell "$accord" explain blas:sdot@openblas -n $n -q
    done
else
    skip 'tails of a library' 'there is no OpenBLAS'
fi

# ---- files of results and of inputs ----
python3 "$here/explain_files.py" . || { echo "Bail out! no files"; exit 1; }
both='--inputs x.npy --second y.npy -q'
# shellcheck disable=SC2086 # words on purpose
{
    t 'two files' 0 '^noise: ' - "$accord" explain dots.npy wide.npy $both
    is 'all the same' grep -q '^all 400 inputs give the same results' out
    t 'f32 in a file of f64' 0 'any order in f32, rounded to f32' - "$accord" explain wide.npy $both
    t 'taken for f64' 1 '^bug: ' - "$accord" explain wide.npy $both --result f64
    t 'both factors in a row' 0 '^noise: ' - "$accord" explain dots.npy --inputs xy.npy -n 24 -q
    t 'a term that is missing' 1 '^bug: B: term 23 is missing' - "$accord" explain dots.npy last.npy $both
    t 'one result' 1 'input 17 gives ' - "$accord" explain one.npy $both
    t 'a target on inputs' 0 '^order: ' - "$accord" explain synthetic:pairwise,products $both
    t 'a target beside a file' 0 '^noise: B: ' - "$accord" explain synthetic:pairwise,products dots.npy $both
    t 'a fault on inputs' 1 '^bug: term 23 is missing' - env FAULT=last "$accord" explain $box --signature dot --budget 3000calls $both
    t 'sums of text' 0 '^noise: ' - "$accord" explain sums.txt --inputs x.csv --format f32 --result f32 -q
    t 'raw bf16' 0 'order in f32' - "$accord" explain synthetic:sequential,acc=f32 --inputs x.bf16 --type bf16 --format bf16 -n 24 -q
    t 'other inputs' 1 '^bug: ' - "$accord" explain sums.npy --inputs y.npy -q
    t 'JSON of a file' 1 '"kind": "given"' - "$accord" explain last.npy $both --json
    is 'valid JSON of a file' valid_json out
}
t 'one row' 3 'too few inputs that differ' - "$accord" explain row-sum.npy --inputs row.npy -q
t 'one term' 0 '^noise: ' - "$accord" explain terms.npy --inputs terms.npy -q
t 'equal rows' 3 'too few inputs that differ' - "$accord" explain equal-sums.npy --inputs equal.npy -q
t 'zeros' 3 'too few inputs that differ' - "$accord" explain zero-sums.npy --inputs zeros.npy -q
t 'not zero' 1 '^bug: the error reaches ' - "$accord" explain not-zero.npy --inputs zeros.npy -q
t 'NaN and infinite terms' 0 'left out:  2 of 400 inputs' - "$accord" explain sums.npy --inputs holed.npy -q
t 'all terms are NaN' 3 '^cannot-tell: no input has a finite envelope' - "$accord" explain nan-sums.npy --inputs nan.npy -q
t 'rows in text' 0 '^noise: ' - "$accord" explain sums.npy --inputs x.txt --format f32 -q
t 'a list in lines' 0 '^noise: ' - "$accord" explain sums.npy --inputs wrapped.txt --format f32 -q
t 'rows of other lengths' 2 - 'uneven.txt holds 24 numbers in its first line and 23 in line 4; give as many in each row' "$accord" explain sums.npy --inputs uneven.txt --format f32 -q
t 'a short row' 2 - 'short.txt holds 24 numbers in its first line and 23 in line 4; give as many' "$accord" explain sums.npy --inputs short.txt --format f32 -q
t 'a short row of a table' 2 - 'line 4, .*: the number of columns is 23 here but 24 in the first line; give as many numbers in each row' "$accord" explain sums.npy --inputs uneven.csv --format f32 -q
: >empty.txt
t 'an empty file of inputs' 2 - 'empty.txt is empty; numbers were expected' "$accord" explain sums.npy --inputs empty.txt --format f32 -q
t 'an empty file of results' 2 - 'empty.txt is empty; numbers were expected' "$accord" explain empty.txt --inputs x.npy --result f32 -q
t 'an infinite result' 1 '^bug: 1 of 400 results is infinite or NaN; no order of finite terms can cause that$' - "$accord" explain infinite.npy --inputs x.npy -q
t 'no inputs' 2 - 'give the file of their inputs with --inputs' "$accord" explain dots.npy last.npy
t 'no rows' 2 - 'nothing.npy holds no numbers' "$accord" explain sums.npy --inputs nothing.npy
t 'fewer results' 2 - 'few.npy holds 7 results for 400 rows' "$accord" explain few.npy --inputs x.npy
t 'other second factors' 2 - 'x.npy contains 400 rows, but short.npy contains 7' "$accord" explain dots.npy --inputs x.npy --second short.npy
t 'no second factors' 2 - 'adds products; give their second factors' "$accord" explain blas:sdot@reference --inputs x.npy -q
t 'second factors of a sum' 2 - 'adds no products' "$accord" explain synthetic:pairwise --inputs x.npy --second y.npy -q
t 'another count' 2 - '24 numbers in a row, but' "$accord" explain sums.npy --inputs x.npy -n 23
t 'text without a format' 2 - 'say with --format which format' "$accord" explain sums.npy --inputs x.csv
t 'results without a format' 2 - 'say with --result which format' "$accord" explain sums.txt --inputs x.npy
t 'not in the format' 2 - 'is not a number of bf16; round the inputs' "$accord" explain synthetic:pairwise --inputs x.npy --format bf16 -q
t 'kinds of inputs' 2 - 'leave them out with --inputs' "$accord" explain sums.npy --inputs x.npy --kinds normal
t 'second alone' 2 - 'give the first factors with --inputs' "$accord" explain synthetic:pairwise,products --second y.npy -n 24
t 'no file' 2 - 'no such file of results' "$accord" explain nowhere.npy --inputs x.npy

# ---- matrices in files ----
of='--inputs a.npy --second b.npy --shape 24x20x16 -q'
beta='--alpha 1.5 --beta .5'
# shellcheck disable=SC2086 # words on purpose
{
    t 'a matrix' 0 '^noise: ' - "$accord" explain c.npy $of
    t 'two matrices' 1 '^bug: B: term 15 is missing' - "$accord" explain c.npy c-last.npy $of
    t 'a wrong row' 1 '^bug: row 3 is wrong' - "$accord" explain c-row.npy $of
    is 'its element' grep -q '^  element 3,[0-9]* gives' out
    t 'a transposed matrix' 0 '^noise: ' - "$accord" explain c.npy --inputs a-turned.npy --second b.npy --shape 24x20x16 --trans TN -q
    t 'alpha and beta' 0 '^noise: ' - "$accord" explain c-beta.npy --start c0.npy $beta $of
    t 'beta is ignored' 1 '^bug: the start value, beta times C, is missing' - "$accord" explain c.npy --start c0.npy --beta .5 $of
    t 'a matrix of a target' 0 '^order: ' - "$accord" explain blas:sgemm@reference $of
    t 'beside a file' 1 '^bug: B: term 15' - "$accord" explain blas:sgemm@reference c-last.npy $of
    t 'a vector' 3 'too few inputs that differ' - "$accord" explain av.npy --inputs a.npy --second v.npy --shape 24x16 -q
    t 'start without beta' 2 - 'say with --beta' "$accord" explain c.npy --start c0.npy $of
    t 'start of another size' 2 - 'holds 16 start values, but there are 480 sums' "$accord" explain c.npy --start v.npy --beta 1 $of
    t 'beta without start' 2 - 'give the start values' "$accord" explain c.npy --beta 1 $of
    t 'another shape' 2 - '*' "$accord" explain c.npy --inputs a.npy --second b.npy --shape 20x24x16 -q
    t 'a target of another shape' 2 - '*' "$accord" explain c.npy blas:sgemm@reference --inputs a.npy --second b.npy --shape 24x20x15 -q
}

# ---- reports ----
# shellcheck disable=SC2086 # words on purpose
{
    t 'JUnit' 1 '^bug: ' - "$accord" explain dots.npy last.npy $both --junit found.xml
    is 'valid JUnit' python3 -c 'import sys, xml.etree.ElementTree as xml
suite = xml.parse("found.xml").getroot()
assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("accord explain", "2", "1"), suite.attrib
case = suite.findall(".//testcase")[1]
assert case.get("file") == "last.npy" and case[0].get("type") == "bug" and "term 23" in case[0].get("message")'
    t 'annotations' 1 '^::error file=last.npy,line=1,title=last.npy%2C 24 terms::term 23 is missing' - "$accord" explain dots.npy last.npy $both --github
    t 'an annotation of a target' 1 '^::error title=so%3A.*::term 199 is missing' - env FAULT=last "$accord" explain $box $ask --github
    t 'none' 0 '^noise: ' - "$accord" explain dots.npy $both --github
    is 'no annotation' sh -c '! grep -q ^:: out'
}
# shellcheck disable=SC2086 # words on purpose
{
    t 'a page' 1 '^<!DOCTYPE html>' - "$accord" explain dots.npy last.npy $both -O html
    is 'the words and both tables' python3 -c 'import html.parser
class Page(html.parser.HTMLParser):
    open, rows, texts = [], 0, []
    def handle_starttag(self, tag, attributes):
        self.rows += tag == "tr"
        if tag not in ("meta",): self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.texts.append(data.strip())
page = Page()
page.feed(open("out").read())
page.close()
assert not page.open and page.rows >= 4 and "dots.npy and last.npy: bug" in page.texts
assert any("term 23 is missing" in text for text in page.texts)
assert [text for text in page.texts if text.startswith("Statistics of")] == [
    "Statistics of dots.npy", "Statistics of last.npy"]'
    is 'no script' sh -c '! grep -Eqi "<script|src=" out'
    t 'a page of a fault' 1 'class="outside"><td>factor</td>.*<td>outside</td>' - env FAULT=factor "$accord" explain $box $ask -O html
    t 'a page of an order' 0 'class="inside"' - "$accord" explain synthetic:pairwise -n 40 --samples 400 -q -O html
}
t 'no picture' 2 - 'O svg: choose one of report, json, html' "$accord" explain synthetic:pairwise -n 8 -O svg
t 'no place for JUnit' 2 - '*' "$accord" explain dots.npy --inputs x.npy --second y.npy --junit nowhere/found.xml

# ---- wrong use ----
t 'no such accumulator' 2 - 'there is no accumulator f31; give a format' "$accord" explain synthetic:pairwise -n 8 --accumulator f31
t 'no such machine' 2 - 'there is no machine nothing' "$accord" explain synthetic:pairwise -n 8 --accumulator fused:nothing
t 'too many inputs' 2 - 'at most 10000000 inputs' "$accord" explain synthetic:pairwise -n 8 --samples 1000000000000000000
t 'no such kind' 2 - 'there is no kind of inputs odd' "$accord" explain synthetic:pairwise -n 8 --kinds normal,odd
t 'a file' 2 - 'is not a target' "$accord" explain a.json -n 8
t 'other questions' 2 - 'compute different things' "$accord" explain synthetic:pairwise blas:sdot -n 8 -q
t 'a root' 3 - 'gives a root' "$accord" explain blas:snrm2@reference -n 8 -q
t 'nothing' 2 - '*' "$accord" explain

# ---- edges ----
t 'one term' 0 '^order: ' - "$accord" explain synthetic:sequential -n 1 -q
t 'two terms' 0 '^order: ' - "$accord" explain synthetic:sequential -n 2 -q
t 'one input' 0 '^order: ' - "$accord" explain synthetic:pairwise -n 8 --samples 1 -q
t 'one input, no order' 3 '^cannot-tell: ' - "$accord" explain synthetic:pairwise -n 8 --samples 1 --budget 1calls -q
t 'no inputs' 2 - 'samples 0: give an integer of at least 1' "$accord" explain synthetic:pairwise -n 8 --samples 0 -q
t 'no terms' 2 - 'n 0: less than 1' "$accord" explain synthetic:pairwise -n 0 -q
t 'equal terms' 0 '^order: ' - "$accord" explain synthetic:pairwise -n 50 --kinds equal -q
t 'equal terms, no order' 3 '^cannot-tell: ' - "$accord" explain synthetic:pairwise -n 50 --kinds equal --samples 20 --budget 1calls -q
t 'sums of 0' 0 '^order: ' - "$accord" explain synthetic:pairwise -n 50 --kinds cancelling -q
t 'other results' 0 'output: in A bf16; in B f32' - "$accord" explain synthetic:pairwise,out=bf16 synthetic:pairwise -n 8 -q
t 'other formats' 2 - 'takes f32 and blas:ddot@reference takes f64; give both one --format' "$accord" explain blas:sdot@reference blas:ddot@reference -n 8 -q
t 'other shapes' 2 - '.2x3x4. is not MxK, that of a GEMV' "$accord" explain blas:sgemm@reference blas:sgemv@reference --shape 2x3x4 -q
# shellcheck disable=SC2016 # its own shell
t 'a closed output' 2 - 'cannot write to standard output' sh -c '"$@" >&-' - "$accord" explain synthetic:pairwise -n 8 -q
t 'a missing library' 4 - '*' "$accord" explain blas:sdot@nothing -n 8 -q

echo "1..$number"
