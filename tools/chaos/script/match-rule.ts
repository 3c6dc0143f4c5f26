import type { Random } from '../../../src/kit/random/random.ts'
import type { FaultCall } from './fault-call.ts'
import type { Condition, ConnectionCondition, Turn } from './script-schema.ts'

/** The numbers and the time of a request. */
export interface CallTurn {
  /** The number among all requests, from 1. */
  readonly attempt: number
  /** The number among the requests with the same credential, from 1. */
  readonly credentialAttempt: number
  /** The time since the start. */
  readonly atMs: number
}

/** Whether every condition of a rule matches a request. The chance is drawn last, and only if the others match. */
export function isMatch(when: Condition, call: FaultCall, { turn, random }: MatchContext): boolean {
  const { path, model, credential, stream, every } = when
  if (path !== undefined && !isLike(call.path.split('?')[0] ?? '', path)) return false
  if (model !== undefined && !isLike(call.model ?? '', model)) return false
  if (credential !== undefined && credential !== call.credential) return false
  if (stream !== undefined && stream !== call.isStream) return false
  if (!isTurn(turn.attempt, when.attempt)) return false
  if (!isTurn(turn.credentialAttempt, when.credential_attempt)) return false
  if (every !== undefined && turn.attempt % every !== 0) return false
  return isTime(turn.atMs, when) && isDrawn(when.chance, random)
}

export interface MatchContext {
  readonly turn: CallTurn
  readonly random: Random
}

/** Whether every condition of a rule matches a connection. */
export function isConnectionMatch(
  when: ConnectionCondition,
  connection: { readonly number: number; readonly atMs: number },
  random: Random,
): boolean {
  return (
    isTurn(connection.number, when.connection) &&
    isTime(connection.atMs, when) &&
    isDrawn(when.chance, random)
  )
}

function isTurn(number: number, turn: Turn | undefined): boolean {
  if (turn === undefined) return true
  if (typeof turn === 'number') return number === turn
  return number >= (turn.from ?? 1) && number <= (turn.to ?? Number.POSITIVE_INFINITY)
}

function isTime(atMs: number, { from, until }: Pick<Condition, 'from' | 'until'>): boolean {
  return atMs >= (from ?? 0) && atMs < (until ?? Number.POSITIVE_INFINITY)
}

function isDrawn(chance: number | undefined, random: Random): boolean {
  return chance === undefined || random.fraction() < chance
}

/** `*` matches any characters. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`, 's').test(text)
}
