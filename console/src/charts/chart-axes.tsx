import { writeTick } from '../language/format.ts'
import { DAY_MS } from '../time/time-units.ts'
import type { ChartData } from './chart-data.ts'
import { CHART_HEIGHT, type ChartPlan } from './plan-chart.ts'

interface ChartAxesProps {
  readonly plan: ChartPlan
  readonly data: ChartData
  readonly write: (value: number) => string
}

export function ChartAxes({ plan, data: { times, stepMs }, write }: ChartAxesProps) {
  const lengthMs = stepMs * times.length
  return (
    <g className="fill-muted text-[11px]">
      {plan.valueTicks.map((value) => (
        <g key={value}>
          <line
            x1={plan.left}
            x2={plan.right}
            y1={plan.yOf(value)}
            y2={plan.yOf(value)}
            className="stroke-line"
          />
          <text x={plan.left - 6} y={plan.yOf(value) + 4} textAnchor="end">
            {write(value)}
          </text>
        </g>
      ))}
      {plan.timeTicks.map((index) => (
        <text
          key={index}
          x={plan.xOf(index) + plan.band / 2}
          y={CHART_HEIGHT - 6}
          textAnchor={index === 0 ? 'start' : 'middle'}
        >
          {writeTick(new Date(times[index] ?? 0), lengthMs > 2 * DAY_MS ? DAY_MS : stepMs)}
        </text>
      ))}
    </g>
  )
}
