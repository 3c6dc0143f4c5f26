/** Of what a provider says of a request that is too long, no number below this is a count of tokens worth going by. */
const LEAST_TOKENS = 256
const MOST_TOKENS = 1_000_000_000

/**
 * The largest count that an error's words name: the model's window, or what the request had, whichever is more.
 * Such as "maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens" (chat format) or
 * "prompt is too long: 210000 tokens > 200000 maximum" (messages format), both seen 2026-11-20.
 */
export function findStatedTokens(words: string | undefined): number | undefined {
  let most: number | undefined
  for (const [text] of (words ?? '').slice(0, 2_000).matchAll(/\d[\d,_]*/g)) {
    const count = Number(text.replace(/[,_]/g, ''))
    if (count >= LEAST_TOKENS && count <= MOST_TOKENS && count > (most ?? 0)) most = count
  }
  return most
}
