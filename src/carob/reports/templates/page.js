// The reader's actions: choose a measure, a pair, a query; sort; copy; change the theme.

const at = (id) => document.getElementById(id);
const all = (selector) => document.querySelectorAll(selector);

function showNames() {
  const contest = data.contests[state.measure];
  for (const each of all(".measure")) each.textContent = data.labels[state.measure];
  for (const each of all(".against")) each.textContent = data.names[contest.against];
  for (const each of all(".better")) each.textContent = contest.smaller ? "left" : "right";
  for (const each of all(".name-a")) each.textContent = data.names[state.a];
  for (const each of all(".name-b")) each.textContent = data.names[state.b];
  for (const row of all("#leaderboard tbody tr")) {
    row.className = roleOf(Number(row.dataset.run)) === "other" ? "" : `row-${roleOf(Number(row.dataset.run))}`;
  }
  for (const [name, value] of Object.entries({ measure: state.measure, a: state.a, b: state.b, group: state.group ?? "" })) {
    if (at(`pick-${name}`)) at(`pick-${name}`).value = value;
  }
}

// The verdict on the chosen measure, in Python's words.
function showVerdict() {
  const [headline, sentences, small] = data.contests[state.measure].verdict;
  at("verdict").replaceChildren(element("h2", { text: headline }), ...sentences.map((text) => element("p", { text })),
    element("p", { class: "small quiet", text: small }));
}

function whisker(low, high, mean, says, zero) {
  const made = (tag, attributes) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
    return part;
  };
  const picture = made("svg", { class: "whisker", viewBox: "0 0 176 20", role: "img", "aria-label": says });
  if (zero !== undefined) picture.append(made("line", { class: "zero", x1: zero, x2: zero, y1: 0, y2: 20 }));
  picture.append(made("line", { x1: low, x2: high, y1: 10, y2: 10 }), made("circle", { cx: mean, cy: 10, r: 4 }));
  return picture;
}

// The intervals of the chosen measure, on a scale of their own.
function showWhiskers() {
  const { low, high, means } = data.contests[state.measure];
  const ends = [...low, ...high, ...means].filter(known);
  const [first, last] = ends.length ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
  const place = (value) => (6 + 164 * (value - first) / (last - first || 1)).toFixed(1);
  const [left, right] = all("#leaderboard .ends span");
  [left.textContent, right.textContent] = [number(first, Math.min(2, decimals())), number(last, Math.min(2, decimals()))];
  for (const row of all("#leaderboard tbody tr")) {
    const run = Number(row.dataset.run);
    const there = [low[run], high[run], means[run]].every(known);
    if (row.querySelector(".doubt")) {
      const { doubt, rank, order } = data.contests[state.measure];
      row.querySelector(".doubt").textContent = run === order[0] ? "best" : doubt[run] ? "may be" : "";
      row.querySelector(".ranks").textContent = rank[run].replace("-", "–");
      row.classList.toggle("worse", !doubt[run]);
    }
    row.cells[1].replaceChildren(...(there ? [whisker(place(low[run]), place(high[run]), place(means[run]),
      `${number(means[run])} [${number(low[run])},${number(high[run])}]`)] : []));
  }
}

function figures(pair) {
  const [title, corrected] = data.p_titles;
  const p = [[title, pair.p_said], ...(corrected ? [[corrected, pair.adjusted_said]] : [])];
  const joint = corrected && known(pair.joint_low) ? [`corrected: ${signed(pair.joint_low)} to ${signed(pair.joint_high)}`] : [];
  return [["difference", signed(pair.difference), `${signed(pair.low)} to ${signed(pair.high)}`, ...joint],
    ["effect size d", signed(pair.d_z, 2), "mean divided by the standard deviation of the differences"], ...p,
    ["detectable", number(pair.detectable), "for this pair, with 80% power"]];
}

