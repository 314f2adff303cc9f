#!/usr/bin/env python3
"""Opens a report's page in headless Chromium, on a phone and on a desk, in light and in dark, and checks what only a browser knows.

usage: scripts/check_report_page.py REPORT_HTML [FOLDER_FOR_SCREENSHOTS]

Nothing may be wider than the window but tables, which scroll; every picture is there, its text inside it, large enough and in
enough contrast; no error, and nothing asked of the network. Ends with 1 where that is not so, and says so where there is no Chromium.
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHECK = """
<script>
window.addEventListener("load", () => {
  const luminance = colour => {
    const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) };
  const paper = getComputedStyle(document.body).backgroundColor;
  const found = [];
  if (document.documentElement.scrollWidth > window.innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${window.innerWidth}`);
  if (contrast(getComputedStyle(document.body).color, paper) < 7) found.push("text has too little contrast");
  let smallest = Infinity;
  for (const svg of document.querySelectorAll("svg")) {
    const title = svg.querySelector("title").textContent, frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
    if (frame.width < 200 || frame.height < 80) found.push(`${title}: no picture`);
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect(), style = getComputedStyle(text);
      smallest = Math.min(smallest, parseFloat(style.fontSize) * scale);
      if (box.left < frame.left - 3 || box.right > frame.right + 3) found.push(`${title}: "${text.textContent.trim()}" leaves the picture`);
      if (contrast(style.fill, paper) < 4.5) found.push(`${title}: "${text.textContent.trim()}" has too little contrast`);
    }
  }
  if (smallest < 9) found.push(`text of ${smallest.toFixed(1)} pixels`);
  for (const entry of performance.getEntriesByType("resource")) found.push(`asked for ${entry.name}`);
  // Written at once, not sent as a message: this is still before the outer page's own load, at which Chromium prints it.
  const result = parent.document.createElement("pre");
  result.id = "checked";
  result.textContent = JSON.stringify({ found, pictures: document.querySelectorAll("svg").length, smallest });
  parent.document.body.append(result);
});
</script>
"""
# Chromium's own window is never narrower than 500 pixels; a frame is as narrow as it is told.
FRAME = """<!doctype html><body><iframe style="width:WIDTHpx;height:900px;border:0"></iframe><script>
document.querySelector("iframe").srcdoc = PAGE;
</script>"""
# A browser that does not start, or dies, says nothing about the page; a page that does not load fails every time.
ATTEMPTS = 3


def load(base, probe):
    """What the page found about itself and what the browser wrote, or None and why there is nothing."""
    for _ in range(ATTEMPTS):
        # A profile of its own: one that the last browser has not let go of yet would hand the page to that browser.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            try:
                ran = subprocess.run([*base, f"--user-data-dir={profile}", "--dump-dom", probe.as_uri()], capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                said = "the browser did not end within 120 s"
                continue
        result = re.search(r'<pre id="checked">(.*?)</pre>', ran.stdout, re.DOTALL)
        if result:
            return json.loads(html.unescape(result[1])), ran.stderr
        # A machine without a desktop has no message bus, which the browser complains of whatever happens.
        complaints = [line for line in ran.stderr.splitlines() if "dbus" not in line.lower()]
        said = f"the browser ended with {ran.returncode} and {len(ran.stdout)} characters of page; {' | '.join(complaints[-5:])}"
    return None, said


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    page = pathlib.Path(sys.argv[1])
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if browser is None:
        print("SKIPPED the page in a browser: there is no Chromium")
        return
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "probe.html"
        inside = json.dumps(page.read_text() + CHECK).replace("<", "\\u003c")
        for scheme, number in [("light", 1), ("dark", 0)]:
            for width in [390, 1280]:
                probe.write_text(FRAME.replace("WIDTH", str(width)).replace("PAGE", inside))
                base = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                        f"--blink-settings=preferredColorScheme={number}", f"--window-size={width},900", "--enable-logging=stderr"]
                checked, said = load(base, probe)
                if checked:
                    print(f"{scheme}, {width} wide: {checked['pictures']} pictures, smallest text {checked['smallest']:.1f} pixels")
                    found = checked["found"] + re.findall(r"CONSOLE.*", said)
                else:
                    found = [f"the page did not load: {said}"]
                for problem in found:
                    print(f"{scheme}, {width} wide: {problem}")
                failed |= bool(found)
                if len(sys.argv) == 3:
                    picture = pathlib.Path(sys.argv[2]) / f"{page.stem}-{scheme}-{width}.png"
                    picture.parent.mkdir(parents=True, exist_ok=True)
                    tall = [argument.replace(",900", ",5000") for argument in base]
                    subprocess.run([*tall, f"--user-data-dir={folder}/profile", f"--screenshot={picture.resolve()}", page.resolve().as_uri()], capture_output=True, timeout=120)
    sys.exit(failed)


main()
