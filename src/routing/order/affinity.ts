import { type Target, weightOf } from '../../catalog/catalog.ts'
import { brand } from '../../kit/brand.ts'
import { fractionOf, type Hash, hashBytes, hashText, mixHashes } from '../../kit/bytes/hash.ts'

/** Headers by which clients name a conversation, the first that is there counts. Names in lower case. */
const sessionHeaders = ['x-session-affinity', 'x-session-id', 'x-claude-code-session-id'] as const

/** The most bytes of each part of a prompt that affinity reads. */
const MAX_BYTES = 2_048
const MAX_CHARACTERS = 1_024

/** The values by which a conversation may be recognised, each absent where the request has none. */
export interface SessionHints {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** `prompt_cache_key` of the chat format. */
  readonly promptCacheKey?: string | undefined
  /** `metadata.user_id` of the messages format. */
  readonly userId?: string | undefined
  /**
   * The parts of the prompt that stay while a conversation grows: system, tools, the first user message, as they stand
   * in the body. Each apart, since a long system prompt alone would make all conversations one.
   */
  readonly prefix?: readonly PromptPart[]
}

export interface PromptPart {
  /** The beginning of the part. */
  readonly head: Uint8Array
  /** The number of its bytes in all. */
  readonly length: number
}

/** The sign that tells one conversation from another; undefined where there is none. */
export function findSessionByHints(hints: SessionHints): Hash | undefined {
  const named = findHeader(hints.headers) ?? given(hints.promptCacheKey) ?? sessionOfUser(hints.userId)
  if (named !== undefined) return hashText(named.slice(0, MAX_CHARACTERS))
  let hash: Hash | undefined
  for (const { head, length } of hints.prefix ?? []) {
    if (length === 0) continue
    // The length of all of it stands for what is not looked at.
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
 * Claude Code sends a user, an account and a session in one: as JSON with `session_id`, or, before, as text that ends
 * in `_session_` and the id (seen 2026-11-20). Others name a person, whose requests then share a target.
 */
function sessionOfUser(userId: string | undefined): string | undefined {
  const text = given(userId)
  if (text === undefined) return undefined
  const id = /"session_id"\s*:\s*"([^"\\]{1,200})"/.exec(text.slice(0, 4_096))?.[1]
  return id ?? /_session_(.{1,200})$/s.exec(text.slice(-300))?.[1] ?? text
}

/**
 * The position of a target for a conversation: the least goes first. A target's share of all conversations is its share
 * of the weights, and one that leaves moves no conversation but its own (weighted rendezvous, Schindelhauer and
 * Schomaker).
 */
export function drawForSession(session: Hash, target: Target): number {
  return drawByWeight(fractionOf(mixHashes(session, hashOf(target))), weightOf(target))
}

/**
 * Draws by a random fraction, or by what stands for it: the least of `-ln(fraction) / weight` falls on each target by
 * its share of the weights.
 */
export function drawByWeight(fraction: number, weight: number): number {
  return weight > 0 ? -Math.log(fraction) / weight : Number.POSITIVE_INFINITY
}

/** The target that a conversation prefers: its provider has the prompt in its cache. */
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
