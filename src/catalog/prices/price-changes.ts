import type { PriceTable, TableModel, TableVersion } from './price-table.ts'

/** A change of one model's price between two tables. */
export type PriceChange =
  | { readonly type: 'added'; readonly model: TableModel }
  | { readonly type: 'removed'; readonly model: TableModel }
  | { readonly type: 'changed'; readonly before: TableModel; readonly after: TableModel }

/** Lists every model whose current price differs between the two tables, by provider and name. */
export function comparePriceTables(older: PriceTable, newer: PriceTable): readonly PriceChange[] {
  const before = new Map(older.models.map((model) => [modelKey(model), model]))
  const after = new Map(newer.models.map((model) => [modelKey(model), model]))
  const changes = [...after.values()].flatMap((model): readonly PriceChange[] => {
    const known = before.get(modelKey(model))
    if (known === undefined) return [{ type: 'added', model }]
    return isSamePrice(known.versions.at(-1), model.versions.at(-1))
      ? []
      : [{ type: 'changed', before: known, after: model }]
  })
  const removed = older.models.filter((model) => !after.has(modelKey(model)))
  const all = [...changes, ...removed.map((model): PriceChange => ({ type: 'removed', model }))]
  return all.sort((left, right) => compareModels(modelOf(left), modelOf(right)))
}

/**
 * Merges the newer table with the history of the older one. A price that did not change keeps its date. A changed price
 * becomes an additional version. A model that is gone stays, because its past requests must be priced.
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
  // A table of the same day corrects the version.
  return [...versions.filter(({ from }) => from < version.from), version]
}

export function modelOf(change: PriceChange): TableModel {
  return change.type === 'changed' ? change.after : change.model
}

function modelKey({ provider, name }: TableModel): string {
  return JSON.stringify([provider, name])
}

/** Compares two models by provider and name. */
export function compareModels(left: TableModel, right: TableModel): number {
  if (left.provider !== right.provider) return left.provider < right.provider ? -1 : 1
  if (left.name === right.name) return 0
  return left.name < right.name ? -1 : 1
}

/** Whether two versions have the same price, whenever they began. */
function isSamePrice(left: TableVersion | undefined, right: TableVersion | undefined): boolean {
  return writePrice(left) === writePrice(right)
}

function writePrice(version: TableVersion | undefined): string | undefined {
  return version === undefined ? undefined : JSON.stringify({ ...version, from: '' }, sortNames)
}

function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}
