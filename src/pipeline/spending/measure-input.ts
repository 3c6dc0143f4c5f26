import type { Exchange } from '../exchange/exchange.ts'

/** Most texts have more, so that the estimate is rather too high. */
const BYTES_A_TOKEN = 3

/** An estimate of the tokens of a text by its bytes, above what most texts have. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN)
}

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
    likelyTokens: estimateTokens(length),
    maxTokens: readsMore ? undefined : length,
  }
}
