import type { StreamParts } from './stream-relay.ts'

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

/**
 * Completes the line end of a stream's last event whose line feed has not arrived: the relay does not wait for it, and
 * some clients do not treat the event as complete without it. A stream whose lines end in CR alone is left unchanged.
 */
export function completeLineEnd(parts: StreamParts): StreamParts {
  const last = parts.at(-1)
  if (!Buffer.isBuffer(last) || last.at(-1) !== CARRIAGE_RETURN || !last.includes('\r\n')) return parts
  return [...parts, '\n']
}

/**
 * Whether the bytes are the second half of the line end after the last frame. Without it, some clients do not treat the
 * frame as complete.
 */
export function isLineFeed(bytes: Buffer): boolean {
  return bytes.length === 1 && bytes[0] === LINE_FEED
}
