import type { TableModel } from './price-table.ts'
import { type RawModel, readTableHead, readTableModel } from './price-table-schema.ts'

/**
 * A price table indexed by provider and name. It has thousands of models, and few are served, so each model is read on
 * its first use.
 */
export interface PriceIndex {
  readonly source: string
  /** The date of the table, such as `2026-11-23`. */
  readonly date: string
  readonly licence: string
  /**
   * Finds a model by its name, ignoring case. Without such a model, finds the name without its date, since that is
   * another version of the same model.
   */
  find(provider: string, name: string): TableModel | undefined
  /** All models, sorted by provider and name. */
  all(): readonly TableModel[]
}

/**
 * Creates an index. Throws where the value is not a price table. `find` and `all` throw where one of its models is
 * invalid.
 */
export function createPriceIndex(value: unknown): PriceIndex {
  const { source, date, licence, models } = readTableHead(value)
  const byProvider = Map.groupBy(models, ({ provider }) => provider)
  const namesOf = new Map<string, ProviderNames>()
  return {
    source,
    date,
    licence,
    all: () => models.map(readTableModel),
    find(provider, name) {
      const names = namesOf.get(provider) ?? new ProviderNames(byProvider.get(provider) ?? [])
      namesOf.set(provider, names)
      const found = names.find(name)
      return found === undefined ? undefined : readTableModel(found)
    },
  }
}

/** The models of one provider by name. Few providers are used, and most look-ups find the exact name. */
class ProviderNames {
  readonly #models: readonly RawModel[]
  readonly #exact: ReadonlyMap<string, RawModel>
  #families: ReadonlyMap<string, RawModel> | undefined

  constructor(models: readonly RawModel[]) {
    this.#models = models
    this.#exact = new Map(models.map((model) => [keyOf(model.name), model]))
  }

  find(name: string): RawModel | undefined {
    const found = this.#exact.get(keyOf(name))
    if (found !== undefined) return found
    this.#families ??= groupByFamily(this.#models)
    return this.#families.get(keyOf(withoutDate(name)))
  }
}

function keyOf(name: string): string {
  return name.toLowerCase()
}

/**
 * Removes the version from a name: a whole date, `latest`, or the part after `@` on Google Cloud. Shorter numbers may
 * be part of another model's name.
 */
function withoutDate(name: string): string {
  return name.replace(/(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-latest|@[\w-]+)$/, '')
}

/** Chooses the version that represents each family: the name without a date, else `latest`, else the newest. */
function groupByFamily(models: readonly RawModel[]): ReadonlyMap<string, RawModel> {
  const families = Map.groupBy(models, ({ name }) => keyOf(withoutDate(name)))
  const chosen = [...families].map(([key, versions]): readonly [string, RawModel | undefined] => {
    const plain = versions.find(({ name }) => withoutDate(name) === name)
    const latest = versions.find(({ name }) => name.endsWith('-latest'))
    const newest = versions.toSorted((left, right) => (left.name < right.name ? 1 : -1))[0]
    return [key, plain ?? latest ?? newest]
  })
  return new Map(chosen.flatMap(([key, model]) => (model === undefined ? [] : [[key, model]])))
}
