import type { RowFilter } from '../../../metering/ledger-reader.ts'
import type { UsageFilter } from '../../../metering/usage-query.ts'
import { storedJson, storedText } from './stored-text.ts'

/** Parts of a SQL condition, and their parameters. */
export class Conditions {
  readonly #parts: string[] = []
  readonly parameters: unknown[]

  constructor(parameters: readonly unknown[] = []) {
    this.parameters = [...parameters]
  }

  /** Adds a parameter with this value, and returns its name. */
  parameter(value: unknown): string {
    this.parameters.push(value)
    return `$${this.parameters.length}`
  }

  add(part: string): void {
    this.#parts.push(part)
  }

  get sql(): string {
    return this.#parts.length === 0 ? 'true' : this.#parts.join(' and ')
  }
}

/** Adds the conditions of a filter on subjects. The tables of rows and of subjects have the same columns. */
export function addSubjectConditions(conditions: Conditions, filter: UsageFilter): void {
  const { key, keyIds, ownedBy, tags = {} } = filter
  if (key !== undefined) {
    const name = conditions.parameter(storedText(key))
    conditions.add(`(key_id = ${name} or key_name = ${name})`)
  }
  if (keyIds !== undefined) conditions.add(`key_id = any(${conditions.parameter(keyIds.map(storedText))})`)
  if (ownedBy !== undefined) {
    const user = conditions.parameter(storedText(ownedBy.user))
    const groups = conditions.parameter(ownedBy.groups.map(storedText))
    conditions.add(`(user_id = ${user} or group_name = any(${groups}))`)
  }
  const columns = [
    ['user_id', filter.user],
    ['group_name', filter.group],
    ['model', filter.model],
    ['upstream_model', filter.upstreamModel],
    ['channel', filter.channel],
  ] as const
  for (const [column, wanted] of columns)
    if (wanted !== undefined) conditions.add(`${column} = ${conditions.parameter(storedText(wanted))}`)
  if (Object.keys(tags).length > 0) conditions.add(`tags @> ${conditions.parameter(storedJson(tags))}::jsonb`)
}

export function addRowConditions(conditions: Conditions, filter: RowFilter): void {
  const { state, sinceMs, untilMs } = filter
  addSubjectConditions(conditions, filter)
  if (state !== undefined) conditions.add(`state = ${conditions.parameter(state)}`)
  if (sinceMs !== undefined) conditions.add(`ended_at_ms >= ${conditions.parameter(Math.ceil(sinceMs))}`)
  if (untilMs !== undefined) conditions.add(`ended_at_ms < ${conditions.parameter(Math.ceil(untilMs))}`)
}
