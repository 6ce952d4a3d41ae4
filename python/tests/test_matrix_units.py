"""Matrix units of this processor, through PyTorch: batches change the order, and so does the best
instruction set that oneDNN may use."""

import pytest

import accord

torch = pytest.importorskip("torch")
pytest.importorskip("ml_dtypes")


@pytest.fixture(scope="module", autouse=True)
def has_amx():
    try:
        with open("/proc/cpuinfo") as cpu:
            flags = cpu.read()
    except OSError:
        flags = ""
    if " amx_bf16" not in flags:
        pytest.skip("this processor has no AMX-BF16")


def ask(rows, k):
    return accord.reveal(accord.gemm(torch.mm, "NN"), shape=(rows, 16, k), dtype="bfloat16",
                         array="torch")


def test_a_batch_has_another_order():
    one, many = ask(1, 256), ask(16, 256)
    assert one.proven and many.proven
    assert one.text != many.text
    assert many.notation == "256: (lanes 2; chain) in 32s; chain"
    assert "subnormals count as zero" in many.model.words


def test_the_unit_itself_adds_in_this_order():
    assert ask(16, 256).text == accord.reveal("cpu:tdpbf16ps", n=256).text


def test_one_wheel_is_several_machines():
    found = accord.sweep(accord.gemm(torch.mm, "NN"), shape=(16, 16, 64), dtype="bfloat16",
                         array="torch", env={"ONEDNN_MAX_CPU_ISA": [None, "AVX512_CORE_BF16"]})
    assert len(found.groups) == 2
