"""Writes a TextGrid in Praat's long and short text formats, following the manual page "TextGrid file formats". The long
one is also written in UTF-16, which Praat uses for labels outside Latin-1. Usage: python make.py"""

import os

os.chdir(os.path.dirname(os.path.abspath(__file__)))
events = [(0.01, "click")]
phones = [(0, 0.03, 'a "b"'), (0.03, 0.05, ""), (0.05, 0.1, "ʃ")]


def quote(text):
    return '"' + text.replace('"', '""') + '"'


head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
long = head + "xmin = 0 \nxmax = 0.1 \ntiers? <exists> \nsize = 2 \nitem []: \n"
long += '    item [1]:\n        class = "TextTier" \n        name = "events" \n        xmin = 0 \n        xmax = 0.1 \n'
long += f"        points: size = {len(events)} \n"
for n, (time, mark) in enumerate(events, 1):
    long += f"        points [{n}]:\n            number = {time} \n            mark = {quote(mark)} \n"
long += '    item [2]:\n        class = "IntervalTier" \n        name = "phones" \n        xmin = 0 \n        xmax = 0.1 \n'
long += f"        intervals: size = {len(phones)} \n"
for n, (start, end, text) in enumerate(phones, 1):
    long += f"        intervals [{n}]:\n            xmin = {start} \n            xmax = {end} \n"
    long += f"            text = {quote(text)} \n"
short = head + "0\n0.1\n<exists>\n2\n"
short += f'"TextTier"\n"events"\n0\n0.1\n{len(events)}\n' + "".join(f"{t}\n{quote(m)}\n" for t, m in events)
short += f'"IntervalTier"\n"phones"\n0\n0.1\n{len(phones)}\n'
short += "".join(f"{s}\n{e}\n{quote(t)}\n" for s, e, t in phones)
for name, text, encoding in (("long", long, "utf-8"), ("short", short, "utf-8"), ("utf16", long, "utf-16-be")):
    mark = "\ufeff" if encoding != "utf-8" else ""
    with open(name + ".TextGrid", "wb") as file:
        file.write((mark + text).encode(encoding))
