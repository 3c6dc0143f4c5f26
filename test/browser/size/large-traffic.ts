// Traffic of a large installation: 10,000 keys in 50 groups, 1,000 channels and 200 models over 30 days, some of each
// used far more than others. A request and its ledger row come from one draw, so that every page tells the same story.
import type { KeyId } from '../../../src/access/key.ts'
import type { ErrorCode } from '../../../src/canonical/error-table.ts'
import { noUsage } from '../../../src/canonical/usage.ts'
import { brand } from '../../../src/kit/brand.ts'
import { createLedgerRowId, createRequestId } from '../../../src/kit/random/ids.ts'
import type { LedgerRow } from '../../../src/metering/ledger-row.ts'
import { type PackedRow, packRow } from '../../../src/request-log/pack-row.ts'
import { counted, createLedgerRow, nano } from '../../support/ledger-row.ts'
import { createRequestRow } from '../../support/request-row.ts'
import type { NamedKey } from './create-keys.ts'
import { CHANNELS, GROUPS, MODELS, USERS } from './large-installation.ts'

const DAY_MS = 86_400_000
const SPAN_MS = 30 * DAY_MS

export interface LargeTrafficOptions {
  readonly size: number
  readonly keys: readonly NamedKey[]
  /** The last row ends then. */
  readonly endMs: number
}

export interface TrafficRow {
  readonly request: PackedRow
  readonly ledger: LedgerRow
}

export function createLargeTraffic({
  size,
  keys,
  endMs,
}: LargeTrafficOptions): (index: number) => TrafficRow {
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const even = (count: number) => Math.floor(count * next())
  const skewed = (count: number) => Math.floor(count * next() ** 3)

  return (index) => {
    const number = skewed(keys.length)
    const key = keys[number] ?? { id: brand<KeyId>('key_none'), name: 'none' }
    const modelNumber = (number * 7 + skewed(5)) % MODELS
    const endedAtMs = Math.floor(endMs - ((size - index) * SPAN_MS) / size)
    const totalMs = Math.round(300 * Math.exp(2.2 * (next() + next() + next() - 0.9)))
    const draw: Draw = {
      index,
      key,
      number,
      model: `model-${modelNumber}`,
      channel: `channel-${(modelNumber * 5 + skewed(5)) % CHANNELS}`,
      requestId: createRequestId(endedAtMs - totalMs),
      ...chooseOutcome(next()),
      endedAtMs,
      totalMs,
      input: skewed(30_000),
      cached: next() < 0.3 ? even(20_000) : 0,
      output: skewed(4_000),
    }
    return { request: writeRequest(draw), ledger: writeLedgerRow(draw) }
  }
}

interface Draw {
  readonly index: number
  readonly key: NamedKey
  readonly number: number
  readonly model: string
  readonly channel: string
  readonly requestId: string
  readonly status: number
  readonly error: ErrorCode | undefined
  readonly endedAtMs: number
  readonly totalMs: number
  readonly input: number
  readonly cached: number
  readonly output: number
}

function chooseOutcome(outcome: number): Pick<Draw, 'status' | 'error'> {
  if (outcome < 0.01) return { status: 503, error: 'upstream_overloaded' }
  if (outcome < 0.015) return { status: 504, error: 'upstream_timeout' }
  if (outcome < 0.03) return { status: 400, error: 'upstream_rejected' }
  if (outcome < 0.04) return { status: 429, error: 'upstream_rate_limited' }
  return { status: 200, error: undefined }
}

function writeRequest(draw: Draw): PackedRow {
  const { key, number, model, channel, status, error, totalMs } = draw
  const upstreamModel = `${model}-2026-08-01`
  const first = createRequestRow().attempts.slice(0, 1)
  return packRow(
    createRequestRow({
      requestId: draw.requestId,
      keyId: key.id,
      keyName: key.name,
      user: `user-${number % USERS}`,
      group: `group-${number % GROUPS}`,
      model,
      channel: status === 200 ? channel : undefined,
      upstreamModel,
      status,
      error,
      isStream: number % 3 !== 0,
      candidates: [{ channel, upstreamModel, credentialId: `${channel}#0` }],
      attempts: first.map((attempt) => ({
        ...attempt,
        channel,
        upstreamModel,
        credentialId: `${channel}#0`,
        outcome: error ?? 'answered',
        headMs: Math.round(totalMs / 4),
        firstContentMs: Math.round(totalMs / 3),
        totalMs,
      })),
      usage: { ...noUsage, ...tokensOf(draw) },
      totalMs,
      firstContentMs: Math.round(totalMs / 3),
      endedAtMs: draw.endedAtMs,
    }),
  )
}

function tokensOf({ error, input, cached, output }: Draw) {
  if (error !== undefined) return {}
  return { freshInputTokens: input, cacheReadTokens: cached, outputTokens: output }
}

function writeLedgerRow(draw: Draw): LedgerRow {
  const { index, key, number, model, channel, error, input, output, endedAtMs } = draw
  const cost = error === undefined ? input * 2_500 + output * 10_000 : 0
  const day = Math.floor(endedAtMs / DAY_MS) * DAY_MS
  return createLedgerRow(index + 1, {
    id: createLedgerRowId(endedAtMs),
    requestId: draw.requestId,
    keyId: key.id,
    keyName: key.name,
    userName: `user-${number % USERS}`,
    group: `group-${number % GROUPS}`,
    tags: { team: `team-${number % 20}` },
    model,
    channel,
    upstreamModel: `${model}-2026-08-01`,
    state: error === undefined ? 'settled' : 'void',
    startedAtMs: endedAtMs - draw.totalMs,
    endedAtMs,
    usage: { ...noUsage, ...tokensOf(draw) },
    cost: nano(cost),
    charged: nano(cost),
    counted: [counted('budget/all', cost, { windowStartMs: day, windowEndMs: day + DAY_MS })],
  })
}
