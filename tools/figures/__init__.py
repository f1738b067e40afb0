"""What tools/plot and tools/make-tables share: reading files of results, and the charts that are made of them.

    results.py   a file of docs/results/, read and checked
    chart.py     what a chart is, whatever it is drawn on
    charts.py    the charts of the pages, each made of its files
    svg.py       a chart as a picture, the same bytes for the same numbers
    terminal.py  a chart as lines of text
"""
