import { line, stack } from 'd3-shape'
import { type ChartData, seriesFills, seriesStrokes } from './chart-data.ts'
import type { ChartPlan } from './plan-chart.ts'

interface MarksProps {
  readonly plan: ChartPlan
  readonly data: ChartData
}

const MAX_GAP = 3

/** Stacked bars, one stack for each time. */
export function Bars({ plan, data: { times, series } }: MarksProps) {
  const gap = Math.min(MAX_GAP, plan.band * 0.2)
  const width = Math.max(1, plan.band - gap)
  const heights = stack<number>()
    .keys(series.map(({ id }) => id))
    .value((index, id) => series.find((each) => each.id === id)?.values[index] ?? 0)(
    times.map((_time, index) => index),
  )
  return (
    <g>
      {heights.map((bars, order) => (
        <path
          key={bars.key}
          className={seriesFills[series[order]?.colour ?? 8]}
          d={bars.map(([from, to], index) => writeBar(plan, { index, from, to, gap, width })).join('')}
        />
      ))}
    </g>
  )
}

interface Bar {
  readonly index: number
  readonly from: number
  readonly to: number
  readonly gap: number
  readonly width: number
}

function writeBar(plan: ChartPlan, { index, from, to, gap, width }: Bar): string {
  if (to <= from) return ''
  const x = plan.xOf(index) + gap / 2
  const y = plan.yOf(to)
  // A value above zero is visible, however small it is.
  const height = Math.max(1, plan.yOf(from) - y)
  return `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`
}

/** Lines that are not stacked. A line has a gap where nothing was measured. */
export function Lines({ plan, data: { series } }: MarksProps) {
  const draw = line<number | null>()
    .defined((value) => value !== null)
    .x((_value, index) => plan.xOf(index) + plan.band / 2)
    .y((value) => plan.yOf(value ?? 0))
  return (
    <g fill="none" strokeWidth="2" strokeLinejoin="round" strokeLinecap="round">
      {series.map(({ id, colour, values }) => (
        <path key={id} className={seriesStrokes[colour]} d={draw(values) ?? ''} />
      ))}
      {series.map(({ id, colour, values }) => (
        <Dots key={id} plan={plan} values={values} fill={seriesFills[colour]} />
      ))}
    </g>
  )
}

interface DotsProps {
  readonly plan: ChartPlan
  readonly values: readonly (number | null)[]
  readonly fill: string
}

/** A dot for a value without neighbors, since a line needs two points. */
function Dots({ plan, values, fill }: DotsProps) {
  const isAlone = (index: number) =>
    (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
  return (
    <g className={fill} stroke="none">
      {values.map((value, index) =>
        value !== null && isAlone(index) ? (
          <circle key={plan.xOf(index)} cx={plan.xOf(index) + plan.band / 2} cy={plan.yOf(value)} r="2.5" />
        ) : null,
      )}
    </g>
  )
}
