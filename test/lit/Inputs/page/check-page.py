#!/usr/bin/env python3
"""Opens a page of blinkc report in headless Chromium, clicks through it and says what it found.

    check-page.py report.html [--shots DIR] [--time]

Prints a line for each view. Exit code 1: something is wrong with the page.
"""
import argparse
import sys

from devtools import Browser

def click(browser, text, within):
    found = browser.evaluate(f"""(() => {{
      const one = [...document.querySelectorAll({within!r} + " button")].find((button) => button.textContent === {text!r});
      if (one)
        one.click();
      return Boolean(one);
    }})()""")
    if not found:
        raise RuntimeError(f"no button {text!r}")


class Check:
    def __init__(self, browser):
        self.browser = browser
        self.problems = []

    def expect(self, holds, words):
        if not holds:
            self.problems.append(words)

    def view(self, name):
        """What every view must be: named controls, no more width than there is."""
        nameless = self.browser.nameless()
        self.expect(not nameless, f"{name}: without a name: {', '.join(nameless)}")
        wide = self.browser.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        self.expect(not wide, f"{name}: wider than the window")
        print(f"{name}: controls have names")


def check_modes(check, shots):
    browser = check.browser
    for mode in browser.evaluate("[...document.querySelectorAll('.stage .row .choice button')].map((one) => one.textContent)"):
        click(browser, mode, ".stage")
        check.view(mode)
        drawn = browser.evaluate("document.querySelectorAll('.machine .node, .machine .frame').length")
        check.expect(drawn > 0, f"{mode}: no nodes")
        if mode == "Trees":
            before = browser.evaluate("document.querySelector('.stepper p').textContent")
            browser.press("ArrowRight")
            after = browser.evaluate("document.querySelector('.stepper p').textContent")
            check.expect(before != after, "Trees: the arrow key does not step")
            print("Trees: arrow keys step")
        if mode == "Replay":
            check_replay(check)
        if shots:
            browser.screenshot(f"{shots}/{mode.lower()}.png")


def check_replay(check):
    browser = check.browser
    browser.evaluate("document.querySelector('.player select').value = '8'")
    browser.evaluate("document.querySelector('.player select').dispatchEvent(new Event('change'))")
    browser.press(" ")
    ended = browser.evaluate("""new Promise((done) => {
      let frames = 3000;
      const look = () => {
        const at = document.querySelector(".player .time");
        if (Number(at.value) >= Number(at.max))
          done(true);
        else if (--frames <= 0)
          done(false);
        else
          requestAnimationFrame(look);
      };
      look();
    })""")
    check.expect(ended, "Replay: does not reach its end")
    print("Replay: reaches its end")


def check_more(check):
    """A link that is not there yet is drawn while its name has the focus."""
    browser = check.browser
    if browser.evaluate("Boolean(document.querySelector('.more .chip'))"):
        browser.evaluate("document.querySelector('.more .chip').focus()")
        drawn = browser.evaluate("document.querySelectorAll('.newlink').length")
        check.expect(drawn == 1, "one more link is not drawn")
        print("one more link: is drawn")


def check_bundle(check):
    browser = check.browser
    click(browser, "Limit", ".stage")
    browser.press("/")
    for key in "1,4,5,6":
        browser.press(key)
    if browser.evaluate("document.querySelectorAll('#allocations-table tbody tr').length") == 0:
        return
    who = browser.evaluate("document.querySelector('.headline .who').textContent")
    check.expect("1,4,5,6" in who, f"the filter leads to {who!r}")
    print(f"filter: {who}")
    drawn = browser.evaluate("[...document.querySelectorAll('.node[aria-pressed=true] text')].map((one) => one.textContent).join()")
    check.expect(drawn == "1,4,5,6", f"the job is drawn on GPUs {drawn}")
    full = browser.evaluate("[...document.querySelectorAll('.limits .chip')].map((one) => one.firstChild.data).join(', ')")
    print(f"full: {full}")
    browser.evaluate("document.querySelector('.node[role=button]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    print("click on GPU 0:", browser.evaluate("document.querySelector('.headline .who').textContent"))
    first = "document.querySelector('#allocations-table tbody tr td').textContent"
    before = browser.evaluate(first)
    browser.evaluate("document.querySelectorAll('#allocations-table th button')[1].click()")
    check.expect(browser.evaluate(first) != before, "the table of allocations does not sort")
    print("table: sorts")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--shots", help="a folder for screenshots of the views")
    parser.add_argument("--time", action="store_true", help="print how long the page takes to open")
    arguments = parser.parse_args()
    with Browser() as browser:
        seconds = browser.open(arguments.page)
        if arguments.time:
            print(f"drawn after {seconds:.3f} s")
        check = Check(browser)
        check.view("first view")
        print("title:", browser.evaluate("document.querySelector('h1').textContent"))
        check_modes(check, arguments.shots)
        check_more(check)
        if browser.evaluate("Boolean(document.getElementById('filter'))"):
            check_bundle(check)
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
        check.view("narrow")
        for complaint in browser.complaints():
            check.problems.append(f"console: {complaint}")
        for problem in check.problems:
            print(f"check-page: {problem}", file=sys.stderr)
        return 1 if check.problems else 0


sys.exit(main())
