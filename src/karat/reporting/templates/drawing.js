// The charts: each is parsed once, and given other rows when another pair is chosen.

const views = {};

// What it shows is said in words too; Vega would call every chart a "Vega visualization".
async function draw(name, says, datasets) {
  const place = document.getElementById(`chart-${name}`);
  if (!place) return;
  if (views[name]) {
    for (const [key, rows] of Object.entries(datasets)) views[name].data(key, rows);
    await views[name].runAsync();
    place.setAttribute("aria-label", says);
    return;
  }
  // Two runs leave the layer of the others empty: that is no fault to warn of, so errors alone are told.
  const drawn = await vegaEmbed(place, { ...data.charts[name], datasets }, {
    actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true }, logLevel: 1,
  });
  views[name] = drawn.view;
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", says);
  drawn.view.addEventListener("click", (_, item) => {
    if (item && item.datum && item.datum.at_query !== undefined) chooseQuery(item.datum.at_query);
  });
}

const shortened = (text, most = 24) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const nameOf = (query) => ({ query: data.queries[query], text: (data.texts && data.texts[query]) || "", at_query: query });

// Runs in the order of their means, B's own row left out of the forest.
const byMean = () => [...runs].sort((one, other) => data.contests[state.measure].means[other] - data.contests[state.measure].means[one]);

function drawForest() {
  const rows = byMean().filter((run) => run !== state.b).map((run) => {
    const pair = pairOf(state.measure, run, state.b);
    const means = data.contests[state.measure].means;
    const difference = pair ? pair.difference : means[run] - means[state.b];
    const name = shortened(data.names[run], 18) + (runs.length > data.most_labels + 1 ? `  ${signed(difference)}` : "");
    return { run: name, difference, low: pair ? pair.low : difference, high: pair ? pair.high : difference,
      role: roleOf(run), fill: isSure(pair) ? roleOf(run) : "open", said: signed(difference) };
  });
  const says = `${data.labels[state.measure]} of each run minus ${data.names[state.b]}: ` +
    rows.map((row) => `${row.run.split("  ")[0]} ${row.said}${row.fill === "open" ? "" : ", significant"}, from ${signed(row.low)} to ${signed(row.high)}`).join("; ");
  return draw("forest", says, { forest: rows });
}

function drawBars(rows) {
  const sorted = [...rows].sort((one, other) => other.difference - one.difference);
  const says = `Differences of ${sorted.length} queries in order, from ${signed(sorted[0]?.difference)} to ${signed(sorted.at(-1)?.difference)}`;
  if (sorted.length <= data.most_bars) {
    return draw("bars", says, { bars: sorted.map((row, place) => ({ ...row, ...nameOf(row.query), place })) });
  }
  const points = Array.from({ length: 301 }, (_, step) => Math.round((step / 300) * (sorted.length - 1)));
  return draw("bars", says, { bars: points.map((place) => ({ share: place / (sorted.length - 1), ...sorted[place] })) });
}

function drawScatter(rows) {
  const [a, b] = [data.names[state.a], data.names[state.b]];
  if (data.queries.length <= data.most_bars) {
    const ends = rows.flatMap((row) => [row.a, row.b]);
    const line = rows.length ? [{ even: Math.min(...ends) }, { even: Math.max(...ends) }] : [];
    return draw("scatter", `${a} against ${b}, a dot for each query`, { scatter: [...line, ...rows.map((row) => ({ ...row, ...nameOf(row.query) }))] });
  }
  const most = Math.max(...rows.map((row) => Math.abs(row.difference)), 1e-9);
  const width = most / 20.5;
  const counts = new Array(41).fill(0);
  rows.forEach((row) => { counts[Math.min(40, Math.floor((row.difference + most) / width))] += 1; });
  const bins = counts.map((count, bin) => ({ count, low: bin * width - most, high: (bin + 1) * width - most,
    role: bin === 20 ? "other" : bin > 20 ? "a" : "b" }));
  return draw("scatter", `How many queries have which difference between ${a} and ${b}`, { scatter: bins });
}

function drawSpread() {
  const dots = runs.length * data.queries.length <= data.most_dots;
  const boxes = [];
  const spots = [];
  for (const run of byMean()) {
    const own = [...valuesOf(state.measure, run)].filter((value) => !Number.isNaN(value)).sort((one, other) => one - other);
    const [low, lower, middle, upper, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(own, share));
    boxes.push({ run: shortened(data.names[run]), low, lower, middle, upper, high, role: roleOf(run) });
    if (dots) {
      valuesOf(state.measure, run).forEach((value, query) => {
        // The golden ratio spreads neighbours apart, the same way each time.
        const off = 0.25 + 0.5 * ((query * 0.618034) % 1);
        spots.push({ run: shortened(data.names[run]), value, off, role: roleOf(run), ...nameOf(query) });
      });
    }
  }
  const says = boxes.map((box) => `${box.run}: median ${number(box.middle)}, quartiles ${number(box.lower)} and ${number(box.upper)}`).join("; ");
  return draw("spread", says, dots ? { boxes, dots: spots } : { boxes });
}

function drawCurve(curve) {
  const order = [...runs.filter((run) => roleOf(run) === "other"), state.b, state.a];
  const rows = order.flatMap((run) => curve.at.map((at, place) => ({ at, value: curve.runs[run][place], run: data.names[run], role: roleOf(run) })));
  const says = `${curve.says} ${data.names[state.a]}: ${curve.runs[state.a].map((value) => number(value, 2)).join(", ")}; ` +
    `${data.names[state.b]}: ${curve.runs[state.b].map((value) => number(value, 2)).join(", ")}`;
  return draw(curve.name, says, { [curve.name]: rows });
}
