// words.js - which words of a changed line have changed. Text in, text out.

const TOKEN = /[\p{L}\p{N}_]+|[^\S\n]+|[^]/gu;
const MOST_CELLS = 160000; // with more, the whole middle counts as changed
const MOST_PAIRS = 1600;
const ALIKE = 0.4;

export const tokens = (text) => text.match(TOKEN) ?? [];

// How many tokens two lists share at both ends.
function ends(a, b) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head
    && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

// The longest common subsequence: for each token, whether it stays.
function common(a, b) {
  const stays = [new Array(a.length).fill(false), new Array(b.length).fill(false)];
  const { head, tail } = ends(a, b);
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  for (let i = 0; i < head; i++) stays[0][i] = stays[1][i] = true;
  for (let i = 1; i <= tail; i++) {
    stays[0][a.length - i] = stays[1][b.length - i] = true;
  }
  if (!n || !m || n * m > MOST_CELLS) return stays;
  const width = m + 1;
  const best = new Uint16Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let k = m - 1; k >= 0; k--) {
      best[i * width + k] = a[head + i] === b[head + k]
        ? best[(i + 1) * width + k + 1] + 1
        : Math.max(best[(i + 1) * width + k], best[i * width + k + 1]);
    }
  }
  for (let i = 0, k = 0; i < n && k < m;) {
    if (a[head + i] === b[head + k]) {
      stays[0][head + i++] = stays[1][head + k++] = true;
    } else if (best[(i + 1) * width + k] >= best[i * width + k + 1]) i++;
    else k++;
  }
  return stays;
}

// Runs of [text, changed]. Whitespace between two changed words is marked as well:
// few long marks are easier to read than many short ones.
function runs(list, stays) {
  const changed = stays.map((stay, i) => !stay
    || (/^\s+$/.test(list[i]) && i > 0 && i < list.length - 1
      && !stays[i - 1] && !stays[i + 1]));
  const out = [];
  list.forEach((token, i) => {
    const last = out.at(-1);
    if (last && last[1] === changed[i]) last[0] += token;
    else out.push([token, changed[i]]);
  });
  return out;
}

// Two lines as runs.
export function compare(before, after) {
  const a = tokens(before);
  const b = tokens(after);
  const [left, right] = common(a, b);
  return [runs(a, left), runs(b, right)];
}

// 0 to 1: the share of common non-blank tokens of two lines, in any order. Fast,
// because each line of a block is compared with each other.
export function likeness(before, after) {
  const counts = new Map();
  let all = 0;
  let same = 0;
  const solid = (text) => tokens(text).filter((token) => /\S/.test(token));
  for (const token of solid(before)) {
    counts.set(token, (counts.get(token) ?? 0) + 1);
    all += token.length;
  }
  for (const token of solid(after)) {
    const left = counts.get(token) ?? 0;
    if (left > 0) {
      same += token.length;
      counts.set(token, left - 1);
    }
    all += token.length;
  }
  if (!all) return before === after ? 1 : ALIKE;
  return 2 * same / all;
}

// Pairs of removed and added lines, in order: [[0, 1], ...], with the maximum total
// similarity.
export function pair(removed, added) {
  const n = removed.length;
  const m = added.length;
  if (n * m > MOST_PAIRS) {
    return Array.from({ length: Math.min(n, m) }, (_, i) => [i, i])
      .filter(([i, k]) => likeness(removed[i], added[k]) >= ALIKE);
  }
  const like = removed.map((a) => added.map((b) => {
    const score = likeness(a, b);
    return score >= ALIKE ? score : 0;
  }));
  const best = Array.from({ length: n + 1 }, () => new Float64Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let k = m - 1; k >= 0; k--) {
      best[i][k] = Math.max(best[i + 1][k], best[i][k + 1],
        like[i][k] ? best[i + 1][k + 1] + like[i][k] : 0);
    }
  }
  const pairs = [];
  for (let i = 0, k = 0; i < n && k < m;) {
    if (like[i][k] && best[i][k] === best[i + 1][k + 1] + like[i][k]) {
      pairs.push([i++, k++]);
    } else if (best[i][k] === best[i + 1][k]) i++;
    else k++;
  }
  return pairs;
}
