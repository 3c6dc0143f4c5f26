import type { Key } from '../../access/key.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Config } from '../../config/config.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Budget } from '../../metering/budget.ts'
import type { Effect, NameList } from './effect-contract.ts'

/** Everything that is in force at one time, or would be in force. */
export interface ComparedState {
  readonly config: Config
  /** The catalog that the configuration serves. */
  readonly catalog: Catalog
  /** The file and the document joined, in the syntax of the file. It holds secrets, which no effect shows. */
  readonly value: JsonObject
  /** The keys that are not revoked. */
  readonly keys: readonly Key[]
}

/** The amount that a budget has spent in its window, and the current raise of its limit. */
export interface BudgetUse {
  readonly spent: NanoDollars
  readonly raisedBy: number
}

export interface Comparison {
  readonly before: ComparedState
  readonly after: ComparedState
  readonly useOf: (budget: Budget) => BudgetUse
  /** A time by the wall clock, at which prices are compared. */
  readonly nowMs: number
}

type WithoutText<Each> = Each extends Effect ? Omit<Each, 'text'> : never

/** An effect before it is put in words. */
export type FoundEffect = WithoutText<Effect>

const MAX_NAMES = 12

export function listNames(all: readonly string[]): NameList {
  return { names: all.slice(0, MAX_NAMES), more: Math.max(0, all.length - MAX_NAMES) }
}

/** Groups values by an equal text, in order of first occurrence. */
export function groupByText<Value>(
  values: readonly Value[],
  textOf: (value: Value) => string,
): ReadonlyMap<string, readonly [Value, ...Value[]]> {
  const groups = new Map<string, [Value, ...Value[]]>()
  for (const value of values) {
    const text = textOf(value)
    const known = groups.get(text)
    if (known === undefined) groups.set(text, [value])
    else known.push(value)
  }
  return groups
}
