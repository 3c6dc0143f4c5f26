import { type ChangeView, diffPriceFile, installPriceFile } from '../../admin/prices/price-files.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { requireFolder } from '../open-existing-folder.ts'
import { isDay } from '../options/read-time.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import type { PricesContext } from '../remote/fetch-price-list.ts'

export interface UpdateOptions extends JsonChoice {
  readonly source?: string
  readonly date?: string
}

/** `headgate prices diff`: shows what another file would change. */
export function diffPrices(path: string, { json }: JsonChoice, context: PricesContext): void {
  const { registry } = context.loadInput()
  const changes = diffPriceFile(context.dataFolder(), { path, date: today() }, registry)
  const text = changes.map(writeChange).join('') + summarize(changes)
  context.io.write(json ? writeJson({ data: changes }) : text)
}

/** `headgate prices update`: makes the newer table the operator's table. */
export function updatePrices(
  path: string,
  { source, date, json }: UpdateOptions,
  context: PricesContext,
): void {
  if (date !== undefined && !isDay(date))
    throw new OperatorError('option_invalid', '--date must be a day, such as 2027-01-31')
  // A table in a folder of another name would have no effect, and nobody would see that.
  requireFolder(context.dataFolder())
  const { registry } = context.loadInput()
  const file = { path, source, date: date ?? today() }
  const { path: written, changes } = installPriceFile(context.dataFolder(), file, registry)
  const advice = 'A running server takes it when it reloads: send it SIGHUP, or start it again.'
  const text = `${summarize(changes)}${written} is written. ${advice}\n`
  context.io.write(json ? writeJson({ file: written, data: changes }) : text)
}

function today(): string {
  return new Date(systemClock.nowMs()).toISOString().slice(0, 10)
}

function writeChange({ type, model, before, after }: ChangeView): string {
  const prices = type === 'missing' ? `keeps ${after}` : `${before ?? 'none'} -> ${after}`
  return `${type.padEnd(7)}  ${model}  ${prices}\n`
}

const types = ['added', 'changed', 'missing'] as const

function summarize(changes: readonly ChangeView[]): string {
  return `${types.map((each) => `${changes.filter(({ type }) => type === each).length} ${each}`).join(', ')}\n`
}
