import type { Key } from '../../access/key.ts'
import { usdOf } from '../../access/limits/usd-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { forecastBudget } from '../../metering/budgets/forecast-budget.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import { readReach } from '../read-reach.ts'
import { type ForecastView, forecastViewSchema } from './budget-contract.ts'
import type { BudgetControl } from './budget-control.ts'
import { showBudgetSchema } from './budget-input-schema.ts'
import { applyOneBudget, findBudget } from './find-budget.ts'
import type { HourlySpending } from './forecast-history.ts'
import { createBudgetVisibility, type ReachesBudget } from './reach-budgets.ts'

export interface ForecastOptions {
  readonly control: Pick<BudgetControl, 'budgets' | 'learnOthers' | 'status'>
  readonly spending: HourlySpending
  readonly clock: Pick<Clock, 'nowMs'>
}

/** The operation that says when a budget runs out. */
export interface ForecastOperations {
  /** `reference` is a budget's name or ID. */
  forecast(reference: string, value: string | undefined, reaches: ReachesBudget): Promise<ForecastView>
}

export function createForecastOperations({ control, spending, clock }: ForecastOptions): ForecastOperations {
  return {
    async forecast(reference, value, reaches) {
      const applied = applyOneBudget(findBudget(control.budgets().filter(reaches), reference), value)
      const { window, name } = applied.budget
      const hours = await spending(applied)
      await control.learnOthers([applied])
      const status = control.status(applied)
      const isRolling = window.type === 'rolling'
      const { method, ...found } = forecastBudget({
        hours: hours ?? new Map(),
        nowMs: clock.nowMs(),
        spent: status.spent,
        limit: status.limit,
        endsAtMs: isRolling ? undefined : status.resetsAtMs,
        rollingMs: isRolling ? window.lengthMs : undefined,
      })
      return {
        name,
        value: applied.tagValue ?? null,
        method: hours === undefined ? 'unavailable' : method,
        reason: hours === undefined ? 'report_too_slow' : null,
        history_since: writeTimeOrNull(found.historySinceMs),
        ends_with_usd:
          found.endsWith === undefined ? null : usdOf(brand<NanoDollars>(Math.round(found.endsWith))),
        runs_out_at: writeTimeOrNull(found.runsOutAtMs),
        looks_until: writeTime(found.looksUntilMs),
      }
    },
  }
}

export function createForecastRoutes(
  forecasts: ForecastOperations,
  keys: () => readonly Key[],
): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'own', scope: 'budgets:read' },
      path: '/admin/v1/budgets/{name}/forecast',
      pathParameters: { name: "The budget's name, such as all or key:ci/day, or its id." },
      summary: 'Say when a budget runs out and what its window comes to, by what was spent before',
      query: showBudgetSchema,
      answer: { status: 200, schema: forecastViewSchema },
      errors: ['invalid_field', 'missing_field', 'config_object_not_found'],
      async handler(request) {
        const { value } = readInput(showBudgetSchema, request.query)
        const reaches = createBudgetVisibility(readReach(request), keys)
        const view = await forecasts.forecast(request.params['name'] ?? '', value, reaches)
        return { status: 200, body: { ...view } }
      },
    },
  ]
}
