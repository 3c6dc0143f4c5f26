import { readBudget } from '../../../src/access/limits/budget-schema.ts'
import {
  type BudgetMode,
  type BudgetTerms,
  type BudgetWindow,
  calendarUnits,
} from '../../../src/access/limits/budget-terms.ts'
import type { NanoDollars } from '../../../src/canonical/money.ts'
import type { PriceVersion, PriceVersionId } from '../../../src/catalog/prices/price.ts'
import { brand } from '../../../src/kit/brand.ts'
import type { Budget, BudgetScope } from '../../../src/metering/budget.ts'
import { ownBudgetId } from '../../../src/metering/budget.ts'
import type { WorstCase } from '../../../src/metering/meter.ts'
import type { Chance } from '../../long/create-chance.ts'

/** Time zones whose clocks change at different times, by an hour or half of one, at midnight, or never. */
export const timeZones: readonly string[] = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Moscow',
  'Atlantic/Azores',
  'Africa/Casablanca',
  'Africa/Cairo',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/Nuuk',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MONTHS_OF_CHANGES = [2, 3, 8, 9, 10]

/** Half of them are near the end of a month, or on a Sunday of a month in which clocks change. */
export function chooseMoment(chance: Chance): number {
  const year = 2014 + chance.upTo(22)
  if (chance.next() < 0.25) return Date.UTC(year, chance.upTo(12) + 1, 0, chance.upTo(48), chance.upTo(60))
  const day = Date.UTC(year, chance.pick(MONTHS_OF_CHANGES), 1 + chance.upTo(28))
  const sunday = day + ((7 - new Date(day).getUTCDay()) % 7) * DAY_MS
  const start = chance.next() < 0.5 ? sunday : day
  return start - 12 * HOUR_MS + chance.upTo(48 * HOUR_MS)
}

const scopes: readonly BudgetScope[] = [
  { type: 'key', name: 'ci' },
  { type: 'user', name: 'ada' },
  { type: 'group', name: 'search' },
  { type: 'tag', name: 'team', value: undefined },
  { type: 'model', name: 'fast' },
  { type: 'channel', name: 'primary' },
  { type: 'installation' },
]
const modes: readonly BudgetMode[] = ['exact', 'exact', 'exact', 'exact', 'estimate', 'observe']

/** Chooses one to five budgets; in most histories some count what the caller pays, and some the cost. */
export function chooseBudgets(chance: Chance): readonly Budget[] {
  return Array.from({ length: 1 + chance.upTo(5) }, (_, index): Budget => {
    const terms = chooseTerms(chance)
    // Two of one history may stand on the same.
    const id = ownBudgetId('key', String(index), terms)
    return { ...terms, id, name: id, scope: chance.pick(scopes) }
  })
}

function chooseTerms(chance: Chance): BudgetTerms {
  const mode = chance.pick(modes)
  const terms = readBudget({ window: 'total', mode, warn_at: [50, 100] }, undefined)
  const atLimit =
    mode === 'exact' && chance.next() < 0.5 ? ({ type: 'clamp' } as const) : ({ type: 'refuse' } as const)
  const limit = chance.next() < 0.05 ? undefined : chooseLimit(chance)
  return { ...terms, mode, atLimit, limit, window: chooseWindow(chance) }
}

export function chooseLimit(chance: Chance): NanoDollars {
  return brand<NanoDollars>(Math.floor(10 ** (3 + chance.next() * 7)))
}

function chooseWindow(chance: Chance): BudgetWindow {
  const kind = chance.next()
  if (kind < 0.1) return { type: 'total' }
  if (kind < 0.3) return { type: 'rolling', lengthMs: Math.floor(10 ** (4.8 + chance.next() * 4.2)) }
  return { type: 'calendar', unit: chance.pick(calendarUnits), timeZone: chance.pick(timeZones) }
}

const outputRates = [0, 1, 600_000_000, 15_000_000_000, 75_000_000_000]
const multipliers = [1_000_000, 1_000_000, 1_100_001, 333_333, 0]

export interface ChosenRequest {
  readonly worst: WorstCase
  readonly inputTokens: number
  /** The rate of a million tokens in nano-dollars. */
  readonly inputRate: number
}

export function chooseRequest(chance: Chance): ChosenRequest {
  const inputTokens = chance.upTo(20_000)
  const inputRate = chance.pick([0, 150_000_000, 3_000_000_001])
  const maxOutputTokens = chance.next() < 0.2 ? undefined : 1 + chance.upTo(130_000)
  const worst: WorstCase = {
    fixed: brand<NanoDollars>(Math.ceil((inputTokens * inputRate) / 1_000_000)),
    outputRate: brand<NanoDollars>(chance.pick(outputRates)),
    maxOutputTokens,
    minOutput: Math.min(maxOutputTokens ?? 4_096, chance.pick([1, 200, 4_096])),
    canClamp: chance.next() < 0.8,
    multiplierPpm: chance.pick(multipliers),
  }
  return { worst, inputTokens, inputRate }
}

export function priceOf({ inputRate, worst }: ChosenRequest): PriceVersion {
  const rates = { input: brand<NanoDollars>(inputRate), output: worst.outputRate }
  return {
    id: brand<PriceVersionId>('openai/gpt@2026-11-01'),
    effectiveFromMs: 0,
    source: 'table',
    sheets: [{ tier: 'standard', aboveInputTokens: 0, rates }],
    toolCalls: {},
  }
}
