/**
 * Characters that make a terminal do something, or that show a text in another order than it has: control characters of
 * ASCII and of Latin-1 except tab and line feed, the separators of lines and paragraphs, and marks of direction
 * (https://www.unicode.org/reports/tr9/ and ECMA-48, seen 2026-11-22).
 */
const UNSAFE_IN_LINE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Replaces each unsafe character by its escape, such as `\u001b`, which means the same inside JSON. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, writeEscape)
}

/** Replaces tabs and line feeds too, so that a text from outside cannot start a line of its own. */
export function plainLine(text: string): string {
  return text.replace(UNSAFE_IN_LINE, writeEscape)
}

function writeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
