import { Gauge, type Registry } from 'prom-client'
import { NANO_DOLLARS_PER_DOLLAR } from '../canonical/money.ts'
import { createCounter } from './create-counter.ts'
import type { RequestRow } from './observer.ts'

/** The limit of key names. Further keys share one label, so that a scrape stays small. */
const MAX_KEYS = 1_000
const OTHER_KEYS = '(others)'

const labelNames = ['key', 'group', 'model', 'channel']

/** Creates counters of whole nano-dollars, so that the dollars in a scrape do not drift. */
export function createMoneyCounters(registry: Registry): { count(row: RequestRow): void } {
  const cost = createCounter(registry, {
    name: 'headgate_cost_usd_total',
    help: 'What providers ask, in US dollars; without models that have no price.',
    labelNames,
    divisor: NANO_DOLLARS_PER_DOLLAR,
  })
  const charged = createCounter(registry, {
    name: 'headgate_charged_usd_total',
    help: 'What callers are charged, in US dollars.',
    labelNames,
    divisor: NANO_DOLLARS_PER_DOLLAR,
  })
  const keys = new Set<string>()
  return {
    count({ attempts, keyName = '', group = '', model = '' }) {
      for (const attempt of attempts) {
        if ((attempt.cost ?? 0) + (attempt.charged ?? 0) === 0) continue
        if (keys.size < MAX_KEYS) keys.add(keyName)
        const labels = [keys.has(keyName) ? keyName : OTHER_KEYS, group, model, attempt.channel]
        cost.add(labels, attempt.cost ?? 0)
        charged.add(labels, attempt.charged ?? 0)
      }
    },
  }
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
