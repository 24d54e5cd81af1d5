// Queries: the table, and what one of them looks like up close: both lists with their grades, and the derivations.

const element = (tag, options = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    if (key === "class") made.className = value;
    else if (key === "text") made.textContent = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};

const closeups = new Map(data.closeups.map((each) => [each.query, each]));

function meansAndSpreads() {
  return data.queries.map((_, query) => {
    const own = runs.map((run) => valuesOf(keptMeasure(), run)[query]).filter((value) => !Number.isNaN(value));
    return { mean: own.reduce((sum, value) => sum + value, 0) / own.length, spread: Math.max(...own) - Math.min(...own) };
  });
}

function ordered(rows) {
  const every = meansAndSpreads();
  const all = rows.map((row) => ({ ...row, ...every[row.query] }));
  const by = {
    wins: (one, other) => other.difference - one.difference,
    losses: (one, other) => one.difference - other.difference,
    hard: (one, other) => one.mean - other.mean,
    easy: (one, other) => other.mean - one.mean,
    split: (one, other) => other.spread - one.spread,
    name: () => 0,
  }[state.order];
  return all.sort((one, other) => by(one, other) || one.query - other.query).slice(0, data.most_rows);
}

function showQueries(rows) {
  for (const button of document.querySelectorAll("[data-order]")) {
    button.setAttribute("aria-pressed", String(button.dataset.order === state.order));
  }
  const most = Math.max(...rows.map((row) => Math.abs(row.difference)), 1e-9);
  const head = element("tr", {}, element("th", { scope: "col", class: "name", text: "query" }));
  if (data.texts) head.append(element("th", { scope: "col", class: "name", text: "text" }));
  if (groups) head.append(element("th", { scope: "col", class: "name", text: "group" }));
  for (const text of alone ? ["value"] : [shortened(data.names[state.a], 16), shortened(data.names[state.b], 16), "A − B", "mean of all"]) {
    head.append(element("th", { scope: "col", text }));
  }
  const body = ordered(inGroup(rows)).map((row) => {
    const kept = closeups.has(row.query);
    const name = kept
      ? element("button", { type: "button", class: "plain", text: data.queries[row.query], "aria-expanded": String(row.query === state.query) })
      : element("span", { text: data.queries[row.query] });
    if (kept) name.addEventListener("click", () => chooseQuery(row.query));
    const line = element("tr", { "data-query": row.query, class: row.query === state.query ? "open" : "" }, element("th", { scope: "row" }, name));
    if (data.texts) line.append(element("td", { class: "text", text: data.texts[row.query] || "" }));
    if (groups) line.append(element("td", { class: "name", text: groups.codes[row.query].map((code) => groups.names[code]).join(" + ") }));
    line.append(element("td", { text: number(row.a) }));
    if (alone) return line;
    const stick = element("i", { class: row.role });
    const share = 50 * Math.abs(row.difference) / most;
    stick.style.width = `${share}%`;
    if (row.role === "b") stick.style.marginLeft = `${50 - share}%`;
    line.append(element("td", { text: number(row.b) }),
      element("td", {}, signed(row.difference), element("span", { class: "signed", "aria-hidden": "true" }, stick)),
      element("td", { text: number(row.mean) }));
    return line;
  });
  document.getElementById("query-table").replaceChildren(
    element("caption", { class: "quiet", text: data.labels[keptMeasure()] }), element("thead", {}, head), element("tbody", {}, ...body));
}

function chip(grade) {
  if (grade === null) return element("span", { class: "chip u", text: "?", title: "not judged" });
  const share = data.grades.max > 0 ? grade / data.grades.max : 0;
  const depth = grade <= 0 ? 0 : Math.max(1, Math.ceil(4 * share));
  return element("span", { class: `chip g${depth}`, text: String(grade), title: `grade ${grade}` });
}

function rankedList(closeup, run, other) {
  const [mine, theirs] = [closeup.lists[run], closeup.lists[other]];
  if (!mine || !mine.length) return element("p", { class: "quiet", text: "This run retrieved no documents for this query." });
  const list = element("ol", { class: "ranked" });
  const { depth } = data.contests[state.measure];
  mine.forEach((place, rank) => {
    const [id, grade, title, text] = closeup.documents[place];
    const there = theirs ? theirs.indexOf(place) : -1;
    const move = there < 0 ? `not among the first ${theirs ? theirs.length : 0} documents of ${data.names[other]}` : there === rank ? "=" : there > rank ? `↑ ${there - rank}` : `↓ ${rank - there}`;
    const what = element("div", { class: "what" });
    if (title) what.append(element("span", { text: title }), " ");
    what.append(element("span", { class: title ? "id" : "", text: id }));
    if (text) what.append(element("p", { text, title: text }));
    const item = element("li", { "data-place": place }, element("span", { class: "rank", text: rank + 1 }), chip(grade), what,
      ...(alone ? [] : [element("span", { class: "move", text: there < 0 ? "only here" : move, title: there < 0 ? move : `rank ${there + 1} in ${data.names[other]}` })]));
    item.addEventListener("pointerenter", () => light(place, true));
    item.addEventListener("pointerleave", () => light(place, false));
    list.append(item);
    if (rank + 1 === depth && rank + 1 < mine.length) {
      list.append(element("li", { class: "cut", text: `${data.labels[state.measure]} ignores documents below rank ${depth}.` }));
    }
  });
  return list;
}

// The same document in both lists.
function light(place, on) {
  for (const item of document.querySelectorAll(`#closeup li[data-place="${place}"]`)) item.classList.toggle("lit", on);
}

function legend() {
  const line = element("p", { class: "legend" });
  for (const grade of data.grades.shown) line.append(element("span", {}, chip(grade), ` grade ${grade}`));
  line.append(element("span", {}, chip(null), " not judged"));
  if (!alone) line.append(element("span", { text: "↑ ↓ ranks higher or lower than in the other run" }));
  return line;
}

