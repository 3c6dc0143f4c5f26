import type { Catalog, Target } from '../catalog.ts'

/** A public name with at least one target without a price. */
export interface UnpricedModel {
  readonly model: string
  readonly targets: readonly Target[]
  /** The model's name for operators, such as `my-model` where no target has a price, else `fast (primary/my-model)`. */
  readonly text: string
}

/** Finds models without a price, in the order of the list. */
export function findUnpriced(catalog: Catalog): readonly UnpricedModel[] {
  return catalog.models.flatMap(({ name: model }) => {
    const all = catalog.findRoute(model)?.targets ?? []
    const targets = all.filter(({ prices }) => prices === undefined)
    if (targets.length === 0) return []
    const text = targets.length === all.length ? model : `${model} (${targets.map(writeTarget).join(', ')})`
    return [{ model, targets, text }]
  })
}

function writeTarget({ channel, upstreamModel }: Target): string {
  return `${channel.name}/${upstreamModel}`
}
