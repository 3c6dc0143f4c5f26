import type { ReachedThreshold } from '../metering/budget-meter.ts'
import { describeThreshold, writeThreshold } from '../metering/describe-threshold.ts'
import type { WrittenAlert } from './write-alert.ts'

/** A share of a budget is spent. */
export function writeBudgetAlert(reached: ReachedThreshold, nowMs: number): WrittenAlert {
  const line = describeThreshold(reached)
  const body = {
    type: 'budget.threshold',
    at: new Date(nowMs).toISOString(),
    ...writeThreshold(reached),
    message: line,
    text: `Headgate: ${line}`,
  }
  return { line, body: JSON.stringify(body) }
}
