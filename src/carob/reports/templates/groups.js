// Groups of queries: the chosen pair within each group, the means of all runs, and the queries of one group.

const { groups } = data;

// The pair A minus B within each group; undefined where the page has not kept it.
function pairsByGroup() {
  const row = placesOf(state.measure)[state.a * runs.length + state.b];
  const kept = groups.contests[state.measure].pairs[data.contests[state.measure].pairs.indexOf(row)];
  const minus = (value) => (value === null ? null : -value);
  return kept && kept.map(([n, difference, low, high, wins, ties, losses, p]) => (row[0] === state.a
    ? { n, difference, low, high, wins, ties, losses, p }
    : { n, difference: minus(difference), low: minus(high), high: minus(low), wins: losses, ties, losses: wins, p }));
}

// The group in which a run, or A against B, does worst.
function worstOf(values) {
  const sign = data.contests[state.measure].smaller ? -1 : 1;
  const there = values.map((_, group) => group).filter((group) => known(values[group]));
  return there.length > 1 ? there.reduce((worst, group) => (sign * values[group] < sign * values[worst] ? group : worst)) : -1;
}

function showGroups() {
  if (!groups) return;
  const { digits, queries, means } = groups.contests[state.measure];
  const whole = pairOf(state.measure, state.a, state.b);
  const pairs = alone ? undefined : pairsByGroup();
  const worst = worstOf(groups.names.map((_, group) => (pairs ? pairs[group].difference : alone ? means[group][0] : null)));
  const ends = [...(pairs ?? []), ...(whole ? [whole] : [])].flatMap((pair) => [pair.low, pair.high, pair.difference]).filter(known).concat(0);
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  const place = (value) => (6 + 164 * (value - first) / (last - first || 1)).toFixed(1);
  const picture = (pair) => (known(pair.low) ? [whisker(place(pair.low), place(pair.high), place(pair.difference), "", place(0))] : []);
  const sides = alone ? [state.a] : [state.a, state.b];
  const line = (name, n, values, pair) => element("tr", {}, element("th", { scope: "row" }, ...name),
    ...(pair ? [element("td", { text: signed(pair.difference, digits) }), element("td", { text: known(pair.low) ? `${signed(pair.low, digits)} to ${signed(pair.high, digits)}` : "–" }),
      element("td", { class: "whiskers", "aria-hidden": "true" }, ...picture(pair))] : []),
    ...values.map((value) => element("td", { text: number(value, digits) })),
    ...(pair ? [element("td", { text: `${pair.wins}/${pair.ties}/${pair.losses}` }), element("td", { text: pair.p })] : []), element("td", { text: n.toLocaleString("en") }));
  const names = groups.names.map((name, group) => {
    const button = element("button", { type: "button", class: "plain", text: name, "aria-label": `Show the queries of ${name}` });
    button.addEventListener("click", () => { choose({ group }); at("queries").scrollIntoView(); });
    return group === worst ? [button, element("span", { class: "quiet", text: " (worst)" })] : [button];
  });
  const all = data.contests[state.measure].means;
  const titles = alone ? ["value"] : sides.map((run) => shortened(data.names[run], 16));
  const heads = pairs ? ["A − B", `${data.confidence} interval`, "", ...titles, "W/T/L", groups.marked ? "p" : "p(t)"] : titles;
  at("group-table").replaceChildren(
    element("caption", { class: "quiet", text: data.labels[state.measure] }),
    element("thead", {}, element("tr", {}, element("th", { scope: "col", class: "name", text: "group" }), ...[...heads, "queries"].map((text) => (text ? element("th", { scope: "col", text }) : element("td", { class: "whiskers" }))))),
    element("tbody", {}, ...names.map((name, group) => line(name, queries[group], sides.map((run) => means[group][run]), pairs && pairs[group]))),
    element("tfoot", {}, line([groups.whole], data.queries.length, sides.map((run) => all[run]), pairs && whole && { ...whole, p: "" })));
  if (alone) return;
  at("group-said").hidden = Boolean(pairs) || !whole;
  at("group-board").replaceChildren(
    element("thead", {}, element("tr", {}, element("th", { scope: "col", class: "name", text: "run" }), ...groups.names.map((text, group) => element("th", { scope: "col" }, text, element("br"), `n=${queries[group]}`)), element("th", { scope: "col", class: "name", text: "worst" }))),
    element("tbody", {}, ...byMean().map((run) => {
      const own = means.map((each) => each[run]);
      const most = means.map((each) => each.filter(known).reduce((best, value) => ((data.contests[state.measure].smaller ? value < best : value > best) ? value : best)));
      return element("tr", {}, element("th", { scope: "row" }, element("span", { class: "quiet", text: `${data.letters[run]} ` }), data.names[run]),
        ...own.map((value, group) => element("td", { class: number(value, digits) === number(most[group], digits) ? "best" : "", text: number(value, digits) })),
        element("td", { class: "name", text: groups.names[worstOf(own)] ?? "–" }));
    })));
}

// The queries of the chosen group, or all.
const inGroup = (rows) => (groups && state.group !== null ? rows.filter((row) => groups.codes[row.query].includes(state.group)) : rows);
