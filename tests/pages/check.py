"""Looks at the pages of `--emit html` in a browser: python tests/pages/check.py KALG

Each page loads without an error and is not blank, light and dark; the slider, the pointer and the keyboard do what they say;
and the simulation in the page computes what `kalg run` does.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from browser import Browser, scratch

ROOT = Path(__file__).resolve().parents[2]
HANDWRITTEN = "corpus/handwritten"

# Bits beyond the edge that are 1, and a number.
EDGES = "CLR(R5); DNEWS(R6, R5, south|west, 1); scamp5_load_in(40); mov(C, IN); sub(B, A, C); where(B); MOV(R7, FLAG); all();"


def kalg(*arguments: str | Path, codes: tuple[int, ...] = (0,)) -> str:
    """Run kalg, and give its output."""
    ran = subprocess.run([sys.argv[1], *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in codes, ran.stderr
    return ran.stdout


def array_of(image: dict[str, Any]) -> np.ndarray:
    """Give an image of a page as an array, rows from the north."""
    return np.array(image["pixels"]).reshape(image["height"], image["width"])


def colours(shot: np.ndarray) -> int:
    """Count the colours of a screenshot."""
    return len(np.unique(shot.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)))


async def looks(browser: Browser, name: str) -> None:
    """Check that a page shows something, light, dark and printed."""
    shown = {}
    for scheme in ("light", "dark"):
        await browser.media(scheme=scheme)
        shown[scheme] = await browser.screenshot()
        assert colours(shown[scheme]) > 20, f"{name} is blank, {scheme}"
    assert shown["light"][:, :4].mean() > 200 > 100 > shown["dark"][:, :4].mean(), f"{name}: light is like dark"
    await browser.media(medium="print")
    slider = "document.querySelector('.time') && getComputedStyle(document.querySelector('.time')).display"
    assert await browser.value(slider) in (None, "none"), f"{name}: the slider is printed"
    await browser.media()


async def moves(browser: Browser, last: int) -> None:
    """Check that the slider, the pointer and the keys move through the lines of a list."""
    now = "Number(document.querySelector('.time input').value)"
    chosen = "[...document.querySelectorAll('.lines li')].findIndex(line => line.getAttribute('aria-selected') === 'true')"

    async def at(expected: int, how: str) -> None:
        found = await browser.value(f"[{now}, {chosen}]")
        assert found == [expected] * 2, f"{how}: at {found}, not {expected}"

    await browser.value("const slider = document.querySelector('.time input'); slider.value = 0; slider.dispatchEvent(new Event('input'))")
    await at(0, "slider")
    await browser.point(f".lines li:nth-child({last})")
    await at(last - 1, "pointer")
    for key, expected in (("ArrowDown", last), ("ArrowDown", last), ("Home", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("End", last)):
        await browser.press(key)
        await at(expected, key)


async def simulated(browser: Browser, target: str, folder: Path, now: int) -> int:
    """Compare the registers and bits of a page after `now` lines with those of kalg's simulator. Gives the number compared."""
    images = "pixels: [...image.pixels], width: image.width, height: image.height"
    known = f"[...view.states[{now}]].filter(([, image]) => image !== null)"
    found = await browser.value(f"{known}.map(([register, image]) => ({{ register, {images} }}))")
    given = await browser.value(f"view.images.map((image) => ({{ {images} }}))")
    ports, bits = await browser.value("[view.inputs, view.bits]")
    (folder / "part.txt").write_text("\n".join(await browser.value(f"view.steps.slice(0, {now}).map((step) => step.instruction)")))
    options = ["--target", target, "--fit", "grow", "--out", folder / "out.npy"]
    for port, image in zip(ports, given, strict=True):
        np.save(folder / f"{port['name']}.npy", array_of(image))
        options += ["--image", f"{port['name']}={folder / port['name']}.npy"]
    inputs = ",".join(f"{port['name']}={port['register']}" for port in ports)
    outputs = ",".join(f"r{index}={image['register']}" for index, image in enumerate(found))
    kalg("run", folder / "part.txt", *options, "--inputs", inputs, "--outputs", outputs)
    for index, image in enumerate(found):
        file = folder / ("out.npy" if len(found) == 1 else f"out-r{index}.npy")
        expected = np.load(file)
        assert expected.shape == array_of(image).shape, (expected.shape, array_of(image).shape)
        if image["register"] in bits:
            # Pictures of bits are black and white.
            expected = expected > 0
        difference = np.abs(expected - array_of(image)).max()
        assert difference < 1e-9, f"{image['register']} after {now} lines: off by {difference}"
    return len(found)


