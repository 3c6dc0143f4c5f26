import { type Target, weightOf } from '../../catalog/catalog.ts'
import { brand } from '../../kit/brand.ts'
import { fractionOf, type Hash, hashBytes, hashText, mixHashes } from '../../kit/bytes/hash.ts'

/** The headers by which clients name a conversation, in lower case. The first one that is present is used. */
const sessionHeaders = ['x-session-affinity', 'x-session-id', 'x-claude-code-session-id'] as const

/** The maximum number of bytes of each part of a prompt that affinity reads. */
const MAX_BYTES = 2_048
const MAX_CHARACTERS = 1_024

/** The values that may identify a conversation. Each is absent where the request does not have it. */
export interface SessionHints {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The field `prompt_cache_key` of the chat format. */
  readonly promptCacheKey?: string | undefined
  /** The field `metadata.user_id` of the messages format. */
  readonly userId?: string | undefined
  /**
   * The parts of the prompt that do not change while a conversation grows: system, tools and the first user message, as
   * in the body. They are separate, since a long system prompt by itself would make all conversations look the same.
   */
  readonly prefix?: readonly PromptPart[]
}

export interface PromptPart {
  /** The beginning of the part. */
  readonly head: Uint8Array
  /** The number of bytes of the whole part. */
  readonly length: number
}

/** The hash that distinguishes one conversation from another; undefined where the hints identify no conversation. */
export function findSessionByHints(hints: SessionHints): Hash | undefined {
  const named = findHeader(hints.headers) ?? given(hints.promptCacheKey) ?? sessionOfUser(hints.userId)
  if (named !== undefined) return hashText(named.slice(0, MAX_CHARACTERS))
  let hash: Hash | undefined
  for (const { head, length } of hints.prefix ?? []) {
    if (length === 0) continue
    // The full length represents the bytes that are not read.
    const own = mixHashes(hashBytes(head, Math.min(length, head.length, MAX_BYTES)), brand<Hash>(length))
    hash = hash === undefined ? own : mixHashes(hash, own)
  }
  return hash
}

function findHeader(headers: SessionHints['headers']): string | undefined {
  for (const name of sessionHeaders) {
    const value = headers[name]
    const text = given(typeof value === 'string' ? value : value?.[0])
    if (text !== undefined) return text
  }
  return undefined
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/**
 * The session in a user ID. Claude Code sends a user, an account and a session in one value: as JSON with `session_id`
 * or, in earlier versions, as text that ends in `_session_` and the ID (seen 2026-11-20). Other clients name a person.
 * All requests of that person then share a target.
 */
function sessionOfUser(userId: string | undefined): string | undefined {
  const text = given(userId)
  if (text === undefined) return undefined
  const id = /"session_id"\s*:\s*"([^"\\]{1,200})"/.exec(text.slice(0, 4_096))?.[1]
  return id ?? /_session_(.{1,200})$/s.exec(text.slice(-300))?.[1] ?? text
}

/**
 * The position of a target for a conversation: the lowest comes first. A target's share of all conversations equals its
 * share of the weights. A target that is removed moves only its own conversations (weighted rendezvous, Schindelhauer
 * and Schomaker).
 */
export function drawForSession(session: Hash, target: Target): number {
  return drawByWeight(fractionOf(mixHashes(session, hashOf(target))), weightOf(target))
}

/**
 * Draws by a fraction, which is random or derived from a hash. Each target has the lowest `-ln(fraction) / weight` as
 * often as its share of the weights.
 */
export function drawByWeight(fraction: number, weight: number): number {
  return weight > 0 ? -Math.log(fraction) / weight : Number.POSITIVE_INFINITY
}

/** The preferred target of a conversation. Its provider has the prompt in its cache. */
export function findAffinityTarget(
  session: Hash | undefined,
  targets: readonly Target[],
): Target | undefined {
  if (session === undefined) return undefined
  let preferred: Target | undefined
  let lowest = Number.POSITIVE_INFINITY
  for (const target of targets) {
    const draw = drawForSession(session, target)
    if (draw >= lowest) continue
    lowest = draw
    preferred = target
  }
  return preferred
}

function hashOf({ channel, upstreamModel }: Target): Hash {
  return mixHashes(hashText(channel.name), hashText(upstreamModel))
}
