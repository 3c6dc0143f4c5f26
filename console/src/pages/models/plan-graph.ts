import type { ServedModelView } from '../../../../src/admin/models/catalog-contract.ts'
import { planTiers } from '../../routing/plan-tiers.ts'

export interface GraphNode {
  readonly id: string
  readonly y: number
}

export interface GraphEdge {
  readonly from: GraphNode
  readonly to: GraphNode
  readonly kind: 'target' | 'fallback'
  /** The share of the target within its tier, at most 1. */
  readonly share: number
  /** The priority of the channel; undefined for a fallback. */
  readonly priority: number | undefined
}

export interface GraphPlan {
  readonly names: readonly GraphNode[]
  readonly targets: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly height: number
}

const ROW_HEIGHT = 40

/** Names that are more than a channel's own name: aliases, and names that have fallbacks or are fallbacks. */
function isInGraph({ alias, fallbacks }: ServedModelView): boolean {
  return alias || (fallbacks ?? []).length > 0
}

/** Places names in one column and their targets in another. Both columns start at the top and have equal spacing. */
export function planGraph(models: readonly ServedModelView[], isShown = isInGraph): GraphPlan {
  const shown = models.filter(isShown)
  const byName = new Map(models.map((model) => [model.name, model]))
  const names = [...new Set(shown.flatMap(({ name, fallbacks }) => [name, ...(fallbacks ?? [])]))]
  const listed = names.flatMap((name) => byName.get(name) ?? [])
  const targets = [...new Set(listed.flatMap(({ targets: all }) => (all ?? []).map(writeTarget)))]
  const rows = Math.max(names.length, targets.length)
  const left = spreadOut(names, rows)
  const right = spreadOut(targets, rows)
  return {
    names: [...left.values()],
    targets: [...right.values()],
    edges: listed.flatMap((model) => [...targetEdges(model, left, right), ...fallbackEdges(model, left)]),
    height: rows * ROW_HEIGHT,
  }
}

type Spread = ReadonlyMap<string, GraphNode>
type Target = NonNullable<ServedModelView['targets']>[number]

export function writeTarget({ channel, upstream_model: model }: Target): string {
  return `${channel}/${model}`
}

function spreadOut(ids: readonly string[], rows: number): Spread {
  const step = (rows / ids.length) * ROW_HEIGHT
  return new Map(ids.map((id, index) => [id, { id, y: (index + 0.5) * step }]))
}

function targetEdges({ name, targets }: ServedModelView, left: Spread, right: Spread): readonly GraphEdge[] {
  const from = left.get(name)
  if (from === undefined || targets === null) return []
  return planTiers(targets).flatMap(({ priority, members }) =>
    members.flatMap(({ member, share }) => {
      const to = right.get(writeTarget(member))
      return to === undefined ? [] : [{ from, to, kind: 'target' as const, share, priority }]
    }),
  )
}

function fallbackEdges({ name, fallbacks }: ServedModelView, left: Spread): readonly GraphEdge[] {
  const from = left.get(name)
  return (fallbacks ?? []).flatMap((fallback) => {
    const to = left.get(fallback)
    if (from === undefined || to === undefined) return []
    return [{ from, to, kind: 'fallback' as const, share: 0, priority: undefined }]
  })
}
