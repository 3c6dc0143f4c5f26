import { noUsage } from '../../src/canonical/usage.ts'
import { type PackedRow, packRow } from '../../src/request-log/pack-row.ts'
import type { RequestRow } from '../../src/telemetry/observer.ts'
import { createRequestRow } from '../support/request-row.ts'

const MODELS = 12
const CHANNELS = 6
const KEYS = 300
const START_MS = Date.UTC(2026, 10, 1)
const STEP_MS = 260

/** The rows as the store takes them. */
export function createRequestTraffic(size: number): (index: number) => PackedRow {
  const rowOf = createRequestRows(size)
  return (index) => packRow(rowOf(index))
}

/**
 * Rows as a busy gateway writes them, the same for the same number: 300 keys in 20 groups, each with up
 * to 3 of 13 models, each model on 3 of 6 channels.
 */
export function createRequestRows(size: number): (index: number) => RequestRow {
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  /** Small numbers far more often than great ones. */
  const skewed = (count: number) => Math.floor(count * next() ** 3)

  return (index) => {
    const number = skewed(KEYS)
    const key = isRare(index, size) ? 'rare' : `team-${number}`
    const isRetired = index < size / 3 && next() < 0.002
    const model = isRetired ? 'retired' : `model-${(number * 7 + skewed(3)) % MODELS}`
    const channel = `channel-${(model.length + model.charCodeAt(6) + skewed(3)) % CHANNELS}`
    const outcome = next()
    const [status, error] = chooseOutcome(outcome, index, size)
    const totalMs = Math.round(300 * Math.exp(2.2 * (next() + next() + next() - 0.9)))
    const isMoved = next() < 0.05
    return createRequestRow({
      requestId: `req_${idOf(endOf(index), next)}`,
      keyId: `key_${key}`,
      keyName: key,
      user: undefined,
      group: key === 'rare' ? 'rare-group' : `group-${number % 20}`,
      model,
      channel: status === 200 ? channel : undefined,
      upstreamModel: `${model}-2026-01-01`,
      status,
      error,
      isStream: number % 3 !== 0,
      candidates: [0, 1, 2].map((other) => ({
        channel: `channel-${(skewed(CHANNELS) + other) % CHANNELS}`,
        upstreamModel: `${model}-2026-01-01`,
        credentialId: `channel-${other}#0`,
      })),
      attempts: [
        ...(isMoved ? [attempt(`channel-${skewed(CHANNELS)}`, model, 'upstream_overloaded')] : []),
        attempt(channel, model, error ?? 'answered'),
      ],
      usage: { ...noUsage, freshInputTokens: skewed(20_000), outputTokens: skewed(2_000) },
      address: `10.0.${skewed(4)}.${skewed(250)}`,
      bytesIn: skewed(200_000),
      bytesOut: skewed(50_000),
      totalMs,
      firstContentMs: Math.round(totalMs / 3),
      endedAtMs: endOf(index),
    })
  }
}

/** The time at which the row of a number ended. */
export function endOf(index: number): number {
  return START_MS + index * STEP_MS
}

function isRare(index: number, size: number): boolean {
  return index % Math.ceil(size / 5) === Math.ceil(size / 7)
}

function chooseOutcome(outcome: number, index: number, size: number) {
  if (index % Math.ceil(size / 20) === 3) return [502, 'upstream_tls'] as const
  if (outcome < 0.01) return [503, 'upstream_overloaded'] as const
  if (outcome < 0.015) return [504, 'upstream_timeout'] as const
  if (outcome < 0.03) return [400, 'upstream_rejected'] as const
  if (outcome < 0.04) return [429, 'upstream_rate_limited'] as const
  return [200, undefined] as const
}

function attempt(channel: string, model: string, outcome: string) {
  return {
    channel,
    credentialId: `${channel}#0`,
    upstreamModel: `${model}-2026-01-01`,
    lane: 'verbatim' as const,
    outcome,
    upstreamStatus: 200,
    cause: undefined,
    usage: undefined,
    waitMs: 0,
    headMs: 812,
    firstContentMs: 1_240,
    totalMs: 5_121,
  }
}

function idOf(nowMs: number, next: () => number): string {
  const chance = Array.from({ length: 18 }, () => Math.floor(next() * 16).toString(16)).join('')
  const time = nowMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.slice(0, 3)}-8${chance.slice(3, 6)}-${chance.slice(6, 18)}`
}
