import type { Catalog, Target } from '../catalog.ts'

/** Public names of which a target has no price, such as `fast (primary/my-model)`, in the order of the list. */
export function findUnpriced(catalog: Catalog): readonly string[] {
  return catalog.models.flatMap(({ name }) => {
    const targets = catalog.findRoute(name)?.targets ?? []
    const unpriced = targets.filter(({ prices }) => prices === undefined)
    if (unpriced.length === 0) return []
    return unpriced.length === targets.length ? [name] : [`${name} (${unpriced.map(writeTarget).join(', ')})`]
  })
}

function writeTarget({ channel, upstreamModel }: Target): string {
  return `${channel.name}/${upstreamModel}`
}
