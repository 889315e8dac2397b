// Texts for the page.

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
export const escaped = value => String(value).replace(/[&<>"']/g, c => escapes[c]);

/// A template whose values are escaped; those that are lists are markup already.
export function html(parts, ...values) {
  return parts.reduce((text, part, n) => text + part + (n < values.length ? (Array.isArray(values[n]) ? values[n].join("") : escaped(values[n])) : ""), "");
}

/// Four significant digits.
export const number = value => value === null ? "–" : Number(value.toPrecision(4)).toLocaleString("en", {maximumSignificantDigits: 4});
export const percent = value => value === null ? "–" : `${(100 * value).toFixed(1)} %`;

export function seconds(value) {
  const units = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
  const [unit, size] = units.find(([, least]) => value >= least) || units.at(-1);
  return `${number(value / size)} ${unit}`;
}

export const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
