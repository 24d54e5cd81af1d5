"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const items = data.items;
  const labels = new Map(data.grades);
  const root = document.documentElement;
  let at = 0, busy = false, ready = false, asked = 0;

  // ---- where judgments are kept: by the server, or by this browser

  const send = async (path, body) => {
    let answer;
    try {
      answer = await fetch(path, {
        method: body ? "POST" : "GET", redirect: "error", credentials: "omit",
        headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body),
      });
    } catch {
      throw new Error("The server does not respond. Restart carob judge, and open the address that it prints.");
    }
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };

  const server = () => {
    const known = new Map();
    const fetched = (number) => {
      if (!known.has(number)) {
        if (known.size > 50) known.delete(known.keys().next().value);
        const found = send(`documents/${number}`);
        known.set(number, found);
        found.catch(() => known.delete(number));
      }
      return known.get(number);
    };
    return {
      document: fetched,
      judge: (item, grade, note) => send("judgments", { item, grade, note }),
      withdraw: () => send("withdrawals", {}),
    };
  };

  const browser = () => {
    // By ids, since another page for the same judge may have other documents or another order.
    const key = `carob judge ${data.task} ${data.judge}`;
    const pairKey = (query, document) => JSON.stringify([query, document]);
    const pairOf = (number) => ({ query: data.queries[items[number].query].id, document: items[number].id });
    const keyOf = (number) => pairKey(...Object.values(pairOf(number)));
    const numbers = new Map(items.map((_, number) => [keyOf(number), number]));
    let kept = { done: [], name: "" };
    const read = () => {
      const text = localStorage.getItem(key);
      kept = text ? JSON.parse(text) : { done: [], name: "" };
      for (const item of items) delete item.grade, delete item.note;
      for (const { query, document, grade, note } of kept.done) {
        const number = numbers.get(pairKey(query, document));
        if (number !== undefined) Object.assign(items[number], { grade, note });
      }
    };
    const keep = () => {
      try {
        localStorage.setItem(key, JSON.stringify(kept));
      } catch {
        throw new Error("This browser cannot store the judgment. Save the judgments as a file now.");
      }
    };
    try {
      read();
    } catch {
      tell("This browser does not store judgments. Save the judgments as a file before you close the page.", true);
    }
    addEventListener("storage", (event) => {
      if (event.key === key) { read(); count(); show(at); }
    });
    $("export").hidden = false;
    $("who").hidden = Boolean(data.judge);
    $("name").value = kept.name;
    $("name").addEventListener("change", () => {
      kept.name = $("name").value.trim();
      try { keep(); } catch (error) { tell(error.message, true); }
    });
    const save = () => {
      const judge = data.judge || $("name").value.trim();
      const judgments = kept.done.filter((each) => numbers.has(pairKey(each.query, each.document)));
      const found = { carob: "judgments", task: data.task, judge, of: items.length, judgments };
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([JSON.stringify(found, null, 1)], { type: "application/json" }));
      link.download = `judgments${judge && "-"}${judge.replace(/[^\p{L}\p{N}]+/gu, "-")}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      tell(`The browser saved ${link.download} with ${judgments.length} of ${items.length} judgments.`);
    };
    $("export").addEventListener("click", save);
    return {
      document: async (number) => data.documents[number],
      judge: async (item, grade, note) => {
        kept.done = kept.done.filter((each) => pairKey(each.query, each.document) !== keyOf(item));
        kept.done.push({ ...pairOf(item), grade, note, time: new Date().toISOString() });
        keep();
      },
      withdraw: async () => {
        const own = kept.done.filter((each) => numbers.has(pairKey(each.query, each.document)));
        const last = own.pop();
        kept.done = kept.done.filter((each) => each !== last);
        keep();
        return { item: last ? numbers.get(pairKey(last.query, last.document)) : null };
      },
    };
  };

  // ---- what is shown

  const tell = (words, bad = false) => {
    $("status").textContent = words;
    $("status").classList.toggle("bad", bad);
  };

  const graded = (number) => items[number].grade !== undefined;
  const left = () => items.filter((_, number) => !graded(number)).length;

  const count = () => {
    const judged = items.length - left();
    $("count").textContent = `${judged} of ${items.length} judged`;
    $("progress").max = items.length;
    $("progress").value = judged;
  };

  const openAfter = (number) => {
    for (let step = 1; step <= items.length; step++) {
      const other = (number + step) % items.length;
      if (!graded(other)) return other;
    }
    return Math.min(number + 1, items.length - 1);
  };

  const mark = () => {
    const grade = items[at].grade;
    for (const button of $("grades").children) button.ariaPressed = String(Number(button.dataset.grade) === grade);
    $("next").firstChild.data = graded(at) ? "Next " : "Skip ";
    $("previous").disabled = at === 0;
    $("next").disabled = at === items.length - 1;
  };

  const show = async (number) => {
    const mine = ++asked, item = items[number], query = data.queries[item.query];
    at = number;
    ready = false;
    root.dataset.at = "";
    const own = items.filter((each) => each.query === item.query);
    $("query").textContent = query.text;
    $("more").textContent = query.details;
    $("details").hidden = !query.details;
    $("place").textContent =
      `Query ${query.label}, ${item.query + 1} of ${data.queries.length} · document ${own.indexOf(item) + 1} of ${own.length}`;
    $("note").value = item.note || "";
    for (const id of ["title", "text", "document-id"]) $(id).textContent = "";
    mark();
    let found;
    try {
      found = await store.document(number);
    } catch (error) {
      if (mine === asked) tell(error.message, true);
      return false;
    }
    if (mine !== asked) return false;
    $("title").textContent = found.title;
    $("title").hidden = !found.title;
    $("text").textContent = found.text;
    $("document-id").textContent = item.label;
    $("document").scrollTop = 0;
    scrollTo(0, 0);
    $("document").ariaLabel = `Document ${own.indexOf(item) + 1} of ${own.length} of the query ${query.text}`;
    $("document").focus({ preventScroll: true });
    ready = true;
    root.dataset.at = number;
    root.dataset.drawn = "yes";
    if (number + 1 < items.length) store.document(number + 1).catch(() => {});
    return true;
  };

  // ---- what a judge does

  const act = async (what) => {
    if (busy) return;
    busy = true;
    try {
      await what();
    } catch (error) {
      tell(`Not saved. ${error.message}`, true);
    } finally {
      busy = false;
    }
  };

  const judge = (grade) => act(async () => {
    if (!ready || !labels.has(grade)) return;
    const before = data.queries[items[at].query], note = $("note").value.trim();
    await store.judge(at, grade, note);
    Object.assign(items[at], { grade, note });
    count();
    const open = left();
    const saved = `Grade ${grade} saved.`;
    const next = openAfter(at), other = data.queries[items[next].query];
    if (!await show(next)) return;
    if (open) tell(`${saved} ${open} left.${before === other ? "" : ` New query: ${other.text}`}`);
    else tell(`${saved} All ${items.length} documents are judged. ${data.connected ? "You can close this page." : "Save the judgments as a file."}`);
  });

  const undo = () => act(async () => {
    const { item } = await store.withdraw();
    if (item === null) return tell("There is no judgment to withdraw.");
    for (const field of ["grade", "note"]) delete items[item][field];
    count();
    if (await show(item)) tell("The judgment of this document has been withdrawn.");
  });

  const noted = () => {
    if (graded(at) && $("note").value.trim() !== (items[at].note || "")) {
      const number = at, note = $("note").value.trim();
      act(async () => {
        await store.judge(number, items[number].grade, note);
        items[number].note = note;
        tell("The note has been saved.");
      });
    }
  };

  const move = (number) => {
    if (!busy && number >= 0 && number < items.length) { tell(""); show(number); }
  };

  const keys = {
    u: undo, Backspace: undo,
    ArrowLeft: () => move(at - 1), ArrowRight: () => move(at + 1), o: () => move(openAfter(at)),
    n: () => { if (!$("note-field").hidden) $("note").focus(); },
    g: () => { $("rules").open = !$("rules").open; },
    "?": () => { $("keys").open = !$("keys").open; },
    e: () => { if (!$("export").hidden) $("export").click(); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const writing = event.target.matches("input:not([type])");
    if (writing) {
      if (event.key === "Enter" || event.key === "Escape") { event.preventDefault(); $("document").focus(); }
      return;
    }
    if (!$("shortcuts").checked) return;
    // On a French keyboard, the keys of digits give digits only with Shift.
    const key = event.shiftKey ? null : /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
    const digit = /^[0-9]$/.test(event.key) ? event.key : key && key[1];
    if (!digit && !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    if (!digit) keys[event.key]();
    else if (labels.has(Number(digit))) judge(Number(digit));
    else tell(`There is no grade ${digit}.`);
  });

  for (const [grade, label] of data.grades) {
    const button = document.createElement("button"), key = document.createElement("kbd"), name = document.createElement("span");
    button.type = "button";
    button.dataset.grade = grade;
    key.textContent = grade;
    name.textContent = label;
    name.dir = "auto";
    button.append(key, name);
    button.addEventListener("click", () => judge(grade));
    $("grades").append(button);
  }
  $("previous").addEventListener("click", () => move(at - 1));
  $("next").addEventListener("click", () => move(at + 1));
  $("undo").addEventListener("click", undo);
  $("note").addEventListener("change", noted);
  $("note-field").hidden = !data.notes;
  $("guidelines").textContent = data.guidelines;
  $("rules").hidden = !data.guidelines;
  $("judge").textContent = data.judge && `Judge: ${data.judge}`;
  $("judge").hidden = !data.judge;

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = (theme) => {
    root.dataset.theme = theme;
    $("theme").ariaPressed = String(theme === "dark");
  };
  $("theme").addEventListener("click", () => paint(root.dataset.theme === "dark" ? "light" : "dark"));
  dark.addEventListener("change", () => paint(dark.matches ? "dark" : "light"));
  paint(root.dataset.theme);

  const store = data.connected ? server() : browser();
  count();
  show(graded(0) ? openAfter(0) : 0);
  if (!left()) tell(`All ${items.length} documents are judged.`);
})();
