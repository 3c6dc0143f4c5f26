import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { comparePriceTables, mergePriceTables } from '../src/catalog/prices/price-changes.ts'
import { createPriceIndex } from '../src/catalog/prices/price-index.ts'
import { type PriceTable, printPriceTable } from '../src/catalog/prices/price-table.ts'
import { readLitellmFile } from '../src/providers/prices/read-litellm-file.ts'
import { providerRegistry } from '../src/providers/registry.ts'

// Writes src/catalog/prices/price-table.json from LiteLLM's price file, which is in its package on PyPI as
// litellm/model_prices_and_context_window_backup.json:
//   npx node scripts/write-price-table.ts --source "litellm 1.109.1" --date 2026-11-23 FILE

const tablePath = join(import.meta.dirname, '../src/catalog/prices/price-table.json')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { source: { type: 'string' }, date: { type: 'string' } },
})
const [path] = positionals
const { source, date } = values
if (path === undefined || source === undefined || date === undefined) {
  throw new Error('Usage: write-price-table.ts --source NAME --date YYYY-MM-DD FILE')
}

const file = JSON.parse(readFileSync(path, 'utf8'))
const { table, unpriced, unknownRates } = readLitellmFile({ file, source, date }, providerRegistry)
const before = existsSync(tablePath) ? readTable(readFileSync(tablePath, 'utf8')) : undefined
writeFileSync(tablePath, printPriceTable(before === undefined ? table : mergePriceTables(before, table)))

const changes = before === undefined ? [] : comparePriceTables(before, table)
const counts = ['added', 'changed', 'removed'].map(
  (type) => `${changes.filter((change) => change.type === type).length} ${type}`,
)
say(`${table.models.length} models: ${counts.join(', ')}.`)
say(`Without a price, since the file says 0: ${unpriced.join(', ')}.`)
for (const [rate, model] of Object.entries(unknownRates)) say(`Not read: ${rate}, such as of ${model}.`)

function readTable(text: string): PriceTable {
  const index = createPriceIndex(JSON.parse(text))
  return { ...index, models: index.all() }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
