import type { Channel } from './channel.ts'

/** Whether two channels ask the same upstream in the same way, so that what it listed for one holds for the other. */
export function isSameUpstream(one: Channel, other: Channel): boolean {
  return JSON.stringify(describe(one)) === JSON.stringify(describe(other))
}

function describe(channel: Channel): readonly unknown[] {
  const { provider, format, baseUrl, credentials, settings, headers, allowPrivate, proxy, authorities } =
    channel
  return [provider, format, baseUrl, credentials, settings, headers, allowPrivate, proxy, authorities?.id]
}
