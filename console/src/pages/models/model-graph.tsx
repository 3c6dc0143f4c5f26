import { writeCount, writeShare } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import type { GraphEdge, GraphNode, GraphPlan } from './plan-graph.ts'

const WIDTH = 760
const BOX_WIDTH = 260
const LEFT = 70
const RIGHT = WIDTH - BOX_WIDTH - 2
const BOX_HEIGHT = 30
const MAX_LETTERS = 34
const MAX_STROKE = 5

interface ModelGraphProps {
  readonly graph: GraphPlan
  readonly label: string
}

/**
 * Public names and their targets. The thickness of a line is the share in a tier, and dashed lines are fallbacks. A
 * narrow screen has no space for the picture and shows the table.
 */
export function ModelGraph({ graph, label }: ModelGraphProps) {
  const { names, targets, edges, height } = graph
  return (
    <>
      <ScrollRegion label={label} className="overflow-x-auto max-sm:hidden">
        <svg
          viewBox={`0 0 ${WIDTH} ${height}`}
          aria-hidden="true"
          className="block w-full max-w-5xl min-w-[32rem]"
        >
          {edges.map((edge) => (
            <Line key={`${edge.kind} ${edge.from.id} ${edge.to.id}`} edge={edge} />
          ))}
          {names.map((node) => (
            <Box key={node.id} node={node} x={LEFT} look="fill-accent-soft stroke-accent-solid" />
          ))}
          {targets.map((node) => (
            <Box key={node.id} node={node} x={RIGHT} look="fill-surface stroke-line-strong" />
          ))}
        </svg>
      </ScrollRegion>
      <div className="sm:hidden">
        <EdgeTable edges={edges} label={label} />
      </div>
      <details className="mt-4 max-sm:hidden">
        <summary className="font-medium">{t('models.graph.table')}</summary>
        <EdgeTable edges={edges} label={label} />
      </details>
    </>
  )
}

function Line({ edge: { from, to, kind, share } }: { readonly edge: GraphEdge }) {
  if (kind === 'fallback')
    return (
      <path
        d={`M ${LEFT} ${from.y} C ${LEFT - 60} ${from.y}, ${LEFT - 60} ${to.y}, ${LEFT} ${to.y}`}
        className="fill-none stroke-warn-solid"
        strokeWidth={2}
        strokeDasharray="5 4"
      />
    )
  const start = LEFT + BOX_WIDTH
  const middle = (start + RIGHT) / 2
  return (
    <path
      d={`M ${start} ${from.y} C ${middle} ${from.y}, ${middle} ${to.y}, ${RIGHT} ${to.y}`}
      className="fill-none stroke-accent-solid opacity-60"
      strokeWidth={Math.max(1.2, share * MAX_STROKE)}
    />
  )
}

interface BoxProps {
  readonly node: GraphNode
  readonly x: number
  readonly look: string
}

function Box({ node: { id, y }, x, look }: BoxProps) {
  const text = id.length > MAX_LETTERS ? `${id.slice(0, MAX_LETTERS - 1)}…` : id
  return (
    <g>
      <title>{id}</title>
      <rect
        x={x}
        y={y - BOX_HEIGHT / 2}
        width={BOX_WIDTH}
        height={BOX_HEIGHT}
        rx={7}
        strokeWidth={1.2}
        className={look}
      />
      <text x={x + 12} y={y + 4.5} className="fill-ink text-[13px]">
        {text}
      </text>
    </g>
  )
}

function EdgeTable({ edges, label }: { readonly edges: readonly GraphEdge[]; readonly label: string }) {
  return (
    <ScrollRegion label={label} className="mt-2 overflow-x-auto">
      <table aria-label={label} className="w-full text-left sm:min-w-96">
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            <th className="py-1.5 pr-3 font-medium">{t('models.name')}</th>
            <th className="py-1.5 pr-3 font-medium">{t('models.leads_to')}</th>
            <th className="py-1.5 pr-3 text-right font-medium">{t('models.priority')}</th>
            <th className="py-1.5 text-right font-medium">{t('models.share')}</th>
          </tr>
        </thead>
        <tbody>
          {edges.map(({ kind, from, to, priority, share }) => (
            <tr key={`${kind} ${from.id} ${to.id}`} className="border-b border-line">
              <td className="py-1.5 pr-3 wrap-anywhere">{from.id}</td>
              <td className="py-1.5 pr-3 wrap-anywhere">{to.id}</td>
              <td className="py-1.5 pr-3 text-right">
                {priority === undefined ? t('models.fallback') : writeCount(priority)}
              </td>
              <td className="py-1.5 text-right tabular-nums">{kind === 'target' ? writeShare(share) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
