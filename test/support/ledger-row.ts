import type { KeyId } from '../../src/access/key.ts'
import type { NanoDollars } from '../../src/canonical/money.ts'
import { noUsage } from '../../src/canonical/usage.ts'
import type { PriceVersionId } from '../../src/catalog/prices/price.ts'
import { brand } from '../../src/kit/brand.ts'
import type { LedgerRowId } from '../../src/kit/random/ids.ts'
import type { CountedAmount, LedgerIntent, LedgerRow, LedgerSubject } from '../../src/metering/ledger-row.ts'
import type { LedgerBatch } from '../../src/metering/ledger-store.ts'

export const LEDGER_START_MS = Date.UTC(2026, 10, 20, 12)

export const nano = (amount: number) => brand<NanoDollars>(amount)

/** The id of a row by a number, of the form that the gateway mints. */
export function rowId(number: number): LedgerRowId {
  return brand<LedgerRowId>(`row_${uuidOf(number)}`)
}

export const requestIdOf = (number: number) => `req_${uuidOf(number)}`

function uuidOf(number: number): string {
  return `0193a0c0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}

const subject: Omit<LedgerSubject, 'id' | 'requestId'> = {
  attempt: 1,
  keyId: brand<KeyId>('key_1'),
  keyName: 'ci',
  userName: undefined,
  group: undefined,
  tags: {},
  model: 'fast',
  channel: 'primary',
  upstreamModel: 'gpt',
  priceVersion: brand<PriceVersionId>('openai/gpt@2026-11-01'),
  startedAtMs: LEDGER_START_MS,
}

/** A row of an attempt that went well, with what a test says otherwise. */
export function createLedgerRow(number: number, different: Partial<LedgerRow> = {}): LedgerRow {
  return {
    ...subject,
    id: rowId(number),
    requestId: requestIdOf(number),
    state: 'settled',
    endedAtMs: LEDGER_START_MS + 1_500,
    tier: 'standard',
    usage: { ...noUsage, freshInputTokens: 7, cacheReadTokens: 3, outputTokens: 5 },
    cost: nano(1_000),
    charged: nano(1_100),
    counted: [],
    flags: {},
    ...different,
  }
}

export function createLedgerIntent(number: number, different: Partial<LedgerIntent> = {}): LedgerIntent {
  return {
    ...subject,
    id: rowId(number),
    requestId: requestIdOf(number),
    expiresAtMs: LEDGER_START_MS + 600_000,
    held: [],
    inputTokens: 10,
    multiplierPpm: 1_000_000,
    ...different,
  }
}

export function counted(counter: string, amount: number, window: Partial<CountedAmount> = {}): CountedAmount {
  return { counter, windowStartMs: 0, windowEndMs: undefined, amount: nano(amount), ...window }
}

export function batchOf(parts: Partial<LedgerBatch>): LedgerBatch {
  return { intents: [], checkpoints: [], rows: [], ...parts }
}
