/** Replaces the null character in a text, since PostgreSQL cannot store it. */
export function storedText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
}

export function storedTextOrNull(text: string | undefined): string | null {
  return text === undefined ? null : storedText(text)
}

/** The nearest whole number that a column can hold; 0 for `NaN`. */
export function storedNumber(value: number): number {
  if (Number.isNaN(value)) return 0
  return Math.round(Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
}

/** JSON in which every text can be stored in a column. */
export function storedJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'string') return storedText(part)
    return typeof part === 'number' ? storedNumber(part) : part
  })
}
