import type { WatchedWords } from './watched-words.ts'

export interface RawSpan {
  readonly nameStart: number
  /** Offset just after the closing quote of the name. */
  readonly nameEnd: number
  readonly valueStart: number
  readonly valueEnd: number
  /** The texts of a list of texts; 0 for an empty list, for one that holds anything else, and for any other value. */
  readonly texts: number
}

export interface RawScan {
  readonly spans: readonly RawSpan[]
  readonly insertAt: number
  readonly fault: { readonly fault: RawFault; readonly offset: number } | undefined
  /** An estimate of the values in the text: its commas and brackets, those inside strings aside. */
  readonly values: number
  /** False where no number outside strings has so many digits, or so great a power, that a double may not hold it. */
  readonly mayHoldWideNumber: boolean
  /** The words that the text may hold as a name or a type. All of them where it has a fault. */
  readonly words: WatchedWords
}

export type RawFault =
  | 'invalid-json'
  | 'not-object'
  | 'too-deep'
  | 'too-many-values'
  | 'too-many-keys'
  | 'long-number'

export interface ScanLimits {
  /** The outermost object is depth 1. */
  readonly depth: number
  readonly values: number
  readonly keysOfObject: number
}

/** Whether a value of JSON can begin with this byte. */
export function looksLikeValue(byte: number): boolean {
  return '["-0123456789tfn'.includes(String.fromCharCode(byte))
}
