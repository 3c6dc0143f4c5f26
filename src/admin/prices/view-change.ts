import { writeDollars } from '../../canonical/money.ts'
import { modelOf, type PriceChange } from '../../catalog/prices/compare-price-tables.ts'
import type { TableModel } from '../../catalog/prices/price-table.ts'

export interface ChangeView {
  readonly type: PriceChange['type']
  /** Such as `openai/gpt-4o`. */
  readonly model: string
  /** Such as `2.5 in, 10 out and 2 more`: the usual rates, and how many others. */
  readonly before: string | null
  readonly after: string | null
}

export function viewChange(change: PriceChange): ChangeView {
  const { provider, name } = modelOf(change)
  return { type: change.type, model: `${provider}/${name}`, ...sidesOf(change) }
}

function sidesOf(change: PriceChange): Pick<ChangeView, 'before' | 'after'> {
  switch (change.type) {
    case 'added':
      return { before: null, after: describePrice(change.model) }
    case 'removed':
      return { before: describePrice(change.model), after: null }
    case 'changed':
      return { before: describePrice(change.before), after: describePrice(change.after) }
  }
}

function describePrice({ versions }: TableModel): string {
  const [sheet, ...others] = versions.at(-1)?.sheets ?? []
  if (sheet === undefined) return 'not by tokens'
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${writeDollars(sheet.input)} in, ${writeDollars(sheet.output)} out${more}`
}
