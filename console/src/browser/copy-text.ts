/** Copies a text. Resolves with whether the clipboard now has it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Browsers offer the clipboard API only on secure pages. A console on plain HTTP uses the older way.
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.setAttribute('aria-hidden', 'true')
  field.className = 'fixed opacity-0'
  // The element goes into the dialog on top, which would take the focus back from everything outside of it.
  const parent = [...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document.body
  parent.append(field)
  field.select()
  // Without the focus, the browser would copy another selection, or nothing, and still say that it did.
  const isCopied = document.activeElement === field && document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
