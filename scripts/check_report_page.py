#!/usr/bin/env python3
"""Check a report page in headless Chromium: phone and desktop width, light and dark mode.

usage: scripts/check_report_page.py REPORT_HTML [FOLDER_FOR_SCREENSHOTS]

Fails if the body scrolls sideways, text leaves its picture or cell, is too small or has too little contrast, a verdict card is
missing, details are open, a scrolling table does not show that it scrolls, or anything is loaded from the network.
Prints the problems and exits with 1. Without Chromium, prints SKIPPED and exits with 0.
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHECK = r"""
<script>
window.addEventListener("load", () => {
  const found = [], all = selector => [...document.querySelectorAll(selector)], box = element => element.getBoundingClientRect();
  const check = (good, problem) => { if (!good) found.push(problem) };
  const short = element => element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
  const inside = (inner, outer, slack) => inner.left >= outer.left - slack && inner.right <= outer.right + slack;

  const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = numbers(colour).slice(0, 3).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) };
  const paper = element => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor, alpha = numbers(colour)[3];
      if (alpha === undefined || alpha > 0) return colour;
    }
    return "rgb(255,255,255)";
  };

  const fits = state => check(document.documentElement.scrollWidth <= window.innerWidth,
    `${state}: the page is ${document.documentElement.scrollWidth} wide in a window of ${window.innerWidth}`);
  fits("details closed");

  // The top of each experiment.
  const experiments = all(".experiment");
  check(experiments.length > 0, "no experiment");
  for (const experiment of experiments) {
    const card = experiment.querySelector(".card .answer"), table = experiment.querySelector("table.summary");
    check(card && card.textContent.trim().length > 20, `${experiment.id}: no verdict card`);
    check(table && table.tBodies[0].rows.length > 0, `${experiment.id}: no summary table`);
    check(card && table && box(card).bottom <= box(table).top, `${experiment.id}: the card is not above the table`);
    const plots = [...experiment.querySelectorAll(":scope > .plots > figure")];
    check(plots.length <= 2, `${experiment.id}: ${plots.length} main plots`);
    if (plots.length == 2) {
      const beside = Math.abs(box(plots[0]).top - box(plots[1]).top) < 2;
      check(beside == window.innerWidth > 900, `${experiment.id}: the main plots are ${beside ? "side by side" : "stacked"}`);
    }
    check(experiment.querySelector("pre.commands"), `${experiment.id}: no commands to reproduce`);
  }
  check(all("details").length > 0 && all("details[open]").length == 0, "details are missing or open");

  for (const details of all("details")) details.open = true;
  fits("details open");

  // Tables.
  for (const th of all("th")) check(th.scope, `a header without scope: "${short(th)}"`);
  for (const cell of all(".summary .cells > *, .summary .label, .summary .value")) {
    const outer = cell.closest("td, th");
    if (box(cell).width > 0) check(inside(box(cell), box(outer), 1), `"${short(cell) || cell.tagName}" leaves its cell`);
  }
  for (const interval of all("svg.interval")) {
    for (const shape of interval.querySelectorAll("path, circle, text")) {
      if (box(shape).width + box(shape).height > 0) check(inside(box(shape), box(interval), 1.5), `an interval plot leaves its cell: "${short(interval)}"`);
    }
  }
  for (const scroll of all(".scroll")) {
    if (scroll.scrollWidth <= scroll.clientWidth) continue;
    const name = scroll.getAttribute("aria-label"), first = scroll.querySelector("tbody th");
    check(getComputedStyle(scroll).backgroundImage.includes("gradient"), `${name}: no shadow at the edge of a scrolling table`);
    check(getComputedStyle(first).position == "sticky", `${name}: the first column scrolls away`);
    check(box(first).width < 0.6 * box(scroll).width, `${name}: the first column covers the table`);
    check(scroll.tabIndex == 0, `${name}: not reachable by keyboard`);
  }

  // Text.
  let smallest = Infinity;
  for (const element of all("body *:not(script):not(style)")) {
    if (![...element.childNodes].some(node => node.nodeType == 3 && node.textContent.trim())) continue;
    const style = getComputedStyle(element);
    if (element.closest("svg") && !element.matches("text") || style.display == "none" || !box(element).width) continue;
    const ratio = contrast(element.matches("text") ? style.fill : style.color, paper(element));
    check(ratio >= 4.5, `"${short(element)}" has a contrast of ${ratio.toFixed(1)}`);
    const svg = element.closest("svg"), scale = svg ? box(svg).width / svg.viewBox.baseVal.width : 1;
    smallest = Math.min(smallest, parseFloat(style.fontSize) * scale);
  }
  check(smallest >= 9, `text of ${smallest.toFixed(1)} pixels`);
  for (const svg of all("figure svg")) {
    const title = svg.querySelector("title")?.textContent;
    check(title, "a picture without a title");
    check(box(svg).width >= 200 && box(svg).height >= 80, `${title}: no picture`);
    for (const text of svg.querySelectorAll("text")) check(inside(box(text), box(svg), 3), `${title}: "${short(text)}" leaves the picture`);
  }
  for (const svg of all("svg")) check(svg.getAttribute("aria-hidden") || svg.querySelector("title")?.textContent, "a picture is neither hidden from screen readers nor described");
  for (const entry of performance.getEntriesByType("resource")) found.push(`loaded ${entry.name}`);

  const heights = [document.documentElement.scrollHeight];
  for (const details of all("details")) details.open = false;
  heights.unshift(document.documentElement.scrollHeight);
  // Write the result directly instead of posting a message: Chromium prints the outer page right after it has loaded.
  const result = parent.document.createElement("pre");
  result.id = "checked";
  result.textContent = JSON.stringify({ found: [...new Set(found)], pictures: all("svg").length, smallest, heights });
  parent.document.body.append(result);
});
</script>
"""
OPEN = '<script>for (const details of document.querySelectorAll("details")) details.open = true;</script>'
# Chromium's window is at least 500 pixels wide; a frame can be narrower.
FRAME = """<!doctype html><body style="margin:0"><iframe style="width:WIDTHpx;height:HEIGHTpx;border:0;display:block"></iframe><script>
document.querySelector("iframe").srcdoc = PAGE;
</script>"""
# Retry, because the browser sometimes fails to start. A broken page fails every time.
ATTEMPTS = 3


def framed(page, width, height):
    """The page in a frame of this size."""
    inside = json.dumps(page).replace("<", "\\u003c")
    return FRAME.replace("WIDTH", str(width)).replace("HEIGHT", str(height)).replace("PAGE", inside)


def load(browser, probe):
    """The results of the checks and the browser's log, or None and the reason."""
    for _ in range(ATTEMPTS):
        # A new profile each time: a browser that is still closing would otherwise take over the page.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            try:
                ran = subprocess.run([*browser, f"--user-data-dir={profile}", "--dump-dom", probe.as_uri()], capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                reason = "the browser did not finish within 120 s"
                continue
        result = re.search(r'<pre id="checked">(.*?)</pre>', ran.stdout, re.DOTALL)
        if result:
            return json.loads(html.unescape(result[1])), ran.stderr
        # Without a desktop there is no message bus, which the browser always complains about.
        complaints = [line for line in ran.stderr.splitlines() if "dbus" not in line.lower()]
        reason = f"the browser exited with {ran.returncode} and {len(ran.stdout)} characters of page; {' | '.join(complaints[-5:])}"
    return None, reason


def screenshot(browser, probe, picture, width, height):
    picture.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        size = f"--window-size={max(width, 500)},{height}"
        subprocess.run([*browser, size, f"--user-data-dir={profile}", f"--screenshot={picture.resolve()}", probe.as_uri()], capture_output=True, timeout=120)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    shots = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    command = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if command is None:
        print("SKIPPED the page in a browser: Chromium is not installed")
        return
    page = path.read_text()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "probe.html"
        for scheme, number in [("light", 1), ("dark", 0)]:
            browser = [command, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                       f"--blink-settings=preferredColorScheme={number}", "--enable-logging=stderr"]
            for width in [390, 1280]:
                probe.write_text(framed(page + CHECK, width, 900))
                checked, log = load([*browser, f"--window-size={width},900"], probe)
                if checked:
                    print(f"{scheme}, {width} wide: {checked['pictures']} pictures, smallest text {checked['smallest']:.1f} pixels")
                    found = checked["found"] + re.findall(r"CONSOLE.*", log)
                else:
                    found = [f"the page did not load: {log}"]
                for problem in found:
                    print(f"{scheme}, {width} wide: {problem}")
                failed |= bool(found)
                if shots and checked:
                    for state, script, height in zip(["", "-open"], ["", OPEN], checked["heights"]):
                        # Chromium takes no taller pictures.
                        height = min(height, 16000)
                        probe.write_text(framed(page + script, width, height))
                        screenshot(browser, probe, shots / f"{path.stem}-{scheme}-{width}{state}.png", width, height)
    sys.exit(failed)


main()
