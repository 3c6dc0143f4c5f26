import { Gauge, type Registry } from 'prom-client'
import { NANO_DOLLARS_PER_DOLLAR, type NanoDollars } from '../canonical/money.ts'
import { createCounter, type LabelledSums } from './create-counter.ts'

/** The limit of key names. Further keys share one label, so that a scrape stays small. */
const MAX_KEYS = 1_000
const OTHER_KEYS = '(others)'

const labelNames = ['key', 'group', 'model', 'channel']

/** The members of a ledger row that the metrics of money count. */
export interface CountedRow {
  readonly keyName: string
  readonly group: string | undefined
  readonly model: string
  readonly channel: string
  /** Negative where a row lowers an estimate, and so is `charged`. */
  readonly cost: NanoDollars
  readonly charged: NanoDollars
}

/**
 * Creates counters of whole nano-dollars, so that the dollars in a scrape do not drift. A counter never falls, so the
 * rows that lower an estimate have counters of their own.
 */
export function createMoneyCounters(registry: Registry): { count(row: CountedRow): void } {
  const createSums = (name: string, help: string) =>
    createCounter(registry, { name, help, labelNames, divisor: NANO_DOLLARS_PER_DOLLAR })
  const cost = createSums(
    'headgate_cost_usd_total',
    'What providers ask, in US dollars, with estimates; without models that have no price.',
  )
  const charged = createSums(
    'headgate_charged_usd_total',
    'What callers are charged, in US dollars, with estimates.',
  )
  const costReversed = createSums(
    'headgate_cost_reversed_usd_total',
    'What corrections took back from headgate_cost_usd_total, in US dollars.',
  )
  const chargedReversed = createSums(
    'headgate_charged_reversed_usd_total',
    'What corrections took back from headgate_charged_usd_total, in US dollars.',
  )
  const keys = new Set<string>()
  return {
    count(row) {
      const { keyName, group = '', model, channel } = row
      if (row.cost === 0 && row.charged === 0) return
      if (keys.size < MAX_KEYS) keys.add(keyName)
      const labels = [keys.has(keyName) ? keyName : OTHER_KEYS, group, model, channel]
      addTo(cost, costReversed, { labels, amount: row.cost })
      addTo(charged, chargedReversed, { labels, amount: row.charged })
    },
  }
}

function addTo(
  sums: LabelledSums,
  reversed: LabelledSums,
  { labels, amount }: { readonly labels: readonly string[]; readonly amount: number },
): void {
  if (amount < 0) reversed.add(labels, -amount)
  else sums.add(labels, amount)
}

export interface BudgetThreshold {
  readonly budget: string
  /** The percentage of the budget's limit that was reached. */
  readonly percent: number
}

/** The limit of budget names. Further budgets share one label. */
const MAX_BUDGETS = 1_000
const OTHER_BUDGETS = '(others)'

export function createThresholdCounter(registry: Registry): { count(reached: BudgetThreshold): void } {
  const thresholds = createCounter(registry, {
    name: 'headgate_budget_thresholds_total',
    help: 'Shares of budgets, in percent, that were spent in a window.',
    labelNames: ['budget', 'percent'],
  })
  const budgets = new Set<string>()
  return {
    count({ budget, percent }) {
      if (budgets.size < MAX_BUDGETS) budgets.add(budget)
      thresholds.add([budgets.has(budget) ? budget : OTHER_BUDGETS, String(percent)], 1)
    },
  }
}

/** The limit of model names. Further models share one label. */
const MAX_MODELS = 100
const OTHER_MODELS = '(others)'

/** Adds a gauge with one line for each served model without a price, so that an alert rule can name the model. */
export function addUnpricedGauge(registry: Registry, read: () => readonly string[]): void {
  new Gauge({
    name: 'headgate_unpriced_models',
    help: 'Served models that have a target without a price.',
    labelNames: ['model'],
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.reset()
      const models = read()
      for (const model of models.slice(0, MAX_MODELS)) this.set({ model }, 1)
      if (models.length > MAX_MODELS) this.set({ model: OTHER_MODELS }, models.length - MAX_MODELS)
    },
  })
}

/** Adds a gauge of the operator's price file, since a damaged one silently stops to be followed. */
export function addPriceFileGauge(registry: Registry, read: () => boolean): void {
  new Gauge({
    name: 'headgate_price_file_up',
    help: '1 unless prices.json cannot be read.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set(read() ? 1 : 0)
    },
  })
}
