const MAX_TEXT_CHARACTERS = 256

/** Text that callers or upstreams made, as long as a log keeps it. */
export function cutText(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_TEXT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_TEXT_CHARACTERS)}…`
}
