/** An apostrophe is not a quotation mark. It is inside a word or at its end. */
const opening = /(?<!\w)['"`“‘]/
const closing = /['"`”’](?!\w)/g
/** OpenAI names unknown fields without quoting them. */
const listed = /((?:argument|parameter|field)s? (?:supplied|received|found)):.*/is

/**
 * Removes the quotations from a provider's message. A caller controls the quoted text: a field's name or an ID could
 * otherwise make the message claim that our own credential is invalid.
 */
export function withoutQuotes(message: string): string {
  return leaveQuotesOut(message).replace(listed, '$1')
}

/**
 * Removes everything from the first quotation mark to the last, since the quoted text may itself contain quotation
 * marks.
 */
function leaveQuotesOut(message: string): string {
  const from = message.search(opening)
  if (from < 0) return message
  let to = -1
  for (const mark of message.slice(from + 1).matchAll(closing)) to = from + 1 + mark.index
  return to < 0 ? message : `${message.slice(0, from)}…${message.slice(to + 1)}`
}
