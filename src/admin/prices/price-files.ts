import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeDollars } from '../../canonical/money.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import {
  comparePriceTables,
  mergePriceTables,
  modelOf,
  type PriceChange,
} from '../../catalog/prices/price-changes.ts'
import { createPriceIndex, type PriceIndex } from '../../catalog/prices/price-index.ts'
import { type PriceTable, printPriceTable, type TableModel } from '../../catalog/prices/price-table.ts'
import { PriceTableError } from '../../catalog/prices/price-table-schema.ts'
import { openPriceTables, PRICE_TABLE_FILE } from '../../config/source/open-price-tables.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { parseJson } from '../../kit/json/parse-json.ts'
import { readLitellmFile } from '../../providers/prices/read-litellm-file.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'

export interface PriceFile {
  /** LiteLLM's price file, or a price table of Headgate. */
  readonly path: string
  /** The source of a LiteLLM file. If it is absent, the file's name. */
  readonly source?: string | undefined
  /** The first day on which the changes of a LiteLLM file apply, such as `2027-01-31`. */
  readonly date: string
}

export interface PriceUpdate {
  /** The table that is written. */
  readonly path: string
  readonly changes: readonly ChangeView[]
}

export interface ChangeView {
  /** `missing`: the file does not have the model, which keeps its price. */
  readonly type: 'added' | 'changed' | 'missing'
  /** The model, such as `openai/gpt-4o`. */
  readonly model: string
  /** The previous price, such as `2.5 in, 10 out and 2 more`: the standard rates, and the number of other rates. */
  readonly before: string | null
  readonly after: string | null
}

/** The changes that the file would make to the newest table. */
export function diffPriceFile(
  dataFolder: string,
  file: PriceFile,
  registry: ProviderRegistry,
): readonly ChangeView[] {
  return compare(currentTable(dataFolder), readPriceFile(file, registry))
}

/** Makes the file the operator's own table. The history of the previous table stays in it. */
export function installPriceFile(
  dataFolder: string,
  file: PriceFile,
  registry: ProviderRegistry,
): PriceUpdate {
  const before = currentTable(dataFolder)
  const newer = readPriceFile(file, registry)
  if (newer.date < before.date) {
    throw new OperatorError(
      'price_file_outdated',
      `${file.path} is of ${newer.date}, and the price table in use is of ${before.date}: it would have no effect`,
    )
  }
  const path = join(dataFolder, PRICE_TABLE_FILE)
  const text = printPriceTable(mergePriceTables(before, newer))
  checkReadable(file.path, text)
  writeWhole(path, text)
  return { path, changes: compare(before, newer) }
}

/** Writes the whole table, durably, or nothing of it. */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.new`
  try {
    writeFileSync(unfinished, text, { flush: true })
    renameSync(unfinished, path)
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw new OperatorError('file_unwritable', `${path} cannot be written: ${reasonOf(cause)}`, { cause })
  }
}

/** A table that cannot be read would replace one that can: the server would ignore it, and the prices with it. */
function checkReadable(path: string, text: string): void {
  try {
    createPriceIndex(parseJson(text)).all()
  } catch (cause) {
    if (!(cause instanceof PriceTableError)) throw cause
    const happened = `${path} would become a price table that cannot be read afterwards: ${cause.message}`
    throw new OperatorError('price_file_invalid', happened, { cause })
  }
}

function currentTable(dataFolder: string): PriceTable {
  const { tables, warnings } = openPriceTables(dataFolder)
  const [warning] = warnings
  if (warning !== undefined) {
    const { path, reason } = warning.values
    const happened = `${path} is no price table that can be read (${reason}), so its prices would be lost`
    const advice = 'correct it or delete it, and run the command again'
    throw new OperatorError('price_file_invalid', happened, { advice })
  }
  return tables.map(wholeTable).reduce((best, table) => (table.date > best.date ? table : best))
}

function wholeTable(index: PriceIndex): PriceTable {
  const { source, date, licence } = index
  return { source, date, licence, models: index.all() }
}

function readPriceFile({ path, source, date }: PriceFile, registry: ProviderRegistry): PriceTable {
  const file = readJsonFile(path)
  if (!isJsonObject(file))
    throw new OperatorError('price_file_invalid', `${path} is no price file: it must be a JSON object`)
  if (isJsonArray(file['models'])) return readTable(path, file)
  const { table } = readLitellmFile({ file, source: source ?? basename(path), date }, registry)
  if (table.models.length > 0) return table
  throw new OperatorError('price_file_invalid', `${path} has no model of a known provider`)
}

/** Programs on Windows put it before the text. It is no part of JSON. */
const BYTE_ORDER_MARK = /^\uFEFF/

function readJsonFile(path: string): JsonValue {
  try {
    return parseJson(readFileSync(path, 'utf8').replace(BYTE_ORDER_MARK, ''))
  } catch (cause) {
    const code = errorCodeOf(cause) === undefined ? 'price_file_invalid' : 'file_unreadable'
    throw new OperatorError(code, `${path} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

function readTable(path: string, file: JsonObject): PriceTable {
  try {
    return wholeTable(createPriceIndex(file))
  } catch (cause) {
    if (!(cause instanceof PriceTableError)) throw cause
    throw new OperatorError('price_file_invalid', `${path} is no price table: ${cause.message}`, { cause })
  }
}

function compare(older: PriceTable, newer: PriceTable): readonly ChangeView[] {
  return comparePriceTables(older, newer).map(viewChange)
}

function viewChange(change: PriceChange): ChangeView {
  const { provider, name } = modelOf(change)
  return { model: `${provider}/${name}`, ...sidesOf(change) }
}

function sidesOf(change: PriceChange): Omit<ChangeView, 'model'> {
  switch (change.type) {
    case 'added':
      return { type: 'added', before: null, after: describePrice(change.model) }
    case 'removed': {
      const price = describePrice(change.model)
      return { type: 'missing', before: price, after: price }
    }
    case 'changed':
      return { type: 'changed', before: describePrice(change.before), after: describePrice(change.after) }
  }
}

function describePrice({ versions }: TableModel): string {
  const [sheet, ...others] = versions.at(-1)?.sheets ?? []
  if (sheet === undefined) return 'not by tokens'
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${writeDollars(sheet.input)} in, ${writeDollars(sheet.output)} out${more}`
}
