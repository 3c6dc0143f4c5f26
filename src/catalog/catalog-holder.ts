import type { Catalog, CatalogSource } from './catalog.ts'

export interface CatalogHolder extends CatalogSource {
  /** From now on `current` answers with this one; requests under way keep theirs. */
  replace(catalog: Catalog): void
}

export function createCatalogHolder(initial: Catalog): CatalogHolder {
  let held = initial
  return {
    current: () => held,
    replace(catalog) {
      held = catalog
    },
  }
}
