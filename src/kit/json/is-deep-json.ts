/** The greatest depth of a body: what is written anew from a text must not be deeper than what could have been sent. */
export const MAX_TEXT_DEPTH = 64

const OPENING = /[[{]/g

/** Whether JSON in a text nests deeper than 64 levels. Looks at brackets outside strings alone; any text will do. */
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

/** Nearly every text opens fewer brackets than that, and need not be looked at one character after the other. */
function holdsMany(text: string): boolean {
  let count = 0
  for (const _bracket of text.matchAll(OPENING)) {
    count += 1
    if (count > MAX_TEXT_DEPTH) return true
  }
  return false
}
