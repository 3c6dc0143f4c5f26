import type { Channel } from './channel.ts'

/**
 * Whether two channels call the same upstream in the same way, so that the model list of one is valid for the other.
 */
export function isSameUpstream(one: Channel, other: Channel): boolean {
  return JSON.stringify(describe(one)) === JSON.stringify(describe(other))
}

/**
 * Whether the state of a channel or of one of its credentials still applies to the current channel. It does for the
 * same upstream, called in the same way, with the same secret.
 */
export function isSameUpstreamOf(
  { credentialId }: { readonly credentialId: string | undefined },
  before: Channel | undefined,
  now: Channel | undefined,
): boolean {
  if (before === undefined || now === undefined) return false
  const secretOf = ({ credentials }: Channel) => credentials.find(({ id }) => id === credentialId)?.secret
  const isSameConnection = isSameUpstream({ ...before, credentials: [] }, { ...now, credentials: [] })
  return isSameConnection && secretOf(before) === secretOf(now)
}

function describe(channel: Channel): readonly unknown[] {
  const { provider, format, baseUrl, credentials, settings, headers, allowPrivate, proxy, authorities } =
    channel
  return [provider, format, baseUrl, credentials, settings, headers, allowPrivate, proxy, authorities?.id]
}
