/** How much JSON may hold, whatever its size. */
export interface JsonBounds {
  readonly depth: number
  /** Members and elements, those of inner objects and arrays included. */
  readonly values: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Which bound a JSON text exceeds, before anything of it becomes objects. Text that is not JSON may pass; parsing
 * refuses it. Each level takes two bytes, so a text that is short enough is not looked at.
 */
export function findExceeded(text: string, { depth, values }: JsonBounds): keyof JsonBounds | undefined {
  if (text.length <= 2 * depth && text.length <= values) return undefined
  let level = 0
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COMMA:
        count += 1
        if (count > values) return 'values'
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        level += 1
        count += 1
        if (level > depth) return 'depth'
        if (count > values) return 'values'
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        level -= 1
    }
  }
  return undefined
}

/** Where the string that begins at `from` ends; the text's end where it does not. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((at - escapes) % 2 === 0) return at
  }
  return text.length
}