function showPair(rows) {
  const pair = pairOf(state.measure, state.a, state.b);
  const { smaller } = data.contests[state.measure];
  const count = (role) => rows.filter((row) => row.role === role).length;
  const [more, less] = smaller ? ["b", "a"] : ["a", "b"];
  const [w, t, l] = pair ? [pair.wins, pair.ties, pair.losses] : [count(more), count("other"), count(less)];
  const [a, b] = [data.names[state.a], data.names[state.b]];
  const means = data.contests[state.measure].means;
  const label = data.labels[state.measure];
  const difference = pair ? pair.difference : means[state.a] - means[state.b];
  at("pair-said").textContent = pair && pair.identical ? `${a} and ${b} are equal on every query.`
    : `${a} is ${(smaller ? -difference : difference) >= 0 ? "ahead" : "behind"} on ${label}, ${number(means[state.a])} to ${number(means[state.b])}: ` +
      (pair ? (isSure(pair) ? "a significant difference." : "the difference is not significant.") : "this pair was not tested, because only pairs with the baseline are tested.");
  const wins = at("wins");
  const part = (name, share, text) => { const made = element("span", { class: name, text }); made.style.flex = `${share} 1 0`; return made; };
  wins.replaceChildren(...[["w", w, `${w} better`], ["t", t, `${t} equal`], ["l", l, `${l} worse`]].filter(([, share]) => share > 0).map((each) => part(...each)));
  wins.setAttribute("aria-label", `${a} is better on ${w} queries, equal on ${t}, worse on ${l}`);
  at("pair-numbers").replaceChildren(...(pair ? figures(pair) : []).map(([name, value, ...more]) => element("div", {},
    element("dt", { text: name }), element("dd", { text: value }, ...more.map((text) => element("small", { text }))))));
}

function showCaptions(rows) {
  const [a, b] = [data.names[state.a], data.names[state.b]];
  const small = rows.length <= data.most_bars;
  const [each, what] = alone ? [`${data.labels[state.measure]} of each query`, "values"] : ["Each query's difference, A − B", "differences"];
  at("cap-bars").textContent = !isKept(state.measure) ? "There are too many queries to include the values of this measure in the page."
    : small ? `${each}; choose a bar to see the query.` : `The ${what} of ${rows.length} queries in order.`;
  if (alone) return;
  at("cap-scatter").textContent = small ? `The two values of each query. Above the line, A's value is higher.` : "Distribution of the differences over the queries.";
  at("scatter-up").textContent = small ? `↑ ${a} (A)` : "";
  at("scatter-right").textContent = small ? `${b} (B) →` : "";
}

// A folded table is made when it is opened.
const folded = at("folded");
if (folded) folded.addEventListener("toggle", showMatrix);

function showMatrix() {
  if (folded && !folded.open) return;
  const contest = data.contests[state.measure];
  const order = byMean();
  const head = element("tr", {}, element("td"), ...order.map((run) => element("th", { scope: "col", text: data.letters[run], title: data.names[run] })));
  const cell = (row, column, above) => {
    if (row === column) return element("td", { class: "self", text: "·" });
    const pair = pairOf(state.measure, row, column);
    const made = element("td", { text: pair ? (above ? pair.adjusted_said : signed(pair.d_z, 2)) : "", title: `${data.names[row]} − ${data.names[column]}` });
    if (above && isSure(pair)) made.classList.add("sure");
    if (row === state.a && column === state.b) made.classList.add("chosen");
    made.setAttribute("role", "button");
    made.dataset.pair = `${row} ${column}`;
    made.setAttribute("aria-label", `${data.names[row]} and ${data.names[column]}: ${made.textContent}`);
    made.tabIndex = row === state.a && column === state.b ? 0 : -1;
    made.addEventListener("click", () => { choose({ a: row, b: column }); });
    return made;
  };
  const body = order.map((row, down) => element("tr", {},
    element("th", { scope: "row" }, element("span", { class: "quiet", text: `${data.letters[row]} ` }), data.names[row]),
    ...order.map((column, across) => cell(row, column, across > down))));
  at("matrix").replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}

