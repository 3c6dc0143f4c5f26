import { endOfString } from './wide-numbers.ts'

/** How much JSON may hold, whatever its size. */
export interface JsonBounds {
  readonly depth: number
  /** Members and elements, those of inner objects and arrays included. */
  readonly values: number
  /** Objects and arrays among the values, each of which takes many times what a number takes. */
  readonly containers?: number
}

const OTHER = 0
const QUOTE = 1
const COMMA = 2
const OPEN = 3
const CLOSE = 4

/** By the character's code: nearly all of a long text is others, so that they take one look each. */
const kinds = new Uint8Array(0x10000)
for (const [character, kind] of [
  ['"', QUOTE],
  [',', COMMA],
  ['[', OPEN],
  ['{', OPEN],
  [']', CLOSE],
  ['}', CLOSE],
] as const) {
  kinds[character.charCodeAt(0)] = kind
}

/**
 * Which bound a JSON text exceeds, before anything of it becomes objects. Text that is not JSON may pass; parsing
 * refuses it. Each level takes two bytes, so a text that is short enough is not looked at.
 */
export function findExceeded(
  text: string,
  { depth, values, containers = values }: JsonBounds,
): keyof JsonBounds | undefined {
  if (text.length <= 2 * depth && text.length <= Math.min(values, containers)) return undefined
  let level = 0
  let commas = 0
  let opened = 0
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)]
    if (kind === OTHER) continue
    if (kind === QUOTE) at = endOfString(text, at)
    else if (kind === CLOSE) level -= 1
    else {
      if (kind === COMMA) commas += 1
      else {
        level += 1
        opened += 1
        if (level > depth) return 'depth'
        if (opened > containers) return 'containers'
      }
      if (commas + opened > values) return 'values'
    }
  }
  return undefined
}
