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
  for (const text of [shortened(data.names[state.a], 16), shortened(data.names[state.b], 16), "A − B", "mean of all"]) {
    head.append(element("th", { scope: "col", text }));
  }
  const body = ordered(rows).map((row) => {
    const kept = closeups.has(row.query);
    const name = kept
      ? element("button", { type: "button", class: "plain", text: data.queries[row.query], "aria-expanded": String(row.query === state.query) })
      : element("span", { text: data.queries[row.query] });
    if (kept) name.addEventListener("click", () => chooseQuery(row.query));
    const line = element("tr", { "data-query": row.query, class: row.query === state.query ? "open" : "" }, element("th", { scope: "row" }, name));
    if (data.texts) line.append(element("td", { class: "text", text: data.texts[row.query] || "" }));
    const stick = element("i", { class: row.role });
    const share = 50 * Math.abs(row.difference) / most;
    stick.style.width = `${share}%`;
    if (row.role === "b") stick.style.marginLeft = `${50 - share}%`;
    line.append(element("td", { text: number(row.a) }), element("td", { text: number(row.b) }),
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
  if (!mine || !mine.length) return element("p", { class: "quiet", text: "This run has no document here." });
  const list = element("ol", { class: "ranked" });
  mine.forEach((place, rank) => {
    const [id, grade, title, text] = closeup.documents[place];
    const there = theirs ? theirs.indexOf(place) : -1;
    const move = there < 0 ? `not in ${data.names[other]}'s ${theirs ? theirs.length : 0}` : there === rank ? "=" : there > rank ? `↑ ${there - rank}` : `↓ ${rank - there}`;
    const what = element("div", { class: "what" });
    if (title) what.append(element("span", { text: title }), " ");
    what.append(element("span", { class: title ? "id" : "", text: id }));
    if (text) what.append(element("p", { text, title: text }));
    const item = element("li", { "data-place": place }, element("span", { class: "rank", text: rank + 1 }), chip(grade), what,
      element("span", { class: "move", text: there < 0 ? "only here" : move, title: there < 0 ? move : `rank ${there + 1} in ${data.names[other]}` }));
    item.addEventListener("pointerenter", () => light(place, true));
    item.addEventListener("pointerleave", () => light(place, false));
    list.append(item);
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
  line.append(element("span", {}, chip(null), " not judged"), element("span", { text: "↑ ↓ ranks higher or lower than in the other run" }));
  return line;
}

let derivations = null;

async function derivationOf(measure, query, run) {
  if (!derivations) {
    const stream = new Blob([bytes(data.derivations)]).stream().pipeThrough(new DecompressionStream("gzip"));
    derivations = JSON.parse(await new Response(stream).text());
  }
  const own = derivations[measure][query];
  return own ? own[run] : null;
}

async function derivation(query, run, part) {
  const html = await derivationOf(state.measure, query, run);
  const made = element("details", { class: "derivation" }, element("summary", {}, element("i", { class: `mark ${part}`, "aria-hidden": "true" }),
    ` How ${data.names[run]} comes to its ${data.labels[state.measure]}`));
  if (html) {
    // Written and escaped by carob.explain; nothing in it can run under this page's security policy.
    const inside = element("div");
    inside.innerHTML = html;
    made.append(inside);
  } else {
    made.append(element("p", { class: "quiet", text: `Not kept here; carob explain '${data.labels[state.measure]}' QRELS RUN --query '${data.queries[query]}' shows it.` }));
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
  return element("div", { class: "steps" }, step("←", "Previous query", here - 1), step("→", "Next query", here + 1));
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
  const lists = element("div", { class: "two lists" },
    element("div", {}, heading(a, "a"), rankedList(closeup, a, b)), element("div", {}, heading(b, "b"), rankedList(closeup, b, a)));
  const told = [await derivation(query, a, "a"), await derivation(query, b, "b")];
  const title = element("h3", { text: `Query ${data.queries[query]}` });
  if (data.texts && data.texts[query]) title.append(element("span", { class: "quiet", text: `: ${data.texts[query]}` }));
  const facts = element("p", { class: "quiet small", text: closeup.says });
  place.replaceChildren(steps(), title, facts, legend(), lists, ...told);
}
