import type { WatchedWords } from './watched-words.ts'

export interface RawSpan {
  readonly nameStart: number
  /** The offset just after the closing quote of the name. */
  readonly nameEnd: number
  readonly valueStart: number
  readonly valueEnd: number
  /**
   * The number of elements of a list of texts. 0 for an empty list, for a list with any other element, and for any
   * other value.
   */
  readonly texts: number
}

export interface RawScan {
  readonly spans: readonly RawSpan[]
  readonly insertAt: number
  readonly fault: { readonly fault: RawFault; readonly offset: number } | undefined
  /** An estimate of the number of values in the text, from the commas and brackets outside strings. */
  readonly values: number
  /**
   * False where every number outside strings has so few digits, and so small an exponent, that a double can hold it.
   */
  readonly mayHoldWideNumber: boolean
  /** The watched words that the text may contain as a name or a type. All words where the text has a fault. */
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
  /** The depth of the deepest value. The outermost object has depth 1. */
  readonly depth: number
  readonly values: number
  readonly keysOfObject: number
}

/** Whether a JSON value can begin with this byte. */
export function looksLikeValue(byte: number): boolean {
  return '["-0123456789tfn'.includes(String.fromCharCode(byte))
}
