import type { FormatId } from '../canonical/format.ts'
import type { Provider } from '../providers/provider.ts'

/**
 * Request headers that go on to a channel of the same format, unchanged. An open list of beta names is part of the
 * messages format: header and body travel as a pair, or the upstream refuses the body.
 */
const forwardedByFormat: Readonly<Record<FormatId, readonly string[]>> = {
  chat: ['openai-beta'],
  messages: ['anthropic-version', 'anthropic-beta'],
}

/** The caller's headers that may pass, of the format's and the provider's lists; nothing else ever does. */
export function forwardHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  format: FormatId,
  provider: Provider,
): Record<string, string> {
  const forwarded: Record<string, string> = {}
  for (const name of [...forwardedByFormat[format], ...(provider.forwardHeaders ?? [])]) {
    const value = headers[name]
    if (typeof value === 'string') forwarded[name] = value
    else if (value !== undefined) forwarded[name] = value.join(', ')
  }
  return forwarded
}
