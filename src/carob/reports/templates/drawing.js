// The charts: each is parsed once, and given other rows when another pair is chosen.

const views = {};

// Draws a chart and describes it in words: Vega would call every chart a "Vega visualization".
async function draw(name, says, datasets) {
  const place = document.getElementById(`chart-${name}`);
  if (!place) return;
  if (views[name]) {
    for (const [key, rows] of Object.entries(datasets)) views[name].data(key, rows);
    await views[name].runAsync();
    place.setAttribute("aria-label", says);
    return;
  }
  // With two runs the layer of the others is empty, which Vega would warn of: only errors are logged.
  const drawn = await vegaEmbed(place, { ...data.charts[name], datasets }, {
    actions: false, ast: true, renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true }, logLevel: 1,
  });
  views[name] = drawn.view;
  place.setAttribute("role", "img");
  // The words stand in the label above; the marks alone have none.
  place.querySelector("svg").setAttribute("aria-hidden", "true");
  place.setAttribute("aria-label", says);
  drawn.view.addEventListener("click", (_, item) => {
    if (item && item.datum && item.datum.at_query !== undefined) chooseQuery(item.datum.at_query);
  });
}

const shortened = (text, most = 24) => {
  const letters = [...text];
  const kept = Math.floor((most - 1) / 2);
  return letters.length > most ? `${letters.slice(0, most - 1 - kept).join("")}…${letters.slice(-kept).join("")}` : text;
};
// Run names as charts have room for them: two that look alike when they are cut get their letters.
const briefly = (most) => {
  const cut = data.names.map((name) => shortened(name, most));
  return cut.map((name, run) => (cut.filter((other) => other === name).length > 1 ? `${name} (${data.letters[run]})` : name));
};
const nameOf = (query) => ({ query: data.queries[query], text: (data.texts && data.texts[query]) || "", at_query: query });

// The runs, the best of the chosen measure first.
const byMean = () => data.contests[state.measure].order;

// Names never are what charts group or place by: a run may be called like a property that every object has.
function drawForest() {
  const { against } = data.contests[state.measure];
  const names = briefly(22);
  const rows = byMean().filter((run) => run !== against).slice(0, data.most_in_forest).map((run, row) => {
    const pair = pairOf(state.measure, run, against);
    const { difference } = pair;
    const end = (value) => (known(value) ? value : difference);
    return { row, name: names[run], run: data.names[run], difference, low: end(pair.low), high: end(pair.high),
      joint_low: end(pair.joint_low), joint_high: end(pair.joint_high),
      role: roleOf(run), fill: isSure(pair) ? roleOf(run) : "open", said: signed(difference) };
  });
  const says = `${data.labels[state.measure]} of each run minus ${data.names[against]}: ` +
    rows.map((row) => `${row.run} ${row.said}${row.fill === "open" ? "" : ", significant"}, from ${signed(row.low)} to ${signed(row.high)}, ` +
      `corrected from ${signed(row.joint_low)} to ${signed(row.joint_high)}`).join("; ");
  return draw("forest", says, { forest: rows });
}

function drawBars(rows) {
  const sorted = [...rows].sort((one, other) => other.difference - one.difference);
  const [what, said] = alone ? ["Values", number] : ["Differences", signed];
  const says = `${what} of ${sorted.length} queries in order, from ${said(sorted[0]?.difference)} to ${said(sorted.at(-1)?.difference)}`;
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
  return draw("scatter", `Distribution of the queries' differences between ${a} and ${b}`, { scatter: bins });
}

function drawSpread() {
  const dots = runs.length * data.queries.length <= data.most_dots;
  const boxes = [];
  const spots = [];
  const names = briefly(24);
  byMean().forEach((run, row) => {
    const own = [...valuesOf(state.measure, run)].filter((value) => !Number.isNaN(value)).sort((one, other) => one - other);
    const [low, lower, middle, upper, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(own, share));
    boxes.push({ row, name: names[run], run: data.names[run], low, lower, middle, upper, high, role: roleOf(run) });
    if (dots) {
      valuesOf(state.measure, run).forEach((value, query) => {
        // The golden ratio spreads neighbours apart, the same way each time.
        const off = 0.25 + 0.5 * ((query * 0.618034) % 1);
        spots.push({ row, run: data.names[run], value, off, role: roleOf(run), ...nameOf(query) });
      });
    }
  });
  const says = boxes.map((box) => `${box.run}: median ${number(box.middle)}, quartiles ${number(box.lower)} and ${number(box.upper)}`).join("; ");
  return draw("spread", says, dots ? { boxes, dots: spots } : { boxes });
}

function drawCurve(curve) {
  const shown = alone ? [state.a] : [state.b, state.a];
  const order = [...runs.filter((run) => roleOf(run) === "other"), ...shown];
  const rows = order.flatMap((run) => curve.at.map((at, place) => ({ at, value: curve.runs[run][place], number: run, run: data.names[run], role: roleOf(run) })));
  const words = shown.reverse().map((run) => `${data.names[run]}: ${curve.runs[run].map((value) => number(value, 2)).join(", ")}`);
  const says = `${curve.says} ${words.join("; ")}`;
  return draw(curve.name, says, { [curve.name]: rows });
}
