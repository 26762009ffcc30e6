/* Part of page.js, for pages with examples. */
const FIRST = 5;
const CHUNK = 40;
const SIDES = 2;
const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/* Examples: filtered here, drawn a chunk at a time. */
const csvField = (value) => {
  const text = value === null ? "" : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvOf = (data) => {
  const rows = [["id", "gold", "flips", "tags", ...data.fields, ...data.runs.map((run) => `prediction ${run}`)]];
  for (const item of data.items) {
    rows.push([item.id, item.gold, item.flips, item.tags.join(";"), ...item.texts, ...item.predictions]);
  }
  return rows.map((row) => row.map(csvField).join(",")).join("\n") + "\n";
};
const unpack = (raw) => {
  const label = (index) => (index < 0 ? null : raw.labels[index]);
  const predicted = (sign) => label(typeof sign === "string" ? LETTERS.indexOf(sign) : sign);
  raw.items = raw.items.map(([id, places, gold, predictions, tags]) => {
    const texts = places.map((place) => raw.texts[place]);
    const item = { id, texts, gold: label(gold), predictions: [...predictions].map(predicted), tags: tags.map((tag) => raw.tags[tag]) };
    const known = item.predictions.filter((prediction) => prediction !== null);
    item.flips = new Set(known).size > 1;
    item.wrong = item.gold !== null && known.length > 0 && known.every((prediction) => prediction !== item.gold);
    item.search = [id, ...texts].join("\n").toLowerCase();
    return item;
  });
  return raw;
};
const drawItem = (item, data) => {
  const entry = element("li");
  const head = element("p", "head");
  head.append(element("span", "id", item.id), ...item.tags.flatMap((tag) => [" ", element("span", "tag", tag)]));
  const list = element("dl");
  item.texts.forEach((text, index) => list.append(element("dt", "", data.fields[index]), element("dd", "", text)));
  list.append(element("dt", "", "gold"), element("dd", "", item.gold === null ? "–" : item.gold));
  const standing = (label) => (label === null || item.gold === null ? "" : label === item.gold ? "right" : "wrong");
  const shown = (label) => element("span", standing(label), label === null ? "–" : label);
  entry.append(head, list);
  if (data.runs.length <= SIDES) {
    item.predictions.forEach((label, index) => {
      const answer = element("dd", "runs");
      answer.append(shown(label));
      list.append(element("dt", "", data.runs[index]), answer);
    });
    return entry;
  }
  const runsOf = new Map();
  item.predictions.forEach((label, index) => runsOf.set(label, [...(runsOf.get(label) || []), data.runs[index]]));
  const groups = element("dd", "runs");
  for (const [label, runs] of [...runsOf].sort((a, b) => b[1].length - a[1].length)) {
    if (groups.childNodes.length) groups.append(element("br"));
    groups.append(shown(label), " ");
    groups.append(element("span", "run", `${runs.length} of ${data.runs.length}: ${runs.join(", ")}`));
  }
  list.append(element("dt", "", "predicted"), groups);
  return entry;
};
const browse = (figure) => {
  const data = unpack(JSON.parse(figure.querySelector("script.data").textContent));
  const form = figure.querySelector(".filters");
  const list = figure.querySelector(".items");
  const more = figure.querySelector(".more");
  let found = [];
  let drawn = 0;
  const drawMore = () => {
    const upTo = Math.min(found.length, drawn === 0 ? FIRST : drawn + CHUNK);
    list.append(...found.slice(drawn, upTo).map((item) => drawItem(item, data)));
    drawn = upTo;
    more.hidden = drawn >= found.length;
    figure.querySelector(".count").textContent = `${found.length} of ${data.items.length} items` + (drawn < found.length ? `, the first ${drawn} shown` : "");
  };
  const filter = () => {
    const which = form.elements.which.value;
    const tag = form.elements.tag.value;
    const wanted = form.elements.search.value.toLowerCase();
    found = data.items.filter((item) => (which === "all" || item[which]) && (tag === "" || item.tags.includes(tag)) && item.search.includes(wanted));
    drawn = 0;
    list.replaceChildren();
    drawMore();
  };
  for (const tag of [...data.tags].sort((a, b) => a.localeCompare(b, "en"))) {
    const option = element("option", "", tag);
    option.value = tag;
    form.elements.tag.append(option);
  }
  form.elements.tag.parentElement.hidden = data.tags.length === 0;
  if (!data.items.some((item) => item.flips)) form.elements.which.value = "all";
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", drawMore);
  const download = figure.querySelector(".download");
  download.hidden = false;
  download.addEventListener("click", () => {
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([csvOf(data)], { type: "text/csv;charset=utf-8" }));
    link.download = `${figure.id}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  filter();
};
for (const figure of document.querySelectorAll("figure.examples")) browse(figure);