// One cell can be reached by Tab, its neighbours by the arrows.
at("matrix")?.addEventListener("keydown", async (event) => {
  const cell = event.target.closest("td[data-pair]");
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!cell || !(step || event.key === "Enter" || event.key === " ")) return;
  event.preventDefault();
  if (!step) {
    const { pair } = cell.dataset;
    const [a, b] = pair.split(" ").map(Number);
    await choose({ a, b });
    document.querySelector(`#matrix td[data-pair="${pair}"]`).focus();
    return;
  }
  const [down, right] = step;
  let next = cell;
  do next = next.closest("tbody").rows[next.parentNode.sectionRowIndex + down]?.cells[next.cellIndex + right];
  while (next && next.classList.contains("self"));
  if (next && next.dataset.pair) {
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
});

async function refresh() {
  document.documentElement.dataset.drawn = "no";
  const rows = differences(state.measure, state.a, state.b);
  showNames();
  showVerdict();
  showWhiskers();
  showCaptions(rows);
  if (!alone) {
    await drawForest();
    showPair(rows);
    showMatrix();
  }
  showGroups();
  showQueries(isKept(state.measure) ? rows : differences(keptMeasure(), state.a, state.b));
  for (const each of all("#chart-bars, #chart-scatter, #cap-scatter, #spread")) each.hidden = !isKept(state.measure);
  if (isKept(state.measure)) {
    await drawBars(rows);
    await drawScatter(rows);
    await drawSpread();
  }
  for (const curve of data.curves) await drawCurve(curve);
  await showCloseup();
  document.documentElement.dataset.drawn = "yes";
}

function choose(change) {
  Object.assign(state, change);
  showAddress();
  return refresh();
}

// Measure, pair and query stand in the page's address, so that a link shows what its sender saw.
function showAddress() {
  const parts = { measure: data.labels[state.measure], ...(alone ? {} : { a: data.names[state.a], b: data.names[state.b] }) };
  if (state.group !== null) parts.group = groups.names[state.group];
  if (state.query !== null) parts.query = data.queries[state.query];
  history.replaceState(null, "", `#${new URLSearchParams(parts)}`);
}

function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const found = (key, list) => list.indexOf(asked.get(key));
  const [measure, a, b, query] = [found("measure", data.labels), found("a", data.names), found("b", data.names), found("query", data.queries)];
  if (measure >= 0) state.measure = measure;
  if (a >= 0 && b >= 0 && a !== b) [state.a, state.b] = [a, b];
  const group = groups ? found("group", groups.names) : -1;
  state.group = group >= 0 ? group : null;
  state.query = closeups.has(query) ? query : null;
  return asked.has("measure");
}

addEventListener("hashchange", async () => {
  if (!readAddress()) return;
  sortByMeasure();
  await refresh();
});

for (const link of all(".bar nav a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const section = document.querySelector(link.getAttribute("href"));
    section.tabIndex = -1;
    section.scrollIntoView();
    section.focus({ preventScroll: true });
  });
}

// Back to the row that was opened.
async function closeQuery() {
  const row = `#query-table tr[data-query="${state.query}"] button`;
  await choose({ query: null });
  document.querySelector(row)?.focus();
}

at("closeup").addEventListener("keydown", (event) => { if (event.key === "Escape") closeQuery(); });

async function chooseQuery(query) {
  if (!closeups.has(query)) return;
  await choose({ query });
  at("closeup").scrollIntoView({ block: "start" });
  at("closeup").focus({ preventScroll: true });
}

// Choosing the run of the other side swaps the two.
at("pick-measure").addEventListener("change", (event) => {
  state.measure = Number(event.target.value);
  sortByMeasure();
  choose({});
});
at("pick-a")?.addEventListener("change", (event) => {
  const a = Number(event.target.value);
  choose({ a, b: a === state.b ? state.a : state.b });
});
at("pick-b")?.addEventListener("change", (event) => {
  const b = Number(event.target.value);
  choose({ b, a: b === state.a ? state.b : state.a });
});
at("pick-group")?.addEventListener("change", (event) => choose({ group: event.target.value === "" ? null : Number(event.target.value) }));
for (const button of all("[data-order]")) button.addEventListener("click", () => choose({ order: button.dataset.order }));

