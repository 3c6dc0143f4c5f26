import type { FormatId } from '../../canonical/format.ts'
import type { Provider } from '../../providers/provider.ts'

/**
 * Request headers that go on to a channel of the same format, unchanged. An open list of beta names is part of the
 * messages format: header and body travel as a pair, or the upstream refuses the body.
 */
const forwardedByFormat: Readonly<Record<FormatId, readonly string[]>> = {
  chat: ['openai-beta'],
  responses: ['openai-beta'],
  messages: ['anthropic-version', 'anthropic-beta'],
  gemini: [],
}

/** The caller's headers that may pass, of the format's and the provider's lists; nothing else ever does. */
export function forwardHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  format: FormatId,
  provider: Provider,
): Record<string, string> {
  const forwarded: Record<string, string> = {}
  const ownOfConnection = namesOfConnection(headers['connection'])
  for (const name of [...forwardedByFormat[format], ...(provider.forwardHeaders ?? [])]) {
    if (ownOfConnection.includes(name)) continue
    const value = headers[name]
    if (typeof value === 'string') forwarded[name] = value
    else if (value !== undefined) forwarded[name] = value.join(', ')
  }
  return forwarded
}

const noNames: readonly string[] = []

/** What the header `connection` names is meant for us alone (RFC 9110 §7.6.1). */
function namesOfConnection(header: string | string[] | undefined): readonly string[] {
  if (header === undefined || header === 'keep-alive') return noNames
  return String(header)
    .split(',')
    .map((name) => name.trim().toLowerCase())
}
