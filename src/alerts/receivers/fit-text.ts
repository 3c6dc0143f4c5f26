/** The text at the length that a receiver takes, in UTF-16 units; what is cut off is marked by an ellipsis. */
export function fitText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  // Half of a surrogate pair is no text.
  const end = /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 2)) ? maxCharacters - 2 : maxCharacters - 1
  return `${text.slice(0, end)}…`
}
