/** The element that opens a dialog. An item of a menu is gone by then, so it stands for the button of its menu. */
export function findOpener(): Element | null {
  const focused = document.activeElement
  const label = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return label === null || label === undefined ? focused : document.getElementById(label)
}

const openers = new WeakMap<Element, Element>()

/** Remembers what opened a dialog, for a dialog within it that closes at the same time. */
export function rememberOpener(dialog: Element | null, opener: Element | null): void {
  if (dialog !== null && opener !== null) openers.set(dialog, opener)
}

/** The opener, or what opened the dialog that it was in, if that is gone. */
function findPresent(opener: Element | null): Element | null {
  if (opener === null || opener.isConnected) return opener
  const dialog = opener.closest('[role="dialog"]')
  return dialog === null ? null : findPresent(openers.get(dialog) ?? null)
}

/**
 * Returns the focus from a closed dialog to what opened it, or to the page if that is gone: without a focus, the
 * keyboard starts again at the top of the page. A focus that is elsewhere already, such as on the next page, stays.
 */
export function returnFocus(opener: Element | null): void {
  if (document.activeElement !== document.body) return
  const present = findPresent(opener)
  if (present instanceof HTMLElement && present !== document.body) present.focus({ preventScroll: true })
  if (document.activeElement === document.body) focusPage()
}

/** Moves the focus from a row that is about to disappear to the page. */
export function leaveFocus(row: Element | null): void {
  if (row?.contains(document.activeElement) === true) focusPage()
}

function focusPage(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}