function sortByMeasure() {
  sortBoard(document.querySelector(`#leaderboard thead th[data-measure="${state.measure}"]`), !data.contests[state.measure].smaller);
}

function sortBoard(header, down) {
  for (const each of all("#leaderboard th[aria-sort]")) each.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = document.querySelector("#leaderboard tbody");
  const value = (row) => Number(row.cells[header.cellIndex].dataset.value);
  body.append(...[...body.rows].sort((one, other) => (down ? value(other) - value(one) : value(one) - value(other))));
}

for (const button of all("#leaderboard thead button")) {
  button.addEventListener("click", () => {
    const header = button.closest("th");
    sortBoard(header, header.getAttribute("aria-sort") !== "descending");
  });
}

async function copied(button, text, source) {
  let said = "Copied.";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (source.id === "clip") source.hidden = false;
    source.textContent = text;
    getSelection().selectAllChildren(source);
    said = "The text is selected. Copy it with the keyboard.";
  }
  button.nextElementSibling.textContent = said;
}

// Numbers in full, as in `carob compare --format csv`; values by query have the seven digits of 32 bits.
const tables = {
  board: () => [["run", "measure", "mean", "low", "high"], ...data.contests.flatMap((contest, measure) => contest.order.map((run) =>
    [data.names[run], data.labels[measure], contest.means[run], contest.low[run], contest.high[run]]))],
  pairs: () => [["measure", "run", "other", "difference", "low", "high", "corrected_low", "corrected_high", "p_corrected"],
    ...data.contests.flatMap((contest, measure) => contest.pairs.map((row) =>
      [data.labels[measure], data.names[row[0]], data.names[row[1]], row[2], row[3], row[4], row[14], row[15], row[9]]))],
  groups: () => [["measure", "group", "queries", "run", "mean"], ...groups.contests.flatMap(({ queries, means }, measure) => groups.names.flatMap((name, group) =>
    runs.map((run) => [data.labels[measure], name, queries[group], data.names[run], means[group][run]])))],
  queries: () => [["query", ...data.names], ...data.queries.map((query, place) =>
    [query, ...runs.map((run) => Number(valuesOf(keptMeasure(), run)[place].toPrecision(7)))])],
};
const quoted = (cell) => (!known(cell) ? "" : /[",\n\r]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell));
const csv = (rows) => rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");

// A drawing by itself: the page's colours stand in it as they are now.
async function svg(name) {
  const colours = getComputedStyle(document.documentElement);
  return (await views[name].toSVG()).replaceAll(/var\((--[\w-]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
}

const copies = { copy: (id) => at(id).textContent, csv: (name) => csv(tables[name]()), svg };
for (const figure of all("figure:has(> .chart)")) {
  const name = figure.querySelector(".chart").id.replace("chart-", "");
  const button = element("button", { type: "button", "data-svg": name, text: "Copy SVG", "aria-label": `Copy SVG of the chart ${name}` });
  figure.append(element("p", { class: "copy" }, button, " ", element("span", { role: "status", class: "small quiet" })));
}
for (const [kind, written] of Object.entries(copies)) {
  for (const button of all(`button[data-${kind}]`)) {
    const what = button.dataset[kind];
    button.addEventListener("click", async () => copied(button, await written(what), at(kind === "copy" ? what : "clip")));
  }
}

const light_switch = at("theme");
const theme = (dark) => {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  light_switch.setAttribute("aria-pressed", String(dark));
  light_switch.textContent = dark ? "Light" : "Dark";
};
theme(document.documentElement.dataset.theme === "dark");
light_switch.addEventListener("click", () => theme(document.documentElement.dataset.theme !== "dark"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => theme(event.matches));

if (readAddress()) sortByMeasure();
refresh();
