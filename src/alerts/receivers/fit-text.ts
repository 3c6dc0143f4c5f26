/** Shortens a text to the maximum length of the receiver, in UTF-16 units. An ellipsis marks the cut. */
export function fitText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  // The cut must not split a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 2)) ? maxCharacters - 2 : maxCharacters - 1
  return `${text.slice(0, end)}…`
}
