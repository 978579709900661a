"""A log-log chart as SVG text: points, the fitted power law, its exponents. No library is needed."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 76, 24, 48, 56
COLOURS = ("#1f5fa8", "#b4442a", "#2f7d4f", "#7a4fa0")


def fit_power(points):
    """(exponent, factor) of y = factor · x^exponent by least squares of the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 2:
        return None
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    if spread == 0:
        return None
    exponent = sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread
    return exponent, math.exp(mean_y - exponent * mean_x)


def growth_text(points):
    """The fitted exponent, and that between the two largest: a fit over all hides a bend."""
    fit = fit_power(points)
    if fit is None:
        return ""
    last = fit_power(sorted(points)[-2:])
    return f"n^{fit[0]:.2f}" + (f", at the end n^{last[0]:.2f}" if last and len(points) > 2 else "")


def decades(low, high):
    """Powers of ten that enclose the range: exponents of the axis."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return first, max(last, first + 1)


def plain(value):
    """A power of ten as people read it."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:g} M"
    return f"{value / 1000:g} k" if value >= 1000 else f"{value:g}"


class Chart:
    def __init__(self, title, x_label, y_label, series):
        """`series`: name → list of (x, y), all positive."""
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.series = {name: [p for p in points if p[0] > 0 and p[1] > 0] for name, points in series.items()}
        everything = [point for points in self.series.values() for point in points]
        self.x_range = decades(min(x for x, _ in everything), max(x for x, _ in everything))
        self.y_range = decades(min(y for _, y in everything), max(y for _, y in everything))

    def x(self, value):
        low, high = self.x_range
        return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self.y_range
        return HEIGHT - BOTTOM - (math.log10(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def frame(self):
        yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
        yield f'<text x="{LEFT}" y="26" font-size="16" font-weight="bold">{escape(self.title)}</text>'
        for power in range(self.x_range[0], self.x_range[1] + 1):
            x = self.x(10.0 ** power)
            yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#dddddd"/>'
            yield (f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                   f'{plain(10.0 ** power)}</text>')
        for power in range(self.y_range[0], self.y_range[1] + 1):
            y = self.y(10.0 ** power)
            yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#dddddd"/>'
            yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{plain(10.0 ** power)}</text>'
        middle = (LEFT + WIDTH - RIGHT) / 2
        yield f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">{escape(self.x_label)}</text>'
        centre = (TOP + HEIGHT - BOTTOM) / 2
        yield (f'<text x="20" y="{centre}" text-anchor="middle" transform="rotate(-90 20 {centre})">'
               f'{escape(self.y_label)}</text>')

    def curves(self):
        for number, (name, points) in enumerate(self.series.items()):
            colour = COLOURS[number % len(COLOURS)]
            label = name
            fit = fit_power(points)
            if fit:
                exponent, factor = fit
                label += f": grows with {growth_text(points)}"
                ends = [min(x for x, _ in points), max(x for x, _ in points)]
                place = [(self.x(x), self.y_clipped(factor * x ** exponent)) for x in ends]
                yield (f'<line x1="{place[0][0]:.1f}" y1="{place[0][1]:.1f}" x2="{place[1][0]:.1f}" '
                       f'y2="{place[1][1]:.1f}" stroke="{colour}" stroke-dasharray="6 4"/>')
            for x, y in points:
                yield f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4" fill="{colour}"/>'
            y = TOP + 18 + 18 * number
            yield f'<circle cx="{LEFT + 14}" cy="{y - 4}" r="4" fill="{colour}"/>'
            yield f'<text x="{LEFT + 24}" y="{y}" fill="{colour}">{escape(label)}</text>'

    def y_clipped(self, value):
        low, high = (10.0 ** power for power in self.y_range)
        return self.y(min(max(value, low), high))

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#222222">',
            *self.frame(), *self.curves(), "</svg>", ""])
