import type { Exchange } from '../exchange/exchange.ts'

/** The assumed number of bytes in a token. Most texts have more, so the estimate is rather too high. */
const BYTES_A_TOKEN = 3

/** Estimates the tokens of a text from its bytes. The result is higher than the count of most texts. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN)
}

export interface MeasuredInput {
  /** An estimate of the length that is higher than that of most texts, whose tokens have about four bytes. */
  readonly likelyTokens: number
  /** The upper bound, since a token has at least one byte. Undefined where the model reads more than the bytes. */
  readonly maxTokens: number | undefined
}

/** Measures a request's input only by its bytes, so that nothing has to wait until the input is read. */
export function measureInput(exchange: Exchange, readsMore: boolean, repeatedBytes = 0): MeasuredInput {
  const length = exchange.callerRequest.body.length + repeatedBytes
  return {
    likelyTokens: estimateTokens(length),
    maxTokens: readsMore ? undefined : length,
  }
}
