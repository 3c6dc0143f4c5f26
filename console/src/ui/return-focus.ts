/** The element that opens a dialog. An item of a menu is gone by then, so it stands for the button of its menu. */
export function findOpener(): Element | null {
  const focused = document.activeElement
  const label = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  return label === null || label === undefined ? focused : document.getElementById(label)
}

/**
 * Returns the focus from a closed dialog to what opened it, or to the page if that is gone: without a focus, the
 * keyboard starts again at the top of the page. A focus that is elsewhere already, such as on the next page, stays.
 */
export function returnFocus(opener: Element | null): void {
  if (document.activeElement !== document.body) return
  if (opener instanceof HTMLElement && opener !== document.body) opener.focus({ preventScroll: true })
  if (document.activeElement === document.body) focusPage()
}

/** Moves the focus from a row that is about to disappear to the page. */
export function leaveFocus(row: Element | null): void {
  if (row?.contains(document.activeElement) === true) focusPage()
}

function focusPage(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}
