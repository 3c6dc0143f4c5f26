/** Copies a text. Resolves with whether it is in the clipboard now. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Browsers have that clipboard on secure pages alone; a console on a plain-HTTP address uses the older way.
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
  // Within an open dialog, since focus may not leave it.
  const parent = document.querySelector('[role="dialog"]') ?? document.body
  parent.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
