/** A member of the outermost object of a JSON text, as offsets into its bytes. */
export interface MemberSpan {
  /** The name, unescaped. */
  readonly name: string
  /** Offset of the opening quote of the name. */
  readonly nameStart: number
  readonly valueStart: number
  /** Offset just after the value. */
  readonly valueEnd: number
}

export interface ScannedObject {
  /** By name, letter case folded away. */
  readonly members: ReadonlyMap<string, MemberSpan>
  /** Offset just after the opening brace. */
  readonly insertAt: number
}

export type ScanFault =
  | { readonly fault: 'invalid-json'; readonly offset: number }
  | { readonly fault: 'not-object'; readonly offset: number }
  | { readonly fault: 'too-deep'; readonly offset: number }
  | { readonly fault: 'duplicate'; readonly offset: number; readonly name: string }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/**
 * How far a string is walked before it is searched natively. A native search costs as much as walking some 30 bytes,
 * so it must not be called for each quote of text that is full of them.
 */
const WALKED_BYTES = 24

/**
 * Finds the members of the outermost object without building any value: strings are skipped, brackets counted and
 * matched. Numbers and words inside values are not checked.
 */
export function scanObject(bytes: Buffer, maxDepth: number): ScannedObject | ScanFault {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) {
    return { fault: looksLikeValue(bytes[at]) ? 'not-object' : 'invalid-json', offset: at }
  }
  const insertAt = at + 1
  const members = new Map<string, MemberSpan>()
  at = skipSpace(bytes, insertAt)
  if (bytes[at] === CLOSE_BRACE) return endOfText(bytes, at + 1, { members, insertAt })
  for (;;) {
    const nameStart = at
    if (bytes[at] !== QUOTE) return invalid(at)
    const nameEnd = endOfString(bytes, at)
    if (nameEnd === -1) return invalid(at)
    const name = readName(bytes, nameStart, nameEnd)
    if (name === undefined) return invalid(at)
    at = skipSpace(bytes, nameEnd)
    if (bytes[at] !== COLON) return invalid(at)
    const valueStart = skipSpace(bytes, at + 1)
    const valueEnd = endOfValue(bytes, valueStart, maxDepth)
    if (typeof valueEnd !== 'number') return valueEnd
    const folded = foldName(name)
    if (members.has(folded)) return { fault: 'duplicate', offset: nameStart, name }
    members.set(folded, { name, nameStart, valueStart, valueEnd })
    at = skipSpace(bytes, valueEnd)
    if (bytes[at] === CLOSE_BRACE) return endOfText(bytes, at + 1, { members, insertAt })
    if (bytes[at] !== COMMA) return invalid(at)
    at = skipSpace(bytes, at + 1)
  }
}

/** Letter case folded as the laxest JSON readers do it: `model`, `MODEL` and `ｍodel`'s like do not slip past. */
export function foldName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
  if (/^[\x00-\x7f]*$/.test(name)) return name.toLowerCase()
  return name.toLowerCase().toUpperCase().toLowerCase()
}

function invalid(offset: number): ScanFault {
  return { fault: 'invalid-json', offset }
}

function endOfText(bytes: Buffer, at: number, scanned: ScannedObject): ScannedObject | ScanFault {
  const end = skipSpace(bytes, at)
  return end === bytes.length ? scanned : invalid(end)
}

function looksLikeValue(byte: number | undefined): boolean {
  return byte !== undefined && '["-0123456789tfn'.includes(String.fromCharCode(byte))
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
  }
  return at
}

function readName(bytes: Buffer, start: number, end: number): string | undefined {
  const inner = bytes.toString('utf8', start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  try {
    return JSON.parse(`"${inner}"`)
  } catch {
    return undefined
  }
}

/** Offset just after the closing quote, or -1. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  for (;;) {
    const walkTo = Math.min(bytes.length, at + WALKED_BYTES)
    while (at < walkTo) {
      const byte = bytes[at]
      if (byte === QUOTE) return at + 1
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return -1
    if (!isEscaped(bytes, quote, at)) return quote + 1
    at = quote + 1
  }
}

/** Whether an odd number of backslashes, none before `from`, leads up to this offset. */
function isEscaped(bytes: Buffer, offset: number, from: number): boolean {
  let at = offset - 1
  while (at >= from && bytes[at] === BACKSLASH) at -= 1
  return (offset - 1 - at) % 2 === 1
}

/** Offset just after the value that starts here. */
function endOfValue(bytes: Buffer, start: number, maxDepth: number): number | ScanFault {
  const first = bytes[start]
  if (first === QUOTE) {
    const end = endOfString(bytes, start)
    return end === -1 ? invalid(start) : end
  }
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(bytes, start, maxDepth)
  const end = endOfScalar(bytes, start)
  return end === start ? invalid(start) : end
}

function endOfScalar(bytes: Buffer, start: number): number {
  let at = start
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const isScalarByte =
      (byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      byte === 0x2d ||
      byte === 0x2b ||
      byte === 0x2e ||
      byte === 0x45
    if (!isScalarByte) break
  }
  return at
}

function endOfNested(bytes: Buffer, start: number, maxDepth: number): number | ScanFault {
  // The outermost object is depth 1, so a nested value starts at depth 2.
  const closers: number[] = []
  let at = start
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      const end = endOfString(bytes, at)
      if (end === -1) return invalid(at)
      at = end
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      closers.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)
      if (closers.length + 1 > maxDepth) return { fault: 'too-deep', offset: at }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (closers.pop() !== byte) return invalid(at)
      if (closers.length === 0) return at + 1
    }
    at += 1
  }
  return invalid(at)
}
