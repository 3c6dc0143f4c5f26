/**
 * The depth limit of a body. A value that is parsed from a text and written again must not be deeper than a body may
 * be.
 */
export const MAX_TEXT_DEPTH = 64

const OPENING = /[[{]/g

/**
 * Whether JSON in a text nests deeper than 64 levels. Only brackets outside strings are read, so the text need not be
 * valid JSON.
 */
export function isDeepJson(text: string): boolean {
  if (!holdsMany(text)) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at += 1
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > MAX_TEXT_DEPTH) return true
  }
  return false
}

/** Nearly every text has fewer opening brackets than the limit, and need not be read character by character. */
function holdsMany(text: string): boolean {
  let count = 0
  for (const _bracket of text.matchAll(OPENING)) {
    count += 1
    if (count > MAX_TEXT_DEPTH) return true
  }
  return false
}
