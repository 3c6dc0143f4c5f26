import type { PriceTable } from './price-table.ts'

/** One line a model, so that a change of one is a change of one line. */
export function printPriceTable({ source, date, licence, models }: PriceTable): string {
  const head = Object.entries({ source, date, licence }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  const lines = models.map((model) => JSON.stringify(model)).join(',\n')
  return `{\n${head.join('\n')}\n"models": [\n${lines}\n]\n}\n`
}
