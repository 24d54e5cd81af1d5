// The numbers of the data block, by pair, run and query.

const data = JSON.parse(document.getElementById("carob-data").textContent);
const runs = data.names.map((_, place) => place);
// A single run is shown by itself: it is A, and there is no B.
const alone = runs.length === 1;
const state = { measure: 0, a: data.pair[0], b: data.pair[1], order: alone ? "hard" : "wins", query: null, group: null };

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// [measures][runs][queries], little-endian; the first measures only, where queries are many.
const values = (() => {
  const raw = new DataView(bytes(data.values.data).buffer);
  const numbers = new Float32Array(raw.byteLength / 4);
  for (let place = 0; place < numbers.length; place += 1) numbers[place] = raw.getFloat32(4 * place, true);
  return numbers;
})();

const isKept = (measure) => measure < data.values.measures;
// The measure whose values are shown where those of the chosen one are not kept.
const keptMeasure = () => (isKept(state.measure) ? state.measure : 0);

function valuesOf(measure, run) {
  const queries = data.queries.length;
  const start = (measure * runs.length + run) * queries;
  return isKept(measure) ? values.subarray(start, start + queries) : new Float32Array(0);
}

const places = [];

// The row of each pair of runs, in both orders.
function placesOf(measure) {
  if (!places[measure]) {
    places[measure] = new Array(runs.length ** 2);
    for (const row of data.contests[measure].pairs) {
      places[measure][row[0] * runs.length + row[1]] = row;
      places[measure][row[1] * runs.length + row[0]] = row;
    }
  }
  return places[measure];
}

// The pair a minus b, turned where the report has b minus a; undefined if it was not tested.
function pairOf(measure, a, b) {
  const fields = ["difference", "low", "high", "d_z", "wins", "ties", "losses", "adjusted", "p_said", "adjusted_said", "detectable", "identical", "joint_low", "joint_high"];
  const row = placesOf(measure)[a * runs.length + b];
  if (row) {
    const found = Object.fromEntries(fields.map((field, place) => [field, row[place + 2]]));
    if (row[0] === a) return found;
    if (row[0] === b) {
      const minus = (value) => (value === null ? null : -value);
      return { ...found, difference: minus(found.difference), low: minus(found.high), high: minus(found.low),
        joint_low: minus(found.joint_high), joint_high: minus(found.joint_low),
        d_z: minus(found.d_z), wins: found.losses, losses: found.wins };
    }
  }
  return undefined;
}

const isSure = (pair) => Boolean(pair) && !pair.identical && pair.adjusted !== null && pair.adjusted < data.alpha;

// Each query on which both runs have a value; the difference of a single run is its value.
function differences(measure, a, b) {
  const ours = valuesOf(measure, a);
  const theirs = alone ? ours.map((value) => 0 * value) : valuesOf(measure, b);
  const rows = [];
  ours.forEach((value, query) => {
    const difference = value - theirs[query];
    if (!Number.isNaN(difference)) rows.push({ query, a: value, b: theirs[query], difference, role: side(difference) });
  });
  return rows;
}

const side = (difference) => (difference > 0 ? "a" : difference < 0 ? "b" : "other");
const roleOf = (run) => (run === state.a ? "a" : run === state.b ? "b" : "other");

function quantile(sorted, share) {
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.ceil(place);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);
const minus = (text) => text.replace("-", "−");
// A count has no decimals.
const decimals = () => data.contests[state.measure].digits;
const number = (value, digits = decimals()) => (known(value) ? minus(value.toFixed(digits)) : "–");
const signed = (value, digits = decimals()) =>
  known(value) ? (value > 0 ? "+" : value < 0 ? "" : "±") + number(value, digits) : "–";
