import type { NanoDollars } from '../../canonical/money.ts'
import type { Target } from '../../catalog/catalog.ts'
import { billedCalls, priceOfTool } from '../../catalog/prices/cost-of.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { costOfCount } from '../../catalog/prices/sum-cost.ts'
import { tierOf } from '../../catalog/prices/tier-of.ts'
import { worstRates } from '../../catalog/prices/worst-rates.ts'
import { brand } from '../../kit/brand.ts'
import { countedAmount } from '../../metering/budget.ts'
import type { AppliedBudget, WorstCase } from '../../metering/meter.ts'
import type { SpendingTerms } from '../../wire/spending-terms.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { measureInput } from './measure-input.ts'
import { possibleClasses } from './possible-classes.ts'

/** An answer of fewer tokens is of little use to a coding agent: below it, a request is refused rather than clamped. */
const MIN_USEFUL_OUTPUT_TOKENS = 4_096
/** Held for each tool that a provider bills by the call, where nothing says how often a model may use it. */
const HELD_TOOL_CALLS = 10
/** The bound for a file of unknown length, where the model's context window is not known either. */
const MAX_INPUT_TOKENS = 1_000_000
/**
 * The assumed cap is more than most models can write. It is held and not sent: a provider refuses a cap above its
 * model's own.
 */
const MAX_OUTPUT_TOKENS = 131_072

export interface WorstCaseInput {
  readonly exchange: Exchange
  readonly terms: SpendingTerms
  readonly target: Target
  readonly price: PriceVersion
  readonly budgets: readonly AppliedBudget[]
  readonly multiplierPpm: number
}

/** Operations whose answers a model makes. */
const generating: ReadonlySet<Exchange['kind']> = new Set([
  'conversation',
  'image',
  'transcription',
  'speech',
])

/** The most that an attempt can cost at a target, whatever tier it is served at. */
export function findWorstCase(input: WorstCaseInput): WorstCase {
  const { exchange, terms, target, price, budgets, multiplierPpm } = input
  const hasMore = terms.hasMedia() || terms.hasStoredInput()
  const repeatedBytes = terms.repeatedBytes?.() ?? 0
  const mediaTokens = terms.mediaTokens?.()
  const isBounded = mediaTokens !== undefined && !terms.hasStoredInput()
  const bound = { hasMore: hasMore && !isBounded, repeatedBytes, target, budgets }
  const inputTokens = boundInput(exchange, bound) + (isBounded ? mediaTokens : 0)
  const tiers = terms.serviceTiers.map(tierOf)
  const classes = possibleClasses(terms, { hasMore, price })
  const { input: inputRate, output } = worstRates(price, { tiers, inputTokens, classes })
  const fixed = costOfCount(inputTokens, inputRate) + costOfTools(terms, price)
  const answers = generating.has(exchange.kind) ? terms.choices : 0
  const maxOutputTokens = answers === 0 ? 0 : (terms.maxOutputTokens ?? maxOutputOf(target))
  return {
    fixed: brand<NanoDollars>(fixed),
    outputRate: brand<NanoDollars>(output * answers),
    maxOutputTokens,
    minOutput: Math.min(MIN_USEFUL_OUTPUT_TOKENS, maxOutputTokens),
    canClamp: terms.canBeCapped,
    multiplierPpm,
  }
}

function maxOutputOf({ capabilities, limits }: Target): number {
  return capabilities.maxOutputTokens ?? limits?.maxOutputTokens ?? MAX_OUTPUT_TOKENS
}

function costOfTools({ billedTools, toolCallCap }: SpendingTerms, price: PriceVersion): number {
  let sum: number = costOfSearch(price)
  for (const { name, maxCalls } of billedTools()) {
    const calls = maxCalls ?? toolCallCap ?? HELD_TOOL_CALLS
    sum += costOfCount(billedCalls(price, name, calls), priceOfTool(price, name))
  }
  return sum
}

/** The cost beside tokens of every answer of a model that always searches, by how much the search brings in. */
function costOfSearch(price: PriceVersion): NanoDollars {
  let dearest = brand<NanoDollars>(0)
  for (const name of searchTools) {
    const rate = priceOfTool(price, name)
    if (rate > dearest) dearest = rate
  }
  return costOfCount(1, dearest)
}

const searchTools = ['web_search_low', 'web_search_medium', 'web_search_high']

interface InputBound extends Pick<WorstCaseInput, 'target' | 'budgets'> {
  readonly hasMore: boolean
  readonly repeatedBytes: number
}

/**
 * The most tokens that the bytes can be, where the provider's cost must never pass a limit; else a likely count, since
 * a caller is charged at most what was held.
 */
function boundInput(exchange: Exchange, { hasMore, repeatedBytes, target, budgets }: InputBound): number {
  const { likelyTokens, maxTokens } = measureInput(exchange, hasMore, repeatedBytes)
  const window = target.capabilities.contextWindowTokens ?? target.limits?.maxInputTokens ?? MAX_INPUT_TOKENS
  if (maxTokens === undefined) return window
  const mustBound = budgets.some(
    ({ budget: { mode, scope } }) => mode === 'exact' && countedAmount(scope) === 'cost',
  )
  return Math.min(mustBound ? maxTokens : likelyTokens, window)
}
