import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPriceIndex, type PriceIndex } from '../../catalog/prices/price-index.ts'
import builtIn from '../../catalog/prices/price-table.json' with { type: 'json' }
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import type { ConfigWarning } from '../config-warning.ts'

/** The operator's own price table, in the data folder. */
export const PRICE_TABLE_FILE = 'prices.json'

type PriceFileWarning = Extract<ConfigWarning, { readonly kind: 'unreadable_prices' | 'kept_prices' }>

export interface PriceTables {
  /** The operator's table, then Headgate's built-in table. */
  readonly tables: readonly PriceIndex[]
  /** The reasons why the operator's table cannot be used. */
  readonly warnings: readonly PriceFileWarning[]
}

let builtInIndex: PriceIndex | undefined

function builtInPrices(): PriceIndex {
  builtInIndex ??= createPriceIndex(builtIn)
  return builtInIndex
}

/** The operator's tables that this process has read, by path. */
const readTables = new Map<string, PriceIndex>()

/**
 * Reads the price tables. A broken operator's table does not stop the service. The table that this process read before
 * stays in use then, since a bill must not change with a damaged file. Without one the built-in table has prices as
 * well.
 */
export function openPriceTables(dataFolder: string): PriceTables {
  const path = join(dataFolder, PRICE_TABLE_FILE)
  try {
    const text = readText(path)
    if (text === undefined) {
      readTables.delete(path)
      return { tables: [builtInPrices()], warnings: [] }
    }
    const own = createPriceIndex(JSON.parse(text))
    // Every model is read here once, so that no later look-up fails.
    own.all()
    readTables.set(path, own)
    return { tables: [own, builtInPrices()], warnings: [] }
  } catch (error) {
    const values = { path, reason: reasonOf(error) }
    const before = readTables.get(path)
    if (before === undefined)
      return { tables: [builtInPrices()], warnings: [{ kind: 'unreadable_prices', values }] }
    return { tables: [before, builtInPrices()], warnings: [{ kind: 'kept_prices', values }] }
  }
}

/** Editors on Windows put it before the text. It is no part of JSON. */
const BYTE_ORDER_MARK = /^\uFEFF/

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(BYTE_ORDER_MARK, '')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
