/** From the first quotation mark to the last, since what is quoted may hold such marks; an apostrophe is none. */
const quoted = /(?<!\w)['"`“‘].*['"`”’](?!\w)/s
/** OpenAI tells names of unknown fields without quoting them. */
const listed = /((?:argument|parameter|field)s? (?:supplied|received|found)):.*/is

/**
 * A provider's words without what they quote. A caller chooses what is quoted: a field's name or an id could otherwise
 * say that our own credential is not valid.
 */
export function withoutQuotes(message: string): string {
  return message.replace(quoted, '…').replace(listed, '$1')
}
