const MAX_LENGTH = 64
/** A product of a user agent with its version, as defined by RFC 9110, section 10.1.5 (seen 2026-11-24). */
const PRODUCT = /^[\w.+-]+(?:\/[\w.+-]+)?$/

/** Names the calling program by the first two words of its user agent, such as `OpenAI/JS 7.55.0`. */
export function nameClient(userAgent: string | readonly string[] | undefined): string | undefined {
  if (typeof userAgent !== 'string') return undefined
  const words = userAgent.slice(0, 2 * MAX_LENGTH).split(' ', 2)
  const products = words.filter((word) => PRODUCT.test(word))
  return products.length === 0 ? undefined : products.join(' ').slice(0, MAX_LENGTH)
}
