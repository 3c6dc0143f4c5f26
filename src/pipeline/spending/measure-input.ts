import type { Exchange } from '../exchange/exchange.ts'

/** Most texts have more, so that the estimate is rather too high. */
const BYTES_A_TOKEN = 3

export interface MeasuredInput {
  /** An estimate of the length, above what most texts have: a token of theirs has about four bytes. */
  readonly likelyTokens: number
  /** The upper bound: a token has a byte at least. Undefined where more than the bytes is read. */
  readonly maxTokens: number | undefined
}

/** Measures a request's input by its bytes alone: nobody waits until it is read. */
export function measureInput(exchange: Exchange, readsMore: boolean, repeatedBytes = 0): MeasuredInput {
  const length = exchange.callerRequest.body.length + repeatedBytes
  return {
    likelyTokens: Math.ceil(length / BYTES_A_TOKEN),
    maxTokens: readsMore ? undefined : length,
  }
}
