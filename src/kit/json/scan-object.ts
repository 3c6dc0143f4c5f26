import type { BodyBytes } from './body-bytes.ts'
import type { RawFault } from './raw-scan.ts'

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
  | { readonly fault: RawFault; readonly offset: number }
  | { readonly fault: 'duplicate'; readonly offset: number; readonly name: string }

/**
 * Finds the members of the outermost object without building any value. What the scan accepts is JSON (RFC 8259) where
 * its bytes are UTF-8.
 */
export function scanObject(body: BodyBytes): ScannedObject | ScanFault {
  const { fault, spans, insertAt } = body.inspection.scan
  if (fault !== undefined) return fault
  const members = new Map<string, MemberSpan>()
  for (const { nameStart, nameEnd, valueStart, valueEnd } of spans) {
    const name = readName(body, nameStart, nameEnd)
    if (name === undefined) return { fault: 'invalid-json', offset: nameStart }
    const folded = foldName(name)
    if (members.has(folded)) return { fault: 'duplicate', offset: nameStart, name }
    members.set(folded, { name, nameStart, valueStart, valueEnd })
  }
  return { members, insertAt }
}

/** Letter case folded as the laxest JSON readers do it: `MODEL` counts as `model`, the Kelvin sign as `k`, the long s as `s`. */
export function foldName(name: string): string {
  if (isLowerAscii(name)) return name
  return name.toLowerCase().toUpperCase().toLowerCase()
}

/** As nearly every name is written. */
function isLowerAscii(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index)
    if (unit > 0x7f || (unit >= 0x41 && unit <= 0x5a)) return false
  }
  return true
}

function readName(body: BodyBytes, start: number, end: number): string | undefined {
  const inner = body.text(start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  try {
    return JSON.parse(`"${inner}"`)
  } catch {
    return undefined
  }
}