async def drop(browser: Browser) -> None:
    """Drop another picture, of another size, on the first input, with what the browser makes of it."""
    await browser.value(
        "new Promise(done => { const canvas = document.createElement('canvas'); [canvas.width, canvas.height] = [40, 30];"
        " const context = canvas.getContext('2d'); context.fillStyle = '#fff'; context.fillRect(5, 9, 20, 14);"
        " canvas.toBlob(blob => view.take(new File([blob], 'drop.png'), 0).then(done)); })"
    )
    assert await browser.value("view.images[0].width") == 40


async def program(browser: Browser, folder: Path, kernel: str, *options: str) -> str:
    """Check the page of a program for registers."""
    common = ["optimize", f"corpus/{kernel}.sexp", "--cost", "scamp5", "--nodes", "50", *options]
    kalg(*common, "--emit", "html", "--output", folder / "page.html")
    record = json.loads(kalg(*common, "--emit", "json"))
    last = len(record["program"])
    await browser.open(folder / "page.html")
    await looks(browser, kernel)
    await moves(browser, last)
    # The registers shown are those that hold something, and those that the line writes stand out.
    await browser.press("Home")
    held = {port["register"] for port in record["inputs"]}
    cards = "[...document.querySelectorAll('figure[data-register]')].map(card => [card.dataset.register, card.className])"
    for now in range(1, last + 1):
        await browser.press("ArrowDown")
        written = {value["register"] for value in record["trace"][now - 1]["values"]}
        held |= written
        shown = dict(await browser.value(cards))
        assert set(shown) == held, (now, shown, held)
        assert {register for register, kind in shown.items() if kind == "written"} == written, (now, shown, written)
    compared = sum([await simulated(browser, record["target"], folder, now) for now in {1, last // 2, last}])
    await drop(browser)
    compared += await simulated(browser, record["target"], folder, last)
    return f"{last} lines, {compared} pictures of registers equal kalg's"


async def conditions(browser: Browser) -> list[int]:
    """Check the cards of a program after each line; give the lines at which kalg's simulator can be asked."""
    steps, flag = await browser.value("[view.steps, view.flag]")
    cards = "[...document.querySelectorAll('figure[data-register]')].map(card => [card.dataset.register, card.className])"
    told = "[...document.querySelectorAll('figure[data-register]')].map(card => [card.dataset.register, card.innerText])"
    await browser.press("Home")
    held = set(dict(await browser.value(cards)))
    assert {flag, *await browser.value("view.inputs.map(({ register }) => register)")} - {None} <= held, held
    for step in steps:
        await browser.press("ArrowDown")
        written = {value["register"] for value in step["values"]}
        held |= written
        shown = dict(await browser.value(cards))
        assert set(shown) == held, (step, shown, held)
        assert {register for register, kind in shown.items() if kind == "written"} == written, (step, shown, written)
        texts = dict(await browser.value(told))
        for value in step["values"]:
            for case in value["cases"] or []:
                # Of a bit, the cases are shown in which it is 1.
                where = " and ".join(case["conditions"]).replace("-", "−")
                is_shown = f"where {where}\n" in texts[value["register"]]
                assert not where or is_shown == (case["bit"] is not False), (case, texts[value["register"]])
    # Until there is a condition, `kalg run` reads the lines as a linear program, which has no bits.
    first = next((index for index, step in enumerate(steps) if any("transfer" not in effect for effect in step["effects"])), 0)
    last = len(steps)
    return sorted({first + 1, (first + 1 + last) // 2, last})


async def shortened(browser: Browser, folder: Path, program: str) -> str:
    """Check the page of a program with conditions that was shortened."""
    kalg("optimize", program, "--cost", "scamp5", "--nodes", "50", "--emit", "html", "--output", folder / "page.html")
    await browser.open(folder / "page.html")
    record = (await data(browser))["record"]
    await looks(browser, program)
    compared, ends = 0, []
    buttons = await browser.value("document.querySelectorAll('button').length")
    for index in range(max(buttons, 1)):
        if buttons:
            await browser.value(f"document.querySelectorAll('button')[{index}].click()")
        steps = await browser.value("view.steps")
        await moves(browser, len(steps))
        assert sum(step["cycles"] for step in steps) == record[("cycles", "cycles_before")[index] if buttons else "cycles"]
        for now in await conditions(browser):
            compared += await simulated(browser, record["target"], folder, now)
        ends.append(await browser.value("Object.fromEntries([...view.states.at(-1)].map(([name, image]) => [name, { ...image, pixels: [...image.pixels] }]))"))
        if index == 0:
            await drop(browser)
            compared += await simulated(browser, record["target"], folder, len(steps))
            await browser.open(folder / "page.html")
    # What is kept is the same at the end of both programs, wherever both are valid.
    borders = [border or dict.fromkeys(("west", "east", "south", "north"), 32) for border in (record["valid_border"], record["valid_border_before"])]
    west, east, south, north = (max(border[side] for border in borders) for side in ("west", "east", "south", "north"))
    for register in set(record["kept"]) & set(ends[0]) & set(ends[-1]):
        images = [array_of(end[register])[north : 64 - south, west : 64 - east] for end in ends]
        assert images[0].size == 0 or np.abs(images[0] - images[-1]).max() < 1e-9, register
    # Every change is listed, with its cycles.
    listed = await browser.value("[...document.querySelectorAll('.goes, .comes')].map(row => [...row.children].map(cell => cell.innerText))")
    changed = [change for change in record["changes"] if change["sign"] != " "]
    assert [row[1:] for row in listed] == [
        [change["sign"].replace("-", "−"), change["instruction"], str(change["cycles"])] for change in changed
    ], (listed, changed)
    assert bool(changed) == (buttons == 2), (changed, buttons)
    return f"{record['cycles_before']} cycles, now {record['cycles']}; {compared} pictures of registers equal kalg's"


async def judged(browser: Browser, folder: Path, program: str, *options: str, verdict: str | None) -> str:
    """Check the page of a check of a program with conditions."""
    kalg("check", program, *options, "--emit", "html", "--output", folder / "page.html", codes=(0, 1))
    await browser.open(folder / "page.html")
    record = (await data(browser))["record"]
    assert record["verdict"] == verdict, record["verdict"]
    await looks(browser, program)
    last = len(record["program"])
    example = record["counterexample"]
    compared = 0
    if example:
        output = next(output for output in record["outputs"] if output["name"] == example["output"])
        image = await browser.value(f"[...view.machine.value(view.states[{last}], {json.dumps(output['register'])}).pixels]")
        assert np.abs(np.array(image) - np.array(example["found"]).ravel()).max() < 1e-9, (image, example["found"])
        # The line that is blamed is the last that changes the marked pixel, or that could.
        wrong = await browser.value("[...document.querySelectorAll('.lines li')].findIndex(line => line.id === 'wrong')")
        assert await browser.value("Number(document.querySelector('.time input').value)") == wrong
        x, y = example["pixel"]
        at = f"view.machine.value(state, {json.dumps(output['register'])}).pixels[{y * len(example['found'][0]) + x}]"
        values = await browser.value(f"view.states.map((state) => {at})")
        assert len(set(values[wrong:])) == 1, (values, wrong)
        compared += await simulated(browser, record["target"], folder, last)
        await browser.value("document.querySelectorAll('button')[1].click()")
    await moves(browser, last)
    for now in await conditions(browser):
        compared += await simulated(browser, record["target"], folder, now)
    return f"{verdict or 'compared with nothing'}, {compared} pictures of registers equal kalg's"


async def edges(browser: Browser, folder: Path) -> str:
    """Check the page of a program that is compared with nothing."""
    (folder / "edges.scamp").write_text(EDGES)
    return await judged(browser, folder, str(folder / "edges.scamp"), verdict=None)


async def inexact(browser: Browser, folder: Path) -> str:
    """Check the page of a program of which a line follows no exact rule."""
    kalg("check", f"{HANDWRITTEN}/blurred-threshold.scamp", "--emit", "html", "--output", folder / "page.html")
    await browser.open(folder / "page.html")
    left = await browser.value("[...view.states.at(-1)].filter(([, image]) => image === null).map(([name]) => name)")
    cards = "[...document.querySelectorAll('figure[data-register]')]"
    told = await browser.value(f"{cards}.filter(card => /not simulated/.test(card.innerText)).map(card => card.dataset.register)")
    assert told and set(told) == set(left), (told, left)
    return f"{', '.join(told)} not simulated"


async def stages(browser: Browser, folder: Path, *command: str) -> str:
    """Check the page of a pipeline or of a plan."""
    kalg(*command, "--emit", "html", "--output", folder / "page.html")
    await browser.open(folder / "page.html")
    shown = (await data(browser))["stages"]
    await looks(browser, command[1])
    await moves(browser, len(shown) - 1)
    detail = await browser.value("document.querySelector('.columns > section:last-child').innerText")
    assert shown[-1]["name"] in detail and shown[-1]["type"] in detail, detail
    pixels = await browser.value("document.querySelectorAll('.columns > section:last-child > .cards:last-child > figure:last-child rect').length - 1")
    columns, rows = shown[-1]["window"][-1]["size"]
    assert pixels == columns * rows, (pixels, columns, rows)
    return f"{len(shown)} stages"


async def loop(browser: Browser, folder: Path, kernel: str) -> str:
    """Check the page of a loop."""
    kalg("optimize", kernel, "--cost", "aie", "--nodes", "50", "--emit", "html", "--output", folder / "page.html")
    await browser.open(folder / "page.html")
    record = (await data(browser))["record"]
    operations, interval = record["operations"], record["initiation_interval"]
    await looks(browser, kernel)
    await moves(browser, interval - 1)
    # Each operation stands in the bundle of its cycle.
    assert sum(len(line.split(" | ")) for line in record["schedule"] if "nop" not in line) == len(operations)
    for operation in operations:
        assert operation["text"] in record["schedule"][operation["time"] % interval], operation
        for operand in operation["operands"]:
            if operand["from"] is not None:
                maker = operations[operand["from"]]
                assert operand["register"] in maker["text"], (operand, maker)
                assert maker["time"] - interval * operand["iterations"] < operation["time"], (operand, maker)
    fed = next(index for index, operation in enumerate(operations) if any(o["from"] is not None for o in operation["operands"]))
    await browser.point(f"[data-operation='{fed}'] .issued")
    told = await browser.value("document.querySelector('section[aria-live]').innerText")
    assert operations[fed]["text"] in told and "iteration" in told, told
    makers = {operand["from"] for operand in operations[fed]["operands"]} - {None}
    marked = await browser.value("[...document.querySelectorAll('.source')].map(bar => Number(bar.dataset.operation))")
    assert set(marked) == makers, (marked, makers)
    return f"{len(operations)} operations in {interval} cycles"


async def verdict(browser: Browser, folder: Path, program: str, kernel: str) -> str:
    """Check the page of a check that finds a difference."""
    kalg("check", program, "--against", kernel, "--emit", "html", "--output", folder / "page.html", codes=(1,))
    await browser.open(folder / "page.html")
    record = (await data(browser))["record"]
    await looks(browser, program)
    assert "different" in await browser.value("document.querySelector('h1').innerText")
    wrong = record["program"][record["outputs"][0]["lost"]["instruction"]]
    assert wrong in await browser.value("document.getElementById('wrong').innerText")
    example = record["counterexample"]
    x, y = example["pixel"]
    marked = await browser.value("[...document.querySelectorAll('td.differs')].map(cell => cell.innerText)")
    numbers = [f"{example[kind][y][x]:g}".replace("-", "−") for kind in ("expected", "found")]
    assert marked == numbers and numbers[0] != numbers[1], (marked, numbers)
    last = len(record["program"])
    compared = await simulated(browser, record["target"], folder, last)
    await browser.value("document.querySelectorAll('button')[1].click()")
    await moves(browser, last)
    for now in await conditions(browser):
        compared += await simulated(browser, record["target"], folder, now)
    return f"wrong from `{wrong}` on, {compared} pictures of registers equal kalg's"


async def explanation(browser: Browser, folder: Path, kernel: str) -> str:
    """Check the page of an explanation."""
    kalg("explain", kernel, "--nodes", "300", "--emit", "html", "--output", folder / "page.html")
    await browser.open(folder / "page.html")
    shown = await data(browser)
    await looks(browser, kernel)
    await moves(browser, len(shown["steps"]))
    assert await browser.value("document.querySelectorAll('.egraph .chosen').length") == len(shown["classes"])
    # Pointing at a step marks the kernel that it takes apart.
    for index, step in enumerate(shown["steps"]):
        await browser.point(f".lines li:nth-child({index + 1})")
        marked = await browser.value("[...document.querySelectorAll('.egraph .written figcaption')].map(own => own.innerText)")
        assert marked == [step["kernel"]], (marked, step)
    return f"{len(shown['steps'])} steps"


async def notebook(browser: Browser, folder: Path) -> str:
    """Check that a page can be seen in the frame that notebooks show."""
    found = importlib.util.spec_from_file_location("pages", ROOT / "python/kalg/pages.py")
    assert found is not None and found.loader is not None
    pages = importlib.util.module_from_spec(found)
    found.loader.exec_module(pages)
    page = kalg("explain", "corpus/pipelines/unsharp.sexp", "--emit", "html")
    (folder / "page.html").write_text(f"<!DOCTYPE html><meta charset='utf-8'>{pages.framed(page)}")
    await browser.open(folder / "page.html")
    await asyncio.sleep(0.3)
    assert colours(await browser.screenshot()) > 20, "a notebook's frame is blank"
    return "a frame of its own"


async def data(browser: Browser) -> Any:
    """Give the data of the page."""
    return json.loads(await browser.value("document.getElementById('data').textContent"))


async def check(command: str) -> None:
    """Check all pages."""
    with scratch() as profile, scratch() as name:
        folder = Path(name)
        browser = await Browser.start(command, Path(profile))
        pages = {
            "sobel-x": lambda: program(browser, folder, "classic/sobel-x"),
            "gauss-3, basic": lambda: program(browser, folder, "classic/gauss-3", "--isa", "basic"),
            "gauss-3, plan": lambda: stages(browser, folder, "optimize", "corpus/classic/gauss-3.sexp", "--cost", "cpu", "--nodes", "50"),
            "harris": lambda: stages(browser, folder, "explain", "corpus/pipelines/harris.sexp"),
            "gauss-3, loop": lambda: loop(browser, folder, "corpus/classic/gauss-3.sexp"),
            "prewitt-x, wrong": lambda: verdict(
                browser, folder, "corpus/handwritten/prewitt-x-overwritten.scamp", "corpus/classic/prewitt-x.sexp"
            ),
            "masked sobel": lambda: shortened(browser, folder, f"{HANDWRITTEN}/clumsy-masked-sobel.scamp"),
            "median": lambda: shortened(browser, folder, f"{HANDWRITTEN}/median-3-by-cases.scamp"),
            "morphology": lambda: shortened(browser, folder, f"{HANDWRITTEN}/clumsy-morphology.cpp"),
            "frames": lambda: shortened(browser, folder, f"{HANDWRITTEN}/frame-difference.cpp"),
            "hysteresis": lambda: shortened(browser, folder, f"{HANDWRITTEN}/hysteresis.cpp"),
            "edges": lambda: edges(browser, folder),
            "blur": lambda: inexact(browser, folder),
            "median, wrong": lambda: judged(
                browser,
                folder,
                f"{HANDWRITTEN}/median-3-two-exchanges.scamp",
                *("--against", f"{HANDWRITTEN}/median-3.sexp", "--output-register", "B"),
                verdict="different",
            ),
            "xor, wrong": lambda: judged(
                browser,
                folder,
                f"{HANDWRITTEN}/xor-without-one-case.scamp",
                *("--against", f"{HANDWRITTEN}/xor-by-nor.scamp"),
                verdict="different",
            ),
            "masked box": lambda: judged(
                browser,
                folder,
                f"{HANDWRITTEN}/masked-box-3.scamp",
                *("--against", "corpus/classic/box-3.sexp", "--output-register", "C"),
                verdict="equal-where",
            ),
            "magnitude": lambda: judged(
                browser, folder, f"{HANDWRITTEN}/abs.scamp", "--against", f"{HANDWRITTEN}/magnitude.sexp", verdict="equal"
            ),
            "gauss-5": lambda: explanation(browser, folder, "corpus/classic/gauss-5-binomial.sexp"),
            "notebook": lambda: notebook(browser, folder),
        }
        try:
            for page, look in pages.items():
                began = time.monotonic()
                print(f"{page}: {await look()} ({time.monotonic() - began:.1f} s)", flush=True)
                assert not browser.errors, browser.errors
        finally:
            await browser.close()


def main() -> None:
    """Check all pages, if there is a browser."""
    command = Browser.found()
    if command is None:
        print("no chromium was found, so no page was looked at", file=sys.stderr)
        sys.exit(os.environ.get("CI") == "true")
    asyncio.run(check(command))


if __name__ == "__main__":
    main()
