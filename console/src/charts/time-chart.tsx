import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react'
import { writeMoment } from '../language/format.ts'
import { ChartAxes } from './chart-axes.tsx'
import type { ChartData } from './chart-data.ts'
import { ChartLegend } from './chart-legend.tsx'
import { Bars, Lines } from './chart-marks.tsx'
import { ChartTable } from './chart-table.tsx'
import { CHART_HEIGHT, type ChartPlan, planChart } from './plan-chart.ts'
import { useWidth } from './use-width.ts'
import { writeValue } from './write-value.ts'

interface TimeChartProps {
  readonly label: string
  readonly data: ChartData
  /** `bars` are stacked. `lines` are not. */
  readonly type: 'bars' | 'lines'
  readonly write: (value: number) => string
  /** Writes the tick labels of the axis, where space is limited. */
  readonly writeShort?: (value: number) => string
}

/** A chart over time with its data as a table. Arrow keys move through it like the pointer. */
export function TimeChart({ label, data, type, write, writeShort = write }: TimeChartProps) {
  const [ref, width] = useWidth()
  const [active, setActive] = useState<number>()
  const plan = useMemo(
    () => planChart({ data, width, isStacked: type === 'bars', write: writeShort }),
    [data, width, type, writeShort],
  )
  const chosen = active === undefined ? undefined : Math.min(active, data.times.length - 1)
  const follow = (event: PointerEvent<SVGSVGElement>) =>
    setActive(plan.indexAt(event.clientX - event.currentTarget.getBoundingClientRect().left))
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    setActive((index) => Math.max(0, Math.min(data.times.length - 1, (index ?? data.times.length) + by)))
  }
  const time = data.times[chosen ?? -1]
  return (
    <figure ref={ref} className="min-w-0">
      <svg
        role="img"
        aria-label={time === undefined ? label : `${label}. ${describe(data, chosen ?? 0, write)}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read one time after the other.
        tabIndex={0}
        width={width}
        height={CHART_HEIGHT}
        className="block touch-pan-y rounded outline-offset-2"
        onPointerMove={follow}
        onPointerLeave={() => setActive(undefined)}
        onBlur={() => setActive(undefined)}
        onKeyDown={step}
      >
        {width > 0 && <ChartAxes plan={plan} data={data} write={writeShort} />}
        {width > 0 &&
          (type === 'bars' ? <Bars plan={plan} data={data} /> : <Lines plan={plan} data={data} />)}
        {chosen !== undefined && <Cursor plan={plan} index={chosen} />}
      </svg>
      <ChartLegend
        data={data}
        active={chosen}
        write={write}
        heading={time === undefined ? undefined : writeMoment(time)}
      />
      <ChartTable label={label} data={data} write={write} />
    </figure>
  )
}

function describe({ times, series }: ChartData, index: number, write: (value: number) => string): string {
  const values = series.map(({ label, values: all }) => `${label} ${writeValue(all[index], write)}`)
  return `${writeMoment(times[index] ?? 0)}: ${values.join(', ')}`
}

function Cursor({ plan, index }: { readonly plan: ChartPlan; readonly index: number }) {
  return (
    <rect
      x={plan.xOf(index)}
      y={plan.top}
      width={Math.max(1, plan.band)}
      height={plan.bottom - plan.top}
      className="fill-ink/8"
    />
  )
}
