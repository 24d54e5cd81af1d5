"""Pictures of results, as SVG.

Input: numbers and names. Output: SVG, or a picture in text.
"""
