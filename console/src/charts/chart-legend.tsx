import { type ChartData, seriesFills } from './chart-data.ts'
import { writeValue } from './write-value.ts'

interface ChartLegendProps {
  readonly data: ChartData
  /** The index of the time under the pointer. */
  readonly active: number | undefined
  /** The time under the pointer, in words. */
  readonly heading: string | undefined
  readonly write: (value: number) => string
}

/** The names of the colors and, while the pointer is over a time, its values. Space for the values is reserved. */
export function ChartLegend({ data: { series }, active, heading, write }: ChartLegendProps) {
  return (
    <figcaption className="mt-1 flex min-h-5 flex-wrap gap-x-4 gap-y-0.5 text-xs text-muted">
      {series.map(({ id, label, colour, values }) => (
        <span key={id} className="inline-flex items-center gap-1.5">
          <svg viewBox="0 0 8 8" aria-hidden="true" className="size-2.5">
            <rect width="8" height="8" rx="2" className={seriesFills[colour]} />
          </svg>
          {label}
          {active !== undefined && (
            <span className="font-medium text-ink tabular-nums">{writeValue(values[active], write)}</span>
          )}
        </span>
      ))}
      {heading !== undefined && <span className="ml-auto tabular-nums">{heading}</span>}
    </figcaption>
  )
}
