import type { KeyId } from '../../src/access/key.ts'
import { noUsage } from '../../src/canonical/usage.ts'
import { brand } from '../../src/kit/brand.ts'
import { createLedgerRowId, createRequestId } from '../../src/kit/random/ids.ts'
import type { LedgerRow } from '../../src/metering/ledger-row.ts'
import { counted, createLedgerRow, nano } from '../support/ledger-row.ts'

const KEYS = 1_000
const MODELS = 50
const CHANNELS = 20
const TAGS = 20
export const TRAFFIC_DAYS = 90
export const TRAFFIC_START_MS = Date.UTC(2026, 7, 24)
const DAY_MS = 86_400_000
const MONTH_MS = 30 * DAY_MS

export interface TrafficOptions {
  readonly size: number
  /**
   * `usual`: a key uses up to 5 models and a model is served by 3 channels, some far more than others.
   * `even`: every key uses every model on every channel with every tag, so that hardly two rows have their
   * sums together.
   */
  readonly shape: 'usual' | 'even'
}

/** Rows of 90 days, in the order of time: 1,000 keys, 50 models, 20 channels, 20 tags. */
export function createLedgerTraffic({ size, shape }: TrafficOptions): (index: number) => LedgerRow {
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const even = (count: number) => Math.floor(count * next())
  const skewed = (count: number) => (shape === 'even' ? even(count) : Math.floor(count * next() ** 3))
  const stepMs = (TRAFFIC_DAYS * DAY_MS) / size

  return (index) => {
    const key = skewed(KEYS)
    const model = shape === 'even' ? even(MODELS) : (key * 7 + skewed(5)) % MODELS
    const channel = shape === 'even' ? even(CHANNELS) : (model * 3 + skewed(3)) % CHANNELS
    const tag = shape === 'even' ? even(TAGS) : key % TAGS
    const endedAtMs = TRAFFIC_START_MS + Math.floor(index * stepMs)
    const isFailed = next() < 0.03
    const output = isFailed ? 0 : skewed(4_000)
    const input = skewed(30_000)
    const cost = isFailed ? 0 : input * 2_500 + output * 10_000
    const day = Math.floor(endedAtMs / DAY_MS) * DAY_MS
    const month = Math.floor(endedAtMs / MONTH_MS) * MONTH_MS
    const inDay = { windowStartMs: day, windowEndMs: day + DAY_MS }
    const inMonth = { windowStartMs: month, windowEndMs: month + MONTH_MS }
    return createLedgerRow(index + 1, {
      id: createLedgerRowId(endedAtMs),
      requestId: createRequestId(endedAtMs),
      attempt: next() < 0.95 ? 1 : 2,
      keyId: brand<KeyId>(`key_${key}`),
      keyName: `key-${key}`,
      userName: `user-${key % 200}`,
      group: `group-${key % 20}`,
      tags: { team: `team-${tag}` },
      model: `model-${model}`,
      channel: `channel-${channel}`,
      upstreamModel: `model-${model}-2026-08-01`,
      state: isFailed ? 'void' : 'settled',
      startedAtMs: endedAtMs - 300 - skewed(20_000),
      endedAtMs,
      usage: {
        ...noUsage,
        freshInputTokens: input,
        cacheReadTokens: next() < 0.3 ? even(20_000) : 0,
        outputTokens: output,
        reasoningTokens: next() < 0.2 ? Math.floor(output / 2) : 0,
      },
      cost: nano(cost),
      charged: nano(cost),
      counted: [
        counted(`key/key_${key}/day`, cost, inDay),
        counted(`group/${key % 20}/month`, cost, inMonth),
        counted('budget/all', cost, inMonth),
      ],
    })
  }
}
