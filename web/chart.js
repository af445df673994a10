// chart.js - changes over time, as a bar chart (SVG) and as a table.
import { button, count, el, minute, remember, remembered, svg, when } from './dom.js';
import { get } from './server.js';

const KINDS = [['created', 'created'], ['updated', 'changed'],
  ['removed', 'removed'], ['other', 'other']];
const SPANS = [['day', '24 hours', 86400e3, 48], ['week', '7 days', 7 * 86400e3, 56],
  ['month', '30 days', 30 * 86400e3, 60]];
const HEIGHT = 112;
const FOOT = 20;
const LEFT = 34;
const GAP = 2;

const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const span = () => SPANS.find(([key]) => key === remembered('span', 'week')) ?? SPANS[1];
const total = (bucket) => KINDS.reduce((sum, [key]) => sum + (bucket[key] ?? 0), 0);

export function parts(bucket) {
  return KINDS.filter(([key]) => bucket[key])
    .map(([key, word]) => `${bucket[key]} ${word}`).join(', ') || 'nothing';
}

// The next round number: 1, 2, 5, 10, 20, 50 …
export function ceiling(n) {
  let unit = 1;
  while (unit * 10 < n) unit *= 10;
  return [1, 2, 5, 10].map((step) => step * unit).find((top) => top >= n) ?? 1;
}

// ---- the picture

function bars(bucket, x, width, scale) {
  let y = HEIGHT;
  return KINDS.filter(([key]) => bucket[key]).map(([key]) => {
    const height = Math.max(2, bucket[key] * scale);
    y -= height;
    return svg('rect', { class: `bar ${key}`, x, y, width, height, rx: 1 });
  });
}

// Ticks at days or round hours, as many as fit.
function moments(data, width) {
  const hours = (data.to - data.from) / 3600e3;
  const room = Math.max(2, Math.floor(width / 90));
  const step = [3, 6, 12, 24, 48, 72, 120, 168, 240].find((h) => hours / h <= room) ?? 336;
  const at = new Date(data.from);
  at.setHours(0, 0, 0, 0);
  const list = [];
  for (; at.getTime() < data.to; at.setHours(at.getHours() + step)) {
    if (at.getTime() > data.from) list.push(at.getTime());
  }
  return { list, label: (ms) => (step < 24 ? minute(ms) : SHORT_DAY.format(ms)) };
}

function axis(data, top, width) {
  const marks = [];
  const { list, label } = moments(data, width);
  for (const at of list) {
    const x = LEFT + (width - LEFT) * (at - data.from) / (data.to - data.from);
    marks.push(svg('line', { x1: x, x2: x, y1: HEIGHT, y2: HEIGHT + 4 }));
    const anchor = x > width - 24 ? 'end' : x < LEFT + 24 ? 'start' : 'middle';
    marks.push(svg('text', { x, y: HEIGHT + FOOT - 3, 'text-anchor': anchor },
      label(at)));
  }
  for (const [value, y] of [[top, 0.5], [0, HEIGHT + 0.5]]) {
    marks.push(svg('line', { x1: LEFT, x2: width, y1: y, y2: y }));
    marks.push(svg('text', { x: LEFT - 6, y: Math.max(9, y), 'text-anchor': 'end' },
      String(value)));
  }
  return marks;
}

function picture(data, width, choose) {
  const sum = data.buckets.reduce((all, bucket) => all + total(bucket), 0);
  const most = Math.max(1, ...data.buckets.map(total));
  const top = ceiling(most);
  const step = (width - LEFT) / data.buckets.length;
  const root = svg('svg', {
    width, height: HEIGHT + FOOT, viewBox: `0 0 ${width} ${HEIGHT + FOOT}`,
    role: 'img', 'aria-labelledby': 'chart-title chart-desc',
  },
  svg('title', { id: 'chart-title' }, 'Changes over time'),
  svg('desc', { id: 'chart-desc' }, `${count(sum, 'change')} from `
    + `${when(data.from)} to ${when(data.to)}; at most ${most} in one bar. `
    + 'The table below has the numbers.'),
  axis(data, top, width));
  data.buckets.forEach((bucket, i) => {
    const x = LEFT + i * step;
    root.append(svg('g', { class: total(bucket) ? 'bucket' : 'bucket none' },
      svg('title', {}, `${when(bucket.time)}: ${parts(bucket)}`),
      svg('rect', {
        class: 'hit', x, y: 0, width: step, height: HEIGHT,
        onclick: () => total(bucket) && choose(i),
      }),
      bars(bucket, x + GAP / 2, Math.max(1, step - GAP), (HEIGHT - 4) / top)));
  });
  return root;
}

// ---- the table

function table(data, choose) {
  const rows = data.buckets.map((bucket, i) => [bucket, i])
    .filter(([bucket]) => total(bucket));
  if (!rows.length) return el('p', { class: 'note' }, 'No changes in this period.');
  return el('table', { class: 'numbers' },
    el('caption', { class: 'vh' }, 'Changes over time'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'From'),
      KINDS.map(([, word]) => el('th', { scope: 'col' }, word)),
      el('th', { scope: 'col' }, 'List'))),
    el('tbody', {}, rows.map(([bucket, i]) => el('tr', {},
      el('th', { scope: 'row' }, `${SHORT_DAY.format(bucket.time)}, ${minute(bucket.time)}`),
      KINDS.map(([key]) => el('td', {}, String(bucket[key] ?? 0))),
      el('td', {}, button('Show', () => choose(i),
        { 'aria-label': `Show the changes from ${when(bucket.time)} on` }))))));
}

// ---- the chart

// which() returns the filters of the list.
export function chart(box, onchoose, which) {
  let data;
  const canvas = el('div', { class: 'canvas' });
  const numbers = el('details', {}, el('summary', {}, 'As a table'));
  const spans = el('div', { class: 'switch', role: 'group', 'aria-label': 'Time shown' },
    SPANS.map(([key, words]) => button(words, () => {
      remember('span', key);
      refresh();
    }, { 'data-span': key })));
  const legend = el('ul', { class: 'plain legend', 'aria-hidden': 'true' },
    KINDS.map(([key, word]) => el('li', { class: key }, word)));
  box.append(el('div', { class: 'chart-head' }, legend, spans), canvas, numbers);

  const choose = (i) => onchoose(data.buckets[i].time,
    data.buckets[i + 1]?.time ?? data.to);
  const draw = () => {
    const width = Math.floor(canvas.clientWidth);
    if (!data || width < 80) return;
    canvas.replaceChildren(picture(data, width, choose));
    numbers.replaceChildren(numbers.firstChild, table(data, choose));
  };
  async function refresh() {
    const [key, , length, buckets] = span();
    for (const one of spans.children) {
      one.setAttribute('aria-pressed', String(one.dataset.span === key));
    }
    const until = Date.now();
    data = await get('/api/chart', { ...which(), since: until - length, until, buckets });
    draw();
  }
  let seen = 0;
  new ResizeObserver(() => {
    if (canvas.clientWidth === seen) return;
    seen = canvas.clientWidth;
    draw();
  }).observe(canvas);
  return { refresh: () => refresh().catch(() => {}) };
}
