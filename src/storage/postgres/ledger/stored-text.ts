/** The text as a column can hold it: PostgreSQL has no place for the character of the number zero. */
export function storedText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
}

export function storedTextOrNull(text: string | undefined): string | null {
  return text === undefined ? null : storedText(text)
}

/** The nearest whole number that a column holds; 0 for what is no number. */
export function storedNumber(value: number): number {
  if (Number.isNaN(value)) return 0
  return Math.round(Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
}

/** JSON whose texts a column can hold. */
export function storedJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'string') return storedText(part)
    return typeof part === 'number' ? storedNumber(part) : part
  })
}
