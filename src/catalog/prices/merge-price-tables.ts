import { compareModels, isSamePrice, modelKey } from './compare-price-tables.ts'
import type { PriceTable, TableModel, TableVersion } from './price-table.ts'

/**
 * The newer table with the history of the older one: a price that did not change keeps its date, another becomes a
 * version beside it, and a model that is gone stays, since what it served has to be priced.
 */
export function mergePriceTables(older: PriceTable, newer: PriceTable): PriceTable {
  const before = new Map(older.models.map((model) => [modelKey(model), model]))
  const after = newer.models.map((model) => joinModel(before.get(modelKey(model)), model))
  const names = new Set(newer.models.map(modelKey))
  const gone = older.models.filter((model) => !names.has(modelKey(model)))
  return { ...newer, models: [...after, ...gone].sort(compareModels) }
}

function joinModel(before: TableModel | undefined, after: TableModel): TableModel {
  return { ...after, versions: after.versions.reduce(addVersion, before?.versions ?? []) }
}

function addVersion(versions: readonly TableVersion[], version: TableVersion): readonly TableVersion[] {
  const last = versions.at(-1)
  if (isSamePrice(last, version)) return versions
  // A table of the same day corrects.
  return [...versions.filter(({ from }) => from < version.from), version]
}
