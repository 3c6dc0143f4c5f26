import { createHmac } from 'node:crypto'
import type { Random } from '../../kit/random/random.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'

// Messages are signed as Standard Webhooks describes (https://github.com/standard-webhooks/standard-webhooks,
// spec/standard-webhooks.md, seen 2026-11-23), so that receivers can verify them with existing libraries.

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64

export function isWebhookSecret(text: string): boolean {
  const encoded = text.slice(PREFIX.length)
  if (!text.startsWith(PREFIX) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false
  const { length } = Buffer.from(encoded, 'base64')
  return length >= MIN_BYTES && length <= MAX_BYTES
}

export interface SignedPost {
  readonly id: string
  readonly body: string
  readonly atMs: number
}

/**
 * The headers of the POST. `webhook-id` lets a receiver detect duplicates. The other two prove that the message comes
 * from this installation and is recent.
 */
export function webhookHeaders(
  { id, body, atMs }: SignedPost,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  const timestamp = String(unixSeconds(atMs))
  const named = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === undefined) return named
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...named, 'webhook-signature': `v1,${signature}` }
}

export function createWebhookId(random: Pick<Random, 'bytes'>): string {
  return `msg_${random.bytes(16).toString('hex')}`
}
