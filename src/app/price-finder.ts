import type { Catalog, CatalogSource } from '../catalog/catalog.ts'
import type { FindPriceVersion } from '../catalog/prices/find-price.ts'
import type { PriceVersion, PriceVersionId } from '../catalog/prices/price.ts'

/** An intent exists for minutes, so prices of older configurations than these are no longer needed. */
const MAX_CONFIGURATIONS = 16

/** Finds the price of an intent by its ID, among the prices served now and those in force before. */
export class PriceFinder {
  /** The newest price list first. */
  #known: readonly FindPriceVersion[]
  #served: CatalogSource | undefined

  constructor(first: FindPriceVersion) {
    this.#known = [first]
  }

  /** Adds the prices of another configuration. */
  change(next: FindPriceVersion): void {
    this.#known = [next, ...this.#known].slice(0, MAX_CONFIGURATIONS)
  }

  /** Adds the served catalog to the searched prices, from now on. */
  serve(catalog: CatalogSource): void {
    this.#served = catalog
  }

  readonly find: FindPriceVersion = (id) => this.snapshot()(id)

  /** Returns a finder over the prices that are served now. It is cheaper than `find` for many IDs. */
  snapshot(): FindPriceVersion {
    const served = listServed(this.#served?.current())
    return (id) => served.get(id) ?? this.#findKnown(id)
  }

  #findKnown(id: PriceVersionId): PriceVersion | undefined {
    for (const find of this.#known) {
      const found = find(id)
      if (found !== undefined) return found
    }
    return undefined
  }
}

function listServed(catalog: Catalog | undefined): ReadonlyMap<PriceVersionId, PriceVersion> {
  const targets = catalog?.models.flatMap(({ name }) => catalog.findRoute(name)?.targets ?? []) ?? []
  return new Map(targets.flatMap(({ prices = [] }) => prices.map((version) => [version.id, version])))
}
