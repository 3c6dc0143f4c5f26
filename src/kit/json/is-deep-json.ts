import { MAX_BODY_DEPTH } from './body-bytes.ts'
import { hasMoreBrackets } from './scan-object.ts'

/**
 * Whether JSON in a text nests deeper than a body may. Only brackets outside strings are read, so the text need not be
 * valid JSON.
 */
export function isDeepJson(text: string): boolean {
  // Nearly every text has few brackets, and need not be read character by character.
  if (!hasMoreBrackets(text, MAX_BODY_DEPTH)) return false
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
    if (depth > MAX_BODY_DEPTH) return true
  }
  return false
}
