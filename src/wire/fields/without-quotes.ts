/** An apostrophe is not a quotation mark: it is within a word, or at its end. */
const opening = /(?<!\w)['"`“‘]/
const closing = /['"`”’](?!\w)/g
/** OpenAI names unknown fields without quoting them. */
const listed = /((?:argument|parameter|field)s? (?:supplied|received|found)):.*/is

/**
 * A provider's message without its quotations. A caller controls what is quoted: a field's name or an ID could
 * otherwise claim that our own credential is not valid.
 */
export function withoutQuotes(message: string): string {
  return leaveQuotesOut(message).replace(listed, '$1')
}

/** Removes everything from the first quotation mark to the last, since what is quoted may hold such marks. */
function leaveQuotesOut(message: string): string {
  const from = message.search(opening)
  if (from < 0) return message
  let to = -1
  for (const mark of message.slice(from + 1).matchAll(closing)) to = from + 1 + mark.index
  return to < 0 ? message : `${message.slice(0, from)}…${message.slice(to + 1)}`
}
