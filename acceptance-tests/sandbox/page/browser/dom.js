/** What the modules of the page need of the document. All that comes from data is set as text, never as HTML. */

/**
 * The element of the page with that id. Throws if there is none of that type.
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`the page has no ${type.name} "${id}"`);
}

/**
 * A new element; strings among the children become text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string>} attributes
 * @param {...(string | Node)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Sets text only where it differs, so that a selection or a screen reader is not disturbed.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Sets an attribute only where it differs.
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
export function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Makes the children of an element those of the items, in their order. The child of a key stays the same element, so that
 * it keeps the focus.
 * @template T
 * @template {Element} E
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {{ keyOf: (item: T) => string | number, make: (item: T) => E, update?: (child: E, item: T) => void }} means
 */
export function reconcile(parent, items, { keyOf, make, update }) {
  const old = new Map([...parent.children].map((child) => [child.getAttribute('data-key'), child]));
  const wanted = items.map((item) => {
    const key = String(keyOf(item));
    const child = /** @type {E} */ (old.get(key) ?? make(item));
    set(child, 'data-key', key);
    old.delete(key);
    update?.(child, item);
    return child;
  });
  for (const child of old.values()) child.remove();
  for (const [place, child] of wanted.entries())
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
}

/**
 * A number for people.
 * @param {number} number
 * @returns {string}
 */
export function figure(number) {
  return number.toLocaleString('en');
}

/**
 * A duration for people.
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
