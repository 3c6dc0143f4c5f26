import { type Exchange, isTokenCount } from '../exchange/exchange.ts'

/** The assumed number of bytes in a token. Most texts have more, so the estimate is rather too high. */
const BYTES_A_TOKEN = 3

/** Estimates the tokens of a text from its bytes. The result is higher than the count of most texts. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN)
}

/**
 * Estimates the tokens of a request's input by its bytes alone, so that nothing has to wait until the input is read. A
 * model does not read the input of a token count.
 */
export function estimateRequestTokens(exchange: Exchange): number {
  return isTokenCount(exchange) ? 0 : estimateTokens(exchange.callerRequest.body.length)
}
