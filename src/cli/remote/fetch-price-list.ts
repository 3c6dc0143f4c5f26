import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfigPrices } from '../../admin/prices/browse-prices.ts'
import { type ListPrices, type PriceList, priceListSchema } from '../../admin/prices/price-contract.ts'
import { type LoadInput, loadConfig } from '../../config/load-config.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { CommandContext } from '../command-context.ts'
import { findSharedDatabase, openExistingFolder, refuseInUse } from '../open-existing-folder.ts'
import { askServer } from './reach-server.ts'

export interface PricesContext extends CommandContext {
  /** Loads the input of `headgate serve`, for use without a server. */
  loadInput(): LoadInput
}

type PriceQuery = { readonly [Name in keyof ListPrices]: ListPrices[Name] | undefined }

/**
 * Reads prices through the running server. Without a server, reads them from the configuration file only, and the
 * output says so.
 */
export async function fetchPriceList(context: PricesContext, options: PriceQuery): Promise<PriceList> {
  const folder = context.dataFolder()
  const query = omitUndefined(options)
  if (findSharedDatabase(folder) !== undefined || existsSync(join(folder, 'headgate.db'))) {
    const data = openExistingFolder(folder)
    const byServer = await askServer(data, context, (call) => {
      const search = new URLSearchParams(Object.entries(query)).toString()
      return call({ method: 'GET', path: search === '' ? '/prices' : `/prices?${search}` }, priceListSchema)
    })
    if (byServer !== undefined) return byServer
    refuseInUse(data, folder)
  }
  const { operations, unlisted } = readConfigPrices(await loadConfig(context.loadInput()), systemClock)
  const listing = unlisted.length === 0 ? '' : `; what ${unlisted.join(', ')} list is not known here`
  context.io.writeError(
    `headgate: no server runs, so these are the prices of the configuration file${listing}\n`,
  )
  return operations.list(query)
}
