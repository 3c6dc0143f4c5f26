/** As nearly every server writes them. */
const COMMON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'text/event-stream',
  'text/event-stream; charset=utf-8',
])

/**
 * Whether a content type, in lower case, may be that of an answer. Servers leave it out, or call JSON and events plain
 * text; whatever names another type is no answer.
 */
export function isAnswerType(contentType: string): boolean {
  if (COMMON_TYPES.has(contentType)) return true
  const type = contentType.split(';', 1)[0]?.trim() ?? ''
  return type === '' || type.startsWith('text/') || /json|event-?stream/.test(type)
}
