"""Pictures of results, as SVG.

The input is numbers and names, and the output is SVG or a picture in text.
"""