const unpacked = {};

// The derivation or the shares of a value, which are unpacked when the first is asked for.
async function partOf(name, measure, query, run) {
  unpacked[name] ??= new Response(new Blob([bytes(data[name])]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const own = (await unpacked[name])[measure][query];
  return own ? own[run] : null;
}

// Which documents make the difference: what each adds to A's value minus what it adds to B's, the largest first.
async function makers(closeup) {
  const sides = alone ? [state.a] : [state.a, state.b];
  const steps = await Promise.all(sides.map((run) => partOf("shares", state.measure, closeup.query, run)));
  const lists = sides.map((run) => closeup.lists[run]);
  if (![...steps, ...lists].every(Boolean)) return [];
  const rowOf = (place, added) => ({ place, added, difference: added[0] - (added[1] ?? 0) });
  const rows = [...new Set(lists.flat())].map((place) => rowOf(place, lists.map((list, side) => (list.includes(place) ? steps[side][list.indexOf(place)] : 0))))
    .concat(rowOf(null, steps.map((each) => each.at(-1)))).filter((row) => row.added.some((value) => value !== 0))
    .sort((one, other) => (one.place === null) - (other.place === null) || Math.abs(other.difference) - Math.abs(one.difference));
  if (!rows.length) return [];
  const rank = (list, place) => (list.includes(place) ? String(list.indexOf(place) + 1) : "–");
  const heads = ["document", "grade", ...(alone ? ["rank", "adds"] : ["A's rank", "B's rank", "adds to A", "adds to B", "A − B"])];
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const line = (name, cells) => element("tr", {}, element("th", { scope: "row", text: name }), ...cells.map((cell) => (typeof cell === "string" ? element("td", { text: cell }) : element("td", {}, cell))));
  const numbers = (row) => [...row.added.map((value) => number(value, 4)), ...(alone ? [] : [signed(row.difference, 4)])];
  const none = ["", ...sides.map(() => "")];
  const body = rows.map((row) => (row.place === null ? line("all documents further down", [...none, ...numbers(row)])
    : line(closeup.documents[row.place][2] || closeup.documents[row.place][0], [chip(closeup.documents[row.place][1]), ...lists.map((list) => rank(list, row.place)), ...numbers(row)])));
  const total = line("sum", [...none, ...numbers({ added: sides.map((_, side) => sum(rows.map((row) => row.added[side]))), difference: sum(rows.map((row) => row.difference)) })]);
  const table = element("table", { id: "makers" }, element("caption", { class: "quiet", text: `What each document adds to ${data.labels[state.measure]}, the largest ${alone ? "share" : "difference"} first` }),
    element("thead", {}, element("tr", {}, ...heads.map((text, place) => element("th", { scope: "col", class: place ? "" : "name", text })))),
    element("tbody", {}, ...body), element("tfoot", {}, total));
  return [element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table of what each document adds" }, table)];
}

async function derivation(query, run, part) {
  const html = await partOf("derivations", state.measure, query, run);
  const made = element("details", { class: "derivation" }, element("summary", {}, element("i", { class: `mark ${part}`, "aria-hidden": "true" }),
    ` How the ${data.labels[state.measure]} of ${data.names[run]} is computed`));
  if (html) {
    // Written and escaped by carob.explain; nothing in it can run under this page's security policy.
    const inside = element("div");
    inside.innerHTML = html;
    made.append(inside);
  } else {
    made.append(element("p", { class: "quiet", text: `Not included in this page. To see it, run: carob explain '${data.labels[state.measure]}' QRELS RUN --query '${data.queries[query]}'` }));
  }
  return made;
}

// To the one before and the one after, in the order of the table.
function steps() {
  const order = [...document.querySelectorAll("#query-table tbody tr")].map((row) => Number(row.dataset.query)).filter((query) => closeups.has(query));
  const here = order.indexOf(state.query);
  const step = (text, name, to) => {
    const made = element("button", { type: "button", text, "aria-label": name });
    made.disabled = order[to] === undefined;
    made.addEventListener("click", () => chooseQuery(order[to]));
    return made;
  };
  const close = element("button", { type: "button", text: "×", "aria-label": "Close the query" });
  close.addEventListener("click", closeQuery);
  return element("div", { class: "steps" }, step("←", "Previous query", here - 1), step("→", "Next query", here + 1), close);
}

async function showCloseup() {
  const place = document.getElementById("closeup");
  const closeup = closeups.get(state.query);
  place.hidden = !closeup;
  if (!closeup) { place.replaceChildren(); return; }
  const { query } = closeup;
  const [a, b] = [state.a, state.b];
  const heading = (run, part) => element("h3", {}, element("i", { class: `mark ${part}`, "aria-hidden": "true" }),
    ` ${data.names[run]} `, element("span", { class: "quiet", text: isKept(state.measure) ? number(valuesOf(state.measure, run)[query]) : "" }));
  const sides = alone ? [[a, b, "a"]] : [[a, b, "a"], [b, a, "b"]];
  const lists = element("div", { class: alone ? "" : "two lists" }, ...sides.map(([run, other, part]) => element("div", {}, heading(run, part), rankedList(closeup, run, other))));
  const told = await Promise.all(sides.map(([run, , part]) => derivation(query, run, part)));
  const title = element("h3", { text: `Query ${data.queries[query]}` });
  if (data.texts && data.texts[query]) title.append(element("span", { class: "quiet", text: `: ${data.texts[query]}` }));
  const facts = element("p", { class: "quiet small", text: closeup.says });
  place.replaceChildren(steps(), title, facts, ...await makers(closeup), legend(), lists, ...told);
}
